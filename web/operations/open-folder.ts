// Opening paths: what the address says becomes what the screen shows. A folder seen before appears at
// once, with scroll, focus and selection as they were left, and is then checked against the server.

import { ApiError } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { lastNavigation } from '../lib/page/navigate.ts'
import { whenOnline } from '../lib/page/network.ts'
import { isWithin, lineageOf, parentOf, queryOf, realFolder } from '../lib/paths.ts'
import { fromWire } from '../lib/sorting/sort-entries.ts'
import {
  cachedFolder,
  cacheFolder,
  type Folder,
  forgetFolder,
  knownEntry,
  placeIn,
  rememberPlace,
} from '../state/folder-cache.ts'
import { changesSettled } from '../state/folder-changes.ts'
import { viewOf } from '../state/folder-views.ts'
import { isSame, noHits, toFolder } from '../state/listed-folder.ts'
import {
  entryAt,
  heirOf,
  landAt,
  listing,
  openFolderPath,
  revealEntry,
  sendToListing,
  setShown,
  shownFolder,
} from '../state/listing.ts'
import type { OpenedFolder } from '../state/listing-phase.ts'
import { forgetRecentFolder, noteRecentFolder } from '../state/recent-folders.ts'
import {
  clearSelection,
  keepSelected,
  restoreSelection,
  selection,
  selectResult,
} from '../state/selection.ts'
import { defaultView } from './user-defaults.ts'

const SKELETON_AFTER_MS = 150
/** What has begun to arrive is mostly there before a skeleton would have been seen. */
const SKELETON_AFTER_BEGIN_MS = 300
const SKELETON_AT_LEAST_MS = 100
/** A folder fetched this recently is not asked for again when it opens. */
const FRESH_MS = 2_000
/** Coming back to the window checks the folder again, huge ones less often. */
const FOCUS_CHECK_MS = 3_000
const FOCUS_CHECK_LARGE_MS = 60_000
const LARGE_FOLDER = 5_000

/** Where the listing is scrolled to; kept outside the proxy, because it changes every frame. */
export const scroll = { px: 0 }

interface Load {
  vpath: string
  /** Something changed since the listing was asked for, which may not have it. */
  isStale: boolean
  controller: AbortController
}

interface Refresh {
  vpath: string
  /** Something changed since the listing was asked for: it is asked for once more. */
  again: boolean
  controller: AbortController
  done: Promise<void>
}

/** What is being fetched, for the address and for the folder shown already. */
const fetching = { load: null as Load | null, refresh: null as Refresh | null }

/**
 * The screen of folders is there: listens for changes of the address and for the window's return. Call
 * once; the result stops that.
 */
export function watchWindow(): () => void {
  const onReturn = () => {
    const { kind, shown } = listing.phase
    const { folder } = shown
    if (document.visibilityState !== 'visible') return
    if (kind === 'failed') return retryQuietly()
    if (folder === null) return
    const isMuch = folder.search !== undefined || folder.entries.length > LARGE_FOLDER
    const patience = isMuch ? FOCUS_CHECK_LARGE_MS : FOCUS_CHECK_MS
    if (Date.now() - folder.fetchedAtMs > patience) void refreshFolder()
  }
  listing.mounted = true
  window.addEventListener('focus', onReturn)
  document.addEventListener('visibilitychange', onReturn)
  return () => {
    listing.mounted = false
    window.removeEventListener('focus', onReturn)
    document.removeEventListener('visibilitychange', onReturn)
  }
}

/** Shows `vpath`. Never rejects: failures become the state of the screen. */
export function openPath(vpath: string): void {
  const { kind, vpath: from, shown } = listing.phase
  const drawn = shown.folder
  if (from === vpath && (kind === 'folder' || kind === 'file')) return
  leave()
  // Of other hits of a search the kind is not known yet.
  const hit = entryAt(vpath)
  const entry = knownEntry(vpath, parentOf(vpath)) ?? (hit?.type ? hit : null)
  if (entry !== null && !entry.isDir) {
    sendToListing({ type: 'opened', vpath, known: entry })
    void load(vpath)
    return
  }
  const known = drawn?.vpath === vpath ? drawn : cachedFolder(vpath)
  if (known !== null && known !== drawn) noteRecentFolder(vpath)
  sendToListing({ type: 'opened', vpath, known: known && withView(known) })
  if (known === null) {
    if (lastNavigation() === 'link') clearSelection()
    // Nothing else is drawn: what waits for the folder looks as the folder will.
    if (drawn === null) setShown({ view: viewOf(vpath).view ?? defaultView() })
    void load(vpath).then((loaded) => {
      if (loaded) arrive(vpath, from)
    })
    return
  }
  // A viewer was closed over the folder that is still there: it stays as it was left.
  const uncovered = known === drawn && kind === 'file'
  if (!uncovered) arrive(vpath, from)
  else if (isWithin(realFolder(vpath), from)) arriveFrom(from)
  const isNew = uncovered && childTowards(from) === undefined
  // A file may have been made, saved, renamed or deleted meanwhile.
  if (isNew || Date.now() - known.fetchedAtMs > FRESH_MS)
    void refreshFolder().then(() => {
      if (isNew && openFolderPath() === vpath && childTowards(from) !== undefined) arriveFrom(from)
    })
}

