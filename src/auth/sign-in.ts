// Who signs in: the method of the settings turns a login request into a user or a refusal.
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { findUser, findUserByName, replaceUser } from '../store/users.ts'
import { hashPassword, needsRehash, verifyNobody, verifyPassword } from './hash.ts'
import { signInByHook } from './hook.ts'
import { provisionUser } from './provision.ts'
import { assertedByProxy, mayAssert } from './proxy.ts'
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
}

/**
 * Answers the user or throws: `wrong_credentials` for a refusal, `internal` when the method itself
 * fails. `credentials` reads the body and is not called by methods that need none.
 */
export async function signIn(
  deps: SignInDeps,
  incoming: IncomingMessage,
  credentials: () => Promise<Credentials>,
): Promise<User> {
  const { settings } = deps.store.read()
  switch (settings.authMethod) {
    case 'noauth': {
      const user = findUser(deps.store.read(), 1)
      if (!user) throw new AppError('internal', 'noauth needs the user with id 1')
      return user
    }
    case 'proxy':
      return signInByProxy(deps, incoming)
    case 'hook':
      return signInByHook(deps, await credentials())
    default:
      return signInByPassword(deps, await credentials())
  }
}

/** Checks name and password against the records; both kinds of failure take the same time. */
export async function signInByPassword(deps: SignInDeps, given: Credentials): Promise<User> {
  const { settings } = deps.store.read()
  const { recaptcha } = settings.auther
  if (recaptcha?.secret && !(await verifyHuman(recaptcha, given.recaptcha))) throw refused()
  const user = findUserByName(deps.store.read(), given.username)
  if (!user) {
    await verifyNobody(
      given.password,
      deps.store.read().users.map(({ password }) => password),
    )
    throw refused()
  }
  if (!(await verifyPassword(given.password, user.password))) throw refused()
  return needsRehash(user.password) ? upgradeHash(deps, user, given.password) : user
}

export function refused(): AppError {
  return new AppError('wrong_credentials', 'wrong credentials')
}

async function signInByProxy(deps: SignInDeps, incoming: IncomingMessage): Promise<User> {
  const { settings } = deps.store.read()
  if (!mayAssert(deps.config, incoming)) {
    deps.log.warn(
      `the sign-in header came from ${incoming.socket.remoteAddress}, which is not in trustedProxies; ` +
        'set --trustedProxies to the address of the reverse proxy',
    )
    throw new AppError('wrong_credentials', 'the peer is not a trusted proxy')
  }
  const username = assertedByProxy(deps.config, settings, incoming)
  if (username === null) throw new AppError('internal', 'the sign-in header is missing')
  return findUserByName(deps.store.read(), username) ?? provisionUser(deps, { username })
}

// Imported bcrypt hashes become argon2id the moment their password is known.
async function upgradeHash(deps: SignInDeps, user: User, password: string): Promise<User> {
  const hash = await hashPassword(password)
  return deps.store.update((doc) => {
    const current = findUser(doc, user.id)
    // Changed meanwhile: the new password wins.
    if (current?.password !== user.password) return [doc, current ?? user]
    return replaceUser(doc, { ...current, password: hash })
  })
}
