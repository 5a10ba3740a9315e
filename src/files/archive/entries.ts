// What goes into an archive: the entries of a folder or a selection, under names that are safe to
// unpack, found while the archive is being sent.
import { AppError } from '../../lib/errors.ts'
import { baseName, isWithin, parentOf, ROOT, suffixOf, type VPath } from '../../lib/vpath.ts'
import { type FolderReader, MAX_OPEN_DEPTH, type OpenFile } from '../place/folder-reader.ts'
import type { DirEntry } from '../place/list-folder.ts'
import type { Scope } from '../place/scope.ts'
import type { EntryStat } from '../volume/entry-stat.ts'

/** How an entry is met by names: `steps` lead to it from the folder at `base`. */
export interface Way {
  base: VPath
  steps: readonly DirEntry[]
}

export interface FolderEntry {
  kind: 'dir'
  /** Relative, `/` separated, without a trailing slash. */
  name: string
  vpath: VPath
  /** Where it is not met by its path. */
  way?: Way
  mode: number
  mtimeMs: number
}

export interface FileEntry {
  kind: 'file'
  name: string
  vpath: VPath
  /** Where it is not met by its path. */
  way?: Way
  /**
   * Null when the file cannot be read or has gone. Whoever asked closes it. To be called before the
   * next entry is asked for. `direct`: without the pool where the disk allows it.
   */
  open(options?: { direct?: boolean }): Promise<OpenFile | null>
  /** Called once the content has been read; throws where it is another than was told of. */
  verify?(file: OpenFile): Promise<void>
}

export type ArchiveEntry = FolderEntry | FileEntry

/** Links to folders inside folders reached by links, at most; like the host's own limit. */
const MAX_LINK_DEPTH = 40

/** Told of what is left out because it cannot be read. */
export type OnLost = (vpath: VPath, error: AppError) => void

interface Walk {
  scope: Scope
  common: VPath
  signal: AbortSignal
  onLost: OnLost | undefined
}

/**
 * Yields the entries at and below `roots`, named relative to `common`, depth first in byte order.
 * `common` itself gets no entry. What may not be downloaded is left out; so are
 * unreadable, vanished and special files and links that leave the scope. Links inside the scope
 * count as what they lead to, except to a folder that contains them.
 */
export async function* archiveEntries(
  scope: Scope,
  roots: readonly VPath[],
  common: VPath,
  signal: AbortSignal,
  onLost?: OnLost,
): AsyncGenerator<ArchiveEntry, void> {
  const walk = { scope, common, signal, onLost }
  for (const root of roots) {
    if (!scope.may(root, 'pass')) continue
    const found = await lookAt(walk, root)
    if (found) yield* entriesAt(walk, root, found, [], 0)
  }
}

/** The longest common parent of the selection; the entry itself when it is a single folder. */
export function commonFolder(roots: readonly VPath[]): VPath {
  const [first, ...others] = roots
  let common = first ?? ROOT
  for (const other of others) while (!isWithin(common, other)) common = parentOf(common)
  return common
}

/** What an archive of what is selected in a folder is called, without its extension, and the folder that names in it begin at. */
export async function nameSelection(
  scope: Scope,
  folder: VPath,
  roots: readonly VPath[],
  rootName: string,
): Promise<{ common: VPath; name: string }> {
  const [only] = roots
  const common = commonFolder(roots)
  const name = baseName(common) || baseName(folder) || rootName
  if (roots.length > 1) return { common, name: `_${name}` }
  // A single file is named after itself and lies in the archive under its name.
  const isFile = only !== undefined && only !== folder && !(await isFolder(scope, only))
  return { common: isFile ? parentOf(common) : common, name }
}

async function isFolder(scope: Scope, vpath: VPath): Promise<boolean> {
  if (!scope.may(vpath, 'download')) return false
  // Missing or unreadable: the archive will be empty, as for any selected entry that is.
  const found = await scope.stat(vpath).catch(() => null)
  return found?.kind === 'dir'
}

