// Shares as records: pure functions over the document.
import { badRequest } from '../errors.ts'
import { isWithin, type VPath, vpathOf } from '../files/vpath.ts'
import type { Document, Share } from './document.ts'

/** What one account may hold: the database is read and written as a whole. */
export const MAX_SHARES = 1_000

const indexes = new WeakMap<Share[], Map<string, Share>>()

function isExpired(share: Share, nowSeconds = Date.now() / 1000): boolean {
  return share.expire !== 0 && share.expire <= nowSeconds
}

/** The share if it lives. */
export function findShare(doc: Document, hash: string): Share | undefined {
  const share = indexOf(doc).get(hash)
  return share && !isExpired(share) ? share : undefined
}

export function liveShares(doc: Document): Share[] {
  const now = Date.now() / 1000
  return doc.shares.filter((share) => !isExpired(share, now))
}

/**
 * Adds a share and drops expired ones on the way. Throws `too_many_shares` when the owner has
 * MAX_SHARES already.
 */
export function addShare(doc: Document, share: Share): [Document, Share] {
  const live = liveShares(doc)
  let own = 0
  for (const { userID } of live) if (userID === share.userID) own++
  if (own >= MAX_SHARES)
    throw badRequest(`an account holds at most ${MAX_SHARES} shares`, 'too_many_shares')
  return [{ ...doc, shares: [...live, share] }, share]
}

export function removeShare(doc: Document, hash: string): [Document, boolean] {
  const shares = doc.shares.filter((share) => share.hash !== hash)
  return [{ ...doc, shares }, shares.length < doc.shares.length]
}

/**
 * Ends the shares of one user at a path and below, on segment boundaries; nobody else's
 * (GHSA-pp88-jhwj-5qh5). Used when the file goes.
 */
export function removeSharesBelow(doc: Document, userID: number, vpath: VPath): Document {
  const shares = doc.shares.filter(
    (share) => share.userID !== userID || !isWithin(vpath, vpathOf(share.path)),
  )
  return shares.length === doc.shares.length ? doc : { ...doc, shares }
}

/** Lets the shares of one user follow an entry that moved. */
export function moveShares(doc: Document, userID: number, source: VPath, target: VPath): Document {
  let changed = false
  const shares = doc.shares.map((share) => {
    const path = vpathOf(share.path)
    if (share.userID !== userID || !isWithin(source, path)) return share
    changed = true
    const slash = share.path.endsWith('/') && share.path !== '/' ? '/' : ''
    return { ...share, path: target + path.slice(source.length) + slash }
  })
  return changed ? { ...doc, shares } : doc
}

function indexOf({ shares }: Document): Map<string, Share> {
  let index = indexes.get(shares)
  if (!index) {
    index = new Map(shares.map((share) => [share.hash, share]))
    indexes.set(shares, index)
  }
  return index
}
