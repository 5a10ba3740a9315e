// Slows guessing: failures are counted per key (address, account, share) within a window, and past
// the limit answers are refused until a back-off has passed.
import { tooMany } from '../lib/errors.ts'

interface ThrottleLimits {
  /** Failures allowed in a window; 0 switches the throttle off. */
  attempts: number
  windowMs: number
  /** The longest that anybody has to wait; a window when absent. */
  maxBlockMs?: number
}

interface Throttle {
  /**
   * Admits one attempt and gives the function to call when it is over, whatever came of it. Throws
   * `too_many_requests` while any key is blocked, and when attempts
   * under way could exceed the limit: each counts as a failure until it is over, so that guesses
   * sent at once are not all let through.
   */
  begin(...keys: string[]): () => void
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

/** Counts by a clock that only runs forward: one set back must not keep anybody out for longer. */
export function createThrottle(limits: ThrottleLimits): Throttle {
  const now = () => performance.now()
  const records = new Map<string, Record>()
  const underWay = new Map<string, number>()
  const live = (key: string) => {
    const record = records.get(key)
    if (record && record.windowEndsMs <= now()) {
      records.delete(key)
      return undefined
    }
    return record
  }
  return {
    begin: (...keys) => {
      if (limits.attempts <= 0) return () => {}
      for (const key of keys) {
        const record = live(key)
        const waitMs = (record?.blockedUntilMs ?? 0) - now()
        const others = underWay.get(key) ?? 0
        if (waitMs > 0) throw tooMany('too many failures', Math.ceil(waitMs / 1000))
        if (others > 0 && (record?.failures ?? 0) + others >= limits.attempts)
          throw tooMany('too many failures', Math.ceil(FIRST_BLOCK_MS / 1000))
      }
      for (const key of keys) underWay.set(key, (underWay.get(key) ?? 0) + 1)
      return () => {
        for (const key of keys) {
          const left = (underWay.get(key) ?? 1) - 1
          if (left > 0) underWay.set(key, left)
          else underWay.delete(key)
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
          const { windowMs, maxBlockMs = windowMs } = limits
          const blockMs = Math.min(maxBlockMs, FIRST_BLOCK_MS * 2 ** Math.min(over, 20))
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
