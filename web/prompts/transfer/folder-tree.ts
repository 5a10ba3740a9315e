// The folders of the tree in the move and copy dialogs, loaded as they are opened. Plain data and
// functions; the dialog renders `rows`.

import { fetchInfo } from '../../api/files.ts'
import { lineageOf, nameOf, parentOf, ROOT, trimPath } from '../../lib/paths.ts'
import { sortNow } from '../../lib/sorting/sort-queue.ts'
import { noteRights } from '../../state/rights.ts'

export interface TreeRow {
  path: string
  name: string
  /** 1 for the root. */
  level: number
  expanded: boolean
  /** Null until its listing was fetched. */
  hasChildren: boolean | null
}

interface FolderTree {
  /** Folders by parent, sorted; a folder missing here was not fetched. */
  children: ReadonlyMap<string, readonly string[]>
  expanded: ReadonlySet<string>
}

export const emptyTree: FolderTree = { children: new Map(), expanded: new Set([ROOT]) }

/** @throws ApiError when the folder cannot be listed. */
export async function fetchSubfolders(vpath: string, signal: AbortSignal): Promise<string[]> {
  const info = await fetchInfo(vpath, signal)
  noteRights(vpath, info.rights)
  const folders = (info.items ?? []).filter((item) => item.isDir)
  return sortNow(folders, { column: 'name', ascending: true }).map((item) => trimPath(item.path))
}

export function withChildren(
  tree: FolderTree,
  path: string,
  folders: readonly string[],
): FolderTree {
  return { ...tree, children: new Map(tree.children).set(path, folders) }
}

export function withExpanded(tree: FolderTree, path: string, expanded: boolean): FolderTree {
  const next = new Set(tree.expanded)
  if (expanded) next.add(path)
  else next.delete(path)
  return { ...tree, expanded: next }
}

/** A folder that was just made, shown open up to itself. */
export function withFolder(tree: FolderTree, path: string): FolderTree {
  const children = new Map(tree.children)
  const expanded = new Set(tree.expanded)
  for (const folder of lineageOf(path).slice(1)) {
    const parent = parentOf(folder)
    const known = children.get(parent) ?? []
    if (!known.includes(folder)) children.set(parent, [...known, folder])
    expanded.add(parent)
  }
  if (!children.has(path)) children.set(path, [])
  return { children, expanded }
}

export function rowsOf(tree: FolderTree): TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (path: string, level: number) => {
    const folders = tree.children.get(path)
    const expanded = tree.expanded.has(path) && folders !== undefined
    rows.push({
      path,
      name: nameOf(path),
      level,
      expanded,
      hasChildren: folders === undefined ? null : folders.length > 0,
    })
    if (expanded) for (const folder of folders) walk(folder, level + 1)
  }
  walk(ROOT, 1)
  return rows
}
