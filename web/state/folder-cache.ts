// Folders seen lately, with the place the person left them at, so that Back shows them at once.

import type { FileEntry, Sorting } from '../../src/api-types.ts'
import type { PathSet } from './selection.ts'

const MAX_FOLDERS = 60
const MAX_ENTRIES = 300_000

export interface Folder {
  vpath: string
  /** As the server sent them; never changed in place. */
  entries: readonly FileEntry[]
  byPath: ReadonlyMap<string, FileEntry>
  /** The order the server used: the user's own default. */
  sorting: Sorting | undefined
  /** False once an entry was added or renamed here. */
  inServerOrder: boolean
  /** Milliseconds since the epoch. */
  modifiedMs: number
  mode: number
  fetchedAtMs: number
}

/** Where a person was in a folder. */
export interface Place {
  scrollPx: number
  focus: string | null
  selected: PathSet
  anchor: string | null
  filter: string
}

interface CachedFolder {
  folder: Folder
  place: Place | null
}

// Insertion order is age: reading a folder moves it to the end.
const cache = new Map<string, CachedFolder>()
let entries = 0

export function cachedFolder(vpath: string): Folder | null {
  const found = cache.get(vpath)
  if (found === undefined) return null
  cache.delete(vpath)
  cache.set(vpath, found)
  return found.folder
}

export function cacheFolder(folder: Folder) {
  const old = cache.get(folder.vpath)
  entries += folder.entries.length - (old?.folder.entries.length ?? 0)
  cache.delete(folder.vpath)
  cache.set(folder.vpath, { folder, place: old?.place ?? null })
  for (const [vpath, aged] of cache) {
    if (cache.size <= 1 || (cache.size <= MAX_FOLDERS && entries <= MAX_ENTRIES)) break
    cache.delete(vpath)
    entries -= aged.folder.entries.length
  }
}

export function forgetFolder(vpath: string) {
  const found = cache.get(vpath)
  if (found === undefined) return
  entries -= found.folder.entries.length
  cache.delete(vpath)
}

export function forgetAllFolders() {
  cache.clear()
  entries = 0
}

export function rememberPlace(vpath: string, place: Place) {
  const found = cache.get(vpath)
  if (found !== undefined) found.place = place
}

export function placeIn(vpath: string): Place | null {
  return cache.get(vpath)?.place ?? null
}

/** An entry known from the listing of its folder, without asking the server. */
export function knownEntry(vpath: string, parent: string): FileEntry | null {
  return cache.get(parent)?.folder.byPath.get(vpath) ?? null
}
