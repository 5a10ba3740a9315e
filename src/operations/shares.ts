// Making and ending shares, and keeping them true to their file when that is changed by any call.
import { randomBytes } from 'node:crypto'
import { findAccount } from '../access/effective.ts'
import { placeOf, placeOfReal } from '../access/folder-rights.ts'
import { scopeOf, sharedScopeOf, type TreeUser } from '../access/user-tree.ts'
import type { At, Place, Scope } from '../files/place/scope.ts'
import { AppError } from '../lib/errors.ts'
import type { PlaceText } from '../lib/places.ts'
import { isWithin, ROOT, type VPath, vpathOf } from '../lib/vpath.ts'
import { endFolders, moveFolders } from '../store/access/folder-moves.ts'
import type { Change } from '../store/collection.ts'
import { FOLDERS, SHARES, TRASHED_SHARES } from '../store/collections.ts'
import type { Share, ShareTarget } from '../store/document.ts'
import {
  bringBackShares,
  endSharesBelow,
  endSharesOf,
  isSameTarget,
  isUntouched,
  moveShares,
  noteTargets,
  noteTrashed,
  type PlaceOf,
  type SharedEntry,
  sharesAt,
  sharesBelow,
  sharesNamed,
} from '../store/share-targets.ts'
import {
  addShare,
  expiredShares,
  isExpired,
  listedShares,
  loadListedShare,
} from '../store/shares.ts'
import { loadUser } from '../store/users.ts'
import { type Actor, requireMay, requireRight } from './actor.ts'
import type { Services } from './services.ts'

// Sharing hands on the right to download.
function requireSharing(actor: Actor): void {
  requireRight(actor, 'share')
  requireRight(actor, 'download')
}

/** The shares in the account's list; all of them for administrators. Throws `forbidden`. */
export async function listShares(actor: Actor): Promise<Share[]> {
  requireSharing(actor)
  const { services, user } = actor
  const shares = await listedShares(services.store, user.perm.admin ? 'all' : user.id)
  return shares.filter((share) => isInFolder(user, share))
}

// A token of an account sees the shares of its folder alone.
function isInFolder({ folder = ROOT }: TreeUser, { path }: Share): boolean {
  return isWithin(folder, vpathOf(path))
}

/**
 * The live shares of an entry, whose `path` is as in the record; for administrators those of everybody
 * that lead to the same place on disk. Throws `forbidden`.
 */
export async function listSharesOf(actor: Actor, vpath: VPath, path: string): Promise<Share[]> {
  const { services, user } = actor
  if (!user.perm.admin)
    return (await listShares(actor)).filter((share) => !share.ended && share.path === path)
  requireSharing(actor)
  const { place } = placeOf(services, user, vpath)
  const shares = await services.store.read((r) => sharesNamed(r, placing(services), place))
  return shares.filter((share) => !isExpired(share) && !share.ended && isInFolder(user, share))
}

/**
 * Makes a share of an entry. `path` is what the record keeps of it; `given` is asked for once the caller
 * may share. Throws `forbidden`, `too_many_shares`, and like Scope.stat.
 */
export async function createShare(
  actor: Actor,
  vpath: VPath,
  path: string,
  given: () => Promise<Pick<Share, 'expire' | 'passwordHash'>>,
): Promise<Share> {
  const demand = () => {
    requireMay(actor, 'share', vpath)
    requireMay(actor, 'download', vpath)
  }
  demand()
  const { services, user } = actor
  const target = await targetAt(sharedScopeOf(services, user), vpath)
  const { expire, passwordHash } = await given()
  const hash = randomBytes(6).toString('base64url')
  const userID = user.id
  const old = await expiredShares(services.store)
  return services.store.transaction((tx) => {
    actor.demand()
    demand()
    return addShare(tx, { hash, path, userID, expire, passwordHash, token: '', target }, old)
  })
}

/** Ends a share of one's own, or of anybody for administrators. Throws `forbidden`, `not_found`. */
export async function endShare(actor: Actor, hash: string): Promise<void> {
  requireSharing(actor)
  if (hash === '') throw new AppError('bad_request', 'which share?')
  const { services, user } = actor
  const share = await loadListedShare(services.store, hash)
  if (!share) throw new AppError('not_found', 'no such share')
  if (share.userID !== user.id && !user.perm.admin)
    throw new AppError('forbidden', 'the share of another user')
  if (!isInFolder(user, share)) throw new AppError('forbidden', 'a share of another folder')
  await services.store.transaction((tx) => tx.remove(SHARES, hash))
}

