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
}

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
      if (found === undefined || file === null) return null
      const same =
        found.item.sizeBytes === file.size && found.item.lastModifiedMs === file.lastModified
      return same ? found : null
    },
  }
}

/** A finished item counts only while the server still has a file of that size in its place. */
export function isStillThere(item: JournalItem, existing: ExistingTree): boolean {
  const there = existing.get(item.targetPath)
  return item.done && there !== undefined && !there.isDir && there.sizeBytes === item.sizeBytes
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
