// Changes shown before the server confirmed them, with a way back. They apply to the folder on the
// screen and to the remembered copy alike.

import { ref } from 'valtio'
import type { FileEntry } from '../../src/api-types.ts'
import { cachedFolder, cacheFolder, type Folder } from './folder-cache.ts'
import { listing, showFolder } from './listing.ts'
import { keepSelected } from './selection.ts'

export interface FolderPatch {
  folder: string
  remove?: readonly string[]
  add?: readonly FileEntry[]
}

/**
 * Applies a change and returns the function that takes it back. Taking back touches only the entries
 * of this change, so that a reload in between does no harm. A folder nobody looked at is left alone.
 */
export function patchFolder(patch: FolderPatch): () => void {
  const before = current(patch.folder)
  if (before === null) return () => {}
  const removed = (patch.remove ?? []).flatMap((path) => before.byPath.get(path) ?? [])
  const replaced = (patch.add ?? []).flatMap((entry) => before.byPath.get(entry.path) ?? [])
  put(before, patch)
  return () => {
    const now = current(patch.folder)
    if (now === null) return
    put(now, {
      folder: patch.folder,
      remove: (patch.add ?? []).map((entry) => entry.path),
      add: [...removed, ...replaced],
    })
  }
}

function current(vpath: string): Folder | null {
  const shown = listing.folder as Folder | null
  return shown?.vpath === vpath ? shown : cachedFolder(vpath)
}

function put(folder: Folder, patch: FolderPatch) {
  const gone = new Set(patch.remove)
  for (const entry of patch.add ?? []) gone.add(entry.path)
  const entries = folder.entries.filter((entry) => !gone.has(entry.path))
  entries.push(...(patch.add ?? []))
  const byPath = new Map<string, FileEntry>()
  for (const entry of entries) byPath.set(entry.path, entry)
  const inServerOrder = folder.inServerOrder && (patch.add ?? []).length === 0
  const next: Folder = ref({ ...folder, entries, byPath, inServerOrder })
  cacheFolder(next)
  if ((listing.folder as Folder | null)?.vpath !== folder.vpath) return
  showFolder(next)
  keepSelected((path) => byPath.has(path))
}

/** What a freshly made entry looks like until the server has listed it. */
export function draftEntry(path: string, isDir: boolean): FileEntry {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return {
    path,
    name,
    size: 0,
    extension: dot < 0 ? '' : name.slice(dot),
    modified: new Date().toISOString(),
    mode: isDir ? 0o20000000755 : 0o644,
    isDir,
    isSymlink: false,
    type: isDir ? '' : 'text',
  }
}

/** The same entry under another path. */
export function movedEntry(entry: FileEntry, path: string): FileEntry {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return { ...entry, path, name, extension: dot < 0 ? '' : name.slice(dot) }
}
