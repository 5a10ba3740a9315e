// What surrounds every route: headers, redirects, errors, log lines.
import { randomBytes } from 'node:crypto'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createMiddleware } from 'hono/factory'
import { isHostAnswered } from '../auth/allowed-hosts.ts'
import { AppError, fromErrno, isAbort, isFullDisk } from '../lib/errors.ts'
import { clientAddress, isContentOrigin } from './client-address.ts'
import type { Ctx, Deps, Env } from './env.ts'
import { BAD_TARGET, PAGE, REDIRECT } from './request-path.ts'
import { sendStatus } from './respond.ts'

const API_POLICY = "default-src 'self'; style-src 'unsafe-inline';"
export const NO_CACHE = 'no-cache, no-store, must-revalidate'

/** Routes that serve HEAD by themselves; on all others it is 404. */
const HEAD_KEYS = new Set(['/health', '/api/login', '/api/signup', '/api/renew', '/api/tus'])

/**
 * Headers every route shares. They go to the socket's response, so that handlers which write to it
 * directly send them too.
 */
export const commonHeaders = createMiddleware<Env>(async function commonHeaders(c, next) {
  const { incoming, outgoing, target } = c.env
  if (target.key !== PAGE && !target.key.startsWith(REDIRECT)) {
    outgoing.setHeader('Content-Security-Policy', API_POLICY)
    if (target.key !== '/health') outgoing.setHeader('Cache-Control', NO_CACHE)
  }
  outgoing.setHeader('Referrer-Policy', 'no-referrer')
  if (incoming.method === 'HEAD' && !HEAD_KEYS.has(target.key)) {
    if (target.key === '/api/public/share') return notAllowed()
    if (!target.key.startsWith(REDIRECT))
      return sendStatus(404, { code: 'not_found', headers: { 'Cache-Control': NO_CACHE } })
  }
  await next()
})

/** Share information by another method than GET: 405 without a body (docs/http-api.md 1.1). */
export function notAllowed(): Response {
  return new Response(null, { status: 405, headers: { 'X-Error-Code': 'method_not_allowed' } })
}

/** Refuses names that are not this server's, see auth/allowed-hosts.ts. */
export function knownHostsOnly(deps: Deps) {
  return createMiddleware<Env>(async function knownHostsOnly(c, next) {
    const { host } = c.env.incoming.headers
    if (isHostAnswered(host, deps.store.read().settings.authMethod, deps.config)) return next()
    c.set('failure', `Host ${JSON.stringify(String(host).slice(0, 100))} is not in allowedHosts`)
    const cause =
      'this server is not known by that host name; its administrator can set allowedHosts'
    return sendStatus(403, { cause, code: 'forbidden' })
  })
}

/** The origin of user files answers nothing but them: no page, no sign-in, no other interface. */
export function contentOriginOnly(deps: Deps) {
  return createMiddleware<Env>(async function contentOriginOnly(c, next) {
    if (isContentOrigin(c, deps) && !['/api/raw', '/health'].includes(c.env.target.key))
      return sendStatus(404, { code: 'not_found' })
    await next()
  })
}

/** Path cleaning and prefix redirects, decided before anything else (CVE-2026-25890). */
export const redirects = createMiddleware<Env>(async function redirects(c, next) {
  const { target, outgoing, incoming } = c.env
  if (target.key === BAD_TARGET) return sendStatus(400, { code: 'bad_request' })
  if (!target.key.startsWith(REDIRECT)) return next()
  const headers: Record<string, string> = { Location: target.location }
  if (target.key === REDIRECT) return new Response(null, { status: 301, headers })
  outgoing.setHeader('Content-Security-Policy', API_POLICY)
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD')
    return new Response(null, { status: 301, headers })
  headers['Content-Type'] = 'text/html; charset=utf-8'
  return new Response(`<a href="${target.location}">Moved Permanently</a>.\n\n`, {
    status: 301,
    headers,
  })
})

/** One log line per failed request, when the answer is over. */
export function logFailures(deps: Deps) {
  return createMiddleware<Env>(async function logFailures(c, next) {
    const { outgoing, target } = c.env
    const address = clientAddress(c, deps)
    outgoing.once('close', () => {
      const status = outgoing.statusCode
      if (status < 400 || (status === 404 && target.key === PAGE)) return
      const error = c.get('failure') as string | undefined
      deps.log.request({ path: logPath(c), status, address, ...(error ? { error } : {}) })
    })
    await next()
  })
}

/** The one place where a failure becomes an answer. */
export function answerError(thrown: unknown, c: Ctx, deps: Deps): Response {
  // Bytes are written in many places; that there is no room for them is one answer.
  const error = isFullDisk(thrown) ? fromErrno(thrown, c.env.target.path) : thrown
  const { outgoing } = c.env
  if (outgoing.headersSent || outgoing.destroyed || c.req.raw.signal.aborted) {
    // Nothing sensible can be said any more; a broken connection is the honest end.
    outgoing.destroy()
    if (!isAbort(error) && !c.req.raw.signal.aborted) report(error, c, deps)
    return RESPONSE_ALREADY_SENT
  }
  if (!(error instanceof AppError)) {
    const id = report(error, c, deps)
    return sendStatus(500, { code: 'internal', headers: { 'X-Request-Id': id } })
  }
  c.set('failure', reasonOf(error))
  if (error.code === 'internal') report(error, c, deps)
  const headers: Record<string, string> = {}
  const retry = error.details?.retryAfterSeconds
  if (typeof retry === 'number') headers['Retry-After'] = String(retry)
  const cause = error.expose && error.status === 400 ? error.message : ''
  return sendStatus(error.status, { cause, code: error.code, headers })
}

// The cause belongs into the line: what the system or a program said of it.
function reasonOf({ message, status, cause }: AppError): string {
  if (status < 500 || !(cause instanceof Error) || message.includes(cause.message)) return message
  return `${message} (${cause.message})`
}

function report(error: unknown, c: Ctx, deps: Deps): string {
  const id = randomBytes(6).toString('hex')
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  c.set('failure', error instanceof Error ? error.message : String(error))
  deps.log.error(`request ${id} failed: ${text}`, { path: logPath(c), requestId: id })
  return id
}

// Line breaks in a path must not make a second log line.
function logPath(c: Ctx): string {
  return c.env.target.path.replace(/[\u0000-\u001f\u007f]/g, (char) => encodeURIComponent(char))
}
