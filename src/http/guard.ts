// Who is asking and what they may touch. Guards set typed variables and do nothing else.

import { join } from 'node:path'
import { createMiddleware } from 'hono/factory'
import { bothAllow, compileRules, type Judge, notHidden } from '../access/rules.ts'
import type { Permissions } from '../api-types.ts'
import { assertedByProxy } from '../auth/proxy.ts'
import type { VerifiedToken } from '../auth/tokens.ts'
import { createScope, type Scope } from '../files/place/scope.ts'
import { AppError } from '../lib/errors.ts'
import { vpathOf } from '../lib/vpath.ts'
import type { Session, Settings, User } from '../store/document.ts'
import { findUser } from '../store/users.ts'
import type { Ctx, Deps, Env } from './env.ts'
import { demandStill } from './standing.ts'

/** Tokens are renewed when less than this is left. */
const RENEW_BEFORE_MS = 60 * 60_000

/** Requires a live session; sets `user`, `session` and `scope`. */
export function requireUser(deps: Deps) {
  return createMiddleware<Env>(async function userGuard(c, next) {
    const { user, session, token } = await identify(c, deps)
    c.set('user', user)
    c.set('session', session)
    c.set('scope', scopeOf(deps, user))
    const { settings } = deps.store.read()
    demandStill(c, () => demandSameCaller(c, deps, settings))
    if (wantsRenewal(deps, user, token)) c.env.outgoing.setHeader('X-Renew-Token', 'true')
    await next()
  })
}

/** Requires an administrator; use after requireUser. */
export const requireAdmin = createMiddleware<Env>(async function adminGuard(c, next) {
  demandStill(c, () => {
    if (!c.get('user').perm.admin) throw new AppError('forbidden', 'only for administrators')
  })
  await next()
})

// The session, its user and their tree as they are now. A tree that has moved is another one: the
// path of the request named something else in it.
function demandSameCaller(c: Ctx, deps: Deps, settings: Settings): void {
  const before = c.get('user')
  const session = deps.sessions.use(c.get('session').id)
  const user = session?.userID === before.id && findUser(deps.store.read(), before.id)
  if (!user) throw unauthenticated()
  if (user === before && deps.store.read().settings === settings) return
  if (user.scope !== before.scope) throw new AppError('forbidden', 'the home of the user has moved')
  c.set('user', user)
  c.set('scope', scopeOf(deps, user))
}

/** Throws `forbidden` without the permission. */
export function demand(user: User, permission: keyof Permissions): void {
  if (!user.perm[permission]) throw new AppError('forbidden', `no permission to ${permission}`)
}

/** Content needs the right to download; lacking it is 202, as clients know it. */
export function demandDownload(user: User): void {
  if (!user.perm.download) throw new AppError('download_forbidden', 'no permission to download')
}

export async function identify(
  c: Ctx,
  deps: Deps,
): Promise<{ user: User; session: Session; token: VerifiedToken }> {
  const text = presentedToken(c)
  const token =
    text && ((await deps.tokens.verify(text.value)) ?? (await rescueExpired(c, deps, text.value)))
  if (!token || (token.use === 'cookie' && text.from === 'header')) throw unauthenticated()
  const session = deps.sessions.use(token.sessionId)
  if (!session || session.userID !== token.userId) throw unauthenticated()
  const user = findUser(deps.store.read(), session.userID)
  if (!user) throw unauthenticated()
  return { user, session, token }
}

/** The user's tree with global rules, own rules and hidden names applied. */
export function scopeOf(deps: Deps, user: User): Scope {
  return buildScope(deps, user, judgeOf(deps, deps.store.read().settings, user))
}

function buildScope(deps: Deps, user: User, allow: Judge): Scope {
  const { settings } = deps.store.read()
  return createScope({
    disks: deps.disks,
    root: userRoot(deps, user),
    within: deps.config.root,
    allow,
    caseless: hasRules(deps, user)
      ? { disks: deps.caselessDisks, allow: compiledFor(deps, settings, user).folded }
      : undefined,
    temps: deps.temps,
    followExternalSymlinks: deps.config.followExternalSymlinks,
    fileMode: settings.fileMode,
    dirMode: settings.dirMode,
  })
}

/**
 * The user's tree under the rules alone: for copy, move and delete, which take hidden names along
 * (docs/http-api.md 4.3).
 */
export function treeScopeOf(deps: Deps, user: User): Scope {
  return buildScope(deps, user, rulesOf(deps, user))
}

/** Host path of the user's tree; `..` in a stored scope cannot climb out of the server root. */
function userRoot(deps: Deps, user: User): string {
  return join(deps.config.root, vpathOf(user.scope))
}

interface Judges {
  settings: Settings
  judge: Judge
  rules: Judge
  /** The rules as they are meant on disks without case. */
  folded: Judge
}

const judges = new WeakMap<User, Judges>()

/** Rules and hidden names as one judge, compiled once per user record and settings. */
function judgeOf(deps: Deps, settings: Settings, user: User): Judge {
  return compiledFor(deps, settings, user).judge
}

/** Rules alone: what a tree operation must respect in every descendant (docs/http-api.md 7.7). */
function rulesOf(deps: Deps, user: User): Judge {
  return compiledFor(deps, deps.store.read().settings, user).rules
}

/** True when any rule exists, so that walks over descendants can be saved otherwise. */
export function hasRules(deps: Deps, user: User): boolean {
  return deps.store.read().settings.rules.length + user.rules.length > 0
}

function compiledFor(deps: Deps, settings: Settings, user: User): Judges {
  const known = judges.get(user)
  if (known?.settings === settings) return known
  const all = [...settings.rules, ...user.rules]
  const rules = compileRules(all, deps.foldCase)
  const folded = deps.foldCase ? rules : compileRules(all, true)
  const judge = user.hideDotfiles ? bothAllow(rules, notHidden) : rules
  const made = { settings, judge, rules, folded }
  judges.set(user, made)
  return made
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
  const { settings } = deps.store.read()
  if (settings.authMethod !== 'proxy' || (settings.logoutPage || '/login') === '/login') return null
  const token = await deps.tokens.verifyExpired(text)
  if (!token) return null
  const named = assertedByProxy(deps.config, settings, c.env.incoming)
  const user = findUser(deps.store.read(), token.userId)
  return named !== null && user?.username === named ? token : null
}

function wantsRenewal(deps: Deps, user: User, token: VerifiedToken): boolean {
  if (token.expiresAt * 1000 - Date.now() < RENEW_BEFORE_MS) return true
  return token.issuedAt < (deps.userChanges.get(user.id) ?? 0)
}

function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'no valid session')
}

function hasTwoDots(text: string): boolean {
  return text.split('.').length === 3
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
