// Finds the files of interrupted uploads among those a person chooses again, so that each goes on
// where it stopped and nothing is sent twice.

import type { InterruptedUpload } from '../state/uploads.ts'
import type { ExistingTree } from './clashes.ts'
import type { ScannedEntry } from './dropped-files.ts'
import type { InterruptedBatch, JournalItem } from './journal.ts'

const NAMES_SHOWN = 3

export interface Resumable {
  batchID: string
  item: JournalItem
}

export interface ResumeIndex {
  /** The unfinished upload this entry belongs to: same place, same size, same time of change. */
  find(entry: ScannedEntry): Resumable | null
  /**
   * Unfinished folders without files below the top `names`. Folder pickers do not give them, but
   * nothing needs to be given to make them.
   */
  emptyFolders(names: ReadonlySet<string>): Resumable[]
}

/** File systems keep times by up to two seconds. */
export const TIME_STEP_MS = 2000

export function createResumeIndex(
  batches: readonly InterruptedBatch[],
  targetPath: string,
): ResumeIndex {
  const bySource = new Map<string, Resumable>()
  for (const batch of batches) {
    if (batch.targetPath !== targetPath) continue
    for (const item of batch.items) bySource.set(item.sourcePath, { batchID: batch.id, item })
  }
  return {
    find({ sourcePath, file }) {
      const found = bySource.get(sourcePath)
      if (found === undefined || found.item.isDir !== (file === null)) return null
      if (file === null) return found
      const same =
        found.item.sizeBytes === file.size && found.item.lastModifiedMs === file.lastModified
      return same ? found : null
    },
    emptyFolders(names) {
      const isBelow = (path: string) => names.has(path.split('/')[0] ?? '')
      return [...bySource.values()].filter(
        ({ item }) => item.isDir && !item.done && isBelow(item.sourcePath),
      )
    },
  }
}

/**
 * A finished item counts only while the server still has a file of that size in its place. One that
 * is there with size and time was finished, too: the page was left before it heard of it.
 */
export function isStillThere(item: JournalItem, existing: ExistingTree): boolean {
  const there = existing.get(item.targetPath)
  if (there === undefined || there.isDir !== item.isDir) return false
  if (item.isDir) return true
  if (there.sizeBytes !== item.sizeBytes) return false
  return item.done || Math.abs(there.modifiedMs - item.lastModifiedMs) < TIME_STEP_MS
}

/** What the panel tells about an interrupted upload. */
export function toSummary(batch: InterruptedBatch): InterruptedUpload {
  const left = batch.items.filter((item) => !item.done)
  return {
    id: batch.id,
    targetPath: batch.targetPath,
    startedAtMs: batch.startedAtMs,
    files: batch.items.length,
    doneFiles: batch.items.length - left.length,
    leftBytes: left.reduce((sum, item) => sum + item.sizeBytes, 0),
    fromFolder: batch.items.some((item) => item.sourcePath.includes('/')),
    names: left
      .slice(0, NAMES_SHOWN)
      .map((item) => item.sourcePath.slice(item.sourcePath.lastIndexOf('/') + 1)),
  }
}
