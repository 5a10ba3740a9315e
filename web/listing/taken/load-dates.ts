// When the pictures of the open folder were taken: asked for once somebody orders them by that.

import { ref } from 'valtio'
import { fetchDatesTaken } from '../../api/pictures/dates-taken.ts'
import type { DatesTaken } from '../../lib/sorting/sort-queue.ts'
import { toastError } from '../../operations/toasts.ts'
import { cacheFolder, type Folder } from '../../state/folder-cache.ts'
import { sendToListing, shownFolder } from '../../state/listing.ts'

/** More are asked for by the folder. */
const MOST_NAMES = 1_000

/** Gives the folder shown the dates that it lacks. Never rejects. */
export async function loadDates(folder: Folder, signal: AbortSignal): Promise<void> {
  const known = folder.taken ?? new Map()
  const asked = folder.entries.filter(
    ({ path, isDir, type, modified }) =>
      !isDir && type === 'image' && known.get(path)?.modified !== modified,
  )
  if (asked.length === 0 && folder.taken !== undefined) return
  const names = asked.length > MOST_NAMES ? undefined : asked.map(({ name }) => name)
  try {
    const found =
      asked.length === 0 ? new Map() : await fetchDatesTaken(folder.vpath, names, signal)
    const taken: Map<string, { modified: string; taken: string }> = new Map(known)
    for (const { path, name, modified } of asked)
      taken.set(path, { modified, taken: found.get(name) ?? '' })
    for (const path of known.keys()) if (!folder.byPath.has(path)) taken.delete(path)
    show(folder, taken)
  } catch (error) {
    if (!signal.aborted) toastError(error)
  }
}

function show(folder: Folder, taken: DatesTaken): void {
  // Another listing of it has its own turn.
  if (shownFolder().folder !== folder) return
  const dated = ref({ ...folder, taken })
  cacheFolder(dated)
  sendToListing({ type: 'changed', folder: dated })
}
