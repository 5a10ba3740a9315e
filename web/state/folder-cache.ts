// Folders seen lately, with the place the person left them at, so that Back shows them at once.

import type { FileEntry, Sorting } from '../../src/api-types.ts'
import { putNewest } from '../lib/newest.ts'
import type { DatesTaken } from '../lib/sorting/sort-queue.ts'
import type { PathSet } from './selection.ts'

const MAX_FOLDERS = 60
const MAX_PLACES = 300
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
  modifiedMs: number
  mode: number
  fetchedAtMs: number
  /** Of the entries as they were when somebody asked; carried over to what is listed later. */
  taken?: DatesTaken | undefined
  /** How far a search is whose hits these are; absent for what is a folder on the disk. */
  search?: 'running' | 'done' | 'cut' | Error | undefined
}

export interface Place {
  scrollPx: number
  focus: string | null
  selected: PathSet
  anchor: string | null
  filter: string
}

/** Told of a folder as it was listed or changed last; null when its listing may be wrong by now. */
export type FolderWatcher = (vpath: string, folder: Folder | null) => void

// Insertion order is age: reading a folder moves it to the end.
const cache = new Map<string, Folder>()
let entries = 0
const watchers = new Set<FolderWatcher>()
// Apart from the folders, because a place stays when a folder has to be fetched anew.
const places = new Map<string, Place>()

export function cachedFolder(vpath: string): Folder | null {
  const found = cache.get(vpath)
  if (found === undefined) return null
  cache.delete(vpath)
  cache.set(vpath, found)
  return found
}

export function cacheFolder(folder: Folder) {
  const old = cache.get(folder.vpath)
  entries += folder.entries.length - (old?.entries.length ?? 0)
  cache.delete(folder.vpath)
  cache.set(folder.vpath, folder)
  for (const [vpath, aged] of cache) {
    if (cache.size <= 1 || (cache.size <= MAX_FOLDERS && entries <= MAX_ENTRIES)) break
    cache.delete(vpath)
    entries -= aged.entries.length
  }
  for (const watcher of watchers) watcher(folder.vpath, folder)
}

/** Tells of every folder that is listed or changed, until the returned function is called. */
export function watchFolders(watcher: FolderWatcher): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Its listing may be wrong by now; where the person was in it stays known. */
export function forgetFolder(vpath: string) {
  for (const watcher of watchers) watcher(vpath, null)
  const found = cache.get(vpath)
  if (found === undefined) return
  entries -= found.entries.length
  cache.delete(vpath)
}

export function rememberPlace(vpath: string, place: Place) {
  putNewest(places, vpath, place, MAX_PLACES)
}

export function placeIn(vpath: string): Place | null {
  return places.get(vpath) ?? null
}

/** An entry known from the listing of its folder, without asking the server. */
export function knownEntry(vpath: string, parent: string): FileEntry | null {
  return cache.get(parent)?.byPath.get(vpath) ?? null
}
