// Uploads that come in parts and go on after a break: begun, appended to, and put in place when the last
// byte has come; after a start those that were complete when the server ended.
import type { Readable } from 'node:stream'
import { findAccount } from '../../access/effective.ts'
import { scopeOf } from '../../access/user-tree.ts'
import type { Place } from '../../files/place/scope.ts'
import { hasArrived } from '../../files/transfer/receive.ts'
import {
  appendToPartial,
  type CompleteUpload,
  completePartial,
  createPartial,
  type Destination,
  discardPartial,
  type FoundUpload,
  findPartial,
} from '../../files/transfer/resumable.ts'
import { type Declared, declaredIn } from '../../files/volume/temp-name.ts'
import type { Making } from '../../history/history.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { ROOT, toVPath, type VPath } from '../../lib/vpath.ts'
import { loadUser } from '../../store/users.ts'
import { type Actor, requireMay, requireStill, watchRights } from '../actor.ts'
import { change, noted, notedParents } from '../change.ts'
import { requireUnlocked } from '../locks.ts'
import type { Services } from '../services.ts'
import { putInPlace, reserve } from '../write.ts'

/**
 * Begins an upload, with the right to create; see createPartial. A file of the name is `exists`, or
 * to be replaced with `replace` and the right to modify. `facts` are asked for once the caller may
 * upload. `isFolder` is what the caller took the name for, which is refused. An empty file is complete at once:
 * then it gives true.
 */
export async function beginUpload(
  actor: Actor,
  vpath: VPath,
  {
    replace,
    isFolder = false,
    facts,
  }: { replace: boolean; isFolder?: boolean; facts: () => Omit<Declared, 'replace'> },
): Promise<boolean> {
  requireMay(actor, 'create', vpath)
  if (vpath === ROOT || isFolder) throw badRequest('cannot upload to a directory')
  const { scope, services } = actor
  using place = await scope.place(vpath)
  if (place.stats || place.link) {
    if (place.stats?.isDirectory()) throw badRequest(`cannot upload to a directory ${vpath}`)
    if (!replace) throw new AppError('exists', `${vpath} exists`)
    requireMay(actor, 'modify', vpath)
    await scope.hostPath(place, 'modify')
  }
  await requireUnlocked(actor, vpath, place.stats ? 'content' : 'member')
  const declared = { ...facts(), replace }
  const { lengthBytes } = declared
  await reserve({ requireSpace: (bytes) => scope.requireSpace(place, bytes) }, lengthBytes)
  const destination = destinationOf(actor, place)
  const begin = () => createPartial(services.resumables, destination, declared)
  const upload = await (place.folder ? begin() : notedParents(actor, vpath, begin))
  const isDone = lengthBytes === 0
  if (isDone) await finish(actor, destination, { upload })
  return isDone
}

/**
 * What is known of an upload, with the right to create; `not_found` without one. With `completes` one
 * of the account's own that has all bytes is put in place: the move has failed before, or the server was
 * stopped.
 */
export async function findUpload(
  actor: Actor,
  vpath: VPath,
  { completes }: { completes: boolean },
): Promise<FoundUpload> {
  requireMay(actor, 'create', vpath)
  using place = await actor.scope.place(vpath)
  const destination = destinationOf(actor, place)
  const found = await findPartial(actor.services.resumables, destination)
  if (!found) throw new AppError('not_found', 'no active upload')
  if (completes && isComplete(found)) await finish(actor, destination, found)
  return found
}

function isComplete({ upload, offsetBytes, isOwn }: FoundUpload): boolean {
  return isOwn && offsetBytes === upload.lengthBytes
}

/**
 * Appends to an upload, with the right to create, and puts it in place when it is complete; see
 * appendToPartial. `offset` is asked for once the caller may upload. Gives how much there is then.
 */
export async function appendToUpload(
  actor: Actor,
  vpath: VPath,
  { stream, offset }: { stream: Readable; offset: () => number },
): Promise<{ offsetBytes: number; isDone: boolean }> {
  const demand = requireStill(actor, vpath, ['create'])
  const from = offset()
  using place = await actor.scope.place(vpath)
  const destination = destinationOf(actor, place)
  const rights = hasArrived(stream) ? null : watchRights(actor, demand)
  const opened = await appendToPartial(
    actor.services.resumables,
    destination,
    from,
    stream,
    rights?.signal,
  ).finally(() => rights?.end())
  const { upload, temp, offsetBytes } = opened
  const isDone = offsetBytes === upload.lengthBytes
  try {
    if (isDone) await finish(actor, destination, opened)
  } finally {
    await temp.release()
  }
  return { offsetBytes, isDone }
}

