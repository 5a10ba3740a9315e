// Conditional requests by RFC 9110 13: which validators a client named, and whether they still hold.

export type Headers = Record<string, string | string[] | undefined>

/** Preconditions in the order of RFC 9110 13.2.2: 304, 412 or null to go on. */
export function evaluateConditions(
  headers: Headers,
  mtimeMs: number,
  etag: string | undefined,
): 304 | 412 | null {
  const seconds = Math.floor(mtimeMs / 1000)
  const ifMatch = headerText(headers['if-match'])
  const ifUnmodified = seconds1123(headers['if-unmodified-since'])
  if (ifMatch !== null) {
    if (!isListed(ifMatch, etag)) return 412
  } else if (ifUnmodified !== null && seconds > ifUnmodified) return 412
  const ifNoneMatch = headerText(headers['if-none-match'])
  const ifModified = seconds1123(headers['if-modified-since'])
  if (ifNoneMatch !== null) {
    if (isListed(ifNoneMatch, etag)) return 304
  } else if (ifModified !== null && seconds <= ifModified) return 304
  return null
}

/** Whether the value of If-Range names what is there now. */
export function validatorHolds(value: string, mtimeMs: number, etag: string | undefined): boolean {
  if (value.startsWith('"')) return value === etag
  const seconds = seconds1123(value)
  return seconds !== null && seconds === Math.floor(mtimeMs / 1000)
}

/** The value of a header; several lines are one list. */
export function headerText(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  return Array.isArray(value) ? value.join(',') : value
}

/** True when an If-Match or If-None-Match header names the validator, weakly compared. */
export function isListed(header: string, etag: string | undefined): boolean {
  if (header.trim() === '*') return true
  if (etag === undefined) return false
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag)
}

function seconds1123(value: string | string[] | undefined): number | null {
  const ms = Date.parse(headerText(value) ?? '')
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}