/** To be asked before an entry is changed: afterwards there is nothing to be found. */
export async function locateShared(
  { services, scope, user }: Actor,
  vpath: VPath,
): Promise<LocatedEntry> {
  const real = await scope.entryPath(vpath)
  const { place: named } = placeOf(services, user, vpath)
  const realPlace = services.store.count(FOLDERS) > 0 && (await placeOfReal(services, real))
  return { vpath, place: { named, real }, records: [...new Set([realPlace || named, named])] }
}

/** `records`: the places of which records may speak, by where links lead and then by name. */
interface LocatedEntry extends SharedEntry {
  records: readonly PlaceText[]
}

function sharesAround(services: Services, place: SharedEntry['place']): Promise<Share[]> {
  return services.store.read((records) => sharesBelow(records, placing(services), place))
}

function placing(services: Services): PlaceOf {
  return (owner, vpath) => placeOf(services, owner, vpath)
}

/** What a path of a tree leads to, as a share remembers it. Throws like Scope.stat. */
export async function targetAt(scope: Scope, at: At): Promise<ShareTarget> {
  const { kind, dev, ino, birthtimeNs, realPath } = await scope.identify(at)
  return {
    kind,
    dev: String(dev),
    ino: String(ino),
    bornNs: birthtimeNs > 0n ? String(birthtimeNs) : '0',
    place: realPath,
    notedMs: Date.now(),
  }
}

/**
 * Throws `not_found` unless what is at the place of a share, in its owner's tree, is what it was made for.
 * Shares that do not know what they were made for take what is there.
 */
export async function requireTarget(
  services: Services,
  share: Share,
  scope: Scope,
  place: Place,
): Promise<void> {
  const now = await targetAt(scope, place)
  if (!share.target) await note(services, new Map([[share.hash, now]]))
  else if (!isSameTarget(share.target, now))
    throw new AppError('not_found', 'something else has taken the name of what was shared')
}

/**
 * Ends the shares of an entry that the actor has deleted, and of what it held, whoever made them; and the records
 * of folders there. With `entry`, the one of the trash that it is now, the shares come back by reviveShares.
 */
export async function endShares(
  { services, user }: Actor,
  { place, records }: LocatedEntry,
  entry: string | null = null,
): Promise<void> {
  await services.properties.gone(place.real)
  await services.davLocks.gone(place.real)
  const placeOf = placing(services)
  const isShared = (await sharesAround(services, place)).some(({ ended }) => !ended)
  const kept = entry !== null && isShared ? await services.trash.entries() : []
  const inTrash = new Set(kept.map(({ id }) => id))
  await updateShares(services, (tx) => {
    if (entry !== null && isShared) noteTrashed(tx, placeOf, place, { entry, inTrash })
    endSharesBelow(tx, placeOf, user.id, place)
    for (const each of records) endFolders(tx, each)
  })
}

/**
 * Lets the actor's own shares work again that ended with an entry of the trash, which is where it was, at `vpath`; with
 * `isPart` a part of it is.
 */
export async function reviveShares(
  { services, scope, user }: Actor,
  entry: string,
  vpath: VPath,
  { isPart = false } = {},
): Promise<void> {
  if (services.store.find(TRASHED_SHARES, 'entry', entry).length === 0) return
  let back: Share[] = []
  await updateShares(services, (tx) => {
    back = bringBackShares(
      tx,
      user.id,
      entry,
      ({ userID, path }) => !isPart || (userID === user.id && isWithin(vpath, vpathOf(path))),
    )
  })
  // From another disk it comes as new files.
  const targets = new Map<string, ShareTarget>()
  for (const { hash, path } of back) {
    const at = vpathOf(path)
    const now = isWithin(vpath, at) ? await targetIfThere(scope, at) : null
    if (now) targets.set(hash, now)
  }
  await note(services, targets)
}

/**
 * Ends those shares of an entry and of what it held whose own files are not there any more.
 * `isSame` tells whether a file of the name is still that one.
 */
