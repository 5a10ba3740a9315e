// Shows a change before the server confirmed it, with a way back.

import type { FileEntry } from '../../src/api-types.ts'
import { nameOf, queryOf } from '../lib/paths.ts'
import { cachedFolder, cacheFolder, type Folder } from './folder-cache.ts'
import { beginChange, type Change, endChange, noteHidden, rebuilt } from './folder-changes.ts'
import { sendToListing, shownFolder } from './listing.ts'
import { keepSelected } from './selection.ts'

interface FolderPatch {
  folder: string
  remove?: Iterable<string>
  add?: readonly FileEntry[] | undefined
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

/** Shows a change, also in the hits of a search. A folder that is not cached gets it when it is fetched. */
export function patchFolder(patch: FolderPatch): ShownChange {
  const change = patchOne(patch)
  const { folder, remove, add } = patch
  const open = shownFolder().folder?.vpath ?? ''
  if (remove === undefined || open === folder || queryOf(open) === null) return change
  const inHits = patchOne({ folder: open, remove, add })
  return {
    takeBack(paths) {
      change.takeBack(paths)
      inHits.takeBack(paths)
    },
    settle() {
      change.settle()
      inHits.settle()
    },
  }
}

function patchOne({ folder, remove, add = [] }: FolderPatch): ShownChange {
  const change: Change = {
    remove: new Set(remove),
    add: new Map(add.map((entry) => [entry.path, entry])),
    hidden: new Map(),
  }
  beginChange(folder, change)
  const before = current(folder)
  if (before !== null) {
    noteHidden(change, before)
    put(rebuilt(before, new Set([...change.remove, ...change.add.keys()]), add))
  }
  const end = () => endChange(folder, change)
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

function current(vpath: string): Folder | null {
  const { folder } = shownFolder()
  return folder?.vpath === vpath ? folder : cachedFolder(vpath)
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
