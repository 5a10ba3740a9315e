// Who puts a file in place, or renames an entry: one at a time for each host path, of all nodes that share the records.
import { hash } from 'node:crypto'
import { createLocks } from '../lib/locks.ts'
import type { Leases } from '../store/nodes/nodes.ts'

export interface Saves {
  /**
   * Runs `work` when all who asked earlier for `name` are done, however they ended. `demand` is to be called right
   * before what others must not see done late: it throws `records_unavailable` when this node may have lost the name.
   * With `isAlone` other nodes are not asked, for what cannot replace anything.
   */
  withLock<T>(
    name: string,
    work: (demand: () => void) => Promise<T>,
    options?: { isAlone?: boolean },
  ): Promise<T>
}

/** Without `leases` one process has all to itself. */
export function createSaves(leases: Leases | undefined): Saves {
  const locks = createLocks()
  const alone = () => {}
  return {
    withLock: (name, work, { isAlone = false } = {}) =>
      locks.withLock(name, async () => {
        if (!leases || isAlone) return work(alone)
        const key = `place ${hash('sha256', name).slice(0, 32)}`
        const lease = await leases.take(key, { stops: false })
        try {
          return await work(lease.demand)
        } finally {
          lease.letGo()
        }
      }),
  }
}
