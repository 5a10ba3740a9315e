// Conditional requests by RFC 9110 13: which validators a client named, and whether they still hold.
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Preconditions of a read in the order of RFC 9110 13.2.2: 304, 412 or null to go on. Without a time of the last change
 * those that name one are ignored.
 */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  mtimeMs: number | undefined,
  etag: string | undefined,
): 304 | 412 | null {
  // Compares with nothing.
  const seconds = mtimeMs === undefined ? Number.NaN : Math.floor(mtimeMs / 1000)
  const ifMatch = headers['if-match']
  const ifUnmodified = seconds1123(headers['if-unmodified-since'])
  if (ifMatch !== undefined) {
    if (!isListed(ifMatch, etag)) return 412
  } else if (ifUnmodified !== null && seconds > ifUnmodified) return 412
  const ifNoneMatch = headers['if-none-match']
  const ifModified = seconds1123(headers['if-modified-since'])
  if (ifNoneMatch !== undefined) {
    if (isListed(ifNoneMatch, etag)) return 304
  } else if (ifModified !== null && seconds <= ifModified) return 304
  return null
}

/**
 * True when a write is refused by its preconditions (RFC 9110 13.1.1, 13.1.2, 13.1.4); `file` is null
 * where there is none.
 */
export function refusesWrite(
  headers: IncomingHttpHeaders,
  file: { mtimeMs: number; etag: string } | null,
): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (!file) return headers['if-match'] !== undefined
  if (ifNoneMatch !== undefined && isListed(ifNoneMatch, file.etag)) return true
  return evaluateConditions(headers, file.mtimeMs, file.etag) === 412
}

/** True when a write has preconditions; without them nobody looks at the file. */
export function isConditional(headers: IncomingHttpHeaders): boolean {
  return ['if-match', 'if-none-match', 'if-unmodified-since'].some((name) => name in headers)
}

/** Whether the value of If-Range names what is there now. */
export function validatorHolds(
  value: string,
  mtimeMs: number | undefined,
  etag: string | undefined,
): boolean {
  if (value.startsWith('"')) return value === etag
  const seconds = seconds1123(value)
  return mtimeMs !== undefined && seconds !== null && seconds === Math.floor(mtimeMs / 1000)
}

/** True when an If-Match or If-None-Match header names the validator, weakly compared. */
export function isListed(header: string, etag: string | undefined): boolean {
  if (header.trim() === '*') return true
  if (etag === undefined) return false
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag)
}

function seconds1123(value = ''): number | null {
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}
