// Opening paths: what the address says becomes what the screen shows. A folder seen before appears at
// once, with scroll, focus and selection as they were left, and is then checked against the server.

import { ref } from 'valtio'
import type { FileEntry, FileInfo } from '../../src/api-types.ts'
import { ApiError } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { onNavigation } from '../lib/page/navigate.ts'
import { isWithin, lineageOf, parentOf } from '../lib/paths.ts'
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
import { isSame, toFolder } from '../state/listed-folder.ts'
import { landAt, listing, revealEntry, setFilter, showFolder } from '../state/listing.ts'
import { whenOnline } from '../state/network.ts'
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
const SKELETON_AT_LEAST_MS = 300
/** A folder fetched this recently is not asked for again when it opens. */
const FRESH_MS = 2_000
/** Coming back to the window checks the folder again, huge ones less often. */
const FOCUS_CHECK_MS = 3_000
const FOCUS_CHECK_LARGE_MS = 60_000
const LARGE_FOLDER = 5_000

/** Where the listing is scrolled to; kept outside the proxy, because it changes every frame. */
export const scroll = { px: 0 }

let request: AbortController | null = null
/** The address was changed by a link or command; otherwise it was Back or Forward. */
let pushed = true
/** What is open was come to by Back or Forward. */
let byHistory = false

/**
 * The screen of folders is there: listens for changes of the address and for the window's return. Call
 * once; the result stops that.
 */
export function watchWindow(): () => void {
  const onReturn = () => {
    const folder = listing.folder as Folder | null
    if (document.visibilityState !== 'visible') return
    if (listing.status === 'failed') return retryQuietly()
    if (folder === null) return
    const patience = folder.entries.length > LARGE_FOLDER ? FOCUS_CHECK_LARGE_MS : FOCUS_CHECK_MS
    if (Date.now() - folder.fetchedAtMs > patience) void refreshFolder()
  }
  listing.mounted = true
  const endFollowing = onNavigation((how) => {
    if (how === 'link') pushed = true
  })
  window.addEventListener('focus', onReturn)
  document.addEventListener('visibilitychange', onReturn)
  return () => {
    listing.mounted = false
    endFollowing()
    window.removeEventListener('focus', onReturn)
    document.removeEventListener('visibilitychange', onReturn)
  }
}

/** Shows `vpath`. Never rejects: failures become the state of the screen. */
export function openPath(vpath: string): void {
  const came = !pushed
  pushed = false
  const from = listing.vpath
  if (from === vpath && listing.status === 'ready') return
  byHistory = came
  leave()
  listing.vpath = vpath
  listing.failure = null

  const entry = knownEntry(vpath, parentOf(vpath))
  if (entry !== null && !entry.isDir) {
    showFile(entry)
    void load(vpath)
    return
  }
  const wasFile = listing.file !== null
  listing.file = null
  const shown = listing.folder as Folder | null
  if (shown?.vpath === vpath) {
    listing.status = 'ready'
    listing.slow = false
    // Back from a folder that did not come; otherwise a viewer closed over the one that is still there.
    if (!wasFile) arrive(vpath, from)
    else if (isWithin(vpath, from)) arriveFrom(from)
    // The file may have been saved, renamed or deleted in there.
    if (Date.now() - shown.fetchedAtMs > FRESH_MS) void refreshFolder()
    return
  }
  const cached = cachedFolder(vpath)
  if (cached === null) {
    listing.status = 'loading'
    if (!byHistory) clearSelection()
    void load(vpath).then((loaded) => {
      if (loaded) arrive(vpath, from)
    })
    return
  }
  listing.status = 'ready'
  listing.slow = false
  enter(cached)
  arrive(vpath, from)
  if (Date.now() - cached.fetchedAtMs > FRESH_MS) void refreshFolder()
}

/** Stops what is being fetched and notes where the person was. Call when the screen closes, too. */
export function leave(): void {
  request?.abort()
  request = null
  stopRefresh()
  const folder = listing.folder as Folder | null
  // While another one loads or failed, the place in this one was noted already.
  const shown =
    listing.status === 'ready' && (listing.file !== null || listing.vpath === folder?.vpath)
  if (folder === null || !shown) return
  rememberPlace(folder.vpath, {
    scrollPx: scroll.px,
    focus: listing.focus,
    selected: selection.paths,
    anchor: selection.anchor,
    filter: listing.filter,
  })
}

/** Tries again after a failure. */
export function retry(): void {
  listing.failure = null
  listing.status = 'loading'
  retryQuietly()
}

/** Tries again without being asked to: what is shown stays until there is an answer. */
function retryQuietly(): void {
  const { vpath } = listing
  void load(vpath).then((loaded) => {
    if (loaded && listing.vpath === vpath) arrive(vpath, vpath)
  })
}

function enter(folder: Folder): void {
  const view = viewOf(folder.vpath)
  listing.filter = ''
  listing.sort = view.sort ?? fromWire(folder.sorting)
  listing.view = view.view ?? defaultView()
  listing.fresh = ref(new Set<string>())
  listing.busy = ref(new Set<string>())
  listing.focus = null
  showFolder(folder)
  noteRecentFolder(folder.vpath)
}

let awaited: { folder: string; paths: readonly string[] } | null = null

/** The next time `folder` opens, these of its entries are selected. */
export function selectOnArrival(folder: string, paths: readonly string[]): void {
  awaited = { folder, paths }
}

