// The tree in the sidebar: what of it is open and loaded. Folders are taken from their listings wherever
// those are fetched or changed, so the tree shows what the screen shows; closed ones are never asked for.

import { useEffect, useEffectEvent, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import { lineageOf, parentOf, ROOT } from '../../lib/paths.ts'
import { storage } from '../../lib/storage.ts'
import { type Folder, watchFolders } from '../../state/folder-cache.ts'
import {
  emptyTree,
  type FolderTree,
  rowsOf,
  subfoldersOf,
  type TreeRow,
  withChildren,
  withExpanded,
} from '../../state/folder-tree.ts'
import { listFolder } from '../../state/listed-folder.ts'
import { ownKey } from '../../state/session.ts'

const STORAGE_KEY = 'fb-open-folders'
const MAX_REMEMBERED = 200
/** Branches that load at a time: the folder that the person opens has to get through. */
const LOADS_AT_ONCE = 2

const NOTHING: ReadonlySet<string> = new Set()

function remembered(): FolderTree {
  const stored = storage.getJson(ownKey(STORAGE_KEY))
  const paths = Array.isArray(stored) ? stored.filter((path) => typeof path === 'string') : []
  return { ...emptyTree, expanded: new Set([ROOT, ...paths]) }
}

function remember(expanded: ReadonlySet<string>): void {
  const paths = [...expanded].filter((path) => path !== ROOT).slice(-MAX_REMEMBERED)
  storage.set(ownKey(STORAGE_KEY), JSON.stringify(paths))
}

/** The open folders whose listing is missing or may be wrong, from the top. */
export function foldersToLoad(
  rows: readonly TreeRow[],
  tree: FolderTree,
  stale: ReadonlySet<string>,
): string[] {
  return rows
    .filter(
      (row) => tree.expanded.has(row.path) && (row.hasChildren === null || stale.has(row.path)),
    )
    .map((row) => row.path)
}

const without = (set: ReadonlySet<string>, path: string) =>
  set.has(path) ? new Set([...set].filter((other) => other !== path)) : set

const withoutKey = <T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> =>
  map.has(key) ? new Map([...map].filter(([other]) => other !== key)) : map

export interface SidebarTree {
  /** The root is not among them. */
  rows: readonly TreeRow[]
  loading: ReadonlySet<string>
  /** Why a folder could not be listed. */
  failed: ReadonlyMap<string, unknown>
  toggle(path: string, expanded: boolean): void
}

/** Follows `here`: what is above it opens. */
export function useFolderTree(here: string | null): SidebarTree {
  const [tree, setTree] = useState(remembered)
  const [stale, setStale] = useState(NOTHING)
  const [loading, setLoading] = useState(NOTHING)
  const [failed, setFailed] = useState<ReadonlyMap<string, unknown>>(new Map())
  const rows = rowsOf(tree)

  const take = useEffectEvent(async (vpath: string, folder: Pick<Folder, 'entries'>) => {
    const folders = await subfoldersOf(folder)
    setTree((now) => withChildren(now, vpath, folders))
    setStale((now) => without(now, vpath))
    setFailed((now) => withoutKey(now, vpath))
  })

  useEffect(
    () =>
      watchFolders((vpath, folder) => {
        if (folder?.search) return
        if (folder !== null) void take(vpath, folder)
        else setStale((now) => (now.has(vpath) ? now : new Set(now).add(vpath)))
      }),
    [],
  )

  useEffect(() => {
    if (here === null || here === ROOT) return
    setTree((now) =>
      lineageOf(parentOf(here)).reduce((next, path) => withExpanded(next, path, true), now),
    )
  }, [here])

  useEffect(() => remember(tree.expanded), [tree.expanded])

  const load = useEffectEvent(async (path: string) => {
    setLoading((now) => new Set(now).add(path))
    try {
      await take(path, await listFolder(path))
    } catch (error) {
      setStale((now) => without(now, path))
      if (!isAbort(error)) setFailed((now) => new Map(now).set(path, error))
    } finally {
      setLoading((now) => without(now, path))
    }
  })
  const next = foldersToLoad(rows, tree, stale).find((path) => {
    return !loading.has(path) && !failed.has(path)
  })
  useEffect(() => {
    if (next !== undefined && loading.size < LOADS_AT_ONCE) void load(next)
  }, [next, loading.size])

  return {
    rows: rows.slice(1),
    loading,
    failed,
    toggle(path, expanded) {
      setFailed((now) => withoutKey(now, path))
      setTree((now) => withExpanded(now, path, expanded))
    },
  }
}
