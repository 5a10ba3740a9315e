// The only place that calls fetch: addresses below the base URL, the token, errors with the server's
// code, and what happens when the session or the network is gone.

import type { ErrorCode } from '../../src/api-types.ts'
import type { HeldLock } from '../../src/lock-types.ts'
import { boot } from '../lib/boot.ts'

/** A call that was answered with a failure, or, with status 0, not answered at all. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The server's reason, null when it gave none. */
  readonly code: ErrorCode | null
  /** What the body said, for details such as a password rule; may be empty. */
  readonly text: string
  /** Value of `Retry-After` in seconds, when the server named one. */
  readonly retryAfterS: number | undefined
  /** The lock of another program that is in the way, where the code is `locked`. */
  lock: HeldLock | undefined
  /** What time it was for the server, ms since the epoch. */
  servedAtMs: number | undefined

  constructor(status: number, code: ErrorCode | null, text: string, retryAfterS?: number) {
    super(text || `status ${status}`)
    this.status = status
    this.code = code
    this.text = text
    this.retryAfterS = retryAfterS
  }

  get isNetwork(): boolean {
    return this.status === 0
  }
}

/** True for the rejection of a call whose signal was aborted; nobody needs to be told. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** A failure of the browser's on the way, such as a body that breaks off, as the failure of a call. */
export function lostConnection(error: unknown): unknown {
  return isAbort(error) || error instanceof ApiError ? error : new ApiError(0, null, '')
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  query?: Record<string, string | number | boolean | undefined>
  headers?: Record<string, string>
  json?: unknown
  /** Sent as it is; must be readable twice (no stream), as a call may be repeated after a login. */
  body?: string | Blob | ArrayBuffer | Uint8Array<ArrayBuffer>
  signal?: AbortSignal | undefined
  /** False for calls without a user: login, public shares. They never lead to the login page. */
  signedIn?: boolean
  /** The call outlives the page that makes it; limited to small bodies. */
  keepalive?: boolean
}

/** What the session and the network indicator want to know; set once by state/session.ts. */
interface ClientHooks {
  token(): string
  /** The server asks for a new token: rights changed, or it ends soon. */
  renew(): Promise<void>
  /**
   * The token is not accepted. True when there is a new one and the call can be repeated; false
   * when the person chose to leave.
   */
  signInAgain(failedToken: string): Promise<boolean>
  /** The server has jobs of the account. */
  jobs(): void
  reached(): void
  unreachable(): void
}

let hooks: ClientHooks = {
  token: () => '',
  renew: async () => {},
  signInAgain: async () => false,
  jobs: () => {},
  reached: () => {},
  unreachable: () => {},
}

export function setClientHooks(next: ClientHooks): void {
  hooks = next
}

/** The token for senders that are not fetch (XMLHttpRequest, tus); read anew for every request. */
export function currentToken(): string {
  return hooks.token()
}

/**
 * For such senders: what to do with a 401. Resolves true when there is a new token and the request
 * can be sent again.
 */
export function recoverSession(failedToken: string): Promise<boolean> {
  return hooks.signInAgain(failedToken)
}

/** Names what is done in one go, so that the server can take it back in one. */
export function newOperation(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const operationHeader = (operation: string | undefined): Record<string, string> =>
  operation === undefined ? {} : { 'X-Operation': operation }

/** An address of the API: `path` starts with a slash, is already encoded, has no base URL. */
export function apiUrl(path: string, query?: CallOptions['query']): string {
  const url = `${boot.BaseURL}/api${path}`
  if (!query) return url
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value))
  }
  const text = params.toString()
  return text === '' ? url : `${url}?${text}`
}

/** What the headers of a refusal say of a lock (docs/http-api.md 38). */
export function heldLock(header: (name: string) => string | null | undefined) {
  const until = header('X-Locked-Until')
  if (!until) return undefined
  const user = header('X-Locked-By')
  return { user: user ? decodeURIComponent(user) : null, until } satisfies HeldLock
}

async function toApiError(response: Response): Promise<ApiError> {
  const text = (await response.text().catch(() => '')).trim()
  const code = response.headers.get('X-Error-Code') as ErrorCode | null
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN)
  const error = new ApiError(
    response.status,
    code,
    text,
    Number.isFinite(after) ? after : undefined,
  )
  error.lock = heldLock((name) => response.headers.get(name))
  const servedAtMs = Date.parse(response.headers.get('Date') ?? '')
  if (Number.isFinite(servedAtMs)) error.servedAtMs = servedAtMs
  return error
}

async function send(path: string, options: CallOptions): Promise<Response> {
  const headers = new Headers(options.headers)
  const token = hooks.token()
  if (options.signedIn !== false && token !== '') headers.set('X-Auth', token)
  let body: BodyInit | undefined = options.body
  if (options.json !== undefined) {
    headers.set('Content-Type', 'application/json')
    body = JSON.stringify(options.json)
  }
  const init: RequestInit = { method: options.method ?? 'GET', headers, cache: 'no-store' }
  if (body !== undefined) init.body = body
  if (options.signal) init.signal = options.signal
  if (options.keepalive) init.keepalive = true
  try {
    const response = await fetch(apiUrl(path, options.query), init)
    hooks.reached()
    if (response.headers.has('X-Jobs')) hooks.jobs()
    return response
  } catch (error) {
    if (isAbort(error) || options.signal?.aborted) throw error
    hooks.unreachable()
    throw new ApiError(0, null, '')
  }
}

/**
 * Makes a call and resolves with the answer when its status is a success.
 *
 * @throws ApiError for every other status and for a missing network, DOMException `AbortError` when
 * the signal was aborted.
 */
export async function call(path: string, options: CallOptions = {}): Promise<Response> {
  const usedToken = hooks.token()
  let response = await send(path, options)
  if (options.signedIn !== false) {
    if (response.status === 401) {
      await response.body?.cancel()
      if (await hooks.signInAgain(usedToken)) response = await send(path, options)
    } else if (response.headers.get('X-Renew-Token') === 'true') {
      await hooks.renew()
    }
  }
  if (!response.ok) throw await toApiError(response)
  return response
}

export async function callJson<T>(path: string, options?: CallOptions): Promise<T> {
  return readJson<T>(await call(path, options))
}

export async function callText(path: string, options?: CallOptions): Promise<string> {
  const response = await call(path, options)
  return wholeBody(response.text())
}

/** The body of an answer. @throws ApiError with status 0 when it breaks off or is no JSON. */
export function readJson<T>(response: Response): Promise<T> {
  return wholeBody(response.json() as Promise<T>)
}

/** The head of the answer said that the server can be reached; a body that breaks off says it cannot. */
async function wholeBody<T>(body: Promise<T>): Promise<T> {
  try {
    return await body
  } catch (error) {
    if (!isAbort(error)) hooks.unreachable()
    throw lostConnection(error)
  }
}

/** Resolves when the server answers at all, rejects when it cannot be reached. */
export async function ping(): Promise<void> {
  await fetch(`${boot.BaseURL}/health`, { cache: 'no-store' })
}
