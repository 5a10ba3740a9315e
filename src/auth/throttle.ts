// Slows guessing: failures are counted per key (address, account, share) within a window, and past
// the limit answers are refused until a back-off has passed.
import { AppError } from '../errors.ts'

export interface ThrottleLimits {
  /** Failures allowed in a window; 0 switches the throttle off. */
  attempts: number
  windowMs: number
}

export interface Throttle {
  /** Throws `too_many_requests` (details.retryAfterSeconds) while any key is blocked. */
  check(...keys: string[]): void
  fail(...keys: string[]): void
  /** A success forgives the failures of these keys. */
  succeed(...keys: string[]): void
}

interface Record {
  failures: number
  windowEndsMs: number
  blockedUntilMs: number
}

const FIRST_BLOCK_MS = 1_000
/** Keys come from strangers: past this many the oldest are forgotten. */
const MAX_KEYS = 20_000

/** `now` is a parameter so that tests need no waiting. */
export function createThrottle(limits: ThrottleLimits, now: () => number = Date.now): Throttle {
  const records = new Map<string, Record>()
  const live = (key: string) => {
    const record = records.get(key)
    if (record && record.windowEndsMs <= now()) {
      records.delete(key)
      return undefined
    }
    return record
  }
  return {
    check: (...keys) => {
      for (const key of keys) {
        const waitMs = (live(key)?.blockedUntilMs ?? 0) - now()
        if (waitMs > 0) {
          throw new AppError('too_many_requests', `too many failures for ${key}`, {
            details: { retryAfterSeconds: Math.ceil(waitMs / 1000) },
          })
        }
      }
    },
    fail: (...keys) => {
      if (limits.attempts <= 0) return
      for (const key of keys) {
        const record = live(key) ?? { failures: 0, windowEndsMs: 0, blockedUntilMs: 0 }
        record.failures++
        record.windowEndsMs = now() + limits.windowMs
        const over = record.failures - limits.attempts
        if (over >= 0) {
          const blockMs = Math.min(limits.windowMs, FIRST_BLOCK_MS * 2 ** Math.min(over, 20))
          record.blockedUntilMs = now() + blockMs
        }
        records.delete(key)
        records.set(key, record)
        if (records.size > MAX_KEYS) records.delete(records.keys().next().value as string)
      }
    },
    succeed: (...keys) => {
      for (const key of keys) records.delete(key)
    },
  }
}
