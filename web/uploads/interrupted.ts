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

/** A file taken up again, and whether it is another one by now: of other size or time. */
export interface Found extends Resumable {
  changed: boolean
}

interface ResumeIndex {
  /** What was remembered of this entry: of its path, and a folder or a file as it is. */
  find(entry: ScannedEntry): Found | null
  /** Where an entry belongs whose folder went under another name before, else its own path. */
  placeOf(sourcePath: string): string
  /** The folders at the top of the target into which the top folders `names` went. */
  topFolders(names: ReadonlySet<string>): Set<string>
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
  const folders = new Map<string, string>()
  // Of the same folder sent twice the newest counts, for its files and for the place of new ones.
  for (const batch of [...batches].sort((a, b) => a.startedAtMs - b.startedAtMs)) {
    if (batch.targetPath !== targetPath) continue
    const own = new Map<string, string>()
    for (const item of batch.items) {
      bySource.set(item.sourcePath, { batchID: batch.id, item })
      addFolders(own, item)
    }
    for (const [source, place] of own) folders.set(source, place)
  }
  const isBelow = (path: string, names: ReadonlySet<string>) => names.has(topOf(path))
  return {
    find({ sourcePath, file }) {
      const found = bySource.get(sourcePath)
      if (found === undefined || found.item.isDir !== (file === null)) return null
      const changed =
        file !== null &&
        (found.item.sizeBytes !== file.size || found.item.lastModifiedMs !== file.lastModified)
      return { ...found, changed }
    },
    placeOf(sourcePath) {
      for (let folder = folderOf(sourcePath); folder !== ''; folder = folderOf(folder)) {
        const place = folders.get(folder)
        if (place !== undefined) return place + sourcePath.slice(folder.length)
      }
      return sourcePath
    },
    topFolders(names) {
      const items = [...bySource.values()].map(({ item }) => item)
      const below = items.filter((item) => folderOf(item.targetPath) !== '')
      return new Set(
        below
          .filter((item) => isBelow(item.sourcePath, names))
          .map(({ targetPath }) => topOf(targetPath)),
      )
    },
    emptyFolders(names) {
      return [...bySource.values()].filter(
        ({ item }) => item.isDir && !item.done && isBelow(item.sourcePath, names),
      )
    },
  }
}

/** The folders of an item and their places; a name that was given instead keeps the depth. */
function addFolders(folders: Map<string, string>, { sourcePath, targetPath }: JournalItem) {
  let source = folderOf(sourcePath)
  let place = folderOf(targetPath)
  while (source !== '' && !folders.has(source)) {
    folders.set(source, place)
    source = folderOf(source)
    place = folderOf(place)
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function topOf(path: string): string {
  return path.split('/', 1)[0] ?? ''
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

export function toSummary(batch: InterruptedBatch): Omit<InterruptedUpload, 'canContinue'> {
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
