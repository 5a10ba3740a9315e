// API tokens: a key of its own for each script and app, `fbt.<id>.<secret>`. Its 35 characters fit where
// WebDAV apps cut longer ones off, and its two dots let X-Auth take it. Only a hash is kept.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { findAccount } from '../access/effective.ts'
import type { Permissions } from '../api-types.ts'
import { AppError } from '../lib/errors.ts'
import { createRecent } from '../lib/memo.ts'
import { type VPath, vpathOf } from '../lib/vpath.ts'
import type { Store, Transaction } from '../store/collection.ts'
import { API_TOKENS } from '../store/collections.ts'
import type { ApiToken, User } from '../store/document.ts'
import { loadUser } from '../store/users.ts'
import { rests } from './external/identities.ts'
import { createLastUsed } from './last-used.ts'

export const API_TOKEN_PREFIX = 'fbt.'
const ID_BYTES = 4
const SECRET_BYTES = 18
/** More than anybody can keep apart; a script that makes one for each run is told so. */
const MAX_PER_USER = 100
const MAX_NAME_LENGTH = 100

/** Texts that were right lately are known without their hash, as long as the record is the same. */
const MAX_REMEMBERED = 1_000

/** What no token may, whoever made it: it would be as good as a password, or more. */
const NEVER = { admin: false, execute: false }

export interface NewApiToken {
  name: string
  /** What it may do; never to administrate, never to run commands. */
  perm: Permissions
  /** All that it sees. */
  folder: VPath
  /** 0 for never. */
  expiresMs: number
}

/** An account as one of its tokens may act for it: fewer rights, and one folder of its tree. */
export interface LimitedUser extends User {
  folder: VPath
  atMost: Permissions
}

export interface ApiTokens {
  /** The token and its account, or null for one that is unknown, wrong or expired. Marks it as used. */
  find(text: string): Promise<{ user: LimitedUser; token: ApiToken } | null>
  /** The same by its record's id, for requests that take long and whoever has loaded the account. */
  stillValid(id: string): { user: LimitedUser; token: ApiToken } | null
  /** Those of an account, as they are now. */
  list(userID: number): ApiToken[]
  /** Writes what was used lately; call at shutdown. */
  flush(): Promise<void>
}

/** Makes a token, which nobody can read again. Throws `bad_request`, `exists`, `too_many_requests`. */
export function addApiToken(
  tx: Transaction,
  userID: number,
  wanted: NewApiToken,
): { text: string; token: ApiToken } {
  const name = wanted.name.trim()
  if (name === '' || name.length > MAX_NAME_LENGTH)
    throw new AppError('bad_request', `the name must have 1 to ${MAX_NAME_LENGTH} characters`)
  const own = tx.find(API_TOKENS, 'userID', userID)
  if (own.some((other) => other.name === name))
    throw new AppError('exists', `there is a token named ${name}`)
  if (own.length >= MAX_PER_USER)
    throw new AppError('conflict', `more than ${MAX_PER_USER} tokens: remove one first`)
  let id = newId()
  while (tx.get(API_TOKENS, id)) id = newId()
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const token = tx.insert(API_TOKENS, {
    id,
    userID,
    name,
    secretHash: hashOf(secret),
    perm: { ...wanted.perm, ...NEVER },
    folder: wanted.folder,
    createdMs: Date.now(),
    expiresMs: wanted.expiresMs,
    lastUsedMs: 0,
  })
  return { text: `${API_TOKEN_PREFIX}${id}.${secret}`, token }
}

export function createApiTokens(store: Store): ApiTokens {
  const lastUsed = createLastUsed(store, API_TOKENS)
  const right = createRecent<string, ApiToken>(MAX_REMEMBERED)
  const limited = new WeakMap<ApiToken, { of: User; user: LimitedUser }>()

  // One record for each account and token, because what is compiled from an account is kept by its record.
  const limit = (of: User, token: ApiToken): LimitedUser => {
    const known = limited.get(token)
    if (known?.of === of) return known.user
    const perm = bothMay(of.perm, token.perm)
    const user = { ...of, perm, atMost: token.perm, folder: vpathOf(token.folder) }
    limited.set(token, { of, user })
    return user
  }
  const stillValid = (id: string) => {
    const token = store.get(API_TOKENS, id)
    if (!token || (token.expiresMs > 0 && token.expiresMs <= Date.now())) return null
    const user = findAccount(store, token.userID)
    return user && !rests(store, user) ? { user: limit(user, token), token } : null
  }
  return {
    find: async (text) => {
      const [, id = '', secret = ''] = text.split('.')
      const known = await store.large.load(API_TOKENS, id)
      if (known) await loadUser(store, known.userID)
      const found = stillValid(id)
      if (!found) return null
      if (right.get(text) !== found.token) {
        if (!isSame(found.token.secretHash, hashOf(secret))) return null
        right.set(text, found.token)
      }
      lastUsed.note(id)
      return found
    },
    stillValid,
    list: (userID) => store.find(API_TOKENS, 'userID', userID).map(lastUsed.current),
    flush: lastUsed.flush,
  }
}

function newId(): string {
  // Letters and digits only, so that a double click selects all of it.
  return randomBytes(ID_BYTES).readUInt32BE().toString(36).padStart(6, '0').slice(-6)
}

function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function bothMay(a: Permissions, b: Permissions): Permissions {
  const names = Object.keys(a) as (keyof Permissions)[]
  const both = names.map((name) => [name, a[name] && b[name]])
  return { ...(Object.fromEntries(both) as unknown as Permissions), ...NEVER }
}
