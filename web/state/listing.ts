// The listing: its phase, what sends it events, and what is read of the folder drawn. Loading is in
// operations/open-folder.ts, changes by the person in folder-changes.ts.

import { i18n } from '@lingui/core'
import { proxy, ref } from 'valtio'
import type { FileEntry } from '../../src/api-types.ts'
import { sameChoice } from '../lib/sorting/sort-entries.ts'
import { sortAside } from '../lib/sorting/sort-queue.ts'
import { type Landing, type ListingEvent, nextPhase, type Shown, START } from './listing-phase.ts'
import type { PathSet } from './selection.ts'

/** `mounted`: the files screen is the one that is shown. */
export const listing = proxy({ mounted: false, phase: START })

/** Takes the listing to its next phase. What the worker has to sort is asked of it. */
export function sendToListing(event: ListingEvent) {
  const before = listing.phase.shown
  const phase = nextPhase(listing.phase, event)
  // Compared as a whole, and too large to be watched entry by entry.
  for (const part of [phase.shown.ordered, phase.shown.visible, phase.shown.landing]) ref(part)
  if (phase.kind === 'file') ref(phase.file)
  listing.phase = phase
  const { folder, sort, ordering } = phase.shown
  if (!ordering || folder === null) return
  if (before.ordering && before.folder === folder && sameChoice(before.sort, sort)) return
  void sortAside(folder.entries, { ...sort }, folder.taken).then((entries) => {
    sendToListing({ type: 'ordered', folder, sort, entries })
  })
}

i18n.on('change', () => sendToListing({ type: 'language' }))

export function shownFolder(): Shown {
  return listing.phase.shown
}

export function openFolderPath(): string | null {
  return shownFolder().folder?.vpath ?? null
}

/** The folder that is shown or, at first or in the place of another, still loading. */
export function currentFolderPath(): string | null {
  const { kind, vpath } = listing.phase
  return kind === 'loading' ? vpath : openFolderPath()
}

export function setShown(choice: Partial<Pick<Shown, 'view' | 'sort' | 'filter' | 'focus'>>) {
  sendToListing({ type: 'chosen', choice })
}

/** Asks the view to scroll, once, when it next renders. */
export function landAt(landing: Landing) {
  sendToListing({ type: 'landed', landing })
}

export function revealEntry(path: string, options: { arrival?: boolean } = {}) {
  setShown({ focus: path })
  landAt({ kind: 'entry', path, ...options })
}

export function indexOfPath(path: string | null): number {
  return path === null ? -1 : shownFolder().visible.findIndex((entry) => entry.path === path)
}

/** The entry that gets the focus when `paths` are gone: the next one, else the one before. */
export function heirOf(paths: readonly string[]): string | null {
  const gone = new Set(paths)
  const { visible } = shownFolder()
  const at = visible.findIndex((entry) => gone.has(entry.path))
  if (at < 0) return null
  const stays = (entry: FileEntry) => !gone.has(entry.path)
  return (visible.slice(at).find(stays) ?? visible.slice(0, at).findLast(stays))?.path ?? null
}

/** The entry at `path` in the open folder, shown or filtered out. */
export function entryAt(path: string | null): FileEntry | undefined {
  return path === null ? undefined : shownFolder().folder?.byPath.get(path)
}

/** The given paths as entries of the open folder, in the order of the screen. */
export function entriesOf(paths: PathSet): FileEntry[] {
  if (paths.size === 0) return []
  if (paths.size === 1) {
    const [path] = paths
    const entry = path === undefined ? undefined : entryAt(path)
    return entry === undefined ? [] : [entry]
  }
  const shown = shownFolder().visible.filter((entry) => paths.has(entry.path))
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
  const next = new Set(shownFolder().busy)
  for (const path of paths) {
    if (busy) next.add(path)
    else next.delete(path)
  }
  sendToListing({ type: 'busy', paths: next })
}
