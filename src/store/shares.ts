// Shares as records: pure functions over the document.
import { badRequest } from '../lib/errors.ts'
import type { Document, Share } from './document.ts'

/** What one account may hold: the database is read and written as a whole. */
export const MAX_SHARES = 1_000

const indexes = new WeakMap<Share[], Map<string, Share>>()

function isExpired(share: Share, nowSeconds = Date.now() / 1000): boolean {
  return share.expire !== 0 && share.expire <= nowSeconds
}

/** The share that opens something: neither expired nor ended. */
export function findShare(doc: Document, hash: string): Share | undefined {
  const share = findListedShare(doc, hash)
  return share?.ended ? undefined : share
}

/** The share as its owner sees it, which may have ended. */
export function findListedShare(doc: Document, hash: string): Share | undefined {
  const share = indexOf(doc).get(hash)
  return share && !isExpired(share) ? share : undefined
}

/** What owners see: all but the expired. Those that ended stay until their owner deletes them. */
export function listedShares(doc: Document): Share[] {
  const now = Date.now() / 1000
  return doc.shares.filter((share) => !isExpired(share, now))
}

/**
 * Adds a share and drops expired ones on the way. Throws `too_many_shares` when the owner has
 * MAX_SHARES already.
 */
export function addShare(doc: Document, share: Share): [Document, Share] {
  const listed = listedShares(doc)
  let own = 0
  for (const { userID } of listed) if (userID === share.userID) own++
  if (own >= MAX_SHARES)
    throw badRequest(`an account holds at most ${MAX_SHARES} shares`, 'too_many_shares')
  return [{ ...doc, shares: [...listed, share] }, share]
}

export function removeShare(doc: Document, hash: string): [Document, boolean] {
  const shares = doc.shares.filter((share) => share.hash !== hash)
  return [{ ...doc, shares }, shares.length < doc.shares.length]
}

function indexOf({ shares }: Document): Map<string, Share> {
  let index = indexes.get(shares)
  if (!index) {
    index = new Map(shares.map((share) => [share.hash, share]))
    indexes.set(shares, index)
  }
  return index
}