/** Puts selection, focus and scroll where they belong on arriving in `vpath`. */
function arrive(vpath: string, from: string): void {
  const expected = awaited
  awaited = null
  const [first] = expected?.paths ?? []
  if (expected?.folder === vpath && first !== undefined) {
    selectResult(expected.paths)
    revealEntry(first, { arrival: true })
    return
  }
  const place = placeIn(vpath)
  if (byHistory && place !== null) {
    if (place.filter !== '') setFilter(place.filter)
    restoreSelection(place.selected, place.anchor)
    const folder = listing.folder as Folder | null
    if (folder !== null) keepSelected((path) => folder.byPath.has(path))
    listing.focus = place.focus
    landAt({ kind: 'offset', scrollPx: place.scrollPx }, { arrival: true })
    return
  }
  clearSelection()
  if (from !== vpath && isWithin(vpath, from)) arriveFrom(from)
  else landAt({ kind: 'top' }, { arrival: true })
}

/** Selects the child that was open below the folder now shown. */
function arriveFrom(from: string): void {
  const folder = listing.folder as Folder | null
  const child = lineageOf(from).find((path) => folder?.byPath.has(path))
  if (child === undefined) {
    landAt({ kind: 'top' }, { arrival: true })
    return
  }
  selectResult([child])
  revealEntry(child, { arrival: true })
}

function showFile(info: FileInfo | FileEntry): void {
  listing.file = ref(info)
  listing.status = 'ready'
  listing.slow = false
}

/** Resolves true when `vpath` is a folder and now shown. */
async function load(vpath: string): Promise<boolean> {
  request?.abort()
  stopRefresh()
  const controller = new AbortController()
  request = controller
  const settled = changesSettled()
  let slowSinceMs = 0
  const timer = setTimeout(() => {
    listing.slow = listing.status === 'loading'
    slowSinceMs = performance.now()
  }, SKELETON_AFTER_MS)
  try {
    const info = await fetchInfo(vpath, controller.signal)
    const shownForMs = slowSinceMs === 0 ? 0 : performance.now() - slowSinceMs
    if (slowSinceMs > 0 && shownForMs < SKELETON_AT_LEAST_MS) {
      await new Promise((resolve) => setTimeout(resolve, SKELETON_AT_LEAST_MS - shownForMs))
    }
    if (controller.signal.aborted) return false
    listing.failure = null
    if (!info.isDir) {
      showFile(info)
      return false
    }
    const folder = toFolder(vpath, info)
    cacheFolder(folder)
    listing.file = null
    enter(folder)
    listing.status = 'ready'
    // It may be from before that change.
    if (changesSettled() !== settled) void refreshFolder()
    return true
  } catch (error) {
    if (controller.signal.aborted) return false
    fail(error)
    return false
  } finally {
    clearTimeout(timer)
    if (request === controller) {
      request = null
      listing.slow = false
    }
  }
}

function fail(error: unknown): void {
  // A fault of the page's own: the screen says that something went wrong, the console what.
  if (!(error instanceof ApiError)) console.error(error)
  const failure = ref(error instanceof Error ? error : new Error(String(error)))
  listing.failure = failure
  listing.status = 'failed'
  listing.file = null
  forgetFolder(listing.vpath)
  if (!(error instanceof ApiError)) return
  if (error.code === 'not_found') forgetRecentFolder(listing.vpath)
  if (!error.isNetwork) return
  void whenOnline().then(() => {
    // Tried again by hand or left meanwhile.
    if (listing.mounted && listing.failure === failure) retryQuietly()
  })
}

interface Refresh {
  vpath: string
  /** Something changed since the listing was asked for: it is asked for once more. */
  again: boolean
  controller: AbortController
  done: Promise<void>
}

let refresh: Refresh | null = null

/**
 * Fetches the open folder again without disturbing it: selection, focus and scroll stay, new entries
 * fade in. A failure is shown only when the folder is gone or forbidden. Resolves when the screen
 * shows what was there at the time of the call, or something newer.
 */
export function refreshFolder(): Promise<void> {
  const vpath = (listing.folder as Folder | null)?.vpath
  if (vpath === undefined || listing.status !== 'ready') return Promise.resolve()
  if (refresh?.vpath === vpath) {
    refresh.again = true
    return refresh.done
  }
  stopRefresh()
  const own: Refresh = {
    vpath,
    again: true,
    controller: new AbortController(),
    done: Promise.resolve(),
  }
  refresh = own
  own.done = runRefresh(own).finally(() => {
    if (refresh === own) refresh = null
  })
  return own.done
}

function stopRefresh(): void {
  refresh?.controller.abort()
  refresh = null
}

async function runRefresh(own: Refresh): Promise<void> {
  const { vpath, controller } = own
  const isLeft = () =>
    controller.signal.aborted || (listing.folder as Folder | null)?.vpath !== vpath
  try {
    while (own.again) {
      own.again = false
      const settled = changesSettled()
      const info = await fetchInfo(vpath, controller.signal)
      if (isLeft() || !info.isDir) return
      // It may be from before that change.
      if (changesSettled() !== settled) own.again = true
      else showAgain(toFolder(vpath, info))
    }
  } catch (error) {
    if (isLeft() || listing.file !== null) return
    if (error instanceof ApiError && (error.code === 'not_found' || error.code === 'forbidden')) {
      fail(error)
    }
    // Otherwise the connection is down or the server restarts; what is shown stays.
  }
}

function showAgain(folder: Folder): void {
  const before = listing.folder as Folder
  cacheFolder(folder)
  if (isSame(before, folder)) return
  listing.fresh = ref(
    new Set(
      folder.entries.length > LARGE_FOLDER
        ? []
        : folder.entries.filter((e) => !before.byPath.has(e.path)).map((e) => e.path),
    ),
  )
  showFolder(folder)
  keepSelected((path) => folder.byPath.has(path))
}

/** Something changed in `vpath` from elsewhere, such as a finished upload. */
export async function reloadFolder(vpath: string): Promise<void> {
  if ((listing.folder as Folder | null)?.vpath === vpath) await refreshFolder()
  else forgetFolder(vpath)
}
