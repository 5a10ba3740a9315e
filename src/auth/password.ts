// Sign-in by name and password against the records.
import type { Config } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { Programs } from '../programs/runner.ts'
import { USERS } from '../store/collections.ts'
import type { User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { findUser, loadUserByName, replaceUser } from '../store/users.ts'
import { hashPassword, needsRehash, verifyAlike } from './hash.ts'
import type { HomeOptions } from './home.ts'
import { verifyHuman } from './recaptcha.ts'

export interface Credentials {
  username: string
  password: string
  recaptcha: string
}

export interface SignInDeps {
  config: Config
  store: Store
  log: Logger
  programs: Programs
  /** Lets a few sign-in programs run at a time; `too_many_requests` when many wait already. */
  inSignInTurn: <T>(fn: () => Promise<T>) => Promise<T>
  /** Creates the folder of a scope below the server root. */
  makeHome(scope: string, options?: HomeOptions): Promise<unknown>
}

/** Checks name and password against the records; both kinds of failure take the same time. */
export async function signInByPassword(deps: SignInDeps, given: Credentials): Promise<User> {
  await demandHuman(deps, given)
  const user = await withPassword(deps, loadUserByName(deps.store, given.username), given.password)
  if (!user) throw refused()
  return user
}

/** Throws `wrong_credentials` where an answer to a picture is wanted and not given. */
export async function demandHuman({ store }: SignInDeps, given: Credentials): Promise<void> {
  const { recaptcha } = store.settings().auther
  if (recaptcha?.secret && !(await verifyHuman(recaptcha, given.recaptcha))) throw refused()
}

/** The account when this is its password, else null; takes the same time when there is none. */
export async function withPassword(
  deps: SignInDeps,
  loading: User | undefined | Promise<User | undefined>,
  password: string,
): Promise<User | null> {
  const kindsOfAll = deps.store.large.values(USERS, 'passwordKind')
  const [user, kinds] = await Promise.all([loading, kindsOfAll])
  const fits = await verifyAlike(password, user?.password ?? null, kinds.map(String))
  if (!user || !fits) return null
  return needsRehash(user.password) ? upgradeHash(deps, user, password) : user
}

export function refused(): AppError {
  return new AppError('wrong_credentials', 'wrong credentials')
}

// Imported bcrypt hashes become argon2id the moment their password is known.
async function upgradeHash(deps: SignInDeps, user: User, password: string): Promise<User> {
  const hash = await hashPassword(password)
  // Signing in must not fail because this cannot be written.
  return deps.store.ahead((tx) => {
    const current = findUser(tx, user.id)
    // Changed meanwhile: the new password wins.
    if (current?.password !== user.password) return current ?? user
    return replaceUser(tx, { ...current, password: hash })
  })
}
