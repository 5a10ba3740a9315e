// Changing view or order: the screen at once, then the memory of this folder, then the account.

import type { ViewMode } from '../../src/api-types.ts'
import { queryOf } from '../lib/paths.ts'
import {
  nextChoice,
  type SortChoice,
  type SortColumn,
  toWire,
} from '../lib/sorting/sort-entries.ts'
import { rememberView } from '../state/folder-views.ts'
import { currentFolderPath, landAt, setShown, shownFolder } from '../state/listing.ts'
import { prefs, setPref } from '../state/prefs.ts'
import { saveDefaults } from './user-defaults.ts'

export function chooseView(view: ViewMode): void {
  const { view: before, focus } = shownFolder()
  if (before === view && !prefs.columns) return
  if (prefs.columns) setPref('columns', false)
  setShown({ view })
  landAt(focus === null ? { kind: 'top' } : { kind: 'entry', path: focus })
  const folder = currentFolderPath()
  if (folder !== null) rememberView(folder, { view })
  saveDefaults({ viewMode: view })
}

export function chooseSort(sort: SortChoice): void {
  setShown({ sort })
  const folder = currentFolderPath()
  // How hits are ordered says nothing of folders.
  if (folder !== null && queryOf(folder) !== null) return
  if (folder !== null) rememberView(folder, { sort })
  // The server knows no order by kind or date taken; this browser remembers it for the folder.
  if (sort.column !== 'kind' && sort.column !== 'taken') saveDefaults({ sorting: toWire(sort) })
}

export function sortByColumn(column: SortColumn): void {
  chooseSort(nextChoice(shownFolder().sort, column))
}
