// What the server says of a folder, as the listing keeps it, and fetching that ahead of time.

import { ref } from 'valtio'
import type { FileEntry, FileInfo } from '../../src/api-types.ts'
import { fetchInfo } from '../api/files.ts'
import { savesData } from '../lib/page/media.ts'
import { joinPath, trimPath } from '../lib/paths.ts'
import { cachedFolder, cacheFolder, type Folder } from './folder-cache.ts'
import { changesSettled, withChanges } from './folder-changes.ts'
import { noteRights } from './rights.ts'

/** The listing with the changes that are under way in it. */
export function toFolder(vpath: string, info: FileInfo): Folder {
  const items = info.items ?? []
  const byPath = new Map<string, FileEntry>()
  const entries = items.map((item) => {
    const path = trimPath(item.path)
    const entry = path === item.path ? item : { ...item, path: joinPath(vpath, item.name) }
    byPath.set(entry.path, entry)
    return entry
  })
  noteRights(vpath, info.rights)
  return withChanges(
    ref({
      vpath,
      entries,
      byPath,
      sorting: info.sorting,
      inServerOrder: true,
      modifiedMs: Date.parse(info.modified) || 0,
      mode: info.mode,
      fetchedAtMs: Date.now(),
      taken: cachedFolder(vpath)?.taken,
    }),
  )
}

/** A search of which nothing was found yet. */
export function noHits(vpath: string): Folder {
  return ref({
    ...{ vpath, entries: [], byPath: new Map(), sorting: undefined, inServerOrder: false },
    ...{ modifiedMs: 0, mode: 0, fetchedAtMs: 0, search: 'running' },
  })
}

export function isSame(a: Folder, b: Folder): boolean {
  if (a.entries.length !== b.entries.length || a.search !== b.search) return false
  for (const entry of b.entries) {
    const old = a.byPath.get(entry.path)
    if (
      old === undefined ||
      old.modified !== entry.modified ||
      old.size !== entry.size ||
      old.type !== entry.type ||
      old.isDir !== entry.isDir
    ) {
      return false
    }
  }
  return true
}

let isPrefetching = false
/** What is fetched next: of all that were wanted meanwhile the last. */
let wanted: string | null = null
const PREFETCH_FRESH_MS = 30_000

/** Fetches a folder that will probably be opened; one at a time, never on a metered connection. */
export async function prefetchFolder(vpath: string): Promise<void> {
  if (savesData()) return
  wanted = vpath
  if (isPrefetching) return
  isPrefetching = true
  while (wanted !== null) {
    const next: string = wanted
    wanted = null
    await fetchAhead(next)
  }
  isPrefetching = false
}

/**
 * The folder as it was listed in the last half minute, else as the server lists it now.
 *
 * @throws ApiError when it cannot be listed.
 */
export async function listFolder(vpath: string, signal?: AbortSignal): Promise<Folder> {
  const cached = cachedFolder(vpath)
  if (cached !== null && Date.now() - cached.fetchedAtMs < PREFETCH_FRESH_MS) return cached
  const settled = changesSettled()
  const info = await fetchInfo(vpath, signal)
  const folder = toFolder(vpath, info)
  if (info.isDir && changesSettled() === settled) cacheFolder(folder)
  return folder
}

async function fetchAhead(vpath: string): Promise<void> {
  try {
    await listFolder(vpath)
  } catch {
    // Opening the folder will say what is wrong with it.
  }
}
