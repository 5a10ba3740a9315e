// Changes shown before the server confirmed them, with a way back. They apply to the folder on the
// screen, to the remembered copy, and to what the server says of the folder until they are through.

import { ref } from 'valtio'
import type { FileEntry } from '../../src/api-types.ts'
import { nameOf } from '../lib/paths.ts'
import { cachedFolder, cacheFolder, type Folder } from './folder-cache.ts'
import { sendToListing, shownFolder } from './listing.ts'
import { keepSelected } from './selection.ts'

interface FolderPatch {
  folder: string
  remove?: Iterable<string>
  add?: readonly FileEntry[]
}

/** A change that is shown and on its way. Each of its entries has to be settled or taken back. */
export interface ShownChange {
  /**
   * Takes back what is not settled yet, or only these paths of it. Touches no other entries, so that
   * a reload in between does no harm.
   */
  takeBack: (paths?: Iterable<string>) => void
  /** The server did it: from now on what it says holds. */
  settle: () => void
}

interface Change {
  remove: Set<string>
  add: Map<string, FileEntry>
  /** What the removed and replaced entries were like when last seen. */
  hidden: Map<string, FileEntry>
}

// In the order they were made: a later one may build on an earlier one.
const underWay = new Map<string, Set<Change>>()
let settled = 0

/**
 * Counts the changes that ended. A listing asked for before one ended may be from before it; while
 * they are under way `withChanges` takes care of that.
 */
export function changesSettled(): number {
  return settled
}

/** Shows a change. A folder that is not cached gets it when it is fetched. */
export function patchFolder({ folder, remove, add = [] }: FolderPatch): ShownChange {
  const change: Change = {
    remove: new Set(remove),
    add: new Map(add.map((entry) => [entry.path, entry])),
    hidden: new Map(),
  }
  const changes = underWay.get(folder) ?? new Set()
  underWay.set(folder, changes.add(change))
  const before = current(folder)
  if (before !== null) {
    noteHidden(change, before)
    put(rebuilt(before, new Set([...change.remove, ...change.add.keys()]), add))
  }
  const end = () => {
    settled++
    if (!changes.delete(change) || changes.size > 0) return
    if (underWay.get(folder) === changes) underWay.delete(folder)
  }
  return {
    takeBack(paths = [...change.remove, ...change.add.keys()]) {
      const gone = new Set<string>()
      const back: FileEntry[] = []
      for (const path of paths) {
        if (change.add.delete(path)) gone.add(path)
        else if (!change.remove.delete(path)) continue
        const entry = change.hidden.get(path)
        if (entry === undefined) continue
        gone.add(path)
        back.push(entry)
      }
      const now = current(folder)
      if (now !== null && gone.size > 0) put(rebuilt(now, gone, back))
      if (change.add.size === 0 && change.remove.size === 0) end()
    },
    settle: end,
  }
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

function noteHidden(change: Change, folder: Folder) {
  for (const path of [...change.remove, ...change.add.keys()]) {
    const entry = folder.byPath.get(path)
    if (entry !== undefined && entry !== change.add.get(path)) change.hidden.set(path, entry)
  }
}

function current(vpath: string): Folder | null {
  const { folder } = shownFolder()
  return folder?.vpath === vpath ? folder : cachedFolder(vpath)
}

function rebuilt(folder: Folder, gone: ReadonlySet<string>, add: readonly FileEntry[]): Folder {
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

function put(folder: Folder) {
  cacheFolder(folder)
  if (shownFolder().folder?.vpath !== folder.vpath) return
  sendToListing({ type: 'changed', folder })
  keepSelected((path) => folder.byPath.has(path))
}

/** What a freshly made entry looks like until the server has listed it. */
export function draftEntry(path: string, isDir: boolean): FileEntry {
  const modified = new Date().toISOString()
  const mode = isDir ? 0o20000000755 : 0o644
  const type = isDir ? '' : 'text'
  const entry = { path, name: '', extension: '', size: 0, modified, mode, isDir, isSymlink: false }
  return movedEntry({ ...entry, type }, path)
}

export function movedEntry(entry: FileEntry, path: string): FileEntry {
  const name = nameOf(path)
  const dot = name.lastIndexOf('.')
  return { ...entry, path, name, extension: dot < 0 ? '' : name.slice(dot) }
}
