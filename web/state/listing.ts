// The open folder as the screen shows it: sorted, filtered, with the focused entry and the place to
// scroll to. Loading is in open-folder.ts, changes by the person in folder-changes.ts.

import { proxy, ref } from 'valtio'
import type { FileEntry, FileInfo, ViewMode } from '../../src/api-types.ts'
import { fromWire, type SortChoice, sameChoice } from '../lib/sorting/sort-entries.ts'
import { sortAside, sortNow, WORKER_FROM_ENTRIES } from '../lib/sorting/sort-queue.ts'
import { foldForTyping } from '../lib/type-ahead.ts'
import type { Folder } from './folder-cache.ts'
import type { PathSet } from './selection.ts'

const NO_ENTRIES: readonly FileEntry[] = []
const NO_PATHS: PathSet = new Set()

/** What the view does with its scroll position when a folder appears. */
export type Landing =
  | { kind: 'top' }
  | { kind: 'offset'; scrollPx: number }
  | { kind: 'entry'; path: string }

export const listing = proxy({
  /** The files screen is the one that is shown. */
  mounted: false,
  /** The path in the address: a folder, or a file once `file` says so. */
  vpath: '/',
  /** `loading`: nothing to show for `vpath` yet; what is visible belongs to the folder before. */
  status: 'loading' as 'loading' | 'ready' | 'failed',
  /** Loading takes long enough to deserve a skeleton. */
  slow: false,
  failure: null as Error | null,
  /** Set while `vpath` is a file: what is known of it. */
  file: null as FileInfo | null,

  folder: null as Folder | null,
  /** Sorted and filtered, folders first. */
  visible: ref(NO_ENTRIES as FileEntry[]) as readonly FileEntry[],
  /** How many of `visible`, from the start, are folders. */
  visibleFolders: 0,
  folders: 0,
  files: 0,
  filter: '',
  sort: { column: 'name', ascending: true } as SortChoice,
  view: 'list' as ViewMode,

  /** The entry that holds the tab stop. */
  focus: null as string | null,
  /** Paths the server is still changing. */
  busy: ref(NO_PATHS) as PathSet,
  /** Paths that a quiet reload brought in: they fade in. */
  fresh: ref(NO_PATHS) as PathSet,
  landing: { kind: 'top' } as Landing,
  /** Counts the times a landing has to be made. */
  landings: 0,
  /** The landing is an arrival in a folder: the keyboard focus goes there, too. */
  arrival: false,
})

let sorted: { folder: Folder; choice: SortChoice; entries: readonly FileEntry[] } | null = null
let folded: { entries: readonly FileEntry[]; names: string[] } | null = null
let sorting = 0
/** The order of what is shown comes later, from the worker. */
let orderAwaited = false
/** A landing was asked for meanwhile: its entry or offset may not have been there yet. */
let landedEarly = false

/** Puts a folder on the screen with the order and filter in force. */
export function showFolder(folder: Folder) {
  if ((listing.folder as Folder | null)?.vpath !== folder.vpath) landedEarly = false
  listing.folder = ref(folder)
  let folders = 0
  for (const entry of folder.entries) if (entry.isDir) folders++
  listing.folders = folders
  listing.files = folder.entries.length - folders
  arrange()
}

/** Sorts (aside when the folder is very large) and filters. */
function arrange() {
  const folder = listing.folder as Folder | null
  // An order that is still on its way is no longer wanted, even where this one is known already.
  const turn = ++sorting
  if (folder === null) {
    present(NO_ENTRIES)
    return
  }
  const choice = { ...listing.sort }
  if (sorted?.folder === folder && sameChoice(sorted.choice, choice)) {
    presentOrder(sorted.entries)
  } else if (isServerOrder(folder, choice)) {
    presentOrder(keep(folder, choice, foldersFirst(folder.entries)))
  } else if (folder.entries.length <= WORKER_FROM_ENTRIES) {
    presentOrder(keep(folder, choice, sortNow(folder.entries, choice)))
  } else {
    orderAwaited = true
    // Until the order is known the old one stands, without what no longer exists.
    present(listing.visible.filter((entry) => folder.byPath.has(entry.path)))
    void sortAside(folder.entries, choice).then((entries) => {
      if (turn === sorting) presentOrder(keep(folder, choice, entries))
    })
  }
}

/** Shows the entries in their order, and makes the landing that came before it once more. */
function presentOrder(entries: readonly FileEntry[]) {
  orderAwaited = false
  present(entries)
  if (!landedEarly) return
  // No arrival any more: who has turned to something else meanwhile stays there.
  landAt({ ...listing.landing })
}

