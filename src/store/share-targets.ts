// What shares were made for. A share belongs to a file or folder, not to a name, and ends with it. The
// shares of who removed it are removed; those of others stay in their lists as ended.
import { isPlaceWithin, type PlaceText, pathBelow, splitPlace } from '../lib/places.ts'
import { isWithin, joinVPath, parentOf, ROOT, rebase, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Records, Store, Transaction } from './collection.ts'
import { FOLDERS, SHARES, TRASHED_SHARES, USERS } from './collections.ts'
import type { Share, ShareTarget, User } from './document.ts'
import { addShare, isExpired } from './shares.ts'
import { foldedHome } from './user-facts.ts'
import { findUser } from './users.ts'

/** Where something is: by names, and on the host. */
interface SharedPlace {
  /** As somebody named it. */
  named: PlaceText
  /** Real path on the host. */
  real: string
}

/** Where a path of an account's tree is; `top` is the folder at the top that leads there, null in the home. */
export type PlaceOf = (owner: User, vpath: VPath) => { place: PlaceText; top: PlaceText | null }

/** An entry in the tree of an account, and where that is. */
export interface SharedEntry {
  vpath: VPath
  place: SharedPlace
}

/** The kernel dates files by its clock's last tick, which may lie this far back (time(7), HZ=100). */
const CLOCK_TICK_NS = 10_000_000n

/** True when `now` is what the share was made for (docs/decisions/0008-a-share-belongs-to-a-file.md). */
export function isSameTarget(noted: ShareTarget, now: ShareTarget): boolean {
  if (noted.kind !== now.kind) return false
  if (noted.bornNs === '0' || now.bornNs === '0') return true
  if (noted.ino === now.ino && noted.bornNs === now.bornNs) return true
  if (noted.kind === 'file')
    return BigInt(now.bornNs) + CLOCK_TICK_NS >= BigInt(noted.notedMs) * 1_000_000n
  return noted.dev !== now.dev && noted.place === now.place
}

/**
 * Like isSameTarget for a change of our own making, which is no save by another program: a file
 * that was put in the place of another is not the same one.
 */
export function isUntouched(noted: ShareTarget, now: ShareTarget): boolean {
  if (noted.kind !== now.kind || noted.ino !== now.ino) return false
  return noted.bornNs === now.bornNs || noted.bornNs === '0' || now.bornNs === '0'
}

/** The shares made for what is at a real path of the host; none that have ended. */
export function sharesAt(
  { large }: Pick<Store, 'large'>,
  place: string,
): Promise<readonly Share[]> {
  return large.find(SHARES, 'place', place)
}

/** The shares of all accounts that lead to a place by the names of their owners' trees. */
export function sharesNamed(records: Records, placeOf: PlaceOf, named: PlaceText): Share[] {
  return ofPlaces(records, sharesThatMayLead(records, named, 'is'), placeOf, (p) => p === named)
}

function ofPlaces(
  records: Records,
  shares: readonly Share[],
  placeOf: PlaceOf,
  isMeant: (place: PlaceText) => boolean,
): Share[] {
  records.expect(USERS, () => shares.map(({ userID }) => userID))
  return shares.filter((share) => {
    const owner = findUser(records, share.userID)
    return owner !== undefined && isMeant(placeOf(owner, vpathOf(share.path)).place)
  })
}

/**
 * All shares that lead to a place, or to one at or below it, by whatever home their owner has and whatever folder stands
 * at its top; with `real` also those made for what is at that path of the host or below it. There are others among them.
 */
function sharesThatMayLead(
  records: Records,
  named: PlaceText,
  how: 'is' | 'below',
  real?: string,
): readonly Share[] {
  const few = records.ifWhole(SHARES)
  if (few) return few
  const { root, vpath } = splitPlace(named)
  // The first is for those whose home is all that is served.
  const paths: VPath[] = root === '' ? [vpath] : []
  for (const { as, place } of records.all(FOLDERS)) {
    if (as === '') continue
    if (isPlaceWithin(place, named))
      paths.push(rebase(joinVPath(ROOT, as), pathBelow(place, named)))
    else if (how === 'below' && isPlaceWithin(named, place)) paths.push(joinVPath(ROOT, as))
  }
  const values = { path: { [how]: paths }, ...(real !== undefined && { place: { below: [real] } }) }
  const shares = records.among(SHARES, values)
  if (root !== '' || vpath === ROOT) return shares
  const below = how === 'below' ? [foldedHome(vpath)] : []
  const owners = records.among(USERS, { home: { is: homesAround(vpath), below } })
  if (owners.length === 0) return shares
  const own = records.among(SHARES, { userID: { is: owners.map(({ id }) => id) } })
  return [...new Set([...shares, ...own])]
}

/** The homes in which a path may be, but for all that is served. */
function homesAround(vpath: VPath): string[] {
  const homes: string[] = []
  for (let at = vpath; at !== ROOT; at = parentOf(at)) homes.push(foldedHome(at))
  return homes
}

