// Users as records: pure functions over the document. Names and ids are unique.
import { AppError } from '../lib/errors.ts'
import type { Document, User } from './document.ts'

const indexes = new WeakMap<User[], { byId: Map<number, User>; byName: Map<string, User> }>()

export function findUser(doc: Document, id: number): User | undefined {
  return indexOf(doc).byId.get(id)
}

/** Names are case-sensitive, as in the original. */
export function findUserByName(doc: Document, username: string): User | undefined {
  return indexOf(doc).byName.get(username)
}

/** Adds a user under the next id. Throws `exists` for a taken name. */
export function addUser(doc: Document, user: Omit<User, 'id'>): [Document, User] {
  requireFreeName(doc, user.username, 0)
  const added: User = { ...normalise(user), id: doc.nextUserId }
  return [{ ...doc, users: [...doc.users, added], nextUserId: doc.nextUserId + 1 }, added]
}

/** Replaces the record with the same id. Throws `not_found`, `exists`, `last_admin`. */
export function replaceUser(doc: Document, user: User): [Document, User] {
  const before = findUser(doc, user.id)
  if (!before) throw new AppError('not_found', `no user ${user.id}`)
  requireFreeName(doc, user.username, user.id)
  if (before.perm.admin && !user.perm.admin) requireOtherAdmin(doc, user.id)
  const replaced: User = { ...normalise(user), id: user.id }
  return [{ ...doc, users: doc.users.map((u) => (u.id === user.id ? replaced : u)) }, replaced]
}

/** Removes a user with sessions and shares. Throws `not_found`, `last_admin`. */
export function removeUser(doc: Document, id: number): [Document, User] {
  const user = findUser(doc, id)
  if (!user) throw new AppError('not_found', `no user ${id}`)
  if (user.perm.admin) requireOtherAdmin(doc, id)
  return [withoutUser(doc, id), user]
}

/** Takes back an account that was added in vain, also the only administrator. */
export function withoutUser(doc: Document, id: number): Document {
  return {
    ...doc,
    users: doc.users.filter((u) => u.id !== id),
    sessions: doc.sessions.filter(({ userID }) => userID !== id),
    shares: doc.shares.filter(({ userID }) => userID !== id),
  }
}

function indexOf({ users }: Document) {
  let index = indexes.get(users)
  if (!index) {
    index = {
      byId: new Map(users.map((user) => [user.id, user])),
      byName: new Map(users.map((user) => [user.username, user])),
    }
    indexes.set(users, index)
  }
  return index
}

function requireFreeName(doc: Document, username: string, ownId: number): void {
  if (username === '') throw new AppError('bad_request', 'username is empty')
  const other = findUserByName(doc, username)
  if (other && other.id !== ownId) throw new AppError('exists', 'the user name is taken')
}

function requireOtherAdmin(doc: Document, id: number): void {
  if (!doc.users.some((user) => user.id !== id && user.perm.admin))
    throw new AppError('last_admin', 'the sole administrator must stay')
}

// Empty values read as their defaults, as the original saves them (docs/http-api.md 4.6).
function normalise<T extends Omit<User, 'id'>>(user: T): T {
  return {
    ...user,
    viewMode: user.viewMode || 'list',
    sorting: { ...user.sorting, by: user.sorting.by || 'name' },
  }
}
