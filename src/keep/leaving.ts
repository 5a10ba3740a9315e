// Entries that are being deleted for good: nobody is shown them any more, and they go one after the other.
import type { Logger } from '../lib/log.ts'
import { inTurns } from '../lib/turns.ts'
import type { Trash, TrashEntry } from './trash.ts'

export interface Leaving {
  has(id: string): boolean
  /** Resolves when nobody is shown them any more, and begins; what cannot be removed is back in the trash. */
  erase(entries: readonly TrashEntry[]): Promise<void>
  /** Of who removes them by himself; the result shows those again that are still there. */
  hide(entries: readonly TrashEntry[]): () => void
  /** Ends after the file that is being removed. */
  close(): Promise<void>
}

const AT_ONCE = 1_000

export function createLeaving(trash: Pick<Trash, 'eraseAll'>, log: Pick<Logger, 'warn'>): Leaving {
  const closing = new AbortController()
  const waiting = new Map<string, TrashEntry>()
  const hidden = new Set<string>()
  let running: Promise<void> | undefined

  const eraseAll = async () => {
    const onEnd = ({ id, realPath, name }: TrashEntry, error: unknown) => {
      waiting.delete(id)
      if (error !== null)
        log.warn(`${realPath ?? name} stays in the trash: ${(error as Error).message}`)
    }
    while (waiting.size > 0) {
      const part = firstOf(waiting.values(), AT_ONCE)
      try {
        await trash.eraseAll(part, closing.signal, onEnd)
      } catch (error) {
        if (closing.signal.aborted) return
        for (const entry of part) if (waiting.has(entry.id)) onEnd(entry, error)
      }
    }
  }
  return {
    has: (id) => waiting.has(id) || hidden.has(id),
    hide: (entries) => {
      for (const { id } of entries) hidden.add(id)
      return () => {
        for (const { id } of entries) hidden.delete(id)
      }
    },
    erase: async (entries) => {
      await inTurns(entries, (entry) => void waiting.set(entry.id, entry))
      if (closing.signal.aborted) return
      running ??= eraseAll().finally(() => {
        running = undefined
      })
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const found: T[] = []
  for (const item of items) if (found.push(item) === count) break
  return found
}
