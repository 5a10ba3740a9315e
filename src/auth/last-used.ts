// When keys were last used: exact in memory, some minutes old on the disk, so that using one writes nothing.
import type { Collection, Store } from '../store/collection.ts'

/** How stale `lastUsedMs` on disk may become. */
const FLUSH_MS = 5 * 60_000

interface Key {
  id: string
  lastUsedMs: number
}

export interface LastUsed<T extends Key> {
  note(id: string): void
  /** The record as it is now. */
  current(record: T): T
  /** Writes what was used lately; call at shutdown. */
  flush(): Promise<void>
}

export function createLastUsed<T extends Key, I extends string>(
  store: Store,
  of: Collection<T, I>,
): LastUsed<T> {
  const used = new Map<string, number>()
  let flushedAtMs = Date.now()
  const flush = async () => {
    flushedAtMs = Date.now()
    if (used.size === 0) return
    const written = [...used]
    await store.transaction((tx) => {
      tx.expect(of, () => written.map(([id]) => id))
      for (const [id, lastUsedMs] of written) {
        const record = tx.get(of, id)
        if (record && record.lastUsedMs < lastUsedMs) tx.replace(of, { ...record, lastUsedMs })
      }
    })
    for (const [id, usedMs] of written) if (used.get(id) === usedMs) used.delete(id)
  }
  return {
    note: (id) => {
      const nowMs = Date.now()
      used.set(id, nowMs)
      // A failed flush loses only how lately something was used; the next one tries again.
      if (nowMs - flushedAtMs > FLUSH_MS) flush().catch(() => {})
    },
    current: (record) => {
      return { ...record, lastUsedMs: Math.max(record.lastUsedMs, used.get(record.id) ?? 0) }
    },
    flush,
  }
}
