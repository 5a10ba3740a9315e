// Who is asking and what they may touch. Guards set typed variables and do nothing else.

import { createMiddleware } from 'hono/factory'
import { findAccount } from '../access/effective.ts'
import { mayAnywhere, scopeOf, treeFactsOf } from '../access/user-tree.ts'
import { API_TOKEN_PREFIX } from '../auth/api-tokens.ts'
import { assertedByProxy } from '../auth/proxy.ts'
import type { VerifiedToken } from '../auth/tokens.ts'
import type { Scope } from '../files/place/scope.ts'
import { AppError } from '../lib/errors.ts'
import { findOrLook } from '../store/collection.ts'
import type { Session, User } from '../store/document.ts'
import { loadUser } from '../store/users.ts'
import {
  type Ctx,
  type Env,
  keepChecking,
  type SignedIn,
  sessionOf,
  setHeader,
  signedIn,
  unauthenticated,
} from './context.ts'
import type { Deps } from './deps.ts'

/** Tokens are renewed when less than this is left. */
const RENEW_BEFORE_MS = 60 * 60_000

/** Requires a live session or an API token; sets `principal` and `scope`. */
export function requireUser(deps: Deps) {
  return createMiddleware<Env>(async function userGuard(c, next) {
    const apiToken = presentedApiToken(c)
    if (apiToken === null) {
      const { user, session, token } = await identify(c, deps)
      letIn(c, deps, { kind: 'session', user, session })
      if (wantsRenewal(deps, user, token)) setHeader(c, 'X-Renew-Token', 'true')
    } else {
      const found = await findOrLook(deps.store, () => deps.apiTokens.find(apiToken))
      if (!found) throw unauthenticated()
      letIn(c, deps, { kind: 'token', ...found })
    }
    await next()
  })
}

/** Requires a person and no token; use after requireUser. */
export const requireSession = createMiddleware<Env>(async function sessionGuard(c, next) {
  keepChecking(c, () => void sessionOf(c))
  await next()
})

/** Sets `principal` and `scope` of somebody who is known by now, and checks from then on that it still holds. */
export function letIn(c: Ctx, deps: Deps, principal: SignedIn, treeOf: TreeOf = scopeOf): void {
  const set = (now: SignedIn) => {
    c.set('principal', now)
    c.set('scope', treeOf(deps, now.user))
  }
  set(principal)
  const facts = treeFactsOf(deps)
  keepChecking(c, () => renewPrincipal(c, deps, facts, set))
}

type TreeOf = (deps: Deps, user: User) => Scope

/** Requires an administrator; use after requireUser. */
export const requireAdmin = createMiddleware<Env>(async function adminGuard(c, next) {
  keepChecking(c, () => {
    if (!signedIn(c).user.perm.admin) throw new AppError('forbidden', 'only for administrators')
  })
  await next()
})

// Sets the present session, user and scope. When the home has moved, the request's path named something else.
function renewPrincipal(
  c: Ctx,
  deps: Deps,
  facts: readonly object[],
  set: (now: SignedIn) => void,
): void {
  const before = signedIn(c)
  const now = stillSignedIn(deps, before)
  if (!now) throw unauthenticated()
  const isAsBefore = treeFactsOf(deps).every((fact, i) => fact === facts[i])
  if (now.user === before.user && isAsBefore) return
  if (now.user.scope !== before.user.scope)
    throw new AppError('forbidden', 'the home of the user has moved')
  set(now)
}

function stillSignedIn(deps: Deps, before: SignedIn): SignedIn | null {
  if (before.kind === 'token') {
    const found = deps.apiTokens.stillValid(before.token.id)
    return found && { kind: 'token', ...found }
  }
  if (before.kind === 'account') {
    const user = findAccount(deps.store, before.user.id)
    return user?.password === before.user.password ? { kind: 'account', user } : null
  }
  const session = deps.sessions.use(before.session.id)
  const user = session?.userID === before.user.id && findAccount(deps.store, before.user.id)
  return user ? { kind: 'session', user, session } : null
}

