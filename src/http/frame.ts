// What is decided about a request before its route: headers that all answers share, refusals, redirects.
import { createMiddleware } from 'hono/factory'
import { isHostAnswered } from '../auth/allowed-hosts.ts'
import { answer } from './answer.ts'
import { clientAddress, isContentOrigin } from './client-address.ts'
import { type Ctx, type Env, keepChecking } from './context.ts'
import type { Deps } from './deps.ts'
import { BAD_TARGET, DAV, PAGE, REDIRECT } from './request-path.ts'
import { sendStatus } from './respond.ts'

const API_POLICY = "default-src 'self'; style-src 'unsafe-inline';"
export const NO_CACHE = 'no-cache, no-store, must-revalidate'

/** Routes that serve HEAD by themselves; on all others it is 404. */
const HEAD_KEYS = new Set([
  '/health',
  '/ready',
  '/api/login',
  '/api/signup',
  '/api/renew',
  '/api/tus',
  DAV,
])

/** Answered whether the records can be trusted or not. */
const WITHOUT_RECORDS = new Set(['/health', '/ready', '/static'])

export function frame(deps: Deps) {
  return createMiddleware<Env>(async function frame(c, next) {
    setCommonHeaders(c)
    // What is read after the start, so that who watches it has an answer meanwhile.
    const rest = c.env.target.key === '/health' ? null : deps.store.rest?.()
    if (rest) await rest
    const { shared } = deps.store
    if (shared && !WITHOUT_RECORDS.has(c.env.target.key)) {
      if (!deps.store.isFresh()) await shared.refresh()
      keepChecking(c, shared.demand)
    }
    const answered =
      refuseHead(c) ?? refuseHost(c, deps) ?? redirect(c) ?? refuseContentOrigin(c, deps)
    if (answered) return answered
    // Tells in the log, once, of a proxy that is not believed.
    if (c.env.incoming.headers['x-forwarded-for'] !== undefined) clientAddress(c, deps)
    await next()
  })
}

function setCommonHeaders(c: Ctx): void {
  const { key } = c.env.target
  const headers = c.get('headers')
  if (key !== PAGE && !key.startsWith(REDIRECT)) {
    headers['Content-Security-Policy'] = API_POLICY
    if (key !== '/health') headers['Cache-Control'] = NO_CACHE
  }
  headers['Referrer-Policy'] = 'no-referrer'
}

function refuseHead({ env: { incoming, target } }: Ctx): Response | null {
  if (incoming.method !== 'HEAD' || HEAD_KEYS.has(target.key)) return null
  if (target.key === '/api/public/share') return notAllowed()
  if (target.key.startsWith(REDIRECT)) return null
  return sendStatus(404, { code: 'not_found', headers: { 'Cache-Control': NO_CACHE } })
}

/** Share information by another method than GET: 405 without a body (docs/http-api.md 1.1). */
export function notAllowed(): Response {
  return answer(null, { 'X-Error-Code': 'method_not_allowed' }, 405)
}

/** Refuses names that are not this server's, see auth/allowed-hosts.ts. */
function refuseHost(c: Ctx, deps: Deps): Response | null {
  const { host } = c.env.incoming.headers
  if (isHostAnswered(host, deps.store.settings().authMethod, deps.config)) return null
  c.set('failure', `Host ${JSON.stringify(String(host).slice(0, 100))} is not in allowedHosts`)
  const cause = 'this server is not known by that host name; its administrator can set allowedHosts'
  return sendStatus(403, { cause, code: 'forbidden' })
}

/** The origin of user files answers nothing but them: no page, no sign-in, no other interface. */
function refuseContentOrigin(c: Ctx, deps: Deps): Response | null {
  if (!isContentOrigin(c, deps) || ['/api/raw', '/health', '/ready'].includes(c.env.target.key))
    return null
  return sendStatus(404, { code: 'not_found' })
}

/** Path cleaning and prefix redirects, decided before anything else (CVE-2026-25890). */
function redirect(c: Ctx): Response | null {
  const { target, incoming } = c.env
  if (target.key === BAD_TARGET) return sendStatus(400, { code: 'bad_request' })
  if (!target.key.startsWith(REDIRECT)) return null
  if (target.key === REDIRECT) return answer(null, { Location: target.location }, 301)
  const headers = { Location: target.location, 'Content-Security-Policy': API_POLICY }
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return answer(null, headers, 301)
  const page = `<a href="${target.location}">Moved Permanently</a>.\n\n`
  return answer(page, { ...headers, 'Content-Type': 'text/html; charset=utf-8' }, 301)
}
