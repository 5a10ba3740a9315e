// The listing: its phase, and the folder drawn, order.sorted, filtered, with the focused entry and the place to
// scroll to. Loading is in operations/open-folder.ts, changes by the person in folder-changes.ts.

import { proxy, ref } from 'valtio'
import type { FileEntry, ViewMode } from '../../src/api-types.ts'
import { fromWire, type SortChoice, sameChoice } from '../lib/sorting/sort-entries.ts'
import { sortAside, sortNow, WORKER_FROM_ENTRIES } from '../lib/sorting/sort-queue.ts'
import { foldForTyping } from '../lib/type-ahead.ts'
import type { Folder } from './folder-cache.ts'
import { type ListingEvent, type ListingPhase, nextPhase, START } from './listing-phase.ts'
import type { PathSet } from './selection.ts'

const NO_ENTRIES: readonly FileEntry[] = []
const NO_PATHS: PathSet = new Set()

/** What the view does with its scroll position when a folder appears. */
export type Landing =
  | { kind: 'top' }
  | { kind: 'offset'; scrollPx: number }
  | { kind: 'entry'; path: string }

interface Listing {
  /** The files screen is the one that is shown. */
  mounted: boolean
  phase: ListingPhase
  /** The next time `folder` opens, these of its entries are selected. */
  awaited: { folder: string; paths: readonly string[] } | null

  /** Sorted and filtered, folders first. */
  visible: readonly FileEntry[]
  /** How many of `visible`, from the start, are folders. */
  visibleFolders: number
  folders: number
  files: number
  filter: string
  sort: SortChoice
  view: ViewMode

  /** The entry that holds the tab stop. */
  focus: string | null
  /** Paths the server is still changing. */
  busy: PathSet
  /** Paths that a quiet reload brought in: they fade in. */
  fresh: PathSet
  landing: Landing
  /** Counts the times a landing has to be made. */
  landings: number
  /** The landing is an arrival in a folder: the keyboard focus goes there, too. */
  arrival: boolean
}

export const listing = proxy<Listing>({
  mounted: false,
  phase: ref(START),
  awaited: null,
  visible: ref(NO_ENTRIES),
  visibleFolders: 0,
  folders: 0,
  files: 0,
  filter: '',
  sort: { column: 'name', ascending: true },
  view: 'list',
  focus: null,
  busy: ref(NO_PATHS),
  fresh: ref(NO_PATHS),
  landing: { kind: 'top' },
  landings: 0,
  arrival: false,
})

/** What the order on the screen was made from. */
const order = {
  sorted: null as { folder: Folder; choice: SortChoice; entries: readonly FileEntry[] } | null,
  folded: null as { entries: readonly FileEntry[]; names: string[] } | null,
  /** Counts the orders asked for: only the last one is shown. */
  turn: 0,
  /** The order of what is shown comes later, from the worker. */
  awaited: false,
  /** A landing was asked for meanwhile: its entry or offset may not have been there yet. */
  landedEarly: false,
}

/** Takes the listing to its next phase; another folder is put on the screen as sort and filter say. */
export function sendToListing(event: ListingEvent) {
  const before = listing.phase.folder
  listing.phase = ref(nextPhase(listing.phase, event))
  const { folder } = listing.phase
  if (folder === null || folder === before) return
  if (before?.vpath !== folder.vpath) order.landedEarly = false
  listing.folders = folder.entries.filter((entry) => entry.isDir).length
  listing.files = folder.entries.length - listing.folders
  arrange()
}

/** The folder on the screen, when there is one. */
export function openFolderPath(): string | null {
  return listing.phase.folder?.vpath ?? null
}

/** Sorts (aside when the folder is very large) and filters. */
function arrange() {
  const { folder } = listing.phase
  // An order that is still on its way is no longer wanted, even where this one is known already.
  const turn = ++order.turn
  if (folder === null) {
    present(NO_ENTRIES)
    return
  }
  const choice = { ...listing.sort }
  if (order.sorted?.folder === folder && sameChoice(order.sorted.choice, choice)) {
    presentOrder(order.sorted.entries)
  } else if (isServerOrder(folder, choice)) {
    presentOrder(keep(folder, choice, foldersFirst(folder.entries)))
  } else if (folder.entries.length <= WORKER_FROM_ENTRIES) {
    presentOrder(keep(folder, choice, sortNow(folder.entries, choice)))
  } else {
    order.awaited = true
    // Until the order is known the old one stands, without what no longer exists.
    present(listing.visible.filter((entry) => folder.byPath.has(entry.path)))
    void sortAside(folder.entries, choice).then((entries) => {
      if (turn === order.turn) presentOrder(keep(folder, choice, entries))
    })
  }
}

/** Shows the entries in their order, and makes the landing that came before it once more. */
function presentOrder(entries: readonly FileEntry[]) {
  order.awaited = false
  present(entries)
  if (!order.landedEarly) return
  // No arrival any more: who has turned to something else meanwhile stays there.
  landAt({ ...listing.landing })
}

function keep(folder: Folder, choice: SortChoice, entries: readonly FileEntry[]) {
  order.sorted = { folder, choice, entries }
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
  listing.visible = ref(shown)
  listing.visibleFolders = folders
  const { focus } = listing
  if (focus === null || shown.some((entry) => entry.path === focus)) return
  // What is to be focused may come with the order.
  if (!order.awaited || entryAt(focus) === undefined) listing.focus = null
}

function filtered(entries: readonly FileEntry[]): readonly FileEntry[] {
  const wanted = foldForTyping(listing.filter.trim())
  if (wanted === '') return entries
  if (order.folded?.entries !== entries) {
    order.folded = { entries, names: entries.map((entry) => foldForTyping(entry.name)) }
  }
  const { names } = order.folded
  return entries.filter((_, i) => (names[i] as string).includes(wanted))
}

export function setFilter(text: string) {
  listing.filter = text
  if (order.sorted !== null && order.sorted.folder === listing.phase.folder)
    present(order.sorted.entries)
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
  order.landedEarly = order.awaited
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
  return listing.phase.folder?.byPath.get(path)
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