async function* entriesAt(
  walk: Walk,
  vpath: VPath,
  found: EntryStat,
  ancestors: readonly EntryStat[],
  linkDepth: number,
): AsyncGenerator<ArchiveEntry, void> {
  const { scope, common, signal } = walk
  signal.throwIfAborted()
  const name = entryName(vpath, common)
  if (found.kind === 'file') {
    const open = () => unlessLost(walk, vpath, scope.openRead(vpath))
    if (name !== '') yield { kind: 'file', name, vpath, open }
    return
  }
  if (found.kind !== 'dir' || ancestors.some((above) => isSame(above, found))) return
  // A folder that may not be downloaded may hold what may.
  if (name !== '' && scope.may(vpath, 'download')) {
    const mtimeMs = Number(found.mtimeNs / 1_000_000n)
    yield { kind: 'dir', name, vpath, mode: found.mode, mtimeMs }
  }
  const chain = [...ancestors, found]
  // Open while files are read from it, closed before another folder is entered: depth costs nothing.
  let reader: FolderReader | null = null
  try {
    const children = (await unlessLost(walk, vpath, scope.list(vpath))) ?? []
    const segmentOf = segmentsOf(children)
    for (const child of children) {
      if (child.kind === 'file' || child.rawName) {
        reader ??= await unlessLost(walk, vpath, scope.openFolder(vpath))
        const inside = name === '' ? '' : `${name}/`
        const way = { base: vpath, steps: [child] }
        if (reader) yield* entriesIn(walk, reader, way, inside + segmentOf(child))
      } else if (child.kind === 'dir' || (child.kind === 'link' && linkDepth < MAX_LINK_DEPTH)) {
        await reader?.close()
        reader = null
        const stat = await lookAt(walk, child.vpath)
        const depth = child.kind === 'link' ? linkDepth + 1 : linkDepth
        if (stat) yield* entriesAt(walk, child.vpath, stat, chain, depth)
      }
    }
  } finally {
    await reader?.close()
  }
}

// By names alone, without an address, for what lies below a name that is not UTF-8.
async function* entriesIn(
  walk: Walk,
  folder: FolderReader,
  way: Way,
  name: string,
): AsyncGenerator<ArchiveEntry, void> {
  const entry = way.steps.at(-1) as DirEntry
  const { vpath } = entry
  walk.signal.throwIfAborted()
  if (entry.kind === 'file') {
    const open: FileEntry['open'] = (options) =>
      unlessLost(walk, vpath, folder.openRead(entry, options))
    yield { kind: 'file', name, vpath, way, open }
  }
  if (entry.kind !== 'dir') return
  if (way.steps.length > MAX_OPEN_DEPTH + 1)
    throw new AppError('too_large', `${vpath} lies too deep`, { status: 500 })
  const inner = await unlessLost(walk, vpath, folder.enter(entry))
  if (!inner) return
  try {
    if (inner.isOpen)
      yield { kind: 'dir', name, vpath, way, mode: inner.mode, mtimeMs: Math.floor(inner.mtimeMs) }
    const children = (await unlessLost(walk, vpath, inner.list())) ?? []
    const segmentOf = segmentsOf(children)
    for (const child of children) {
      const further = { base: way.base, steps: [...way.steps, child] }
      yield* entriesIn(walk, inner, further, `${name}/${segmentOf(child)}`)
    }
  } finally {
    await inner.close()
  }
}

// Unpackers on Windows take a backslash for a separator (GHSA-83xp-526h-j3ww). Dots and empty
// segments cannot occur: virtual paths have none.
export function entryName(vpath: VPath, common: VPath): string {
  const relative = common === ROOT ? vpath.slice(1) : vpath.slice(common.length + 1)
  return relative.replaceAll('\\', '_')
}

// Bytes that are no text are written as `%E4`, and so that two names stay two, `%` beside them as
// `%25`. Where a sibling is called like that in text, a number tells them apart.
function segmentsOf(siblings: readonly DirEntry[]): (entry: DirEntry) => string {
  const textOf = ({ name }: DirEntry) => name.replaceAll('\\', '_')
  const raw = siblings.filter(({ rawName }) => rawName)
  if (raw.length === 0) return textOf
  const taken = new Set(siblings.filter(({ rawName }) => !rawName).map(textOf))
  const segments = new Map<DirEntry, string>()
  for (const entry of raw) {
    const bytes = entry.rawName?.toString('latin1') ?? ''
    const wanted = bytes.replace(/[%\x80-\xff]/g, percent).replaceAll('\\', '_')
    const extension = suffixOf(wanted)
    const base = wanted.slice(0, wanted.length - extension.length)
    let segment = wanted
    for (let n = 1; taken.has(segment); n++) segment = `${base}(${n})${extension}`
    taken.add(segment)
    segments.set(entry, segment)
  }
  return (entry) => segments.get(entry) ?? textOf(entry)
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`
}

function isSame(a: EntryStat, b: EntryStat): boolean {
  return a.ino === b.ino && a.dev === b.dev
}

function lookAt(walk: Walk, vpath: VPath): Promise<EntryStat | null> {
  return unlessLost(walk, vpath, walk.scope.stat(vpath))
}

const LOST: readonly string[] = [
  'forbidden',
  'download_forbidden',
  'not_found',
  'not_mounted',
  'unsupported',
]

// Denied, gone, replaced by something else: the archive goes on without it. Anything else (no more
// descriptors, a failing disk) must not pass for a complete archive.
async function unlessLost<T>(
  { onLost }: Walk,
  vpath: VPath,
  promise: Promise<T>,
): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if (!(error instanceof AppError) || !LOST.includes(error.code)) throw error
    onLost?.(vpath, error)
    return null
  }
}
