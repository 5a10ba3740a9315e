// Every wait in a test has an end and a name.

const MAX_PAUSE_MS = 100

/** Rejects with the label when the promise takes longer than `ms`. */
export async function withDeadline<T>(label: string, ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${label} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Asks `probe` again and again until it gives something truthy, and returns that. A throwing probe
 * counts as "not yet"; its last failure is told when the time is over.
 */
export async function waitFor<T>(
  label: string,
  probe: () => T | Promise<T>,
  ms = 40_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + ms
  let last: unknown
  let pauseMs = 10
  while (performance.now() < end) {
    try {
      const value = await probe()
      if (value) return value as NonNullable<T>
    } catch (error) {
      last = error
    }
    // What takes long is asked less often: asking a page costs it milliseconds.
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.3)
  }
  throw new Error(`${label} did not happen within ${ms} ms`, { cause: last })
}
