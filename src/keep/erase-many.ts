// Deleting much of the trash for good: files of one trash go together, since each by itself would take longer to be looked
// up than to be removed.
import { join } from 'node:path'
import type { Volume } from '../files/volume/volume.ts'
import { baseOf, type TrashEntry } from './store-index.ts'
import { openStore, removeEmptyStore } from './stores.ts'
import { INFO_SUFFIX } from './trash-info.ts'

const AT_ONCE = 1_000

interface Erasing {
  volume: Volume
  /** Removes one by itself. */
  erase(id: string, signal: AbortSignal): Promise<void>
  /** Is told of what is gone. */
  drop(entry: TrashEntry): void
  /** The same, of all that went together. */
  gone(...entries: TrashEntry[]): Promise<void>
}

/**
 * Removes entries for good, those of a part in any order; `onEnd` is told of each, with the error where it stays. Rejects with
 * the signal's reason, and leaves what was not reached then.
 */
export async function eraseMany(
  erasing: Erasing,
  entries: readonly TrashEntry[],
  signal: AbortSignal,
  onEnd: (entry: TrashEntry, error: unknown) => void,
): Promise<void> {
  const { volume, erase } = erasing
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const alone: TrashEntry[] = []
    const together = new Map<string, TrashEntry[]>()
    for (const entry of entries.slice(at, at + AT_ONCE)) {
      const { store, name } = entry
      const others = together.get(store)
      const isAlone = entry.isDir || volume.isMountPoint(join(store, 'files', name)) === true
      if (isAlone) alone.push(entry)
      else if (others) others.push(entry)
      else together.set(store, [entry])
    }
    for (const [store, files] of together) {
      signal.throwIfAborted()
      const areGone = await eraseFiles(erasing, baseOf(store), files, signal)
      for (const entry of files)
        if (areGone) onEnd(entry, null)
        else alone.push(entry)
    }
    for (const entry of alone) {
      signal.throwIfAborted()
      const error = await erase(entry.id, signal).then(
        () => null,
        (error: unknown) => error,
      )
      signal.throwIfAborted()
      onEnd(entry, error)
    }
  }
}

/** False where something is to be told of one of them. */
async function eraseFiles(
  { volume, drop, gone }: Erasing,
  base: string,
  entries: readonly TrashEntry[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const store = await openStore(volume, base, { make: false })
    if (!store) return false
    const names = entries.map(({ name }) => name)
    try {
      await volume.removeFiles(store.files, names, { signal, mayBeGone: true })
      const infos = names.map((name) => name + INFO_SUFFIX)
      await volume.removeFiles(store.info, infos, { signal: NEVER, mayBeGone: true })
      for (const entry of entries) drop(entry)
      await gone(...entries)
    } finally {
      await store.close()
    }
    await removeEmptyStore(volume, base)
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

const NEVER = new AbortController().signal