function keep(folder: Folder, choice: SortChoice, entries: readonly FileEntry[]) {
  sorted = { folder, choice, entries }
  return entries
}

/** By size the server mixes in what directories occupy on disk; there its order does not serve. */
function isServerOrder(folder: Folder, choice: SortChoice): boolean {
  return (
    folder.inServerOrder &&
    folder.sorting !== undefined &&
    choice.column !== 'size' &&
    sameChoice(fromWire(folder.sorting), choice) &&
    folder.sorting.by === choice.column
  )
}

function foldersFirst(entries: readonly FileEntry[]): FileEntry[] {
  const folders = entries.filter((entry) => entry.isDir)
  return folders.concat(entries.filter((entry) => !entry.isDir))
}

function present(entries: readonly FileEntry[]) {
  const shown = filtered(entries)
  let folders = 0
  while (shown[folders]?.isDir === true) folders++
  listing.visible = ref(shown as FileEntry[])
  listing.visibleFolders = folders
  const { focus } = listing
  if (focus === null || shown.some((entry) => entry.path === focus)) return
  // What is to be focused may come with the order.
  if (!orderAwaited || entryAt(focus) === undefined) listing.focus = null
}

function filtered(entries: readonly FileEntry[]): readonly FileEntry[] {
  const wanted = foldForTyping(listing.filter.trim())
  if (wanted === '') return entries
  if (folded?.entries !== entries) {
    folded = { entries, names: entries.map((entry) => foldForTyping(entry.name)) }
  }
  const { names } = folded
  return entries.filter((_, i) => (names[i] as string).includes(wanted))
}

export function setFilter(text: string) {
  listing.filter = text
  if (sorted !== null && sorted.folder === listing.folder) present(sorted.entries)
  else arrange()
}

/** Orders what is on the screen; saving the choice is the caller's business. */
export function setSort(choice: SortChoice) {
  listing.sort = choice
  arrange()
}

export function setFocus(path: string | null) {
  listing.focus = path
}

/** Asks the view to scroll, once, when it next renders. */
export function landAt(landing: Landing, options: { arrival?: boolean } = {}) {
  landedEarly = orderAwaited
  listing.landing = landing
  listing.arrival = options.arrival === true
  listing.landings++
}

/** Focuses an entry and brings it into view. */
export function revealEntry(path: string, options: { arrival?: boolean } = {}) {
  listing.focus = path
  landAt({ kind: 'entry', path }, options)
}

export function indexOfPath(path: string | null): number {
  return path === null ? -1 : listing.visible.findIndex((entry) => entry.path === path)
}

/** The entry that gets the focus when `paths` are gone: the next one, else the one before. */
export function heirOf(paths: readonly string[]): string | null {
  const gone = new Set(paths)
  const { visible } = listing
  const at = visible.findIndex((entry) => gone.has(entry.path))
  if (at < 0) return null
  for (let i = at; i < visible.length; i++) {
    const path = visible[i]?.path
    if (path !== undefined && !gone.has(path)) return path
  }
  for (let i = at - 1; i >= 0; i--) {
    const path = visible[i]?.path
    if (path !== undefined && !gone.has(path)) return path
  }
  return null
}

/** The entry at `path` in the open folder, shown or filtered out. */
export function entryAt(path: string): FileEntry | undefined {
  return (listing.folder as Folder | null)?.byPath.get(path)
}

/** The given paths as entries of the open folder, in the order of the screen. */
export function entriesOf(paths: PathSet): FileEntry[] {
  if (paths.size === 0) return []
  if (paths.size === 1) {
    const [path] = paths
    const entry = path === undefined ? undefined : entryAt(path)
    return entry === undefined ? [] : [entry]
  }
  const shown = listing.visible.filter((entry) => paths.has(entry.path))
  if (shown.length === paths.size) return shown
  // Some are hidden by the filter: selected is selected all the same.
  const seen = new Set(shown.map((entry) => entry.path))
  for (const path of paths) {
    const entry = seen.has(path) ? undefined : entryAt(path)
    if (entry !== undefined) shown.push(entry)
  }
  return shown
}

export function markBusy(paths: Iterable<string>, busy: boolean) {
  const next = new Set(listing.busy)
  for (const path of paths) {
    if (busy) next.add(path)
    else next.delete(path)
  }
  listing.busy = ref(next)
}
