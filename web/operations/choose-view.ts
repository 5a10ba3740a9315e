// Changing view or order: the screen at once, then the memory of this folder, then the account.

import type { ViewMode } from '../../src/api-types.ts'
import {
  nextChoice,
  type SortChoice,
  type SortColumn,
  toWire,
} from '../lib/sorting/sort-entries.ts'
import { rememberView } from '../state/folder-views.ts'
import { landAt, listing, setSort } from '../state/listing.ts'
import { saveDefaults } from './user-defaults.ts'

/** The folder a choice is for; one that is still awaited counts, too. */
function chosenFolder(): string | null {
  const { kind, vpath, folder } = listing.phase
  return kind === 'loading' ? vpath : (folder?.vpath ?? null)
}

export function chooseView(view: ViewMode): void {
  if (listing.view === view) return
  listing.view = view
  if (listing.focus === null) landAt({ kind: 'top' })
  else landAt({ kind: 'entry', path: listing.focus })
  const folder = chosenFolder()
  if (folder !== null) rememberView(folder, { view })
  saveDefaults({ viewMode: view })
}

export function chooseSort(sort: SortChoice): void {
  setSort(sort)
  const folder = chosenFolder()
  if (folder !== null) rememberView(folder, { sort })
  saveDefaults({ sorting: toWire(sort) })
}

/** What a click on a column head does. */
export function sortByColumn(column: SortColumn): void {
  chooseSort(nextChoice({ ...listing.sort }, column))
}