/** Stops what is being fetched and notes where the person was. Call when the screen closes, too. */
export function leave(): void {
  fetching.load?.controller.abort()
  fetching.load = null
  stopRefresh()
  const { kind, shown } = listing.phase
  const { folder, focus, filter } = shown
  // While another one loads or failed, the place in this one was noted already.
  if (folder === null || (kind !== 'folder' && kind !== 'file')) return
  rememberPlace(folder.vpath, {
    scrollPx: scroll.px,
    focus,
    selected: selection.paths,
    anchor: selection.anchor,
    filter,
  })
}

export function retry(): void {
  sendToListing({ type: 'retried' })
  retryQuietly()
}

/** Tries again without being asked to: what is shown stays until there is an answer. */
function retryQuietly(): void {
  const { vpath } = listing.phase
  void load(vpath).then((loaded) => {
    if (loaded && listing.phase.vpath === vpath) arrive(vpath, vpath)
  })
}

/** A folder with the view and order that were chosen for it; the best hits come first. */
function withView(folder: Folder): OpenedFolder {
  if (folder.search) return { folder, sort: { column: 'match', ascending: true }, view: 'list' }
  const { sort, view } = viewOf(folder.vpath)
  return { folder, sort: sort ?? fromWire(folder.sorting), view: view ?? defaultView() }
}

let expected: { folder: string; paths: readonly string[] } | null = null

/** The next time `folder` opens, these of its entries are selected. */
export function selectOnArrival(folder: string, paths: readonly string[]): void {
  expected = { folder, paths }
}

/** Puts selection, focus and scroll where they belong on arriving in `vpath`. */
function arrive(vpath: string, from: string): void {
  const { folder: target, paths = [] } = expected ?? {}
  expected = null
  const [first] = paths
  if (target === vpath && first !== undefined) {
    selectResult(paths)
    revealEntry(first, { arrival: true })
    return
  }
  const place = placeIn(vpath)
  if (lastNavigation() === 'history' && place !== null) {
    setShown({ filter: place.filter })
    restoreSelection(place.selected, place.anchor)
    keepSelected((path) => entryAt(path) !== undefined)
    setShown({ focus: place.focus })
    landAt({ kind: 'offset', scrollPx: place.scrollPx, arrival: true })
    return
  }
  clearSelection()
  if (from !== vpath && isWithin(vpath, from)) arriveFrom(from)
  else landAt({ kind: 'top', arrival: true })
}

/** The entry of the folder now shown that is `from` or holds it; of several hits the nearest. */
const childTowards = (from: string) =>
  lineageOf(from).findLast((path) => entryAt(path) !== undefined)

/** Selects the child that was open below the folder now shown. */
function arriveFrom(from: string): void {
  const child = childTowards(from)
  if (child === undefined) {
    landAt({ kind: 'top', arrival: true })
    return
  }
  selectResult([child])
  revealEntry(child, { arrival: true })
}

/** Resolves true when `vpath` is a folder and now shown. */
async function load(vpath: string): Promise<boolean> {
  fetching.load?.controller.abort()
  stopRefresh()
  if (queryOf(vpath) !== null) {
    sendToListing({ type: 'listed', ...withView(noHits(vpath)) })
    void refreshFolder()
    return true
  }
  const controller = new AbortController()
  const own: Load = { vpath, isStale: false, controller }
  fetching.load = own
  const settled = changesSettled()
  let slowSinceMs = 0
  const showSkeleton = () => {
    sendToListing({ type: 'delayed' })
    slowSinceMs = performance.now()
  }
  // A file that was found has the hits behind it, at the place where they are.
  const isHit = shownFolder().folder?.search !== undefined && entryAt(vpath)?.isDir === false
  let timer = isHit ? undefined : setTimeout(showSkeleton, SKELETON_AFTER_MS)
  const onBegun = () => {
    if (slowSinceMs > 0) return
    clearTimeout(timer)
    timer = setTimeout(showSkeleton, SKELETON_AFTER_BEGIN_MS)
  }
  try {
    const info = await fetchInfo(vpath, controller.signal, onBegun)
    const shownForMs = slowSinceMs === 0 ? 0 : performance.now() - slowSinceMs
    if (slowSinceMs > 0 && shownForMs < SKELETON_AT_LEAST_MS) {
      await new Promise((resolve) => setTimeout(resolve, SKELETON_AT_LEAST_MS - shownForMs))
    }
    if (controller.signal.aborted) return false
    if (!info.isDir) {
      sendToListing({ type: 'found', file: info })
      return false
    }
    const folder = toFolder(vpath, info)
    cacheFolder(folder)
    noteRecentFolder(vpath)
    sendToListing({ type: 'listed', ...withView(folder) })
    // It may be from before that change.
    if (own.isStale || changesSettled() !== settled) void refreshFolder()
    return true
  } catch (error) {
    if (controller.signal.aborted) return false
    fail(error)
    return false
  } finally {
    clearTimeout(timer)
    if (fetching.load === own) fetching.load = null
  }
}