/** Removes an unfinished upload of one's own. Throws `not_found` when there is none. */
export async function discardUpload(actor: Actor, vpath: VPath): Promise<void> {
  using place = await actor.scope.place(vpath)
  if (!(await discardPartial(actor.services.resumables, destinationOf(actor, place))))
    throw new AppError('not_found', `no upload to ${vpath}`)
}

/** Like discardUpload, with the right to delete. */
export async function cancelUpload(actor: Actor, vpath: VPath): Promise<void> {
  if (vpath === ROOT) throw new AppError('forbidden', 'the root is no upload')
  requireMay(actor, 'delete', vpath)
  await discardUpload(actor, vpath)
}

function destinationOf({ scope, user }: Actor, place: Place): Destination {
  return { scope, place, owner: user.id, mayReplace: scope.may(place.vpath, 'modify') }
}

/**
 * Moves a complete upload into place, under the current rules and rights, checked again right before
 * the move, since a command before it may take long. Both hooks run now, when the file
 * is whole, and cannot undo what the client has sent; their failures are logged and change nothing.
 */
async function finish(
  actor: Actor,
  begun: Destination,
  { upload, temp }: CompleteUpload,
): Promise<void> {
  const { vpath } = begun.place
  const { resumables, log } = actor.services
  actor.demand()
  const demand = requireStill(actor, vpath, ['create'])
  // If the path now resolves elsewhere, the upload is not found.
  using place = actor.scope === begun.scope ? null : await actor.scope.place(vpath)
  const destination = place ? destinationOf(actor, place) : begun
  const complete = { upload, temp: place ? undefined : temp }
  await completePartial(resumables, destination, complete, async (commit, attempt) => {
    const { realPath } = destination.place
    let committing: Promise<unknown> | undefined
    const work = async (making: Making) => {
      if (committing) return committing
      await requireUnlocked(actor, vpath, destination.place.stats ? 'content' : 'member')
      demand()
      destination.mayReplace = actor.scope.may(vpath, 'modify')
      const { replace } = upload
      committing = putInPlace(actor, { vpath, realPath, making, replace }, commit)
      return committing
    }
    const what = { event: 'upload', kind: 'upload', vpath } as const
    if (attempt.again && resumables.shared)
      log.info(`${vpath}: what runs before this upload was begun once, and does not run again`)
    try {
      const { place } = destination
      await change(actor, what, (_, making) => work(making), { ...attempt, place })
    } catch (error) {
      await noted(actor, what, work)
      log.warn(`${vpath}: an upload hook failed or may not have run: ${(error as Error).message}`)
    }
  })
}

/**
 * To be called once at the start: finishes saves that were interrupted, then uploads all of whose bytes
 * had come. Uploads that cannot be finished are kept until they expire.
 */
export async function finishLeftovers(services: Services): Promise<void> {
  const { volume, log } = services
  await Promise.all([volume.finishWrites(log), finishUploads(services)]).catch((error: Error) =>
    log.warn(`what was interrupted stays unfinished: ${error.message}`),
  )
}

async function finishUploads(services: Services): Promise<void> {
  for (const [path, { upload, writesTo }] of [...services.temps.noted()]) {
    if (!upload || writesTo || declaredIn(path.slice(path.lastIndexOf('/') + 1)) === null) continue
    try {
      if (await finishLeft(services, upload.owner, upload.vpath))
        services.log.info(`${path}: an upload that was complete is in place`)
    } catch (error) {
      services.log.warn(`${path}: a complete upload stays unfinished: ${(error as Error).message}`)
    }
  }
}

/** Puts an upload in place all of whose bytes had come, as its account; false where it is none, or none of theirs. */
export async function finishLeft(
  services: Services,
  owner: number,
  path: string,
): Promise<boolean> {
  await loadUser(services.store, owner)
  const user = findAccount(services.store, owner)
  const vpath = toVPath(path)
  if (!user || vpath === null) return false
  const scope = scopeOf(services, user)
  const { signal } = new AbortController()
  const origin = { via: 'job', session: 'start' } as const
  const actor: Actor = { services, user, scope, origin, signal, demand: () => {} }
  using place = await scope.place(vpath)
  const destination = destinationOf(actor, place)
  const found = await findPartial(services.resumables, destination)
  if (!found || !isComplete(found)) return false
  await finish(actor, destination, found)
  return true
}
