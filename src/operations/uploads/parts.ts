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
  type Parts,
  type Piece,
  readParts,
} from '../../files/transfer/parts-file.ts'
import { hasArrived } from '../../files/transfer/receive.ts'
import type { TempFile } from '../../files/volume/temp-file.ts'
import { isPartsName, PARTS_LABEL, TEMP_PREFIX } from '../../files/volume/temp-name.ts'
import { MAX_NOTED } from '../../files/volume/temp-registry.ts'
import { AppError, unless } from '../../lib/errors.ts'
import { joinVPath, parentOf, toVPath, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay, requireStill, watchRights } from '../actor.ts'
import { requireUnlocked } from '../locks.ts'
import { reserve } from '../write.ts'
import { type HeldParts, notedParts } from './shared-parts.ts'

/** Of an account. Each is a file on the disk, or one of each node. */
const MAX_COLLECTIONS = 100
/** Where no target is known and the top of the tree takes nothing, so many of its folders are tried. */
const MAX_TRIED = 100

/** Once so many are known it is asked which of them other nodes have ended. */
const MANY = 1_000

/** How the names begin of all files that collect under this id. */
function labelOf({ user }: Actor, id: string): string {
  const key = hash('sha256', `${user.id} ${id}`).slice(0, 32)
  return `${PARTS_LABEL}${key}-u${user.id}`
}

/** Of the file of this node. */
function nameOf(actor: Actor, id: string): string {
  return TEMP_PREFIX + labelOf(actor, id) + (actor.services.sharedParts?.suffix ?? '')
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
  await whileHeld(actor, id, async (held) => {
    if ((await besideOf(actor, id, held)) !== null)
      throw new AppError('exists', `${id} was begun before`)
    await forgetGone(actor)
    await admit(actor)
    const tempName = nameOf(actor, id)
    const beside = target ?? (await findRoom(actor, joinVPath(top, tempName.slice(1)), top))
    if (target) await requireTarget(actor, target)
    const path = await makeFile(actor, { beside, tempName }, totalBytes)
    if (held) held.noted = notedParts(labelOf(actor, id), beside, path)
    const begun = newCollection(beside, tempName)
    actor.services.collections.set(tempName, Promise.resolve(begun))
  })
}

function newCollection(beside: VPath, tempName: string): Collection {
  return { beside, tempName, parts: noParts(), others: new Map(), isBeingJoined: false }
}

/** Those that have ended. */
async function forgetGone({ services }: Actor): Promise<void> {
  const { collections, sharedParts } = services
  if (!sharedParts) {
    for (const name of collections.keys())
      if (notedAs(services, name) === null) collections.delete(name)
    return
  }
  if (collections.size < MANY) return
  const labels = new Set((await sharedParts.list({})).map(({ label }) => label))
  for (const name of collections.keys())
    if (!labels.has(name.slice(TEMP_PREFIX.length, -sharedParts.suffix.length)))
      collections.delete(name)
}

/** Gives its real path. */
async function makeFile(
  actor: Actor,
  { beside, tempName }: Pick<Collection, 'beside' | 'tempName'>,
  totalBytes: number,
): Promise<string> {
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
  actor.services.sharedParts?.closed(temp.path)
  return temp.path
}

/** Where several nodes share the records nobody else begins it, puts it together or gives it up meanwhile. */
async function whileHeld<T>(
  actor: Actor,
  id: string,
  work: (held: HeldParts | null) => Promise<T>,
): Promise<T> {
  const { sharedParts } = actor.services
  if (!sharedParts) return work(null)
  const held = await sharedParts.hold(actor.user.id, labelOf(actor, id))
  try {
    return await work(held)
  } finally {
    await held.release()
  }
}

function verbAt(isThere: boolean): 'create' | 'modify' {
  return isThere ? 'modify' : 'create'
}

