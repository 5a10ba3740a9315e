// Work that runs beside other work, so much at a time.

export interface Lanes {
  /** Begins it once there is room. Throws the first error of what was begun before. */
  add(work: () => Promise<void>): Promise<void>
  /** Waits until nothing runs. Throws the first error. */
  settle(): Promise<void>
}

/** Lets `limit` functions run beside each other. */
export function createLanes(limit: number): Lanes {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  const check = () => {
    if (failure) throw failure.error
  }
  return {
    add: async (work) => {
      while (running.size >= limit) await Promise.race(running)
      check()
      const run: Promise<void> = work()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(run))
      running.add(run)
    },
    settle: async () => {
      await Promise.all(running)
      check()
    },
  }
}
