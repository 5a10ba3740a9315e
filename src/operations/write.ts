// Writing a file from a body that comes as a stream, and making folders.
import type { Readable } from 'node:stream'
import type { Verb } from '../api-types.ts'
import type { At, Place, Scope } from '../files/place/scope.ts'
import { copyBytes } from '../files/transfer/copy-file.ts'
import { hasArrived, receive } from '../files/transfer/receive.ts'
import type { EntryStat } from '../files/volume/entry-stat.ts'
import type { CommittedFile, TempFile } from '../files/volume/temp-file.ts'
import type { Making } from '../history/history.ts'
import { AppError, unless } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { type Actor, requireStill, watchRights } from './actor.ts'
import { change, notedParents } from './change.ts'
import { requireUnlocked } from './locks.ts'
import { madeOf } from './made.ts'
import { noteSaved } from './shares.ts'

export interface Body {
  stream: Readable
  /** As announced; 0 when nobody has. */
  sizeBytes: number
  /** Modification time of the file; without it the time of its end. */
  mtimeMs?: number | undefined
  /** It is this part of the file: the rest stays as it is. */
  part?: { offsetBytes: number; totalBytes: number | null } | undefined
  proof?: Proof | undefined
}

/** Told of what is written, and asked at its end; throws where that is not what was announced. */
export interface Proof {
  add(chunk: Uint8Array): void
  check(): void
}

/** Creates a folder and its parents, with the right to create. Existing ones are fine, or with `isNew` they are `exists`. */
export async function makeFolder(
  actor: Actor,
  vpath: VPath,
  { isNew: mustBeNew = false } = {},
): Promise<void> {
  const demand = requireStill(actor, vpath, ['create'])
  const what = { event: 'upload', kind: 'folder', vpath } as const
  const make = async (making: Making) => {
    demand()
    const { scope } = actor
    if (!(await scope.exists(vpath))) await requireUnlocked(actor, vpath, 'member')
    const isNew = making.isWanted && !(await scope.exists(vpath))
    if (mustBeNew) await scope.makeNewFolder(vpath)
    else await scope.makeFolder(vpath)
    if (isNew) making.made(madeOf(await scope.stat(vpath)))
  }
  await notedParents(actor, vpath, () => change(actor, what, (_, making) => make(making)))
}

/**
 * Creates a file and with `parents` the folders above it, with the right to create. A file of the name is `exists`, or replaced
 * with `replace` and the right to modify; a folder is `is_a_folder`. `check` throws when the file, or null
 * where there is none, is not as the caller expects; it is asked again when the body is complete.
 */
export async function createFile(
  actor: Actor,
  vpath: VPath,
  body: Body,
  { replace, check, parents = true }: CreateOptions,
): Promise<CommittedFile> {
  const verbs: Verb[] = ['create']
  const demand = requireStill(actor, vpath, verbs)
  const { scope } = actor
  using place = await scope.place(vpath)
  if (place.stats || place.link) {
    if (!replace) throw new AppError('exists', `${vpath} exists`)
    verbs.push('modify')
    demand()
    if (place.stats?.isDirectory())
      throw new AppError('is_a_folder', `${vpath} is a folder and cannot be replaced by a file`)
    // Where links lead as well, before the body comes.
    await scope.hostPath(place, 'modify')
  }
  const checkFile = async (at: At) => {
    if (check) check(await fileIfThere(actor.scope, at))
  }
  await checkFile(place)
  const what = { event: 'upload', kind: 'upload', vpath } as const
  const write = () =>
    change(
      actor,
      what,
      (_, making) =>
        writeBody(actor, place, body, {
          making,
          scope,
          replace,
          parents,
          demand,
          check: () => checkFile(vpath),
        }),
      { place },
    )
  return await (place.folder ? write() : notedParents(actor, vpath, write))
}

interface CreateOptions {
  replace: boolean
  check?: ((file: EntryStat | null) => void) | undefined
  parents?: boolean
}

async function fileIfThere(scope: Scope, at: At): Promise<EntryStat | null> {
  const found = await scope.stat(at).catch(unless('not_found'))
  return found?.kind === 'file' ? found : null
}

/**
 * Replaces the content of a file, with the right to modify. `check` throws when the file, as it is now,
 * is not to be replaced; it is asked again when the body is complete: another save may have come first.
 * `isFolder` is what the caller took the name for, which is `method_not_allowed`.
 */
