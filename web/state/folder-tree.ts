// A tree of folders whose branches are loaded as they are opened. Plain data and functions: the move dialog
// and the sidebar draw `rowsOf`.

import { lineageOf, nameOf, parentOf, ROOT, shownName } from '../lib/paths.ts'
import { sortAside, sortNow, WORKER_FROM_ENTRIES } from '../lib/sorting/sort-queue.ts'
import type { Folder } from './folder-cache.ts'

export interface Subfolder {
  path: string
  /** Its disk does not answer. */
  unreachable?: true
}

export interface TreeRow extends Subfolder {
  name: string
  /** 1 for the root. */
  level: number
  expanded: boolean
  /** Null until its listing was fetched. */
  hasChildren: boolean | null
  /** Which of how many in its folder, from 1. */
  position: number
  siblings: number
}

export interface FolderTree {
  /** Folders by parent, sorted; a folder missing here was not fetched. */
  children: ReadonlyMap<string, readonly Subfolder[]>
  expanded: ReadonlySet<string>
}

export const emptyTree: FolderTree = { children: new Map(), expanded: new Set([ROOT]) }

/** The folders in a folder, by name; many are sorted aside. */
export async function subfoldersOf({ entries }: Pick<Folder, 'entries'>): Promise<Subfolder[]> {
  const folders = entries.filter((entry) => entry.isDir)
  const sort = folders.length > WORKER_FROM_ENTRIES ? sortAside : sortNow
  const sorted = await sort(folders, { column: 'name', ascending: true })
  return sorted.map(({ path, unreachable }) => (unreachable ? { path, unreachable } : { path }))
}

export function withChildren(
  tree: FolderTree,
  path: string,
  folders: readonly Subfolder[],
): FolderTree {
  const known = tree.children.get(path)
  const same =
    known?.length === folders.length &&
    known.every((old, i) => {
      return old.path === folders[i]?.path && old.unreachable === folders[i].unreachable
    })
  return same ? tree : { ...tree, children: new Map(tree.children).set(path, folders) }
}

export function withExpanded(tree: FolderTree, path: string, expanded: boolean): FolderTree {
  if (tree.expanded.has(path) === expanded) return tree
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
    if (!known.some((other) => other.path === folder)) {
      children.set(parent, [...known, { path: folder }])
    }
    expanded.add(parent)
  }
  if (!children.has(path)) children.set(path, [])
  return { children, expanded }
}

export function rowsOf(tree: FolderTree): TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (folder: Subfolder, level: number, position: number, siblings: number) => {
    const { path } = folder
    const folders = tree.children.get(path)
    const expanded = tree.expanded.has(path) && folders !== undefined
    const hasChildren = folders === undefined ? null : folders.length > 0
    const name = shownName(nameOf(path))
    rows.push({ ...folder, name, level, expanded, hasChildren, position, siblings })
    if (!expanded) return
    for (const [i, child] of folders.entries()) walk(child, level + 1, i + 1, folders.length)
  }
  walk({ path: ROOT }, 1, 1, 1)
  return rows
}
