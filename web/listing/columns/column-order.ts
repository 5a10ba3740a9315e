import type { FileEntry } from '../../../src/api-types.ts'
import { fromWire } from '../../lib/sorting/sort-entries.ts'
import { sortNow, WORKER_FROM_ENTRIES } from '../../lib/sorting/sort-queue.ts'
import type { Folder } from '../../state/folder-cache.ts'
import { viewOf } from '../../state/folder-views.ts'
import { foldersFirst } from '../../state/listing-phase.ts'

/** As the folder is ordered when it is open; very large ones stay in the order of the server. */
export function inColumnOrder(folder: Folder): readonly FileEntry[] {
  const { entries, vpath, sorting } = folder
  if (entries.length > WORKER_FROM_ENTRIES) return foldersFirst(entries)
  return sortNow(entries, viewOf(vpath).sort ?? fromWire(sorting))
}
