// The one error type of the server, and the one table from code to HTTP status.
import type { ErrorCode } from '../api-types.ts'

/**
 * An expected failure. `message` is for operators and logs, never shown to clients except where
 * `expose` is set: then it becomes the cause in `400 Bad Request (<cause>)`.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly expose: boolean
  /** Headers of the answer besides. */
  readonly headers: Record<string, string> | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown
      status?: number
      expose?: boolean
      headers?: Record<string, string>
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = options.status ?? STATUS[code]
    this.expose = options.expose ?? false
    this.headers = options.headers
  }
}

const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  invalid_password: 400,
  invalid_code: 400,
  invalid_passkey: 400,
  weak_password: 400,
  directory_password: 400,
  too_many_shares: 400,
  unauthenticated: 401,
  second_factor_required: 401,
  wrong_credentials: 403,
  forbidden: 403,
  last_admin: 403,
  token_not_allowed: 403,
  download_forbidden: 202,
  not_found: 404,
  not_mounted: 404,
  method_not_allowed: 405,
  exists: 409,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported: 415,
  encrypted: 415,
  range_not_satisfiable: 416,
  locked: 423,
  too_many_requests: 429,
  // Refusals for which clients of File Browser 2 know 500.
  not_a_folder: 500,
  is_a_folder: 500,
  invalid_name: 500,
  same_place: 500,
  incomplete: 500,
  damaged: 500,
  command_failed: 500,
  sign_in_unavailable: 500,
  disk_failed: 500,
  // What nobody expected: the only one that is logged with its stack.
  internal: 500,
  not_implemented: 501,
  fetch_failed: 502,
  no_space: 507,
  quota_exceeded: 507,
  unreachable: 503,
  records_unavailable: 503,
}

/** Every code there is, for descriptions of the interface. */
export const ERROR_CODES = Object.keys(STATUS) as ErrorCode[]

/** Refuses what may be asked for again after so many seconds. */
export function tooMany(message: string, retryAfterSeconds: number): AppError {
  const headers = { 'Retry-After': String(retryAfterSeconds) }
  return new AppError('too_many_requests', message, { headers })
}

/** A 400 whose cause the client may read: `400 Bad Request (<cause>)`. */
export function badRequest(cause: string, code: ErrorCode = 'bad_request'): AppError {
  return new AppError(code, cause, { status: 400, expose: true })
}

const ERRNO: Record<string, ErrorCode> = {
  ENOENT: 'not_found',
  EEXIST: 'exists',
  ENOTEMPTY: 'exists',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'forbidden',
  ELOOP: 'forbidden',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  ENOTDIR: 'not_a_folder',
  EISDIR: 'is_a_folder',
  // FAT and NTFS refuse the characters that they do not know with EINVAL.
  EINVAL: 'invalid_name',
  EILSEQ: 'invalid_name',
  ENAMETOOLONG: 'invalid_name',
  EBUSY: 'locked',
  ETXTBSY: 'locked',
  EFBIG: 'too_large',
  EIO: 'disk_failed',
  ENXIO: 'disk_failed',
  ENODEV: 'disk_failed',
  EREMOTEIO: 'disk_failed',
  ESTALE: 'disk_failed',
  ECONNABORTED: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENOTCONN: 'unreachable',
  ESHUTDOWN: 'unreachable',
  ETIMEDOUT: 'unreachable',
}

/** Codes whose own status is not the one that clients know for a failure of the disk. */
const STATUS_500: readonly ErrorCode[] = ['locked', 'too_large']

/**
 * Translates an errno failure of the host into an AppError with the virtual path attached, so that
 * a host path never reaches a client. AppErrors pass through; unknown errors become `internal`.
 */
export function fromErrno(error: unknown, vpath: string): AppError {
  if (error instanceof AppError) return error
  const errno = errnoOf(error)
  const code = ERRNO[errno] ?? 'internal'
  return new AppError(code, `${errno || 'failed'} at ${vpath}`, {
    cause: error,
    ...(STATUS_500.includes(code) && { status: 500 }),
  })
}

/** The errno name (`ENOENT`) of a system error, the code of an AppError, or the empty string. */
export function errnoOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** For `catch`: gives null for failures with one of these codes or names of errno, and throws all others. */
export function unless(...codes: string[]): (error: unknown) => null {
  return (error) => {
    if (codes.includes(errnoOf(error))) return null
    throw error
  }
}

/** True for the system's errors that tell of a full disk or a used-up quota. */
export function isFullDisk(error: unknown): boolean {
  return ERRNO[errnoOf(error)] === 'no_space'
}

/** True for a failure because a disk does not answer: a hung or dead mount. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'unreachable'
  return ERRNO[errnoOf(error)] === 'unreachable'
}

/** This process or machine has run out of something: no fault of the entry. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/**
 * True for a system error that concerns this entry alone: gone, forbidden, damaged or
 * on a disk that no longer answers. Walks and listings leave it out and go on.
 */
export function isLostEntry(error: unknown): boolean {
  const errno = errnoOf(error)
  return /^E[A-Z0-9]+$/.test(errno) && !EXHAUSTED.has(errno)
}

/** True for the failure that follows from the client going away or a deliberate abort. */
export function isAbort(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: string; code?: string }
  return (
    name === 'AbortError' ||
    code === 'ABORT_ERR' ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE'
  )
}

/**
 * The failure that stands for a client that left. `cause`: a socket fails in many ways, as ECANCELED when
 * it is closed on a write that waits, and all mean this.
 */
export function clientGone(cause?: Error): Error {
  return Object.assign(new Error('the client went away', { cause }), { code: 'ECONNRESET' })
}
