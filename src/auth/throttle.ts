// Slows guessing: failures are counted per key (address, account, share) within a window, and past
// the limit answers are refused until a back-off has passed. All nodes count together.
import { tooMany } from '../lib/errors.ts'
import type { Cell, Kind, ShortLived } from '../store/short-lived/short-lived.ts'

interface ThrottleLimits {
  /** Failures allowed in a window; 0 switches the throttle off. */
  attempts: number
  windowMs: number
  /** The longest that anybody has to wait; a window when absent. */
  maxBlockMs?: number
}

export interface Throttle {
  /** One attempt, which is not counted before it begins. */
  attempt(): Attempt
}

export interface Attempt {
  /**
   * Throws `too_many_requests` while any key is blocked, and when attempts under way could exceed the limit: each
   * counts as a failure until it is over, so that guesses sent at once are not all let through.
   */
  begin(...keys: string[]): Promise<void>
  /** To be counted when it is over. */
  fail(...keys: string[]): void
  /** A success forgives the failures of these keys, when it is over. */
  succeed(...keys: string[]): void
  /** To be awaited in any case, whatever came of it. */
  over(): Promise<void>
}

/** Times are those of the clock that all nodes share, which in one process only runs forward. */
interface Guesses {
  failures: number
  windowEndsMs: number
  blockedUntilMs: number
  /** When each of those under way counts as over, should its node never say so. */
  underWay: readonly number[]
}

const FIRST_BLOCK_MS = 1_000
/** Longer than any attempt takes. */
const MAX_ATTEMPT_MS = 2 * 60_000
/** Keys come from strangers: past this many the oldest are forgotten. */
const MAX_KEYS = 20_000

/** `name` keeps the keys of one throttle from those of another. */
export function createThrottle(all: ShortLived, name: string, limits: ThrottleLimits): Throttle {
  const kind: Kind<Guesses> = { name: `guesses ${name}`, max: MAX_KEYS }
  return { attempt: () => (limits.attempts <= 0 ? FREE : createAttempt(all, kind, limits)) }
}

const FREE: Attempt = {
  begin: async () => {},
  fail: () => {},
  succeed: () => {},
  over: async () => {},
}

function createAttempt(all: ShortLived, kind: Kind<Guesses>, limits: ThrottleLimits): Attempt {
  const failed = new Set<string>()
  const succeeded = new Set<string>()
  let begun: readonly string[] = []
  let endsMs = 0
  return {
    begin: async (...keys) => {
      endsMs = await all.use(kind, keys, (cells, nowMs) => beginIn(cells, nowMs, limits))
      begun = keys
    },
    fail: (...keys) => {
      for (const key of keys) failed.add(key)
    },
    succeed: (...keys) => {
      for (const key of keys) succeeded.add(key)
    },
    over: async () => {
      const keys = [...new Set([...begun, ...failed, ...succeeded])]
      if (keys.length === 0) return
      await all.use(kind, keys, (cells, nowMs) => {
        for (const [i, key] of keys.entries()) {
          const before = guessesIn(cells[i], nowMs)
          const left = begun.includes(key) ? without(before.underWay, endsMs) : before.underWay
          const forgiven = succeeded.has(key)
            ? { ...NONE, underWay: left }
            : { ...before, underWay: left }
          keep(cells[i], failed.has(key) ? withFailure(forgiven, nowMs, limits) : forgiven, nowMs)
        }
      })
    },
  }
}

const NONE: Guesses = { failures: 0, windowEndsMs: 0, blockedUntilMs: 0, underWay: [] }

function beginIn(cells: readonly Cell<Guesses>[], nowMs: number, limits: ThrottleLimits): number {
  const all = cells.map((cell) => guessesIn(cell, nowMs))
  for (const { failures, blockedUntilMs, underWay } of all) {
    const waitMs = blockedUntilMs - nowMs
    if (waitMs > 0) throw tooMany('too many failures', Math.ceil(waitMs / 1000))
    if (underWay.length > 0 && failures + underWay.length >= limits.attempts)
      throw tooMany('too many failures', Math.ceil(FIRST_BLOCK_MS / 1000))
  }
  const endsMs = nowMs + MAX_ATTEMPT_MS
  for (const [i, guesses] of all.entries())
    keep(cells[i], { ...guesses, underWay: [...guesses.underWay, endsMs] }, nowMs)
  return endsMs
}

function guessesIn(cell: Cell<Guesses> | undefined, nowMs: number): Guesses {
  const found = cell?.value ?? NONE
  const underWay = found.underWay.filter((endsMs) => endsMs > nowMs)
  return found.windowEndsMs > nowMs ? { ...found, underWay } : { ...NONE, underWay }
}

function withFailure(guesses: Guesses, nowMs: number, limits: ThrottleLimits): Guesses {
  const { attempts, windowMs, maxBlockMs = windowMs } = limits
  const failures = guesses.failures + 1
  const over = failures - attempts
  const blockMs = Math.min(maxBlockMs, FIRST_BLOCK_MS * 2 ** Math.min(over, 20))
  const blockedUntilMs = over >= 0 ? nowMs + blockMs : guesses.blockedUntilMs
  return { ...guesses, failures, windowEndsMs: nowMs + windowMs, blockedUntilMs }
}

// Of equal times any one is as good as another.
function without(times: readonly number[], time: number): readonly number[] {
  const at = times.indexOf(time)
  return at < 0 ? times : times.toSpliced(at, 1)
}

function keep(cell: Cell<Guesses> | undefined, guesses: Guesses, nowMs: number): void {
  const lifeMs = Math.max(guesses.windowEndsMs, ...guesses.underWay) - nowMs
  if (lifeMs > 0) cell?.put(guesses, lifeMs)
  else cell?.drop()
}
