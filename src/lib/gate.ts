// Limits how many functions run at once.
import { tooMany } from './errors.ts'

/** Runs a function in its turn. With a signal, whoever has left while waiting gives up its place. */
export type Gate = <T>(fn: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Lets `limit` functions run at a time, the others wait in order. Past `maxWaiting` they are refused
 * with `too_many_requests`; those whose signal fires reject with its reason.
 */
export function createGate(limit: number, maxWaiting = Number.POSITIVE_INFINITY): Gate {
  // In the order of their coming.
  const waiting = new Set<() => void>()
  let running = 0

  const wait = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.delete(go)
        reject(signal?.reason)
      }
      waiting.add(go)
      signal?.addEventListener('abort', leave, { once: true })
    })

  return async (fn, signal) => {
    signal?.throwIfAborted()
    if (running >= limit) {
      if (waiting.size >= maxWaiting) throw tooMany(`${maxWaiting} others are waiting already`, 1)
      await wait(signal)
    } else running++
    try {
      return await fn()
    } finally {
      // A waiter inherits the place, so the count stays.
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else running--
    }
  }
}

/** Like createGate, but who has waited for `waitMs` begins beyond the limit: work may last as long as somebody else likes. */
export function createPatientGate(limit: number, waitMs: number): Gate {
  const inTurn = createGate(limit)
  return async (fn, signal) => {
    const late = AbortSignal.timeout(waitMs)
    let begun = false
    const begin = () => {
      begun = true
      return fn()
    }
    try {
      return await inTurn(begin, signal ? AbortSignal.any([signal, late]) : late)
    } catch (error) {
      if (begun || signal?.aborted || !late.aborted) throw error
    }
    return fn()
  }
}
