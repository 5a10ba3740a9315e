// Who asks by WebDAV: an API token as a password or as Bearer, or where that is allowed the password of an account.
import { createHmac, hash, randomBytes } from 'node:crypto'
import { findAccount } from '../../access/effective.ts'
import { treeScopeOf } from '../../access/user-tree.ts'
import { API_TOKEN_PREFIX } from '../../auth/api-tokens.ts'
import { withPassword } from '../../auth/password.ts'
import { hasSecondStep, needsSecondFactor } from '../../auth/second-factor/factors.ts'
import { policyOf } from '../../auth/sign-in.ts'
import { dropAct, setAct } from '../../http/audit.ts'
import { guessKeys } from '../../http/client-address.ts'
import { type Ctx, type SignedIn, setHeader, unauthenticated } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { letIn } from '../../http/guard.ts'
import { findOrLook } from '../../store/collection.ts'
import type { User } from '../../store/document.ts'
import { loadUser, loadUserByName } from '../../store/users.ts'
import { shortName } from '../login.ts'

interface Given {
  /** Empty where none was given. */
  username: string
  secret: string
}

/** How long a password that was right is known again without the work of its hash. */
const REMEMBER_MS = 5 * 60_000
const MAX_REMEMBERED = 1_000

/** Gives what lets a request in: sets `principal` and `scope`, or throws `unauthenticated`, `too_many_requests`. */
export function createSignIn(deps: Deps): (c: Ctx) => Promise<void> {
  const passwords = createPasswords(deps)
  const wrong = createWrongPairs()
  return async (c) => {
    const { authMethod } = deps.store.settings()
    if (authMethod === 'noauth') return await enterAsFirst(c, deps)
    const given = readAuthorization(c.env.incoming.headers.authorization)
    if (!given) throw challenge(c)
    const token = given.secret.startsWith(API_TOKEN_PREFIX)
      ? await findOrLook(deps.store, () => deps.apiTokens.find(given.secret))
      : null
    if (token && (given.username === '' || given.username === token.user.username))
      return enter(c, deps, { kind: 'token', ...token })
    const keys = [
      ...guessKeys(c, deps, 'WebDAV'),
      `WebDAV ${hash('sha256', given.username)} ${guessKeys(c, deps, '')[0]}`,
    ]
    const act = { via: 'webdav', user: shortName(given.username), only: 'refusals' } as const
    setAct(c, 'sign-in', act)
    const counting = deps.logins.attempt()
    await counting.begin(...keys)
    try {
      const user = await passwords(given)
      if (user) return enter(c, deps, { kind: 'account', user })
      // A device that nobody has told of a new password is no attack, and worth one line.
      if (wrong.isNew(keys.join(' '), given)) counting.fail(...keys)
      else dropAct(c)
    } finally {
      await counting.over()
    }
    throw challenge(c)
  }
}

// Names are there when they are named, also hidden ones.
function enter(c: Ctx, deps: Deps, principal: SignedIn): void {
  dropAct(c)
  letIn(c, deps, principal, (services, user) => treeScopeOf(services, user, 'delete'))
}

async function enterAsFirst(c: Ctx, deps: Deps): Promise<void> {
  await loadUser(deps.store, 1)
  const user = findAccount(deps.store, 1)
  if (!user) throw unauthenticated()
  enter(c, deps, { kind: 'account', user })
}

/** Basic or Bearer; null for nothing that could be read. Windows writes the name of the machine before the user's. */
export function readAuthorization(header: string | undefined): Given | null {
  const [, scheme = '', value = ''] = /^(Basic|Bearer) +(\S+)$/i.exec(header ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return { username: '', secret: value }
  if (scheme === '') return null
  const text = Buffer.from(value, 'base64').toString('utf8')
  const at = text.indexOf(':')
  if (at < 0) return null
  return { username: text.slice(text.lastIndexOf('\\', at) + 1, at), secret: text.slice(at + 1) }
}

// Programs that watch the log find the refusals under one address. Pages get no dialog of the browser.
function challenge(c: Ctx): Error {
  c.set('logPath', '/dav')
  if (c.env.incoming.headers['sec-fetch-mode'] === undefined)
    setHeader(c, 'WWW-Authenticate', 'Basic realm="File Browser", charset="UTF-8"')
  return unauthenticated()
}

/** Tells whether a password is that of an account, one computation for each pair in a while. */
function createPasswords(deps: Deps): (given: Given) => Promise<User | null> {
  const key = randomBytes(32)
  const known = new Map<string, { stored: string; endsMs: number; user: Promise<User | null> }>()
  return async ({ username, secret }) => {
    const { config, store } = deps
    const settings = store.settings()
    const found = await loadUserByName(store, username)
    if (!config.davPasswords || settings.authMethod !== 'json') return null
    const policy = policyOf(config, settings)
    const owesMore =
      found && (hasSecondStep(store, found.id) || needsSecondFactor(store, policy, found))
    if (owesMore) return null
    const pair = createHmac('sha256', key).update(`${username}\0${secret}`).digest('base64')
    const stored = found?.password ?? ''
    let entry = known.get(pair)
    if (!entry || entry.stored !== stored || entry.endsMs <= Date.now()) {
      const user = withPassword(deps, found, secret)
      entry = { stored, endsMs: Date.now() + REMEMBER_MS, user }
      known.delete(pair)
      known.set(pair, entry)
      if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value as string)
      // Only what was right is known again, under the hash that there is then.
      const right = await user.catch(() => null)
      if (right) entry.stored = right.password
      else known.delete(pair)
    }
    const user = await entry.user
    if (user) await loadUser(store, user.id)
    return user && (findAccount(store, user.id) ?? null)
  }
}

/** Remembers of each key the last pair that was wrong. */
function createWrongPairs() {
  const last = new Map<string, string>()
  return {
    isNew: (key: string, { username, secret }: Given): boolean => {
      const pair = hash('sha256', `${username}\0${secret}`, 'base64')
      if (last.get(key) === pair) return false
      last.delete(key)
      last.set(key, pair)
      if (last.size > MAX_REMEMBERED) last.delete(last.keys().next().value as string)
      return true
    },
  }
}
