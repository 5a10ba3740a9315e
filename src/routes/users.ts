// Accounts: list, read, create, change, delete (docs/http-api.md 5). Field-level updates, and the current
// password asked for wherever a change could take an account over.
import { Hono } from 'hono'
import { administratesByProvider } from '../access/effective.ts'
import { checkPermissions, checkRules } from '../access/rules.ts'
import type { AccountRecord } from '../access-types.ts'
import { hasPassword } from '../auth/external/identities.ts'
import { hashPassword, verifyPassword } from '../auth/hash.ts'
import { deriveScope } from '../auth/home.ts'
import { directoryEntryOf, verifyByDirectory } from '../auth/ldap/sign-in.ts'
import { checkPassword } from '../auth/password-policy.ts'
import { addUserWithHome, checkUsername } from '../auth/provision.ts'
import { addFacts, audited } from '../http/audit.ts'
import { readJson } from '../http/body.ts'
import { type Ctx, type Env, keepChecking, recheck, sessionOf, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireAdmin, requireSession, requireUser } from '../http/guard.ts'
import { encodePath } from '../http/request-path.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { pick } from '../lib/fields.ts'
import { asString, ParseError, type Reader } from '../lib/parse.ts'
import type { AccountIdentityRecord } from '../provider-types.ts'
import { homeOf, keepAdministrator } from '../store/access/groups.ts'
import { sourceOf } from '../store/access/records.ts'
import type { Transaction } from '../store/collection.ts'
import { IDENTITIES, USERS } from '../store/collections.ts'
import { type Identity, USER_FIELDS, type User } from '../store/document.ts'
import { parseRule, parseUserDefaults } from '../store/parse-records.ts'
import {
  endSessions,
  findUser,
  loadUser,
  removeApiTokens,
  removePasskeys,
  removeUser,
  replaceUser,
} from '../store/users.ts'
import {
  ACCESS_FIELDS,
  parseAccess,
  presentAccess,
  saveAccess,
  withoutAccess,
} from './access/account.ts'
import { sendLongList } from './access/long-list.ts'

/** Fields that only an administrator changes, also of an account of their own. */
const ADMIN_ONLY = new Set([
  'username',
  'scope',
  'lockPassword',
  'perm',
  'commands',
  'rules',
  ...ACCESS_FIELDS,
])
/** Changing one of these needs the caller's current password (method json). */
const GUARDED = new Set([
  'all',
  'username',
  'password',
  'scope',
  'commands',
  'perm',
  'lockpassword',
  'rules',
  ...ACCESS_FIELDS.map((field) => field.toLowerCase()),
])

/** Far above every locale, view and theme there is. */
const MAX_CHOICE_LENGTH = 100

export function userRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  app.get('/api/users', guard, requireAdmin, (c) =>
    sendLongList(c, deps, {
      what: 'the list of accounts',
      pieces: deps.store.large.pieces(USERS, 'age'),
      accountOf: ({ id }) => id,
      present: (user) => presentUser(deps, user, true),
    }),
  )
  app.get('/api/identities', guard, requireAdmin, (c) =>
    sendLongList(c, deps, {
      what: 'the list of identities',
      pieces: deps.store.large.pieces(IDENTITIES),
      accountOf: ({ userID }) => userID,
      present: (identity) => presentIdentity(deps, identity),
    }),
  )
  app.post('/api/users', guard, audited('user-add'), requireSession, requireAdmin, (c) =>
    createUser(c, deps),
  )
  app.get('/api/users/:id', guard, async (c) => {
    const user = await demandUser(deps, demandSelfOrAdmin(c))
    return sendJson(presentUser(deps, user, signedIn(c).user.perm.admin))
  })
  app.put('/api/users/:id', guard, audited('user-change'), requireSession, (c) =>
    changeUser(c, deps),
  )
  app.delete('/api/users/:id', guard, audited('user-delete'), requireSession, (c) =>
    deleteUser(c, deps),
  )
  return app
}

/** What leaves the server of an account: never the hash; the scope only towards administrators. */
function presentUser({ store }: Deps, user: User, forAdmin: boolean): AccountRecord {
  const record = { ...pick(user, USER_FIELDS), password: '', scope: forAdmin ? user.scope : '' }
  return { ...record, ...presentAccess(store, user) }
}

function presentIdentity(deps: Deps, { userID, issuer }: Identity): AccountIdentityRecord {
  const from = sourceOf(issuer) === 'ldap' ? 'directory' : 'provider'
  return { userID, from, admin: administratesByProvider(deps.store, userID) }
}

interface Envelope {
  what: string
  which: string[]
  currentPassword: string
  data: AccountRecord | null
}