/** The shares of all accounts at a place and below, those that have ended included. */
export function sharesBelow(
  records: Records,
  placeOf: PlaceOf,
  { named, real }: SharedPlace,
): Share[] {
  const all = sharesThatMayLead(records, named, 'below', real)
  const isAt = ({ target }: Share) =>
    target !== undefined && isWithin(real as VPath, target.place as VPath)
  const others = all.filter((share) => !isAt(share))
  const isBelow = (place: PlaceText) => isPlaceWithin(named, place)
  return [...all.filter(isAt), ...ofPlaces(records, others, placeOf, isBelow)]
}

/**
 * Ends the shares at a place and below, whoever made them, when account `userID` has taken away what
 * is there.
 */
export function endSharesBelow(
  tx: Transaction,
  placeOf: PlaceOf,
  userID: number,
  place: SharedPlace,
): void {
  for (const share of sharesBelow(tx, placeOf, place)) endShare(tx, share, userID)
}

/**
 * Notes the shares at a place and below, whoever made them, before they end: they come back with `entry` of the trash.
 * Those of entries that are not in the trash any more are forgotten.
 */
export function noteTrashed(
  tx: Transaction,
  placeOf: PlaceOf,
  place: SharedPlace,
  { entry, inTrash }: { entry: string; inTrash: ReadonlySet<string> },
): void {
  for (const noted of tx.all(TRASHED_SHARES))
    if (!inTrash.has(noted.entry)) tx.remove(TRASHED_SHARES, noted.share.hash)
  for (const share of sharesBelow(tx, placeOf, place)) {
    if (share.ended) continue
    tx.remove(TRASHED_SHARES, share.hash)
    tx.insert(TRASHED_SHARES, { entry, share })
  }
}

/**
 * Brings back the shares of account `userID` that ended when this entry went into the trash, unless they have expired
 * or something else has their hash; what is noted of others is forgotten. Those that `isBack` says no of stay as they
 * are. Gives the shares.
 */
export function bringBackShares(
  tx: Transaction,
  userID: number,
  entry: string,
  isBack: (share: Share) => boolean,
): Share[] {
  const back: Share[] = []
  for (const { share } of tx.find(TRASHED_SHARES, 'entry', entry)) {
    if (!isBack(share)) continue
    tx.remove(TRASHED_SHARES, share.hash)
    const now = tx.get(SHARES, share.hash)
    const isFree = now === undefined || (now.ended === true && now.userID === userID)
    if (share.userID !== userID || !isFree || isExpired(share)) continue
    if (now) tx.replace(SHARES, share)
    else addShare(tx, share)
    back.push(share)
  }
  return back
}

/** Ends the shares of these hashes, whose files account `userID` has taken away. */
export function endSharesOf(tx: Transaction, userID: number, hashes: Iterable<string>): void {
  for (const hash of hashes) {
    const share = tx.get(SHARES, hash)
    if (share) endShare(tx, share, userID)
  }
}

// Shares of other accounts are marked as ended, not removed.
function endShare(tx: Transaction, { target: _, ...share }: Share, userID: number): void {
  if (share.userID === userID) tx.remove(SHARES, share.hash)
  else if (!share.ended) tx.replace(SHARES, { ...share, ended: true })
}

/**
 * Lets the shares of one account follow an entry that it has moved within its tree, and ends those
 * of others: they gave out a place that is not theirs to move. Those below a folder at the top stay true when
 * that has moved as a whole. `source` and `target` are paths in the account's tree.
 */
export function moveShares(
  tx: Transaction,
  placeOf: PlaceOf,
  userID: number,
  source: SharedEntry,
  target: SharedEntry,
): void {
  for (const share of sharesBelow(tx, placeOf, source.place)) {
    if (share.ended) continue
    const path = vpathOf(share.path)
    const owner = findUser(tx, share.userID)
    const top = owner && placeOf(owner, path).top
    if (share.userID === userID && isWithin(source.vpath, path))
      tx.replace(SHARES, movedShare(share, source, target))
    else if (top && isPlaceWithin(source.place.named, top))
      tx.replace(SHARES, withMovedTarget(share, source, target))
    else endShare(tx, share, userID)
  }
}

function movedShare(share: Share, source: SharedEntry, target: SharedEntry): Share {
  const slash = share.path.endsWith('/') && share.path !== '/' ? '/' : ''
  const below = vpathOf(share.path).slice(source.vpath.length)
  return withMovedTarget({ ...share, path: target.vpath + below + slash }, source, target)
}

function withMovedTarget(share: Share, source: SharedEntry, target: SharedEntry): Share {
  const noted = share.target
  if (!noted || !isWithin(source.place.real as VPath, noted.place as VPath)) return share
  const place = target.place.real + noted.place.slice(source.place.real.length)
  return { ...share, target: { ...noted, place } }
}

/** Notes what shares are for, by hash; those that have ended meanwhile stay so. */
export function noteTargets(tx: Transaction, targets: ReadonlyMap<string, ShareTarget>): void {
  for (const [hash, target] of targets) {
    const share = tx.get(SHARES, hash)
    if (share && !share.ended) tx.replace(SHARES, { ...share, target })
  }
}