/**
 * Content needs the right to download; lacking it is 202, as clients know it, and 403 for what is not seen. Asked
 * before the disk is; opening a file asks again, for where links lead.
 */
export function demandDownload(c: Ctx, deps: Deps): void {
  const { vpath } = c.env.target
  const scope = c.get('scope')
  if (scope.may(vpath, 'download')) return
  demandSomeDownload(c, deps)
  // Whoever may download elsewhere learns that this is denied, as for any other call.
  if (!scope.may(vpath, 'see')) throw new AppError('forbidden', `${vpath} is denied`)
  throw noDownload()
}

/** The same of whoever may download nothing anywhere. */
export function demandSomeDownload(c: Ctx, deps: Deps): void {
  if (!mayAnywhere(deps, signedIn(c).user, 'download')) throw noDownload()
}

function noDownload(): AppError {
  return new AppError('download_forbidden', 'no permission to download')
}

export async function identify(
  c: Ctx,
  deps: Deps,
): Promise<{ user: User; session: Session; token: VerifiedToken }> {
  const text = presentedToken(c)
  const token =
    text && ((await deps.tokens.verify(text.value)) ?? (await rescueExpired(c, deps, text.value)))
  if (!token || (token.use === 'cookie' && text.from === 'header')) throw unauthenticated()
  await Promise.all([deps.sessions.load(token.sessionId), loadUser(deps.store, token.userId)])
  const session = deps.sessions.use(token.sessionId)
  if (!session || session.userID !== token.userId) throw unauthenticated()
  const user = findAccount(deps.store, session.userID)
  if (!user) throw unauthenticated()
  return { user, session, token }
}

/** For requests that read their session themselves. Throws `token_not_allowed`. */
export function refuseApiToken(c: Ctx): void {
  if (presentedApiToken(c) !== null) throw new AppError('token_not_allowed', 'needs a session')
}

// A Bearer without our prefix belongs to a proxy in front, which puts its own there.
function presentedApiToken(c: Ctx): string | null {
  const { 'x-auth': header, authorization } = c.env.incoming.headers
  if (typeof header === 'string' && hasTwoDots(header))
    return header.startsWith(API_TOKEN_PREFIX) ? header : null
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
  return bearer.startsWith(API_TOKEN_PREFIX) ? bearer : null
}

function presentedToken(c: Ctx): { value: string; from: 'header' | 'cookie' } | null {
  const { incoming } = c.env
  const header = incoming.headers['x-auth']
  if (typeof header === 'string' && hasTwoDots(header)) return { value: header, from: 'header' }
  // Cookies never authorise a change (CSRF); a form cannot send the header.
  if (incoming.method !== 'GET') return null
  // SameSite already says so, except for the cookie that frames of other sites have (Fetch Metadata, W3C).
  if (incoming.headers['sec-fetch-site'] === 'cross-site') return null
  for (const part of (incoming.headers.cookie ?? '').split(';')) {
    const [name, value] = splitOnce(part.trim(), '=')
    if (name === 'auth' && hasTwoDots(value)) return { value, from: 'cookie' }
  }
  return null
}

// GHSA-v3jv-rmh2-635j: behind a proxy an expired token still counts while the proxy names the
// same user on this very request.
async function rescueExpired(c: Ctx, deps: Deps, text: string): Promise<VerifiedToken | null> {
  const settings = deps.store.settings()
  if (settings.authMethod !== 'proxy' || (settings.logoutPage || '/login') === '/login') return null
  const token = await deps.tokens.verifyExpired(text)
  if (!token) return null
  const named = assertedByProxy(deps.config, settings, c.env.incoming)
  const user = await loadUser(deps.store, token.userId)
  return named !== null && user?.username === named ? token : null
}

function wantsRenewal(deps: Deps, user: User, token: VerifiedToken): boolean {
  if (token.expiresAt * 1000 - Date.now() < RENEW_BEFORE_MS) return true
  return token.issuedAt < deps.userChanges.lastOf(user.id)
}

function hasTwoDots(text: string): boolean {
  const second = text.indexOf('.', text.indexOf('.') + 1)
  return second > text.indexOf('.') && !text.includes('.', second + 1)
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
