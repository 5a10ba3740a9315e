// Changes shown before the server confirmed them (patch-folder.ts). They apply to the folder on the screen, to the
// remembered copy, and to what the server says of the folder until they are through.

import { ref } from 'valtio'
import type { FileEntry } from '../../src/api-types.ts'
import type { Folder } from './folder-cache.ts'

export interface Change {
  remove: Set<string>
  add: Map<string, FileEntry>
  /** What the removed and replaced entries were like when last seen. */
  hidden: Map<string, FileEntry>
}

// In the order they were made: a later one may build on an earlier one.
const underWay = new Map<string, Set<Change>>()
let settled = 0

export function beginChange(folder: string, change: Change): void {
  underWay.set(folder, (underWay.get(folder) ?? new Set()).add(change))
}

export function endChange(folder: string, change: Change): void {
  settled++
  const changes = underWay.get(folder)
  if (changes?.delete(change) && changes.size === 0) underWay.delete(folder)
}

/**
 * Counts the changes that ended. A listing asked for before one ended may be from before it; while
 * they are under way `withChanges` takes care of that.
 */
export function changesSettled(): number {
  return settled
}

/** A folder as the server sent it, with the changes that are under way in it. */
export function withChanges(folder: Folder): Folder {
  let next = folder
  for (const change of underWay.get(folder.vpath) ?? []) {
    noteHidden(change, next)
    // What is there already came by this change, or is what it will replace.
    const missing = [...change.add.values()].filter((entry) => !next.byPath.has(entry.path))
    next = rebuilt(next, change.remove, missing)
  }
  return next
}

export function noteHidden(change: Change, folder: Folder) {
  for (const path of [...change.remove, ...change.add.keys()]) {
    const entry = folder.byPath.get(path)
    if (entry !== undefined && entry !== change.add.get(path)) change.hidden.set(path, entry)
  }
}

export function rebuilt(
  folder: Folder,
  gone: ReadonlySet<string>,
  add: readonly FileEntry[],
): Folder {
  const entries = folder.entries.filter((entry) => !gone.has(entry.path))
  if (entries.length === folder.entries.length && add.length === 0) return folder
  for (const entry of add) entries.push(entry)
  const byPath = new Map<string, FileEntry>()
  for (const entry of entries) byPath.set(entry.path, entry)
  return ref({
    ...folder,
    entries,
    byPath,
    inServerOrder: folder.inServerOrder && add.length === 0,
  })
}
