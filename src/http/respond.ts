// Status lines with their text, and JSON escaped for any context (docs/http-api.md 1.4, 1.6).
import { STATUS_CODES } from 'node:http'
import type { ErrorCode } from '../api-types.ts'
import { answer, JSON_TYPE } from './answer.ts'

const REASONS: Record<number, string> = { 413: 'Request Entity Too Large' }

/** `<code> <reason>\n`, the body of every answer that carries no data (docs/http-api.md 1.4). */
function statusLine(status: number, cause = ''): string {
  const reason = REASONS[status] ?? STATUS_CODES[status] ?? ''
  return `${status} ${reason}${cause ? ` (${cause})` : ''}\n`
}

/** A status-only answer. 204 has no body. */
export function sendStatus(
  status: number,
  options: { cause?: string; code?: ErrorCode; headers?: Record<string, string> | undefined } = {},
): Response {
  const headers: Record<string, string> = {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    ...options.headers,
  }
  if (options.code) headers['X-Error-Code'] = options.code
  const body = status === 204 || status === 304 ? null : statusLine(status, options.cause)
  return answer(body, headers, status)
}

/** JSON with `<`, `>`, `&` and line separators escaped, as clients of the original get it. */
export function sendJson(value: unknown): Response {
  return answer(toJson(value), JSON_TYPE)
}

export function toJson(value: unknown): string {
  return escapeJson(JSON.stringify(value))
}

const ESCAPES: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

// One escape sequence at a time, so that the `\\ud800` of a name that holds a backslash is left
// alone; a pair of surrogates is one.
const ESCAPE = /\\(?:ud[89ab]..\\ud[c-f]..|u.{4}|.)/gi
const LONE_SURROGATE = /^\\ud[89a-f]..$/i

/** Escapes text that is already JSON. Lone surrogates become U+FFFD so that it is valid UTF-8. */
function escapeJson(json: string): string {
  const text = /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (c) => ESCAPES[c] ?? c)
    : json
  if (!/\\ud/i.test(text)) return text
  return text.replace(ESCAPE, (part) => (LONE_SURROGATE.test(part) ? '\ufffd' : part))
}