function parseEnvelope(r: Reader): Envelope {
  return {
    what: r.str('what'),
    which: r.list('which', asString, 100),
    currentPassword: r.str('current_password'),
    data: r.has('data') ? r.obj('data', parseUserData) : null,
  }
}

function parseUserData(r: Reader): AccountRecord {
  const data = {
    id: r.int('id', 0, { min: 0 }),
    username: r.str('username'),
    password: r.str('password'),
    lockPassword: r.bool('lockPassword'),
    ...parseUserDefaults(r),
    rules: r.list('rules', parseRule, 10_000),
    ...parseAccess(r),
  }
  // They travel in each token, which a browser keeps no longer than 4 KiB and a server reads up to 16.
  const choices = { ...data, sorting: data.sorting.by }
  for (const field of ['locale', 'viewMode', 'aceEditorTheme', 'sorting'] as const)
    if (choices[field].length > MAX_CHOICE_LENGTH) throw new ParseError(`${field} is too long`)
  return data
}

async function createUser(c: Ctx, deps: Deps): Promise<Response> {
  const { what, which, currentPassword, data } = await readJson(c, deps, parseEnvelope)
  if (what !== 'user') throw badRequest('invalid data type')
  addFacts(c, { target: data?.username.slice(0, 255) ?? '' })
  await demandPassword(c, deps, currentPassword)
  if (which.length > 0 || data === null) throw new AppError('bad_request', 'which must be empty')
  if (data.password === '') throw badRequest('password is empty')
  const settings = deps.store.settings()
  await checkPassword(data.password, settings.minimumPasswordLength)
  checkPermissions(data.perm)
  checkRules(data.rules)
  if (data.username === '') throw badRequest('username is empty')
  const scope = deriveScope(settings, data.username, data.scope)
  const { id: _, ...fields } = withoutAccess(data)
  const password = await hashPassword(data.password)
  const user = { ...fields, password, scope }
  const check = () => recheck(c)
  const alongside = (tx: Transaction, { id }: User) => saveAccess(tx, id, data)
  const added = await addUserWithHome(deps, user, check, {}, alongside).catch((error) => {
    // The administrator who asks may read why.
    if (error instanceof AppError && error.code === 'forbidden' && error.expose)
      throw badRequest(error.message, 'forbidden')
    throw error
  })
  return sendStatus(201, {
    headers: { Location: `${encodePath(deps.config.baseURL)}/settings/users/${added.id}` },
  })
}

async function changeUser(c: Ctx, deps: Deps): Promise<Response> {
  const id = demandSelfOrAdmin(c)
  addFacts(c, { target: (await loadUser(deps.store, id))?.username ?? '' })
  keepChecking(c, () => void demandSelfOrAdmin(c))
  const { what, which, currentPassword, data } = await readJson(c, deps, parseEnvelope)
  if (what !== 'user') throw badRequest('invalid data type')
  const whole = which.length === 0 || (which.length === 1 && which[0]?.toLowerCase() === 'all')
  if (whole || which.some((field) => GUARDED.has(field.toLowerCase())))
    await demandPassword(c, deps, currentPassword)
  if (data === null || data.id !== id) throw new AppError('bad_request', 'data.id differs')
  if (whole || which.some((field) => field.toLowerCase() === 'perm')) checkPermissions(data.perm)
  if (whole || which.some((field) => field.toLowerCase() === 'rules')) checkRules(data.rules)
  const before = await demandUser(deps, id)
  const changesOf = () => (whole ? wholeRecord(c, data) : fieldsOf(c, data, which))
  const changes = changesOf()
  keepChecking(c, () => void changesOf())
  if (changes.username !== undefined && changes.username !== before.username)
    checkUsername(changes.username)
  const plain = changes.password
  if (plain !== undefined && plain !== '') {
    refuseDirectoryPassword(deps, id)
    await checkPassword(plain, deps.store.settings().minimumPasswordLength)
    changes.password = await hashPassword(plain)
  } else if (whole) delete changes.password
  else if (plain === '') throw badRequest('password is empty')
  if (changes.home && !homeOf(deps.store, id).home)
    await deps.makeHome(changes.scope ?? before.scope)
  const keep = signedIn(c).user.id === id ? sessionOf(c).id : undefined
  await deps.store.transaction((tx) => {
    recheck(c)
    const current = findUser(tx, id) ?? before
    // Together they may leave an administrator where one after the other would not.
    keepAdministrator(tx, () => {
      saveAccess(tx, id, changes)
      replaceUser(tx, { ...current, ...withoutAccess(changes), id })
    })
    // A new password ends every other session of the account (docs/http-api.md 5.4).
    if (changes.password !== undefined) endSessions(tx, id, keep)
    // One set by an administrator locks out whoever had the account.
    if (changes.password !== undefined && id !== signedIn(c).user.id) {
      removeApiTokens(tx, id)
      removePasskeys(tx, id)
    }
  })
  return sendStatus(200)
}

