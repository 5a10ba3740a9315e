// Share records: finding, listing and adding them.
import { badRequest } from '../lib/errors.ts'
import type { Records, Transaction } from './collection.ts'
import { SHARES } from './collections.ts'
import type { Share } from './document.ts'

/** What one account may have: the document is written as a whole. */
export const MAX_SHARES = 1_000

/** True when nobody can open it any more because of its age. */
export function isExpired({ expire }: Share, nowSeconds = Date.now() / 1000): boolean {
  return expire !== 0 && expire <= nowSeconds
}

/** The share that opens something: neither expired nor ended. */
export function findShare(records: Records, hash: string): Share | undefined {
  const share = findListedShare(records, hash)
  return share?.ended ? undefined : share
}

/** The share as its owner sees it, which may have ended. */
export function findListedShare(records: Records, hash: string): Share | undefined {
  const share = records.get(SHARES, hash)
  return share && !isExpired(share) ? share : undefined
}

/**
 * What owners see, of one account or of all: not the expired. Those that ended stay until their owner
 * deletes them.
 */
export function listedShares(records: Records, userID: number | 'all'): Share[] {
  const now = Date.now() / 1000
  const shares = userID === 'all' ? records.all(SHARES) : records.find(SHARES, 'userID', userID)
  return shares.filter((share) => !isExpired(share, now))
}

/**
 * Adds a share and drops expired ones on the way. Throws `too_many_shares` when the owner has
 * MAX_SHARES already.
 */
export function addShare(tx: Transaction, share: Share): Share {
  for (const other of tx.all(SHARES)) if (isExpired(other)) tx.remove(SHARES, other.hash)
  if (tx.find(SHARES, 'userID', share.userID).length >= MAX_SHARES)
    throw badRequest(`an account holds at most ${MAX_SHARES} shares`, 'too_many_shares')
  return tx.insert(SHARES, share)
}
