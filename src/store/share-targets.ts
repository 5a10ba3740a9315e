// What shares were made for: pure functions over the document. A share belongs to a file or folder,
// not to a name: it ends with it, whoever takes it away, and serves nothing else of that name. The
// shares of who took it away are removed; those of others stay in the lists of their owners, as ended.
import { isWithin, rebase, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Document, Share, ShareTarget, User } from './document.ts'
import { findUser } from './users.ts'

/** Where something is: by names in the served folder, and on the host. */
export interface SharedPlace {
  /** In the served folder, as somebody named it. */
  named: VPath
  /** Real path on the host. */
  real: string
}

const byPlace = new WeakMap<Share[], Map<string, Share[]>>()

/**
 * True when `now` is what the share was made for.
 *
 * A file is also that when it was made after the share: programs save by writing a sibling and
 * renaming it, which cannot be told from anything else that happens to a name behind our back. What
 * was there before the share under another name is no such file. A folder is not saved, so it must
 * be the same one, or one on another device at the same place: a disk that was mounted or restored
 * there. Where a disk does not tell when things were born (FUSE, network), it makes up inode
 * numbers as well: there the kind decides.
 */
export function isSameTarget(noted: ShareTarget, now: ShareTarget): boolean {
  if (noted.kind !== now.kind) return false
  if (noted.bornNs === '0' || now.bornNs === '0') return true
  if (noted.ino === now.ino && noted.bornNs === now.bornNs) return true
  if (noted.kind === 'file') return BigInt(now.bornNs) >= BigInt(noted.notedMs) * 1_000_000n
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
export function sharesAt({ shares }: Document, place: string): readonly Share[] {
  let index = byPlace.get(shares)
  if (!index) {
    index = new Map()
    for (const share of shares) {
      if (!share.target) continue
      const there = index.get(share.target.place)
      if (there) there.push(share)
      else index.set(share.target.place, [share])
    }
    byPlace.set(shares, index)
  }
  return index.get(place) ?? []
}

/** The shares of all accounts at a place and below, those that have ended included. */
export function sharesBelow(doc: Document, { named, real }: SharedPlace): Share[] {
  return doc.shares.filter((share) => {
    if (share.target && isWithin(real as VPath, share.target.place as VPath)) return true
    const owner = findUser(doc, share.userID)
    return owner !== undefined && isWithin(named, nameOf(owner, share))
  })
}

/** The path of a share in the served folder. */
function nameOf(owner: User, share: Share): VPath {
  return rebase(vpathOf(owner.scope), vpathOf(share.path))
}

/**
 * Ends the shares at a place and below, whoever made them, when account `userID` has taken away what
 * is there.
 */
export function endSharesBelow(doc: Document, userID: number, place: SharedPlace): Document {
  return endSharesOf(doc, userID, new Set(sharesBelow(doc, place).map(({ hash }) => hash)))
}

/** Ends the shares of these hashes, whose files account `userID` has taken away. */
export function endSharesOf(doc: Document, userID: number, hashes: ReadonlySet<string>): Document {
  if (hashes.size === 0) return doc
  const shares = doc.shares.flatMap((share) =>
    hashes.has(share.hash) ? endShare(share, userID) : [share],
  )
  return { ...doc, shares }
}

// Nobody's share goes from their list by what others do.
function endShare({ target: _, ...share }: Share, userID: number): Share[] {
  return share.userID === userID ? [] : [{ ...share, ended: true }]
}

/**
 * Lets the shares of one account follow an entry that it has moved within its tree, and ends those
 * of others: they gave out a place that is not theirs to move. `source` and `target` are paths in
 * the account's tree.
 */
export function moveShares(
  doc: Document,
  userID: number,
  source: { vpath: VPath; place: SharedPlace },
  target: { vpath: VPath; place: SharedPlace },
): Document {
  const affected = new Set(sharesBelow(doc, source.place))
  if (affected.size === 0) return doc
  const shares = doc.shares.flatMap((share) => {
    if (!affected.has(share) || share.ended) return [share]
    const path = vpathOf(share.path)
    if (share.userID !== userID || !isWithin(source.vpath, path)) return endShare(share, userID)
    const slash = share.path.endsWith('/') && share.path !== '/' ? '/' : ''
    const moved = { ...share, path: target.vpath + path.slice(source.vpath.length) + slash }
    const noted = share.target
    if (!noted || !isWithin(source.place.real as VPath, noted.place as VPath)) return [moved]
    const place = target.place.real + noted.place.slice(source.place.real.length)
    return [{ ...moved, target: { ...noted, place } }]
  })
  return { ...doc, shares }
}

/** Notes what shares are for, by hash; those that have ended meanwhile stay so. */
export function noteTargets(doc: Document, targets: ReadonlyMap<string, ShareTarget>): Document {
  if (!doc.shares.some(({ hash }) => targets.has(hash))) return doc
  const shares = doc.shares.map((share) => {
    const target = targets.get(share.hash)
    return target && !share.ended ? { ...share, target } : share
  })
  return { ...doc, shares }
}
