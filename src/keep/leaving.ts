// Entries that are being deleted for good: nobody is shown them any more, and they go one after the other.
import type { Logger } from '../lib/log.ts'
import type { Trash, TrashEntry } from './trash.ts'

export interface Leaving {
  has(id: string): boolean
  /** Begins; what cannot be removed is back in the trash. */
  erase(entries: readonly TrashEntry[]): void
  /** Ends after the file that is being removed. */
  close(): Promise<void>
}

export function createLeaving(trash: Pick<Trash, 'erase'>, log: Pick<Logger, 'warn'>): Leaving {
  const closing = new AbortController()
  const waiting = new Map<string, TrashEntry>()
  let running: Promise<void> | undefined

  const eraseAll = async () => {
    for (const [id, entry] of waiting) {
      try {
        await trash.erase(id, closing.signal)
      } catch (error) {
        if (closing.signal.aborted) return
        log.warn(`${entry.realPath ?? entry.name} stays in the trash: ${(error as Error).message}`)
      } finally {
        waiting.delete(id)
      }
    }
  }
  return {
    has: (id) => waiting.has(id),
    erase: (entries) => {
      if (closing.signal.aborted) return
      for (const entry of entries) waiting.set(entry.id, entry)
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
