// Locks by name, for steps that read something and then change it.
export interface Locks {
  /** Runs `work` when all who asked earlier for `name` are done, however they ended. */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>()
  return {
    withLock: async (name, work) => {
      const before = tails.get(name)
      const mine = (async () => {
        // Its failure is told to whoever asked for it.
        await before?.catch(() => {})
        return work()
      })()
      tails.set(name, mine)
      try {
        return await mine
      } finally {
        if (tails.get(name) === mine) tails.delete(name)
      }
    },
  }
}