export async function endSharesOfGone(
  { services, user }: Actor,
  { place }: SharedEntry,
  isSame = isSameTarget,
): Promise<void> {
  const gone = new Set<string>()
  for (const share of await sharesAround(services, place))
    if (await isGone(services, share, isSame)) gone.add(share.hash)
  if (gone.size > 0) await updateShares(services, (tx) => endSharesOf(tx, user.id, gone))
}

/**
 * Moves an entry within the actor's tree. The actor's shares follow it, those of others end, see
 * moveShares; and so do those of what it replaces. When the move fails midway, shares of what has gone
 * end. Records of folders follow whoever moves them.
 */
export async function moveWithShares(
  actor: Actor,
  source: VPath,
  target: VPath,
  move: () => Promise<void>,
): Promise<void> {
  const { services, user } = actor
  const from = await locateShared(actor, source)
  const to = await locateShared(actor, target)
  // Record the identity of the existing target first; later it cannot be told from the moved file.
  await noteChanged(services, to)
  try {
    await move()
  } catch (error) {
    await endSharesOfGone(actor, from)
    await endSharesOfGone(actor, to, isUntouched)
    throw error
  }
  await services.trash.moved(from.place.real, to.place.real)
  await services.properties.moved(from.place.real, to.place.real)
  await services.davLocks.gone(from.place.real)
  await endSharesOfGone(actor, to, isUntouched)
  await updateShares(services, (tx) => {
    moveShares(tx, placing(services), user.id, from, to)
    for (const each of from.records) moveFolders(tx, each, to.records[0] ?? to.place.named)
  })
  await noteMoved(actor, to)
}

// Records the identity of shares that have none, or whose file another program replaced.
async function noteChanged(services: Services, { place }: SharedEntry): Promise<void> {
  const targets = new Map<string, ShareTarget>()
  for (const share of await sharesAround(services, place)) {
    await loadUser(services.store, share.userID)
    const owner = findAccount(services.store, share.userID)
    const now = owner && (await targetIfThere(scopeOf(services, owner), vpathOf(share.path)))
    const known = share.target
    if (now && (!known || (isSameTarget(known, now) && !isUntouched(known, now))))
      targets.set(share.hash, now)
  }
  await note(services, targets)
}

// A move to another disk makes new files.
async function noteMoved({ services, scope, user }: Actor, { place }: SharedEntry): Promise<void> {
  const targets = new Map<string, ShareTarget>()
  for (const share of await sharesAround(services, place)) {
    if (share.userID !== user.id || !share.target) continue
    const now = await targetIfThere(scope, vpathOf(share.path))
    if (now && now.ino !== share.target.ino) targets.set(share.hash, now)
  }
  await note(services, targets)
}

/** To be told when a file has been saved at a real path: a save makes a new file of that name. */
export async function noteSaved(
  { services, scope }: Actor,
  vpath: VPath,
  realPath: string,
): Promise<void> {
  const shares = await sharesAt(services.store, realPath)
  const now = shares.length > 0 && (await targetIfThere(scope, vpath))
  if (now) await note(services, new Map(shares.map(({ hash }) => [hash, now])))
}

function targetIfThere(scope: Scope, vpath: VPath): Promise<ShareTarget | null> {
  return targetAt(scope, vpath).catch(() => null)
}

// One whose file cannot be read stays.
async function isGone(
  services: Services,
  share: Share,
  isSame: typeof isSameTarget,
): Promise<boolean> {
  await loadUser(services.store, share.userID)
  const owner = findAccount(services.store, share.userID)
  if (!owner) return false
  try {
    const now = await targetAt(scopeOf(services, owner), vpathOf(share.path))
    return share.target !== undefined && !isSame(share.target, now)
  } catch (error) {
    return error instanceof AppError && error.code === 'not_found'
  }
}

async function note(services: Services, targets: ReadonlyMap<string, ShareTarget>): Promise<void> {
  if (targets.size > 0) await updateShares(services, (tx) => noteTargets(tx, targets))
}

// Part of a change and before its after-hooks, whose failure would let a share outlive its file.
// The file has gone or moved by now, so a failure of this is for the log alone.
async function updateShares(services: Services, change: Change<void>): Promise<void> {
  try {
    await services.store.transaction(change)
  } catch (error) {
    services.log.error(`the shares of a changed path were not updated: ${(error as Error).message}`)
  }
}
