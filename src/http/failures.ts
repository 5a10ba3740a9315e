// Failures: what they are answered with, and the line each leaves in the log.
import { AppError, fromErrno, isAbort, isFullDisk } from '../lib/errors.ts'
import { clientAddress } from './client-address.ts'
import type { Ctx } from './context.ts'
import type { Deps } from './deps.ts'
import { DAV, PAGE } from './request-path.ts'
import { sendStatus } from './respond.ts'

/** The one place where a failure becomes an answer. */
export function answerError(thrown: unknown, c: Ctx, deps: Deps): Response {
  // Any write may meet a full disk.
  const error = isFullDisk(thrown) ? fromErrno(thrown, c.env.target.path) : thrown
  const { outgoing } = c.env
  if (outgoing?.destroyed || c.req.raw.signal.aborted) {
    // Nobody is there to read an answer.
    outgoing?.destroy()
    if (!isAbort(error) && !c.req.raw.signal.aborted) report(error, c, deps)
    return sendStatus(500)
  }
  const present = c.get('presentFailure')
  if (!(error instanceof AppError)) {
    report(error, c, deps)
    if (present) return present(new AppError('internal', 'failed'))
    return sendStatus(500, { code: 'internal' })
  }
  c.set('failure', reasonOf(error))
  if (error.code === 'internal') report(error, c, deps)
  if (present) return present(error)
  const cause = error.expose && [400, 423, 503, 507].includes(error.status) ? error.message : ''
  return sendStatus(error.status, { cause, code: error.code, headers: error.headers })
}

/** Where asking for what is not there says nothing: clients of WebDAV look for dozens of names. */
const QUIET = new Set([PAGE, DAV])

/**
 * The failure of a part of a request, which goes on or has begun to be answered; null for the client's going. What
 * nobody expected is logged.
 */
export function failureOf(thrown: unknown, c: Ctx, deps: Deps): AppError | null {
  if (isAbort(thrown)) return null
  const error = isFullDisk(thrown) ? fromErrno(thrown, c.env.target.path) : thrown
  if (error instanceof AppError && error.code !== 'internal') return error
  report(error, c, deps)
  return error instanceof AppError ? error : new AppError('internal', 'failed')
}

/** One log line per failed request. */
export function logFailure(c: Ctx, deps: Deps, status: number): void {
  if (status < 400 || (status === 404 && QUIET.has(c.env.target.key))) return
  const error = c.get('failure') as string | undefined
  const address = clientAddress(c, deps)
  const requestId = c.get('requestId')
  deps.log.request({ path: logPath(c), status, address, requestId, ...(error ? { error } : {}) })
}

// With the text of the system or program that caused it.
function reasonOf({ message, status, cause }: AppError): string {
  if (status < 500 || !(cause instanceof Error) || message.includes(cause.message)) return message
  return `${message} (${cause.message})`
}

function report(error: unknown, c: Ctx, deps: Deps): void {
  const id = c.get('requestId')
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  c.set('failure', error instanceof Error ? error.message : String(error))
  deps.log.error(`request ${id} failed: ${text}`, { path: logPath(c), requestId: id })
}

/** The path without line breaks, which would make a second log line. */
export function logPath(c: Ctx): string {
  return (c.get('logPath') ?? c.env.target.path).replace(/[\u0000-\u001f\u007f]/g, (char) =>
    encodeURIComponent(char),
  )
}
