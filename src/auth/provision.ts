// Accounts made by sign-up, proxy, hook, provider or directory (docs/http-api.md 4.6, 4.7). They never inherit administration or
// commands, and the right to execute only from a hook, as in the original.
import { randomBytes } from 'node:crypto'
import { AppError, badRequest } from '../lib/errors.ts'
import { vpathOf } from '../lib/vpath.ts'
import type { Records, Transaction } from '../store/collection.ts'
import { HOMES, USERS } from '../store/collections.ts'
import type { User } from '../store/document.ts'
import { foldedHome } from '../store/user-facts.ts'
import { addUser, discardUser } from '../store/users.ts'
import { hashPassword } from './hash.ts'
import { type HomeOptions, homeOf, isUnchosen } from './home.ts'
import type { SignInDeps } from './password.ts'
import { checkPassword } from './password-policy.ts'

/** What it takes to make an account. */
export type AccountDeps = Pick<SignInDeps, 'store' | 'makeHome'>

interface NewAccount {
  username: string
  /** Absent for accounts that sign in through a proxy: a random one is set. */
  password?: string
  /** Fields that replace the defaults, from a sign-in hook. */
  fields?: Partial<User>
  /** The fields above may carry administration and the like, as the hook is the authority. */
  trustFields?: boolean
  /** Asked when the account is recorded, which it is not when this throws. */
  demand?: () => void
  /** Part of the same change, once the account has its number. */
  alongside?: (tx: Transaction, user: User) => void
  /**
   * Nobody vouches for who this is: a home that exists already is not handed over, whoever has left it.
   * Proxies and sign-in programs know whose name it is.
   */
  isStranger?: boolean
}

/**
 * Creates the account and its home. Throws `weak_password`, `exists` when the name or the derived
 * home is taken (compared without case, GHSA-7rc3-g7h6-22m7) or, for a stranger, there already;
 * `internal` for an unusable name.
 */
export async function provisionUser(deps: AccountDeps, account: NewAccount): Promise<User> {
  const settings = deps.store.settings()
  if (account.password !== undefined)
    await checkPassword(account.password, settings.minimumPasswordLength)
  const password = await hashPassword(account.password ?? randomBytes(24).toString('base64url'))
  const { defaults } = settings
  const explicit = account.fields?.scope?.trim() ?? ''
  // The whole tree is given only where `/` was written.
  const ownHome = explicit === '' && (settings.createUserDir || isUnchosen(defaults.scope))
  const scope = ownHome
    ? homeOf(settings, account.username)
    : vpathOf((explicit || defaults.scope).trim())
  const user: Omit<User, 'id'> = {
    ...defaults,
    perm: { ...defaults.perm, admin: false, execute: false },
    commands: [],
    rules: [],
    lockPassword: false,
    ...account.fields,
    username: account.username,
    password,
    scope,
  }
  if (!account.trustFields) user.perm = { ...user.perm, admin: false, execute: false }
  const check = (records: Records) => {
    account.demand?.()
    if (ownHome) refuseTakenHome(records, scope)
  }
  const home = { mustBeNew: ownHome && account.isStranger === true }
  return addUserWithHome(deps, user, check, home, account.alongside)
}

const MAX_NAME_LENGTH = 255

/**
 * Refuses names that would be more than a name where they are written: in lines of a log or of a
 * program's output, in the environment, in tokens. Names kept from before stay. Throws `bad_request`.
 */
export function checkUsername(username: string): void {
  if (/\p{Cc}/u.test(username)) throw badRequest('username holds control characters')
  if (username.length > MAX_NAME_LENGTH)
    throw badRequest(`username is longer than ${MAX_NAME_LENGTH} characters`)
}

/**
 * Records the account and makes its home, unless it has none. `check` and the record are one step, and only the winner
 * of a race gets a folder; when that cannot be made the account does not stay either.
 */
export async function addUserWithHome(
  { store, makeHome }: AccountDeps,
  user: Omit<User, 'id'>,
  check: (records: Records) => void = () => {},
  home: HomeOptions = {},
  alongside: (tx: Transaction, user: User) => void = () => {},
): Promise<User> {
  checkUsername(user.username)
  const added = await store.transaction((tx) => {
    check(tx)
    const made = addUser(tx, user)
    alongside(tx, made)
    return made
  })
  if (store.get(HOMES, added.id)?.home === false) return added
  try {
    await makeHome(added.scope, home)
  } catch (error) {
    await store.transaction((tx) => discardUser(tx, added.id))
    throw error
  }
  return added
}

function refuseTakenHome(records: Records, scope: string): void {
  if (records.has(USERS, 'home', foldedHome(scope)))
    throw new AppError('exists', `the folder ${scope} belongs to another user`)
}
