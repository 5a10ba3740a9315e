// What the files screen shows, as a state machine: four phases with their data, and the events that
// lead from one to the next. Pure; listing.ts holds the phase.

import type { FileEntry, FileInfo, ViewMode } from '../../src/api-types.ts'
import { fromWire, type SortChoice, sameChoice } from '../lib/sorting/sort-entries.ts'
import { sortNow, WORKER_FROM_ENTRIES } from '../lib/sorting/sort-queue.ts'
import { foldForTyping } from '../lib/type-ahead.ts'
import type { Folder } from './folder-cache.ts'
import type { PathSet } from './selection.ts'

/** Where the view scrolls to, once for each object. `arrival`: the keyboard focus goes there, too. */
export type Landing = { arrival?: boolean } & (
  | { kind: 'top' }
  | { kind: 'offset'; scrollPx: number }
  | { kind: 'entry'; path: string }
)

/** The folder that is drawn: the one before while another loads, the one behind an open file. */
export interface Shown {
  folder: Folder | null
  view: ViewMode
  sort: SortChoice
  filter: string
  /** All entries, folders first, hits of a search as they were ranked; of an older order while `ordering`. */
  ordered: readonly FileEntry[]
  ordering: boolean
  /** Those of `ordered` that the filter lets through. */
  visible: readonly FileEntry[]
  focus: string | null
  busy: PathSet
  /** Paths that a quiet reload brought in: they fade in. */
  fresh: PathSet
  landing: Landing
  /** The landing was asked for while `ordering`, when its entry may not have been there yet. */
  landedEarly: boolean
}

interface AnyPhase {
  vpath: string
  shown: Shown
}

export type ListingPhase =
  /** `slow`: it takes long enough to deserve a skeleton. */
  | (AnyPhase & { kind: 'loading'; slow: boolean })
  | (AnyPhase & { kind: 'folder' })
  /** `file`: an entry of its folder at first, then the full information. */
  | (AnyPhase & { kind: 'file'; file: FileInfo })
  | (AnyPhase & { kind: 'failed'; error: Error })

/** A folder with the view and order it was given. */
export type OpenedFolder = Pick<Shown, 'view' | 'sort'> & { folder: Folder }

type ShownEvent =
  | { type: 'changed'; folder: Folder; fresh?: PathSet }
  | { type: 'ordered'; folder: Folder; sort: SortChoice; entries: readonly FileEntry[] }
  | { type: 'chosen'; choice: Partial<Pick<Shown, 'view' | 'sort' | 'filter' | 'focus'>> }
  | { type: 'landed'; landing: Landing }
  | { type: 'busy'; paths: PathSet }
  /** Another language has another order. */
  | { type: 'language' }

export type ListingEvent =
  /** The address changed; `known` is what is there as far as it is cached. */
  | { type: 'opened'; vpath: string; known: OpenedFolder | FileInfo | null }
  /** The answer is late. */
  | { type: 'delayed' }
  | ({ type: 'listed' } & OpenedFolder)
  | { type: 'found'; file: FileInfo }
  | { type: 'failed'; error: Error }
  | { type: 'retried' }
  | ShownEvent

const NO_PATHS: PathSet = new Set()

export const START: ListingPhase = {
  kind: 'loading',
  vpath: '/',
  slow: false,
  shown: {
    folder: null,
    view: 'list',
    sort: { column: 'name', ascending: true },
    filter: '',
    ordered: [],
    ordering: false,
    visible: [],
    focus: null,
    busy: NO_PATHS,
    fresh: NO_PATHS,
    landing: { kind: 'top' },
    landedEarly: false,
  },
}

/** The same object when nothing changes. */
export function nextPhase(phase: ListingPhase, event: ListingEvent): ListingPhase {
  const { vpath, shown } = phase
  switch (event.type) {
    case 'opened':
      return openedPhase(phase, event.vpath, event.known)
    case 'delayed':
      return phase.kind === 'loading' ? { ...phase, slow: true } : phase
    case 'listed':
      // What was typed while it loaded is meant for it.
      return { kind: 'folder', vpath, shown: openedFolder(shown, event, shown.filter) }
    case 'found':
      return { kind: 'file', vpath, shown, file: event.file }
    case 'failed':
      return { kind: 'failed', vpath, shown, error: event.error }
    case 'retried':
      return { kind: 'loading', vpath, shown, slow: false }
    default: {
      const next = nextShown(shown, event)
      return next === shown ? phase : { ...phase, shown: next }
    }
  }
}

