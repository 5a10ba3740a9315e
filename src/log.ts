// Levelled log lines. Callers pass facts, never secrets: no tokens, passwords, cookies or bodies.

export interface RequestEntry {
  /** Path without base URL and route prefix, as fail2ban recipes expect it (`/api/login`). */
  path: string
  status: number
  /** Client address after trusted proxies were taken into account. */
  address: string
  /** Text of the failure, absent when there is none. */
  error?: string
  requestId?: string
}

export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** One line per failed request: `/api/login: 403 203.0.113.9 <nil>`. */
  request(entry: RequestEntry): void
}
