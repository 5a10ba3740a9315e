// A file that comes in parts, in any order and several at a time, each by a name: collected in a hidden file beside
// the target, or where that is not known yet in the tree of the account, and put together at the end. Clients of
// Nextcloud send large files so, through proxies that take small bodies alone.
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import {
  addPart,
  bytesOf,
  type Collection,
  noParts,
  type Part,
  readParts,
} from '../../files/transfer/parts-file.ts'
import { hasArrived } from '../../files/transfer/receive.ts'
import type { TempFile } from '../../files/volume/temp-file.ts'
import { PARTS_LABEL, TEMP_PREFIX } from '../../files/volume/temp-name.ts'
import { MAX_NOTED } from '../../files/volume/temp-registry.ts'
import { AppError, unless } from '../../lib/errors.ts'
import { joinVPath, parentOf, toVPath, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay, requireStill, watchRights } from '../actor.ts'
import { requireUnlocked } from '../locks.ts'
import { reserve } from '../write.ts'

/** Of an account. Each is a file on the disk. */
const MAX_COLLECTIONS = 100
/** Where no target is known and the top of the tree takes nothing, so many of its folders are tried. */
const MAX_TRIED = 100

function nameOf({ user }: Actor, id: string): string {
  const key = hash('sha256', `${user.id} ${id}`).slice(0, 32)
  return `${TEMP_PREFIX}${PARTS_LABEL}${key}-u${user.id}`
}

/**
 * Begins to collect under an id of the caller's choice. With a `target` its rights are asked for now, with `totalBytes`
 * the room. `exists` where it was begun before; `too_many_requests` past a limit.
 */
export async function beginParts(
  actor: Actor,
  id: string,
  { target, totalBytes, top }: { target: VPath | null; totalBytes: number; top: VPath },
): Promise<void> {
  const { collections } = actor.services
  const tempName = nameOf(actor, id)
  if (notedAs(actor, tempName) !== null) throw new AppError('exists', `${id} was begun before`)
  for (const name of collections.keys()) if (notedAs(actor, name) === null) collections.delete(name)
  admit(actor)
  const beside = target ?? (await findRoom(actor, joinVPath(top, tempName.slice(1)), top))
  if (target) await requireTarget(actor, target)
  using place = await actor.scope.place(beside)
  const label = tempName.slice(TEMP_PREFIX.length)
  const facts = { upload: { owner: actor.user.id, vpath: beside } }
  const verb = verbAt(place.stats !== null)
  const temp = await actor.scope.openTemp(place, { label, facts, verb })
  await reserve(temp, totalBytes).catch(async (error) => {
    await temp.discard()
    throw error
  })
  await temp.release()
  const begun = { beside, tempName, parts: noParts(), isBeingJoined: false }
  collections.set(tempName, Promise.resolve(begun))
}

function verbAt(isThere: boolean): 'create' | 'modify' {
  return isThere ? 'modify' : 'create'
}

function admit({ services, user }: Actor): void {
  const noted = services.temps.noted()
  let own = 0
  for (const [path, { upload }] of noted)
    if (upload?.owner === user.id && basename(path).startsWith(TEMP_PREFIX + PARTS_LABEL)) own++
  if (own >= MAX_COLLECTIONS || noted.size >= MAX_NOTED)
    throw new AppError(
      'too_many_requests',
      `account ${user.id} has ${own} files that come in parts`,
    )
}

/** Throws what a file there would be refused with, but for what only its bytes tell. */
async function requireTarget(actor: Actor, target: VPath): Promise<void> {
  const { scope } = actor
  const found = await scope.stat(target).catch(unless('not_found', 'not_a_folder'))
  if (found?.kind === 'dir') throw new AppError('is_a_folder', `${target} is a folder`)
  requireMay(actor, verbAt(found !== null), target)
  const parent = found
    ? null
    : await scope.stat(parentOf(target)).catch(unless('not_found', 'not_a_folder'))
  if (!found && parent?.kind !== 'dir')
    throw new AppError('conflict', `there is no folder ${parentOf(target)}`)
  await requireUnlocked(actor, target, found ? 'content' : 'member')
}

// Its own tree takes it, unless the account may write in folders of it alone.
async function findRoom(actor: Actor, first: VPath, top: VPath): Promise<VPath> {
  const { scope } = actor
  if (scope.may(first, 'create') && (await isFolder(actor, top))) return first
  const entries = await scope.list(top)
  for (const { vpath, kind } of entries.filter(({ kind }) => kind === 'dir').slice(0, MAX_TRIED)) {
    const inside = joinVPath(vpath, basename(first))
    if (kind === 'dir' && scope.may(inside, 'create')) return inside
  }
  throw new AppError('forbidden', `nothing may be written in ${top}`)
}

async function isFolder({ scope }: Actor, vpath: VPath): Promise<boolean> {
  using place = await scope.place(vpath)
  return place.stats?.isDirectory() ?? false
}