function fail(error: unknown): void {
  // A fault of the page's own: the screen says that something went wrong, the console what.
  if (!(error instanceof ApiError)) console.error(error)
  sendToListing({
    type: 'failed',
    error: error instanceof Error ? error : new Error(String(error)),
  })
  const { vpath } = listing.phase
  forgetFolder(vpath)
  if (!(error instanceof ApiError)) return
  if (error.code === 'not_found') forgetRecentFolder(vpath)
  if (!error.isNetwork) return
  void whenOnline().then(() => {
    const { phase, mounted } = listing
    // Tried again by hand or left meanwhile.
    if (mounted && phase.kind === 'failed' && phase.error === error) retryQuietly()
  })
}

/**
 * Fetches the open folder again without disturbing it: selection, focus and scroll stay, new entries
 * fade in. A failure is shown only when the folder is gone or forbidden. Resolves when the screen
 * shows what was there at the time of the call, or something newer.
 */
export function refreshFolder(): Promise<void> {
  const { kind, shown } = listing.phase
  const { folder } = shown
  if (folder === null || (kind !== 'folder' && kind !== 'file')) return Promise.resolve()
  const { vpath } = folder
  if (fetching.refresh?.vpath === vpath) {
    fetching.refresh.again = true
    return fetching.refresh.done
  }
  stopRefresh()
  const own: Refresh = {
    vpath,
    again: true,
    controller: new AbortController(),
    done: Promise.resolve(),
  }
  fetching.refresh = own
  own.done = runRefresh(own).finally(() => {
    if (fetching.refresh === own) fetching.refresh = null
  })
  return own.done
}

function stopRefresh(): void {
  fetching.refresh?.controller.abort()
  fetching.refresh = null
}

async function runRefresh(own: Refresh): Promise<void> {
  const { vpath, controller } = own
  const isLeft = () => controller.signal.aborted || openFolderPath() !== vpath
  try {
    while (own.again) {
      own.again = false
      const settled = changesSettled()
      const folder = await listAgain(vpath, controller.signal)
      if (isLeft() || folder === null) return
      // It may be from before that change.
      if (changesSettled() !== settled) own.again = true
      else showAgain(folder)
    }
  } catch (error) {
    if (isLeft() || listing.phase.kind === 'file') return
    if (error instanceof ApiError && (error.code === 'not_found' || error.code === 'forbidden')) {
      fail(error)
    }
    // Otherwise the connection is down or the server restarts; what is shown stays.
  }
}

/** Null when there is a file by now. */
async function listAgain(vpath: string, signal: AbortSignal): Promise<Folder | null> {
  if (queryOf(vpath) !== null) {
    const { findHits } = await import('./search/hits.ts')
    return findHits(vpath, signal, showMore)
  }
  const info = await fetchInfo(vpath, signal)
  return info.isDir ? toFolder(vpath, info) : null
}

/** Hits that are there already stay until as many have come. */
function showMore(folder: Folder): void {
  if (folder.entries.length > (shownFolder().folder?.entries.length ?? 0)) showAgain(folder)
}

function showAgain(folder: Folder): void {
  const before = shownFolder().folder
  cacheFolder(folder)
  if (before === null || isSame(before, folder)) return
  const fresh = new Set(
    folder.search || folder.entries.length > LARGE_FOLDER
      ? []
      : folder.entries.filter((e) => !before.byPath.has(e.path)).map((e) => e.path),
  )
  const { focus } = shownFolder()
  const isFocusGone = focus !== null && !folder.byPath.has(focus)
  const heir = isFocusGone
    ? heirOf([...before.byPath.keys()].filter((path) => !folder.byPath.has(path)))
    : null
  const hadKeyboard = isWithinCell(document.activeElement)
  sendToListing({ type: 'changed', folder, fresh })
  keepSelected((path) => folder.byPath.has(path))
  if (heir === null) return
  setShown({ focus: heir })
  if (hadKeyboard) landAt({ kind: 'entry', path: heir })
}

function isWithinCell(element: Element | null): boolean {
  return element !== null && element.closest('#listing [data-index]') !== null
}

/** Something changed in `vpath` from elsewhere, such as a finished upload. */
export async function reloadFolder(vpath: string): Promise<void> {
  const open = openFolderPath() ?? ''
  const isSearched = queryOf(open) !== null && isWithin(parentOf(open), vpath)
  if (fetching.load?.vpath === vpath) fetching.load.isStale = true
  else if (open !== vpath) forgetFolder(vpath)
  if (open === vpath || isSearched) await refreshFolder()
}