export async function saveFile(
  actor: Actor,
  vpath: VPath,
  body: Body,
  check: (file: EntryStat) => void,
  { isFolder = false } = {},
): Promise<CommittedFile> {
  const demand = requireStill(actor, vpath, ['modify'])
  if (isFolder) throw new AppError('method_not_allowed', `${vpath} was saved as a folder`)
  const { scope } = actor
  const checkFile = async (at: At) => {
    const file = await actor.scope.stat(at)
    if (file.kind === 'dir') throw new AppError('is_a_folder', `${vpath} is not a file`)
    if (file.kind !== 'file')
      throw new AppError('unsupported', `${vpath} is not a file`, { status: 500 })
    check(file)
  }
  using place = await scope.place(vpath)
  await checkFile(place)
  const what = { event: 'save', kind: 'save', vpath } as const
  return await change(
    actor,
    what,
    (_, making) =>
      writeBody(actor, place, body, {
        making,
        scope,
        verb: 'modify',
        replace: true,
        parents: false,
        demand,
        check: () => checkFile(vpath),
      }),
    { place },
  )
}

interface WriteOptions {
  making: Making
  /** The tree in which the place was resolved. */
  scope: Scope
  /** See TempOptions. */
  verb?: 'modify'
  replace: boolean
  parents: boolean
  demand: () => void
  check?: () => Promise<void>
}

/** Receives the body beside the target and moves it into place when it is whole. */
async function writeBody(
  actor: Actor,
  place: Place,
  body: Body,
  { making, scope, verb, replace, parents, demand, check }: WriteOptions,
): Promise<CommittedFile> {
  const { vpath, realPath } = place
  const { stream, sizeBytes, mtimeMs, part, proof } = body
  const touched = place.stats ? 'content' : 'member'
  await requireUnlocked(actor, vpath, touched)
  const temp = await scope.openTemp(place, { parents, ...(verb && { verb }) })
  const rights = hasArrived(stream) ? null : watchRights(actor, demand)
  const checkAgain = async () => {
    demand()
    // Other rules or another home: the name must still lead to the same place.
    if (actor.scope !== scope && (await actor.scope.hostPath(vpath, verb ?? 'create')) !== realPath)
      throw new AppError('forbidden', `${vpath} is another place now`)
    await requireUnlocked(actor, vpath, touched)
    await check?.()
  }
  try {
    await reserve(temp, part ? Math.max(part.offsetBytes + sizeBytes, sizeOf(place)) : sizeBytes)
    if (part && place.stats) await copyOld(scope, place, temp, actor.signal)
    const into = proof ? { write: proving(temp, proof) } : temp
    const position = part?.offsetBytes ?? 0
    await receive(stream, into, { position, signal: rights?.signal })
    proof?.check()
    const total = part?.totalBytes ?? null
    if (total !== null && (await temp.sizeBytes()) > total) await temp.truncate(total)
    return await putInPlace(actor, { vpath, realPath, making, replace }, (held) =>
      // Without the right to modify, a file that appeared meanwhile is not replaced.
      temp.commit({
        replace: replace && actor.scope.may(vpath, 'modify'),
        mtimeMs,
        check: async () => {
          await checkAgain()
          held()
        },
      }),
    )
  } finally {
    rights?.end()
    await temp.discard()
  }
}

function sizeOf({ stats }: Place): number {
  return Number(stats?.size ?? 0)
}

function proving(temp: TempFile, proof: Proof): TempFile['write'] {
  return async (buffers, position, how) => {
    for (const buffer of buffers) proof.add(buffer)
    await temp.write(buffers, position, how)
  }
}

// A part is written into a copy: one that breaks off leaves the file as it was.
async function copyOld(
  scope: Scope,
  place: Place,
  temp: TempFile,
  signal: AbortSignal,
): Promise<void> {
  const file = await scope.openRead(place)
  try {
    await copyBytes(file, temp, { signal })
  } finally {
    await file.handle.close()
  }
}

/** Throws `no_space` unless a file of this size fits. Asked before its first byte. */
export async function reserve(
  place: { requireSpace(sizeBytes: number): Promise<void> },
  sizeBytes: number,
): Promise<void> {
  if (sizeBytes > 0) await place.requireSpace(sizeBytes)
}

/**
 * Moves a complete file into place, one at a time for each host path. The shares of what was there are
 * shares of the new file. `commit` gets what is to be called last before anything may be replaced, see Saves.
 */
export function putInPlace(
  actor: Actor,
  {
    vpath,
    realPath,
    making,
    replace,
  }: { vpath: VPath; realPath: string; making: Making; replace: boolean },
  commit: (held: () => void) => Promise<CommittedFile>,
): Promise<CommittedFile> {
  const put = async (held: () => void) => {
    const done = await commit(held)
    making.made(madeOf(done))
    await noteSaved(actor, vpath, realPath)
    return done
  }
  return actor.services.saves.withLock(realPath, put, { isAlone: !replace })
}
