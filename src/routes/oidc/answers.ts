// Where the browser goes next, and its cookies.
import type { Attempt } from '../../auth/oidc/attempt.ts'
import {
  ATTEMPT_MS,
  attemptCookie,
  attemptCookies,
  MAX_ATTEMPTS,
  sealAttempt,
} from '../../auth/oidc/attempt.ts'
import { TOO_MANY_GROUPS } from '../../auth/oidc/claims.ts'
import { isFrom } from '../../auth/oidc/options.ts'
import { answer } from '../../http/answer.ts'
import { isSecure } from '../../http/client-address.ts'
import { type Ctx, setHeader } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { encodePath } from '../../http/request-path.ts'
import { AppError } from '../../lib/errors.ts'
import type { SessionOrigin } from '../../store/document.ts'

/** ID tokens above it do not go into a cookie: browsers keep 4 KiB. */
const MAX_ID_TOKEN = 3_500

/** Goes to an address of this interface, or with a scheme to the provider. */
export function redirect({ config }: Deps, to: string): Response {
  const location = to.startsWith('/') ? encodePath(config.baseURL) + to : to
  return answer(null, { Location: location }, 303)
}

/** Back to where it began, with a word that the page has a sentence for. */
export function redirectWithError(deps: Deps, attempt: Attempt | null, word: string): Response {
  const { returnTo = '/files/', purpose = 'sign-in' } = attempt ?? {}
  const isPlain = purpose === 'sign-in' && !returnTo.startsWith('/login')
  const path = isPlain ? `/login?redirect=${encodeURIComponent(returnTo)}` : returnTo
  return redirect(deps, `${path}${path.includes('?') ? '&' : '?'}error=${word}`)
}

const WORDS: Partial<Record<AppError['code'], string>> = {
  wrong_credentials: 'refused',
  exists: 'exists',
  unreachable: 'unreachable',
  unauthenticated: 'expired',
  incomplete: 'cancelled',
  too_many_requests: 'later',
}

/** What the page is told of a failure. */
export function wordOf({ code, cause }: AppError): string {
  return cause === TOO_MANY_GROUPS ? 'groups' : (WORDS[code] ?? 'failed')
}

/** Where the provider sends the browser back. Throws `bad_request` for a request that names no host. */
export function callbackOf(c: Ctx, deps: Deps): string {
  return addressOf(c, deps, '/api/oidc/callback')
}

/** An absolute address of this server, as the browser knows it. */
export function addressOf(c: Ctx, { clients, config }: Deps, path: string): string {
  const origin = clients.originOf(c.env.incoming)
  if (origin === null) throw new AppError('bad_request', 'the request names no host')
  return origin + encodePath(config.baseURL) + path
}

/** Keeps an attempt in the browser, instead of the oldest where there are many. */
export async function keepAttempt(c: Ctx, deps: Deps, attempt: Attempt): Promise<void> {
  const waiting = attemptCookies(c.req.header('cookie') ?? '')
  for (const { name } of waiting.slice(0, Math.max(0, waiting.length + 1 - MAX_ATTEMPTS)))
    addCookie(c, attemptLine(c, deps, name, '', 0))
  const sealed = await sealAttempt(deps.store.settings().key, attempt)
  addCookie(c, attemptLine(c, deps, attemptCookie(attempt.state), sealed, ATTEMPT_MS / 1000))
}

/** An attempt comes back once. */
export function dropAttempt(c: Ctx, deps: Deps, name: string): void {
  addCookie(c, attemptLine(c, deps, name, '', 0))
}

// Lax and not Strict: it has to come along when the provider sends the browser back.
function attemptLine(c: Ctx, deps: Deps, name: string, value: string, ageS: number): string {
  return line(c, deps, { name, value, path: '/api/oidc', sameSite: 'Lax', ageS })
}

/** Keeps the ID token for signing out there; an empty one takes it away. It goes to that one address. */
export function keepIdToken(c: Ctx, deps: Deps, token: string, lifeMs: number): void {
  const value = token.length <= MAX_ID_TOKEN ? token : ''
  const ageS = value === '' ? 0 : Math.floor(lifeMs / 1000)
  addCookie(
    c,
    line(c, deps, { name: ID_TOKEN, value, path: '/api/logout', sameSite: 'Strict', ageS }),
  )
}

const ID_TOKEN = 'oidc-id-token'

/** Where the browser signs out at the provider as well; null where there is nothing to do. */
export async function logoutElsewhere(
  c: Ctx,
  deps: Deps,
  origin: SessionOrigin,
): Promise<string | null> {
  if (!deps.oidc || !isFrom(deps.oidc.options, origin)) return null
  const token = keptIdToken(c)
  if (token !== '') keepIdToken(c, deps, '', 0)
  return deps.oidc.logoutURL(token, addressOf(c, deps, '/login'))
}

function keptIdToken(c: Ctx): string {
  return new RegExp(`(?:^|; *)${ID_TOKEN}=([^;]*)`).exec(c.req.header('cookie') ?? '')?.[1] ?? ''
}

interface Cookie {
  name: string
  value: string
  path: string
  sameSite: 'Lax' | 'Strict'
  ageS: number
}

function line(c: Ctx, deps: Deps, { name, value, path, sameSite, ageS }: Cookie): string {
  const secure = isSecure(c, deps) ? '; Secure' : ''
  const where = `Path=${deps.config.baseURL}${path}; HttpOnly; SameSite=${sameSite}`
  return `${name}=${value}; ${where}; Max-Age=${ageS}${secure}`
}

function addCookie(c: Ctx, text: string): void {
  setHeader(c, 'Set-Cookie', [c.get('headers')['Set-Cookie'] ?? [], text].flat())
}