function openedPhase(
  phase: ListingPhase,
  vpath: string,
  known: OpenedFolder | FileInfo | null,
): ListingPhase {
  const { shown } = phase
  if (known !== null && !('folder' in known)) return { kind: 'file', vpath, shown, file: known }
  if (shown.folder?.vpath === vpath) return { kind: 'folder', vpath, shown }
  if (known !== null) return { kind: 'folder', vpath, shown: openedFolder(shown, known, '') }
  // A skeleton that is there stays: what was drawn before it would only flash up.
  return {
    kind: 'loading',
    vpath,
    shown: { ...shown, filter: '' },
    slow: phase.kind === 'loading' && phase.slow,
  }
}

function openedFolder(before: Shown, { folder, view, sort }: OpenedFolder, filter: string): Shown {
  return arranged({
    ...before,
    ...{ folder, view, sort, filter, focus: null, busy: NO_PATHS, fresh: NO_PATHS },
    landedEarly: before.landedEarly && before.folder?.vpath === folder.vpath,
  })
}

function nextShown(shown: Shown, event: ShownEvent): Shown {
  switch (event.type) {
    case 'changed': {
      const { folder, fresh = shown.fresh } = event
      if (folder === shown.folder || folder.vpath !== shown.folder?.vpath) return shown
      return arranged({ ...shown, folder, fresh })
    }
    case 'ordered':
      if (event.folder !== shown.folder || !sameChoice(event.sort, shown.sort)) return shown
      return withOrder(shown, event.entries)
    case 'chosen': {
      const next = { ...shown, ...event.choice }
      if (!sameChoice(next.sort, shown.sort)) return arranged(next)
      return next.filter === shown.filter ? next : filtered(next)
    }
    case 'landed':
      return { ...shown, landing: event.landing, landedEarly: shown.ordering }
    case 'busy':
      return { ...shown, busy: event.paths }
    case 'language':
      return arranged(shown)
  }
}

/** Sorted, or in an older order or the server's when the folder is so large that the worker has to do it. */
function arranged(shown: Shown): Shown {
  const { folder, sort } = shown
  if (folder === null) return shown
  if (sort.column === 'match') return withOrder(shown, folder.entries)
  const given = isServerOrder(folder, sort) ? foldersFirst(folder.entries) : null
  // Names are ordered by the language of the reader, which the server does not know.
  if (given !== null && sort.column !== 'name') return withOrder(shown, given)
  if (folder.entries.length <= WORKER_FROM_ENTRIES)
    return withOrder(shown, sortNow(folder.entries, sort, folder.taken))
  const ordered = given ?? shown.ordered.filter((entry) => folder.byPath.has(entry.path))
  return filtered({ ...shown, ordered, ordering: true })
}

function withOrder(shown: Shown, ordered: readonly FileEntry[]): Shown {
  const next = filtered({ ...shown, ordered, ordering: false })
  if (!shown.landedEarly) return next
  // No arrival any more: who has turned to something else meanwhile stays there.
  return { ...next, landing: { ...shown.landing, arrival: false }, landedEarly: false }
}

/** By size the server mixes in what directories occupy on disk; there its order does not serve. */
function isServerOrder(folder: Folder, sort: SortChoice): boolean {
  return (
    folder.inServerOrder &&
    folder.sorting !== undefined &&
    sort.column !== 'size' &&
    sameChoice(fromWire(folder.sorting), sort) &&
    folder.sorting.by === sort.column
  )
}

export function foldersFirst(entries: readonly FileEntry[]): FileEntry[] {
  const folders = entries.filter((entry) => entry.isDir)
  return folders.concat(entries.filter((entry) => !entry.isDir))
}

function filtered(shown: Shown): Shown {
  const { ordered, filter, folder } = shown
  const wanted = foldForTyping(filter.trim())
  const names = wanted === '' ? [] : foldedNames(ordered)
  const visible = wanted === '' ? ordered : ordered.filter((_, i) => names[i]?.includes(wanted))
  let { focus } = shown
  if (focus !== null && !visible.some((entry) => entry.path === focus)) {
    // What is to be focused may come with the order.
    if (!shown.ordering || !folder?.byPath.has(focus)) focus = null
  }
  return { ...shown, visible, focus }
}

const folded = new WeakMap<readonly FileEntry[], string[]>()

/** Made once for each order: the next letter of the filter asks again. */
function foldedNames(entries: readonly FileEntry[]): string[] {
  const known = folded.get(entries)
  if (known !== undefined) return known
  const names = entries.map((entry) => foldForTyping(entry.name))
  folded.set(entries, names)
  return names
}
