// Share records: finding, listing and adding them.
import { badRequest } from '../lib/errors.ts'
import type { Records, Store, Transaction } from './collection.ts'
import { SHARES } from './collections.ts'
import type { Share } from './document.ts'

/** What one account may have: the document is written as a whole. */
export const MAX_SHARES = 1_000

/** True when nobody can open it any more because of its age. */
export function isExpired({ expire }: Share, nowSeconds = Date.now() / 1000): boolean {
  return expire !== 0 && expire <= nowSeconds
}

/** The share that opens something, once it is loaded: neither expired nor ended. */
export function findShare(records: Records, hash: string): Share | undefined {
  return ifOpen(records.get(SHARES, hash))
}

/** The same for who has not loaded it; `findShare` knows it from then on for as long as somebody asks for it. */
export async function loadShare({ large }: Loading, hash: string): Promise<Share | undefined> {
  return ifOpen(await large.load(SHARES, hash))
}

/** The share as its owner sees it, which may have ended. */
export async function loadListedShare(
  { large }: Loading,
  hash: string,
): Promise<Share | undefined> {
  return ifListed(await large.load(SHARES, hash))
}

type Loading = Pick<Store, 'large'>

function ifOpen(share: Share | undefined): Share | undefined {
  return share?.ended ? undefined : ifListed(share)
}

function ifListed(share: Share | undefined): Share | undefined {
  return share && !isExpired(share) ? share : undefined
}

/**
 * What owners see, of one account or of all: not the expired. Those that ended stay until their owner
 * deletes them.
 */
export async function listedShares({ large }: Loading, userID: number | 'all'): Promise<Share[]> {
  const now = Date.now() / 1000
  const isListed = (share: Share) => !isExpired(share, now)
  if (userID !== 'all') return (await large.find(SHARES, 'userID', userID)).filter(isListed)
  const listed: Share[] = []
  for await (const shares of large.pieces(SHARES))
    for (const share of shares) if (isListed(share)) listed.push(share)
  return listed
}

/** Expired shares that `addShare` drops, so many at a time. */
const DROPPED_AT_A_TIME = 1_000

/** The hashes of shares that have expired. */
export async function expiredShares({ large }: Loading): Promise<string[]> {
  const expired = await large.older(SHARES, Date.now() / 1000, DROPPED_AT_A_TIME)
  return expired.map(({ hash }) => hash)
}

/**
 * Adds a share and drops expired ones on the way: its owner's, and of `old` those that are. Throws `too_many_shares`
 * when the owner has MAX_SHARES already.
 */
export function addShare(tx: Transaction, share: Share, old: readonly string[] = []): Share {
  tx.expect(SHARES, () => old)
  const others = old.flatMap((hash) => tx.get(SHARES, hash) ?? [])
  for (const other of [...others, ...tx.find(SHARES, 'userID', share.userID)])
    if (isExpired(other)) tx.remove(SHARES, other.hash)
  if (tx.find(SHARES, 'userID', share.userID).length >= MAX_SHARES)
    throw badRequest(`an account holds at most ${MAX_SHARES} shares`, 'too_many_shares')
  return tx.insert(SHARES, share)
}