/** The path beside which a collection is, by what is noted of it; null where it is none, or gone. */
function notedAs({ services }: Actor, tempName: string): VPath | null {
  for (const [path, { upload }] of services.temps.noted())
    if (path.endsWith(tempName) && upload) return toVPath(upload.vpath)
  return null
}

async function find(actor: Actor, id: string): Promise<Collection> {
  const { collections } = actor.services
  const tempName = nameOf(actor, id)
  const beside = notedAs(actor, tempName)
  if (beside === null) {
    collections.delete(tempName)
    throw new AppError('not_found', `nothing is collected as ${id}`)
  }
  const known = collections.get(tempName)
  if (known) return known
  // From before the server was started anew.
  const reading = withFile(actor, { beside, tempName }, async (temp) => ({
    beside,
    tempName,
    parts: await readParts(temp),
    isBeingJoined: false,
  }))
  collections.set(tempName, reading)
  reading.catch(() => collections.delete(tempName))
  return reading
}

async function withFile<T>(
  { scope }: Actor,
  { beside, tempName }: Pick<Collection, 'beside' | 'tempName'>,
  work: (temp: TempFile) => Promise<T>,
): Promise<T> {
  using place = await scope.place(beside)
  const temp = await scope.openTemp(place, { resume: tempName })
  try {
    return await work(temp)
  } finally {
    await temp.release()
  }
}

/** The parts that are whole. `not_found` where nothing is collected under the id. */
export async function partsOf(actor: Actor, id: string): Promise<Part[]> {
  return [...(await find(actor, id)).parts.byName.values()]
}

/** Adds a part of so many bytes, or replaces one, with the rights that the target takes as far as it is known. */
export async function receivePart(
  actor: Actor,
  id: string,
  part: Pick<Part, 'name' | 'sizeBytes'>,
  stream: Readable,
): Promise<void> {
  const found = await find(actor, id)
  const { beside, parts } = found
  requireNotBeingJoined(found)
  const verb = verbAt(await actor.scope.exists(beside))
  const demand = requireStill(actor, beside, [verb])
  await withFile(actor, found, async (temp) => {
    // As much as all of them, which is needed once more at the end.
    await reserve(temp, parts.endBytes + part.sizeBytes)
    const rights = hasArrived(stream) ? null : watchRights(actor, demand)
    const body = { stream, signal: rights?.signal }
    await addPart(temp, parts, part, body).finally(() => rights?.end())
  })
}

function requireNotBeingJoined({ isBeingJoined, tempName }: Collection): void {
  if (isBeingJoined) throw new AppError('locked', `${tempName} is being put together`)
}

/**
 * Hands the bytes of all parts, in the order of the numbers that their names begin with, to `write`, which puts them
 * in place as any body; then the parts are gone. When it fails they stay. Throws `bad_request` where `totalBytes` is
 * another sum, and `locked` while this goes on already.
 */
export async function joinParts<T>(
  actor: Actor,
  id: string,
  totalBytes: number | null,
  write: (body: { stream: Readable; sizeBytes: number }) => Promise<T>,
): Promise<T> {
  const { quotas, log } = actor.services
  const found = await find(actor, id)
  requireNotBeingJoined(found)
  const ordered = inOrder([...found.parts.byName.values()])
  const sizeBytes = ordered.reduce((sum, part) => sum + part.sizeBytes, 0)
  if (totalBytes !== null && totalBytes !== sizeBytes)
    throw new AppError('bad_request', `${sizeBytes} of ${totalBytes} bytes have come`, {
      expose: true,
    })
  found.isBeingJoined = true
  try {
    const done = await withFile(actor, found, async (temp) => {
      // The file itself asks for its room now.
      quotas.forgetUpload(found.tempName)
      return await write({ stream: bytesOf(temp, ordered), sizeBytes })
    })
    await discardParts(actor, id).catch((error: Error) =>
      log.warn(`parts that were put together stay until they expire: ${error.message}`),
    )
    return done
  } catch (error) {
    // They hold their room again.
    await withFile(actor, found, async () => {}).catch(() => {})
    throw error
  } finally {
    found.isBeingJoined = false
  }
}

/** `000-099`, `100-199` say where they belong: then nothing may be missing. */
function inOrder(parts: Part[]): Part[] {
  const firstOf = ({ name }: Part) => Number.parseInt(name, 10)
  const ordered = parts.sort((a, b) => firstOf(a) - firstOf(b))
  let next = 0
  for (const part of ordered) {
    const last = part.name.split('-')[1]
    if (
      last !== undefined &&
      (firstOf(part) !== next || Number(last) + 1 !== next + part.sizeBytes)
    )
      throw new AppError('conflict', `part ${part.name} does not follow byte ${next}`, {
        expose: true,
      })
    next += part.sizeBytes
  }
  return ordered
}

/** Removes all parts; `not_found` where there are none. */
export async function discardParts(actor: Actor, id: string): Promise<void> {
  const found = await find(actor, id)
  actor.services.collections.delete(found.tempName)
  using place = await actor.scope.place(found.beside)
  const temp = await actor.scope.openTemp(place, { resume: found.tempName })
  await temp.discard()
}