function wholeRecord(c: Ctx, data: AccountRecord): Partial<AccountRecord> {
  if (!signedIn(c).user.perm.admin) throw new AppError('forbidden', 'only for administrators')
  return { ...data }
}

// Only the listed fields are written. Names come with either case of the first letter.
function fieldsOf(c: Ctx, data: AccountRecord, which: string[]): Partial<AccountRecord> {
  const { admin } = signedIn(c).user.perm
  const changes: Record<string, unknown> = {}
  for (const name of which) {
    const field = (name.charAt(0).toLowerCase() + name.slice(1)) as keyof AccountRecord
    if (field === 'id' || !Object.hasOwn(data, field))
      throw new AppError('bad_request', `users have no field ${name}`, { status: 500 })
    if (!admin && ADMIN_ONLY.has(field))
      throw new AppError('forbidden', `${field} is for administrators`)
    if (!admin && field === 'password' && signedIn(c).user.lockPassword)
      throw new AppError('forbidden', 'the password is locked')
    changes[field] = data[field]
  }
  return changes as Partial<AccountRecord>
}

async function deleteUser(c: Ctx, deps: Deps): Promise<Response> {
  const id = demandSelfOrAdmin(c)
  addFacts(c, { target: (await loadUser(deps.store, id))?.username ?? '' })
  keepChecking(c, () => void demandSelfOrAdmin(c))
  const currentPassword = await readJson(c, deps, (r) => r.str('current_password'))
  await demandPassword(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    return removeUser(tx, id)
  })
  return sendStatus(200)
}

/**
 * The caller's own password, asked for with the method json alone, unless the session has just been confirmed.
 * Throws `invalid_password`.
 */
export async function demandPassword(c: Ctx, deps: Deps, given: string): Promise<void> {
  if (given === '' && (await deps.confirmations.isConfirmed(sessionOf(c).id))) return
  await demandTypedPassword(c, deps, given)
}

/** The caller's own password whatever the method, unless the session has just been confirmed. Throws `invalid_password`. */
export async function demandFresh(c: Ctx, deps: Deps, given: string): Promise<void> {
  if (given === '' && (await deps.confirmations.isConfirmed(sessionOf(c).id))) return
  await verifyOwnPassword(c, deps, given)
}

/** The same, however lately the session was confirmed. */
export async function demandTypedPassword(c: Ctx, deps: Deps, given: string): Promise<void> {
  if (deps.store.settings().authMethod === 'json') await verifyOwnPassword(c, deps, given)
}

/** Throws `invalid_password` unless it is the caller's own. */
export async function verifyOwnPassword(c: Ctx, deps: Deps, given: string): Promise<void> {
  const key = `current password of ${signedIn(c).user.id}`
  const counting = deps.logins.attempt()
  await counting.begin(key)
  try {
    if (!(await isOwnPassword(deps, signedIn(c).user, given))) {
      counting.fail(key)
      throw badRequest('the current password is incorrect', 'invalid_password')
    }
    counting.succeed(key)
  } finally {
    await counting.over()
  }
}

async function isOwnPassword(deps: Deps, user: User, given: string): Promise<boolean> {
  const entry = directoryEntryOf(deps, user.id)
  return entry ? verifyByDirectory(entry, given) : verifyPassword(given, user.password)
}

/** True where somebody knows a password that is this account's, here or in the directory. */
export function hasOwnPassword(deps: Deps, user: User): boolean {
  return hasPassword(deps.store, user) || directoryEntryOf(deps, user.id) !== null
}

// It is changed in the directory; one kept here would be good for nothing.
function refuseDirectoryPassword(deps: Deps, userID: number): void {
  if (directoryEntryOf(deps, userID))
    throw badRequest('it is changed in the directory', 'directory_password')
}

function demandSelfOrAdmin(c: Ctx): number {
  const id = Number(c.req.param('id'))
  if (!signedIn(c).user.perm.admin && id !== signedIn(c).user.id)
    throw new AppError('forbidden', 'another account')
  if (!Number.isSafeInteger(id)) throw new AppError('not_found', 'no such user')
  return id
}

async function demandUser(deps: Deps, id: number): Promise<User> {
  const user = await loadUser(deps.store, id)
  if (!user) throw new AppError('not_found', `no user ${id}`)
  return user
}
