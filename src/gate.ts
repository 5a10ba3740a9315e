// Work that may be done only so many times at once.

/** Lets `limit` functions run at a time, the others wait in order. */
export function createGate(limit: number): <T>(fn: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (fn) => {
    if (running >= limit) await new Promise<void>((go) => waiting.push(go))
    else running++
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
