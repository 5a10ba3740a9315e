// Accounts that are joined to somebody at a provider or in a directory.
import { hash } from 'node:crypto'
import { takeClaimed } from '../../access/groups.ts'
import { AppError } from '../../lib/errors.ts'
import type { Records, Store, Transaction } from '../../store/collection.ts'
import { IDENTITIES, identityKey } from '../../store/collections.ts'
import type { Identity, User } from '../../store/document.ts'
import { findUser } from '../../store/users.ts'

/** More than an account has providers and directories. */
const MAX_PER_USER = 20
/** Without a sign-in there, what only a provider or a directory opens is opened by nothing else any more. */
const REST_MS = 30 * 24 * 60 * 60_000

export function findIdentity(
  records: Records,
  who: Pick<Identity, 'issuer' | 'subject'>,
): Identity | undefined {
  return records.get(IDENTITIES, identityKey(who))
}

/** The same of what is not in memory. */
export function loadIdentity(
  { large }: Pick<Store, 'large'>,
  who: Pick<Identity, 'issuer' | 'subject'>,
): Promise<Identity | undefined> {
  return large.load(IDENTITIES, identityKey(who))
}

/** Those of an account that is loaded. */
export function identitiesOf(records: Records, userID: number): readonly Identity[] {
  return records.find(IDENTITIES, 'userID', userID)
}

/** Joins an identity to an account, which gets the memberships that come with it. Throws `exists` when it opens another account, `conflict` when there are too many. */
export function connect(tx: Transaction, identity: Identity): Identity {
  const known = findIdentity(tx, identity)
  if (known && known.userID !== identity.userID && findUser(tx, known.userID))
    throw new AppError('exists', 'this sign-in is connected to another account')
  if (!known && identitiesOf(tx, identity.userID).length >= MAX_PER_USER)
    throw new AppError('conflict', `more than ${MAX_PER_USER} sign-ins: disconnect one first`)
  takeClaimed(tx, identity)
  return known
    ? tx.replace(IDENTITIES, { ...identity, madeWith: known.madeWith })
    : tx.insert(IDENTITIES, identity)
}

/** Removes those that are meant. Throws `not_found`, and `conflict` when nothing else opens the account. */
export function disconnect(tx: Transaction, user: User, isMeant: (own: Identity) => boolean): void {
  const all = identitiesOf(tx, user.id)
  const found = all.filter(isMeant)
  if (found.length === 0) throw new AppError('not_found', 'not connected')
  if (found.length === all.length && !hasPassword(tx, user))
    throw new AppError('conflict', 'the account has no password: there would be no way in')
  const made = found.find(({ madeWith }) => madeWith !== '')
  for (const own of found) {
    tx.remove(IDENTITIES, identityKey(own))
    takeClaimed(tx, { ...own, groups: [] })
  }
  const [heir] = identitiesOf(tx, user.id)
  // That nobody knows the password is still true.
  if (made && heir) tx.replace(IDENTITIES, { ...heir, madeWith: made.madeWith })
}

/** False as long as the account has the password that was drawn for it when it was made. */
export function hasPassword(records: Records, user: User): boolean {
  const fingerprint = fingerprintOf(user)
  return !identitiesOf(records, user.id).some(({ madeWith }) => madeWith === fingerprint)
}

/** True for an account that nothing but a provider or a directory has opened, and that not for a month. */
export function rests(records: Records, user: User): boolean {
  const own = identitiesOf(records, user.id)
  const nowMs = Date.now()
  const isLate = ({ lastSignInMs }: Identity) => lastSignInMs + REST_MS <= nowMs
  return own.length > 0 && own.every(isLate) && !hasPassword(records, user)
}

/** See Identity.madeWith. */
export function fingerprintOf({ password }: Pick<User, 'password'>): string {
  return hash('sha256', password, 'base64url')
}