async function admit({ services, user }: Actor): Promise<void> {
  const { sharedParts, temps } = services
  const noted = temps.noted()
  let own = 0
  if (sharedParts) own = await sharedParts.count(user.id)
  else
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
async function besideOf(actor: Actor, id: string, held?: HeldParts | null): Promise<VPath | null> {
  const { services, user } = actor
  if (held) return held.noted?.beside ?? null
  if (services.sharedParts)
    return (await services.sharedParts.look(user.id, labelOf(actor, id)))?.beside ?? null
  return notedAs(services, nameOf(actor, id))
}

function notedAs({ temps }: Actor['services'], tempName: string): VPath | null {
  for (const [path, { upload }] of temps.noted())
    if (path.endsWith(tempName) && upload) return toVPath(upload.vpath)
  return null
}

async function find(actor: Actor, id: string, held?: HeldParts | null): Promise<Collection> {
  const { collections, sharedParts } = actor.services
  const tempName = nameOf(actor, id)
  const beside = await besideOf(actor, id, held)
  const known = collections.get(tempName)
  if (known && (await known.catch(() => null))?.beside === beside) return known
  collections.delete(tempName)
  if (beside === null) throw new AppError('not_found', `nothing is collected as ${id}`)
  // From before the server was started anew, or begun at another node.
  const met = { ...newCollection(beside, tempName) }
  const reading = withFile(actor, met, (temp) => readParts(temp)).then(
    (parts) => ({ ...met, parts }),
    async (error) => {
      if (!sharedParts || !(error instanceof AppError && error.code === 'not_found')) throw error
      await makeFile(actor, met, 0)
      return met
    },
  )
  collections.set(tempName, reading)
  reading.catch(() => collections.delete(tempName))
  return reading
}

async function withFile<T>(
  { scope, services }: Actor,
  { beside, tempName }: Pick<Collection, 'beside' | 'tempName'>,
  work: (temp: TempFile) => Promise<T>,
): Promise<T> {
  using place = await scope.place(beside)
  const temp = await scope.openTemp(place, { resume: tempName })
  services.sharedParts?.opened(temp.path)
  try {
    return await work(temp)
  } finally {
    await temp.release()
    services.sharedParts?.closed(temp.path)
  }
}

/** The names of the files of other nodes. */
async function othersOf(actor: Actor, id: string, { beside, tempName }: Collection) {
  if (!actor.services.sharedParts) return []
  using place = await actor.scope.place(beside)
  const names = await actor.scope.findTemps(place, labelOf(actor, id))
  return names.filter((name) => isPartsName(name) && name !== tempName)
}

/** Reads what other nodes have collected, and hands all that there is, with the open files, to `work`. */
async function withPieces<T>(
  actor: Actor,
  id: string,
  found: Collection,
  work: (pieces: Piece[]) => Promise<T>,
): Promise<T> {
  const others = await othersOf(actor, id, found)
  const pieces = new Map<string, Piece>()
  const add = (file: TempFile, { byName }: Parts) => {
    for (const [name, part] of byName)
      if ((pieces.get(name)?.part.atMs ?? 0) <= part.atMs) pieces.set(name, { part, file })
  }
  const withRest = async (at: number): Promise<T> => {
    const tempName = others[at]
    if (tempName === undefined)
      return withFile(actor, found, (temp) => {
        add(temp, found.parts)
        return work([...pieces.values()])
      })
    return withFile(actor, { ...found, tempName }, async (temp) => {
      const parts = await readParts(temp, found.others.get(tempName))
      found.others.set(tempName, parts)
      add(temp, parts)
      return withRest(at + 1)
    })
  }
  return withRest(0)
}

/** The parts that are whole. `not_found` where nothing is collected under the id. */
export async function partsOf(actor: Actor, id: string): Promise<Part[]> {
  const found = await find(actor, id)
  if (!actor.services.sharedParts) return [...found.parts.byName.values()]
  return withPieces(actor, id, found, async (pieces) => pieces.map(({ part }) => part))
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
  return whileHeld(actor, id, async (held) => {
    const { quotas, log } = actor.services
    const found = await find(actor, id, held)
    requireNotBeingJoined(found)
    found.isBeingJoined = true
    try {
      const done = await withPieces(actor, id, found, async (pieces) => {
        const ordered = inOrder(pieces)
        const sizeBytes = ordered.reduce((sum, { part }) => sum + part.sizeBytes, 0)
        if (totalBytes !== null && totalBytes !== sizeBytes)
          throw new AppError('bad_request', `${sizeBytes} of ${totalBytes} bytes have come`, {
            expose: true,
          })
        // The file itself asks for its room now.
        quotas.forgetUpload(found.tempName)
        return await write({ stream: bytesOf(ordered), sizeBytes })
      })
      await discardAll(actor, id, found, held).catch((error: Error) =>
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
  })
}

/** `000-099`, `100-199` say where they belong: then nothing may be missing. */
function inOrder(pieces: Piece[]): Piece[] {
  const firstOf = ({ name }: Part) => Number.parseInt(name, 10)
  const ordered = pieces.sort((a, b) => firstOf(a.part) - firstOf(b.part))
  let next = 0
  for (const { part } of ordered) {
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
  await whileHeld(actor, id, async (held) =>
    discardAll(actor, id, await find(actor, id, held), held),
  )
}

async function discardAll(
  actor: Actor,
  id: string,
  found: Collection,
  held: HeldParts | null,
): Promise<void> {
  actor.services.collections.delete(found.tempName)
  const others = await othersOf(actor, id, found)
  for (const resume of [...others, found.tempName]) {
    using place = await actor.scope.place(found.beside)
    const temp = await actor.scope.openTemp(place, { resume })
    await temp.discard()
  }
  if (held) held.noted = null
}
