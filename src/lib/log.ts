// Levelled log lines. Callers pass facts, never secrets: no tokens, passwords, cookies or bodies.
import { type LogFile, openLogFile } from './log-file.ts'

interface RequestEntry {
  /** Path without base URL and route prefix, as fail2ban recipes expect it (`/api/login`). */
  path: string
  status: number
  /** Client address after trusted proxies were taken into account. */
  address: string
  /** As the answer has it in `X-Request-Id`. */
  requestId?: string
  /** Text of the failure, absent when there is none. */
  error?: string
}

export interface Logger {
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** One line per failed request: `/api/login: 403 203.0.113.9 <nil>`. */
  request(entry: RequestEntry): void
}

export type Level = 'info' | 'warn' | 'error'

interface LoggerOptions {
  /** Takes whole lines, newline included. */
  write: (line: string) => void
  format?: 'text' | 'json'
  now?: () => Date
}

const PREFIX: Record<Level, string> = {
  info: '',
  warn: 'warning: ',
  error: 'error: ',
}

export function createLogger({
  write,
  format = 'text',
  now = () => new Date(),
}: LoggerOptions): Logger {
  function line(level: Level, message: string, fields: Record<string, unknown>, text = message) {
    const shown = Object.entries(fields).map(
      ([key, value]) => [key, sealed(safeValue(key, value))] as const,
    )
    if (format === 'json') {
      const record = {
        time: now().toISOString(),
        level,
        msg: message,
        ...Object.fromEntries(shown),
      }
      write(`${JSON.stringify(record)}\n`)
      return
    }
    const tail =
      text === message ? shown.map(([key, value]) => ` ${key}=${textValue(value)}`).join('') : ''
    write(`${localStamp(now())} ${oneLine(PREFIX[level] + text + tail)}\n`)
  }
  return {
    info: (message, fields = {}) => line('info', sealed(message), fields),
    warn: (message, fields = {}) => line('warn', sealed(message), fields),
    error: (message, fields = {}) => line('error', sealed(message), fields),
    request(entry) {
      // Plain `path: status address error`, without a level word: recipes match from the stamp on.
      const { path, status, address, requestId, error = '<nil>' } = entry
      const isLogin = path === '/api/login'
      // The colon that follows would make any other path that ends like it read like it.
      const shown = isLogin ? path : sealed(path).replace(/\/api\/login$/, '/api%2Flogin')
      // A refused sign-in ends in <nil> whatever the reason, as in the original.
      const refused = isLogin && status === 403
      const text = `${shown}: ${status} ${address} ${refused ? '<nil>' : sealed(error)}`
      if (format === 'json') line(status >= 500 ? 'error' : 'info', text, { ...entry })
      else {
        // Recipes that count sign-ins match to the end of the line.
        const tail = isLogin || requestId === undefined ? '' : ` (${requestId})`
        write(`${localStamp(now())} ${oneLine(text + tail)}\n`)
      }
    },
  }
}

/** `2026/11/20 19:55:01` in local time. */
export function localStamp(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const date = `${at.getFullYear()}/${two(at.getMonth() + 1)}/${two(at.getDate())}`
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

const SECRET_FIELD = /pass|secret|token|cookie|authorization|credential/i

// The last line of defence should a caller forget the rule at the top of this file.
function safeValue(key: string, value: unknown): unknown {
  if (SECRET_FIELD.test(key)) return '[hidden]'
  if (value instanceof Error) return value.stack ?? value.message
  return value
}

/**
 * Recipes look for `/api/login: 403 <address>` anywhere in a line and shut that address out, so paths
 * and names that people choose must not read like it.
 */
function sealed<T>(value: T): T {
  return (
    typeof value === 'string' ? value.replaceAll('/api/login: ', '/api/login:%20') : value
  ) as T
}

function textValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

// A newline in a file name must not be able to forge a second log line.
function oneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, (char) => {
    const known: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
    return known[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

interface LogTarget {
  logger: Logger
  /** Opens a log file anew; nothing for streams. */
  reopen(): void
  close(): Promise<void>
}

interface LogTargetOptions {
  /** `stdout`, `stderr`, empty (nowhere) or a file path. */
  target: string
  format: 'text' | 'json'
  stdout: (line: string) => void
  stderr: (line: string) => void
}

/** Opens the place where log lines go. Throws when a file cannot be opened. */
export async function openLog({
  target,
  format,
  stdout,
  stderr,
}: LogTargetOptions): Promise<LogTarget> {
  const streams: Record<string, (line: string) => void> = { stdout, stderr, '': () => {} }
  let write = streams[target]
  let file: LogFile | undefined
  if (!write) {
    const onError = (error: unknown) =>
      stderr(`${localStamp(new Date())} cannot write the log ${target}: ${error}\n`)
    file = await openLogFile(target, { onError })
    write = file.write
  }
  return {
    logger: createLogger({ write, format }),
    reopen: () => file?.reopen(),
    close: async () => file?.close(),
  }
}
