// Work that may be done only so many times at once.
import { AppError } from './errors.ts'

/**
 * Lets `limit` functions run at a time, the others wait in order. Past `maxWaiting` they are refused
 * with `too_many_requests`.
 */
export function createGate(
  limit: number,
  maxWaiting = Number.POSITIVE_INFINITY,
): <T>(fn: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (fn) => {
    if (running >= limit) {
      if (waiting.length >= maxWaiting)
        throw new AppError('too_many_requests', `${maxWaiting} others are waiting already`)
      await new Promise<void>((go) => waiting.push(go))
    } else running++
    try {
      return await fn()
    } finally {
      // A waiter inherits the place, so the count stays.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
