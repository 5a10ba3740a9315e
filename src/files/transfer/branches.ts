// Work on a tree of which several branches go on beside each other.

export interface Branches {
  /**
   * Works on each item, beside others as long as there is room in the whole tree, and may be called again by that work. When any
   * fails nothing more is begun; throws that once what was begun has ended.
   */
  each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void>
}

/** Lets `limit` branches of one tree go on at a time. */
export function createBranches(limit: number): Branches {
  // One of them is that of the caller.
  let free = limit - 1
  let failure: { error: unknown } | null = null
  const run = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      failure ??= { error }
    }
  }
  return {
    each: async (items, work) => {
      const beside: Promise<void>[] = []
      for (const item of items) {
        if (failure) break
        const branch = () => run(() => work(item))
        if (free === 0) {
          await branch()
          continue
        }
        free--
        beside.push(branch().finally(() => free++))
      }
      await Promise.all(beside)
      if (failure) throw failure.error
    },
  }
}
