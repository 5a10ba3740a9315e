// The flat list of an archive as folders. Many archives name no folders, so they are made up from
// the paths of the files.

import { nameOf } from '../../lib/paths.ts'
import type { ArchiveItem } from './archive-item.ts'

export interface FolderRow {
  path: string
  name: string
  /** What is shown: the name, or in search results the whole path. */
  label: string
  /** Null for folders. */
  item: ArchiveItem | null
}

const MAX_HITS = 2000
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** What lies directly in `folder` ('' is the top), folders first, by name. */
export function folderRows(items: readonly ArchiveItem[], folder: string): FolderRow[] {
  const prefix = folder ? `${folder}/` : ''
  const folders = new Map<string, FolderRow>()
  const files = new Map<string, FolderRow>()
  for (const item of items) {
    if (!item.path.startsWith(prefix)) continue
    const rest = item.path.slice(prefix.length)
    if (rest === '') continue
    const slash = rest.indexOf('/')
    const name = slash < 0 ? rest : rest.slice(0, slash)
    const path = prefix + name
    if (slash >= 0 || item.isDir) folders.set(path, { path, name, label: name, item: null })
    // A path that occurs twice: the later one is what extracting would leave.
    else files.set(path, { path, name, label: name, item })
  }
  const sort = (rows: Map<string, FolderRow>) =>
    [...rows.values()].sort((a, b) => byName.compare(a.name, b.name))
  return [...sort(folders), ...sort(files)]
}

/** Files anywhere whose path contains the text, letters compared without case. */
export function searchRows(items: readonly ArchiveItem[], text: string): FolderRow[] {
  const wanted = text.toLowerCase()
  const rows: FolderRow[] = []
  for (const item of items) {
    if (item.isDir || !item.path.toLowerCase().includes(wanted)) continue
    rows.push({ path: item.path, name: nameOf(`/${item.path}`), label: item.path, item })
    if (rows.length >= MAX_HITS) break
  }
  return rows
}
