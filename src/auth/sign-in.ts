// Who signs in: one door for each method, which turns a login request into a user or a refusal. Doors that ask for a
// password ask for the second factor too, where the account has one.
import type { IncomingMessage } from 'node:http'
import type { SecondFactorPolicy } from '../api-types.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'
import type { Settings, User } from '../store/document.ts'
import { loadUser, loadUserByName } from '../store/users.ts'
import { signInByHook } from './hook.ts'
import type { Directory } from './ldap/directory.ts'
import { signInByDirectory } from './ldap/sign-in.ts'
import { type Credentials, type SignInDeps, signInByPassword } from './password.ts'
import { provisionUser } from './provision.ts'
import { assertedByProxy, mayAssert } from './proxy.ts'
import type { SecondFactors } from './second-factor/factors.ts'

/** Credentials, and the code of the second step; null from clients that know of none. */
export interface Typed extends Credentials {
  code: string | null
}

/** Who has come in. What is still asked of them is for the caller to say. */
export interface Entered {
  user: User
  method: string
  /** Whoever came without a password has proved who they are elsewhere. */
  byPassword: boolean
  /** As typed, or from behind the password; null when none came. */
  code: string | null
}

type Deps = SignInDeps & {
  secondFactors: SecondFactors
  /** Stands beside the passwords kept here; null where none is configured. */
  directory: Directory | null
}

type Door =
  | { asks: 'password'; enter(deps: SignInDeps, given: Credentials): Promise<User> }
  | { asks: 'nothing'; enter(deps: SignInDeps, incoming: IncomingMessage): Promise<User> }

const DOORS: Readonly<Record<string, Door>> = {
  json: { asks: 'password', enter: signInByPassword },
  hook: { asks: 'password', enter: signInByHook },
  proxy: { asks: 'nothing', enter: signInByProxy },
  noauth: { asks: 'nothing', enter: signInAsFirst },
}

function doorOf({ authMethod }: Settings): Door {
  return DOORS[authMethod] ?? (DOORS.json as Door)
}

/** True where signing in takes a password of this server's, so that there is something to add to. */
export function asksPassword(settings: Settings): boolean {
  return doorOf(settings).asks === 'password'
}

/** Who needs a second factor: as configured, else as stored; nobody where no password is asked. */
export function policyOf({ secondFactor }: Config, settings: Settings): SecondFactorPolicy {
  if (!asksPassword(settings)) return 'off'
  return secondFactor || settings.secondFactor
}

/**
 * Answers who it is or throws: `wrong_credentials` for a refusal, `internal` when the method itself
 * fails. `typed` reads the body and is not called by methods that need none.
 */
export async function signIn(
  deps: Deps,
  incoming: IncomingMessage,
  typed: () => Promise<Typed>,
): Promise<Entered> {
  const settings = deps.store.settings()
  const method = settings.authMethod
  const door = doorOf(settings)
  if (door.asks === 'nothing') {
    return { user: await door.enter(deps, incoming), method, byPassword: false, code: null }
  }
  const given = await typed()
  const { directory } = deps
  if (method === 'json' && directory) {
    const split = (user: User | undefined) => splitCode(deps, given, user)
    return { byPassword: true, ...(await signInByDirectory({ ...deps, directory }, given, split)) }
  }
  const meant = mayHoldCode(deps, given)
    ? await loadUserByName(deps.store, given.username)
    : undefined
  const { password, code } = splitCode(deps, given, meant)
  const user = await door.enter(deps, { ...given, password })
  return { user, method, byPassword: true, code }
}

// Whose it is does not matter, so that unknown names take the same time.
function mayHoldCode({ config, store }: Deps, { password, code }: Typed): boolean {
  return code === null && policyOf(config, store.settings()) !== 'off' && /\d{6}$/.test(password)
}

// Clients that know of one step only have the six digits typed behind the password. One password is verified in every case.
function splitCode(
  deps: Deps,
  { password, code }: Typed,
  user: User | undefined,
): Pick<Typed, 'password' | 'code'> {
  const whole = { password, code }
  if (code !== null || policyOf(deps.config, deps.store.settings()) === 'off') return whole
  const [, before, digits] = /^(.*)(\d{6})$/s.exec(password) ?? []
  if (before === undefined || digits === undefined) return whole
  return user && deps.secondFactors.of(user.id) ? { password: before, code: digits } : whole
}

async function signInAsFirst({ store }: SignInDeps): Promise<User> {
  const user = await loadUser(store, 1)
  if (!user) throw new AppError('sign_in_unavailable', 'noauth needs the user with id 1')
  return user
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
  const known = await loadUserByName(deps.store, username)
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
    const made = await loadUserByName(deps.store, username)
    if (made) return made
    throw new AppError('exists', error.message, { status: 500, cause: error })
  }
}
