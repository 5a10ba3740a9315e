// Account records: names are unique, one administrator stays, and shares and sessions go with the account.
import { AppError } from '../lib/errors.ts'
import { removeGrantsOf } from './access/folders.ts'
import { forgetAccess, keepAdministrator } from './access/groups.ts'
import type { Records, Store, Transaction } from './collection.ts'
import {
  API_TOKENS,
  IDENTITIES,
  identityKey,
  PASSKEYS,
  SECOND_FACTORS,
  SESSIONS,
  SHARES,
  TRASHED_SHARES,
  USERS,
} from './collections.ts'
import type { User } from './document.ts'

export function findUser(records: Pick<Records, 'get'>, id: number): User | undefined {
  return records.get(USERS, id)
}

/** Names are case-sensitive, as in the original. */
export function findUserByName(records: Records, username: string): User | undefined {
  return records.find(USERS, 'username', username)[0]
}

/** Loads an account, which `findUser` knows from then on for as long as somebody asks for it. */
export function loadUser({ large }: Pick<Store, 'large'>, id: number): Promise<User | undefined> {
  return large.load(USERS, id)
}

/** The same by name. */
export function loadUserByName(
  store: Pick<Store, 'read'>,
  username: string,
): Promise<User | undefined> {
  return store.read((records) => {
    const user = findUserByName(records, username)
    // Asked for by its key as well, so that it stays.
    return user && findUser(records, user.id)
  })
}

/** Those of these accounts that are there. */
export function loadUsers(store: Pick<Store, 'read'>, ids: Iterable<number>): Promise<User[]> {
  const wanted = [...ids]
  return store.read((records) => {
    records.expect(USERS, () => wanted)
    return wanted.flatMap((id) => findUser(records, id) ?? [])
  })
}

/** All accounts, a piece at a time, each with what belongs to them; by number with `age`. */
export async function* userPieces(
  { large }: Pick<Store, 'large'>,
  by?: 'age',
): AsyncGenerator<readonly User[]> {
  for await (const users of large.pieces(USERS, by)) {
    const release = await large.hold(
      USERS,
      users.map(({ id }) => id),
    )
    try {
      yield users
    } finally {
      release()
    }
  }
}

/** The names of accounts, asked for together; null for those that are gone, and for nobody. */
export async function loadNames(
  store: Pick<Store, 'read'>,
  ids: Iterable<number | null>,
): Promise<(id: number | null) => string | null> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  const users = await loadUsers(store, wanted)
  const names = new Map(users.map(({ id, username }) => [id, username]))
  return (id) => (id === null ? null : (names.get(id) ?? null))
}

/** Adds a user under the next id. Throws `exists` for a taken name. */
export function addUser(tx: Transaction, user: Omit<User, 'id'>): User {
  requireFreeName(tx, user.username, 0)
  return tx.insert(USERS, { ...normalise(user), id: tx.nextId(USERS) })
}

/** Replaces the record with the same id. Throws `not_found`, `exists`, `last_admin`. */
export function replaceUser(tx: Transaction, user: User): User {
  const before = findUser(tx, user.id)
  if (!before) throw new AppError('not_found', `no user ${user.id}`)
  requireFreeName(tx, user.username, user.id)
  return keepAdministrator(tx, () => tx.replace(USERS, normalise(user)))
}

/** Removes a user with all that is the account's: sessions, tokens, shares, groups and so on. Throws `not_found`, `last_admin`. */
export function removeUser(tx: Transaction, id: number): User {
  const user = findUser(tx, id)
  if (!user) throw new AppError('not_found', `no user ${id}`)
  keepAdministrator(tx, () => discardUser(tx, id))
  return user
}

/** Takes back an account that was added in vain, also the only administrator. */
export function discardUser(tx: Transaction, id: number): void {
  endSessions(tx, id)
  for (const { hash } of tx.find(SHARES, 'userID', id)) tx.remove(SHARES, hash)
  for (const { share } of tx.find(TRASHED_SHARES, 'userID', id))
    tx.remove(TRASHED_SHARES, share.hash)
  removeKeys(tx, id)
  tx.remove(SECOND_FACTORS, id)
  forgetAccess(tx, id)
  removeGrantsOf(tx, `user:${id}`)
  tx.remove(USERS, id)
}

/** Ends a user's sessions except `keep`, as part of a change that must end them at once. */
export function endSessions(tx: Transaction, userID: number, keep?: string): void {
  for (const { id } of tx.find(SESSIONS, 'userID', userID)) if (id !== keep) tx.remove(SESSIONS, id)
}

/** Removes all that opens an account besides its password: tokens, passkeys, sign-ins at a provider or in a directory. */
export function removeKeys(tx: Transaction, userID: number): void {
  removeApiTokens(tx, userID)
  removePasskeys(tx, userID)
  for (const own of tx.find(IDENTITIES, 'userID', userID)) tx.remove(IDENTITIES, identityKey(own))
}

/** Removes all tokens of an account, as part of the change that calls for it. */
export function removeApiTokens(tx: Transaction, userID: number): void {
  for (const { id } of tx.find(API_TOKENS, 'userID', userID)) tx.remove(API_TOKENS, id)
}

/** The same for its passkeys. Gives how many there were. */
export function removePasskeys(tx: Transaction, userID: number): number {
  const own = tx.find(PASSKEYS, 'userID', userID)
  for (const { id } of own) tx.remove(PASSKEYS, id)
  return own.length
}

function requireFreeName(records: Records, username: string, ownId: number): void {
  if (username === '') throw new AppError('bad_request', 'username is empty')
  const other = findUserByName(records, username)
  if (other && other.id !== ownId) throw new AppError('exists', 'the user name is taken')
}

// Empty values read as their defaults, as the original saves them (docs/http-api.md 4.6).
function normalise<T extends Omit<User, 'id'>>(user: T): T {
  return {
    ...user,
    viewMode: user.viewMode || 'list',
    sorting: { ...user.sorting, by: user.sorting.by || 'name' },
  }
}
