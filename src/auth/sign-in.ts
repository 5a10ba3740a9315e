// Who signs in: the method of the settings turns a login request into a user or a refusal.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../lib/errors.ts'
import type { User } from '../store/document.ts'
import { findUser, findUserByName } from '../store/users.ts'
import { signInByHook } from './hook.ts'
import { type Credentials, type SignInDeps, signInByPassword } from './password.ts'
import { provisionUser } from './provision.ts'
import { assertedByProxy, mayAssert } from './proxy.ts'

/**
 * Answers the user or throws: `wrong_credentials` for a refusal, `internal` when the method itself
 * fails. `credentials` reads the body and is not called by methods that need none.
 */
export async function signIn(
  deps: SignInDeps,
  incoming: IncomingMessage,
  credentials: () => Promise<Credentials>,
): Promise<User> {
  const settings = deps.store.settings()
  switch (settings.authMethod) {
    case 'noauth': {
      const user = findUser(deps.store, 1)
      if (!user) throw new AppError('sign_in_unavailable', 'noauth needs the user with id 1')
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

async function signInByProxy(deps: SignInDeps, incoming: IncomingMessage): Promise<User> {
  const settings = deps.store.settings()
  if (!mayAssert(deps.config, incoming)) {
    deps.log.warn(
      `the sign-in header came from ${incoming.socket.remoteAddress}, which is not in trustedProxies; ` +
        'set --trustedProxies to the address of the reverse proxy',
    )
    throw new AppError('wrong_credentials', 'the peer is not a trusted proxy')
  }
  const username = assertedByProxy(deps.config, settings, incoming)
  if (username === null) throw new AppError('sign_in_unavailable', 'the sign-in header is missing')
  const known = findUserByName(deps.store, username)
  if (known) return known
  try {
    // Whoever comes through a proxy has a password there; the one made here is known to nobody.
    return await provisionUser(deps, { username, fields: { lockPassword: true } })
  } catch (error) {
    // 403 would reveal that the proxy's user may not sign in.
    if (error instanceof AppError && error.code === 'forbidden')
      throw new AppError('exists', error.message, { status: 500, cause: error })
    if (!(error instanceof AppError && error.code === 'exists')) throw error
    // Of two first requests at once one finds the account made by the other.
    const made = findUserByName(deps.store, username)
    if (made) return made
    throw new AppError('exists', error.message, { status: 500, cause: error })
  }
}
