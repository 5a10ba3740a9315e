// Files that are fetched from another server: hidden until they are whole, and gone on with where the connection broke.
import { randomUUID } from 'node:crypto'
import type { Verb } from '../api-types.ts'
import { remoteName } from '../files/remote/name.ts'
import { reachOf } from '../files/remote/reach.ts'
import { failed, type RemoteFile, requestRemote } from '../files/remote/request.ts'
import { freeName } from '../files/transfer/copy.ts'
import type { Course } from '../files/transfer/course.ts'
import { type Copying, keepSafe, openLeft, safeIn } from '../files/transfer/half-copy.ts'
import { receive } from '../files/transfer/receive.ts'
import type { TempFile } from '../files/volume/temp-file.ts'
import { AppError, errnoOf, unless } from '../lib/errors.ts'
import { joinVPath, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from './actor.ts'
import { change } from './change.ts'
import { requireUnlocked } from './locks.ts'
import { putInPlace, reserve } from './write.ts'

/** A connection that breaks is made again so often. */
const MAX_BREAKS = 5
/** How often it is asked for room, of a file whose size nobody has said. */
const ROOM_STEP_BYTES = 64 * 1024 * 1024

export interface Fetching {
  url: string
  /** A folder that is there. */
  to: VPath
  /** Null for that of its server, or of the address. */
  name: string | null
  /** What becomes of a place that is taken. */
  conflict: 'fail' | 'rename' | 'replace'
}

export interface LongFetch {
  course: Course
  /** Where an earlier run has begun to put it; null in the first. */
  target: VPath | null
  onBegin(target: VPath): Promise<void>
  /** Null where the server does not say. */
  onSize(sizeBytes: number | null): void
  /** Whether what has changed then may be of this work. */
  hasCome(changedMs: bigint): boolean
}

/**
 * Throws what is refused before anybody is asked for it: `fetch_failed` for a host that nothing is fetched from, `forbidden` without
 * the right to create, `not_found`, `not_a_folder`, and `exists` where a name is given that is taken.
 */
export async function prepareFetch(
  actor: Actor,
  { url, to, name, conflict }: Fetching,
): Promise<void> {
  const { fetchFrom } = actor.services.config
  if (!fetchFrom || !reachOf(new URL(url), fetchFrom))
    throw new AppError('fetch_failed', 'nothing is fetched from this address', { status: 403 })
  requireMay(actor, 'create', name === null ? to : joinVPath(to, name))
  const { kind } = await actor.scope.stat(to)
  if (kind !== 'dir') throw new AppError('not_a_folder', `${to} is no folder`)
  if (name !== null && conflict === 'fail') await requireFree(actor, joinVPath(to, name))
}

async function requireFree({ scope }: Actor, target: VPath): Promise<void> {
  if (await scope.exists(target)) throw new AppError('exists', `${target} exists`)
}

/** A file that is on its way. */
interface Coming {
  target: VPath
  demand(): void
  temp: TempFile
  position: number
  /** Names the content that has come so far. */
  validator: string | null
  /** Null while there is nothing that could be gone on with. */
  safety: Pick<Copying, 'reached' | 'end'> | null
}

/**
 * Fetches a file into a folder. Throws as prepareFetch does, `fetch_failed`, `too_large`, `no_space` and
 * `quota_exceeded`. What has come by then stays hidden where a later run may go on with it.
 */
export async function fetchFile(actor: Actor, what: Fetching, long: LongFetch): Promise<void> {
  const { course, target } = long
  if (target === null) await prepareFetch(actor, what)
  await course.begin()
  actor.demand()
  let coming = target === null ? null : await leftBy(actor, target, what, long)
  if (coming === 'whole') return course.passed(0)
  let isKept = false
  try {
    for (let breaks = 0; ; breaks++) {
      const remote = await ask(actor, what, coming)
      try {
        coming ??= await begin(actor, what, long, remote)
        await takeUp(coming, remote, course)
        long.onSize(remote.sizeBytes)
        await receiveFrom(actor, coming, remote, course)
        break
      } catch (error) {
        actor.signal.throwIfAborted()
        if (!isBroken(remote)) throw error
        if (breaks === MAX_BREAKS || coming?.validator == null)
          throw failed(`${remote.url.host} breaks off`, error)
      } finally {
        remote.body.destroy()
      }
    }
    await coming.safety?.end(false)
    await place(actor, coming, what)
    course.passed(0)
  } catch (error) {
    const isToGoOn = actor.signal.aborted
      ? course.goesOn(actor.signal.reason)
      : errnoOf(error) === 'fetch_failed'
    isKept = isToGoOn && coming !== null && coming.validator !== null
    throw error
  } finally {
    await coming?.safety?.end(isKept)
    await (isKept ? coming?.temp.release() : coming?.temp.discard())
  }
}

function isBroken({ body }: RemoteFile): boolean {
  return body.errored !== null || (body.destroyed && !body.complete)
}

function ask(actor: Actor, { url }: Fetching, coming: Coming | null): Promise<RemoteFile> {
  const { services, signal } = actor
  const { fetchFrom: from } = services.config
  if (!from) throw failed('nothing is fetched here any more')
  const { position = 0, validator = null } = coming ?? {}
  const rest = position > 0 && validator !== null ? { offsetBytes: position, validator } : undefined
  return requestRemote(new URL(url), { from, rest, signal })
}

/** What an earlier run has left to go on with; `whole` where it had come to its place by then. */
async function leftBy(
  actor: Actor,
  target: VPath,
  { conflict }: Fetching,
  { course, hasCome }: LongFetch,
): Promise<Coming | 'whole' | null> {
  const { scope } = actor
  const half = course.half(target)
  const temp = half && (await openLeft(half, (how) => scope.openTemp(target, how)))
  if (!temp) {
    const found = await scope.stat(target).catch(unless('not_found'))
    if (found && hasCome(found.mtimeNs / 1_000_000n)) return 'whole'
  }
  const validator = half && 'validator' in half.source ? half.source.validator : null
  const safeBytes = validator === null ? 0 : (half?.safeBytes ?? 0)
  const position = temp ? await safeIn(temp, safeBytes, { isCut: true }) : 0
  const demand = demandOf(actor, target, conflict)
  course.bytes(position)
  return {
    target,
    demand,
    temp: temp ?? (await scope.openTemp(target, { label: randomUUID() })),
    position,
    validator,
    safety: null,
  }
}

function demandOf(actor: Actor, target: VPath, conflict: Fetching['conflict']): () => void {
  const verbs: Verb[] = conflict === 'replace' ? ['create', 'modify'] : ['create']
  return requireStill(actor, target, verbs)
}

/** Finds the place for it, and opens the hidden file. */
async function begin(
  actor: Actor,
  { to, name, conflict }: Fetching,
  { onBegin }: LongFetch,
  { disposition, url }: RemoteFile,
): Promise<Coming> {
  const { scope } = actor
  const wanted = joinVPath(to, name ?? remoteName(disposition, url))
  const demand = demandOf(actor, wanted, conflict)
  const target = conflict === 'rename' ? await freeName(scope, wanted) : wanted
  if (conflict === 'fail') await requireFree(actor, target)
  const found = await scope.stat(target).catch(unless('not_found'))
  if (found?.kind === 'dir') throw new AppError('is_a_folder', `${target} is a folder`)
  await requireUnlocked(actor, target, found ? 'content' : 'member')
  await onBegin(target)
  const temp = await scope.openTemp(target, { label: randomUUID() })
  return { target, demand, temp, position: 0, validator: null, safety: null }
}

/** Where another content comes now, or all of it again, what has come is of no use. */
async function takeUp(coming: Coming, remote: RemoteFile, course: Course): Promise<void> {
  const { target, temp, position, safety } = coming
  const { validator, offsetBytes } = remote
  // A connection may break before the first byte.
  if (offsetBytes !== position || validator !== coming.validator) {
    await safety?.end(false)
    await temp.truncate(0)
    course.bytes(-position)
    coming.position = 0
    coming.safety = null
  }
  coming.validator = validator
  if (validator !== null)
    coming.safety ??= keepSafe(temp, coming.position, { course, target, source: { validator } })
}

async function receiveFrom(
  actor: Actor,
  coming: Coming,
  { body, url, sizeBytes }: RemoteFile,
  course: Course,
): Promise<void> {
  const { temp, target } = coming
  const maxBytes = actor.services.config.fetchMaxSizeBytes
  if ((sizeBytes ?? 0) > maxBytes)
    throw new AppError('too_large', `${url.host} gives more than ${maxBytes} bytes`)
  await reserve(temp, sizeBytes ?? 0)
  course.at(target)
  let roomBytes = sizeBytes ?? 0
  const write: TempFile['write'] = async (buffers, position, how) => {
    const bytes = buffers.reduce((sum, { length }) => sum + length, 0)
    const end = position + bytes
    if (end > roomBytes) {
      roomBytes = end + ROOM_STEP_BYTES
      await reserve(temp, end)
    }
    await temp.write(buffers, position, how)
    coming.position = end
    course.bytes(bytes)
    await coming.safety?.reached(end)
  }
  const { position, signal } = { position: coming.position, signal: actor.signal }
  await receive(body, { write }, { position, maxBytes: maxBytes - position, signal })
  if (sizeBytes !== null && coming.position !== sizeBytes)
    throw failed(`${url.host} gives less than it has said`)
}

/** Commands run when the file is whole, as for uploads in parts; one that fails before it keeps the file away. */
async function place(actor: Actor, coming: Coming, { conflict }: Fetching): Promise<void> {
  const { target, temp, demand } = coming
  await change(actor, { event: 'upload', kind: 'upload', vpath: target }, async (_, making) => {
    demand()
    using found = await actor.scope.place(target)
    const touched = found.stats ? 'content' : 'member'
    const replace = conflict === 'replace'
    return putInPlace(actor, { vpath: target, realPath: found.realPath, making, replace }, (held) =>
      temp.commit({
        replace,
        check: async () => {
          await requireUnlocked(actor, target, touched)
          demand()
          held()
        },
      }),
    )
  })
}
