// File objects: what the API says about one entry or a folder's entries (docs/http-api.md 6).
import type { FileEntry, FileType, Sorting } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import { baseName, parentOf, suffixOf, type VPath } from '../../lib/vpath.ts'
import type { FolderReader } from '../place/folder-reader.ts'
import type { DetailedEntry, DirEntry } from '../place/list-folder.ts'
import type { At, OpenFile, Scope } from '../place/scope.ts'
import type { EntryStat } from '../volume/entry-stat.ts'
import { toApiMode } from '../volume/file-mode.ts'
import type { ReadHandle } from '../volume/read-handle.ts'
import { type Columns, createColumns, type ListedEntry } from './columns.ts'
import {
  MAX_TEXT_BYTES,
  mediaOrText,
  typeByContent,
  typeByName,
  typeWithoutContent,
} from './file-type.ts'
import { SNIFF_BYTES } from './sniff.ts'
import type { SniffedTypes } from './sniffed-types.ts'
import { sortEntries } from './sort.ts'
import { findSubtitles, SUBTITLE_FOLDER, subtitleCandidates } from './subtitle-files.ts'
import { formatParts, toParts } from './time-format.ts'

/** Files opened at once to read their first bytes. */
const SNIFFS_IN_FLIGHT = 16
const NO_SUBTITLES: readonly VPath[] = []
const NOTHING = Buffer.alloc(0)

interface Listing {
  entries: Columns
  /** Places of the entries, in order. */
  order: number[]
  numDirs: number
  numFiles: number
}

/** Facts of one entry, `path` as the caller wants it echoed; time and mode of a link are its own. */
export function presentEntry(
  path: string,
  name: string,
  stat: EntryStat,
  type: FileType,
): FileEntry {
  const { isSymlink, sizeBytes, ownMode: mode } = stat
  const { seconds: mtimeS, nanos: mtimeNanos } = toParts(stat.ownMtimeNs)
  const isDir = stat.kind === 'dir'
  return present(path, { name, isDir, isSymlink, sizeBytes, mtimeS, mtimeNanos, mode, type })
}

/** An entry of a listing: for links the facts of the target, for broken links their own. */
export function presentListed(path: string, entry: ListedEntry): FileEntry {
  const presented = present(path, entry)
  if (entry.isUnreachable) presented.unreachable = true
  if (entry.subtitles.length > 0) presented.subtitles = [...entry.subtitles]
  return presented
}

function present(
  path: string,
  {
    name,
    sizeBytes,
    mtimeS,
    mtimeNanos,
    mode,
    isDir,
    isSymlink,
    type,
  }: Omit<ListedEntry, 'isUnreachable' | 'subtitles'>,
): FileEntry {
  return {
    path,
    name,
    size: sizeBytes,
    extension: suffixOf(name),
    modified: formatParts(mtimeS, mtimeNanos),
    mode: toApiMode(mode),
    isDir,
    isSymlink,
    type,
  }
}

/**
 * How the entries of a listing get their types: `content` opens what the name leaves open, `name`
 * trusts names alone, `media` knows media by name and calls all else text, as shares always did.
 */
export type Detection = 'content' | 'name' | 'media'

/** How a folder is listed; `types` are those of files whose content was read before. */
export interface ListingOptions {
  sorting: Sorting
  detection: Detection
  types: SniffedTypes
  signal: AbortSignal
}

/** Reads, types and sorts a folder. */
export async function readListing(
  scope: Scope,
  folder: At,
  { sorting, detection, types, signal }: ListingOptions,
): Promise<Listing> {
  const entries = createColumns()
  const besideVideos: DirEntry[] = []
  let numDirs = 0
  let videos = false
  await using reader = createSniffer(scope, folder, types)
  for await (const slice of scope.listInSlices(folder, signal)) {
    const listed = slice.map((entry) => toListed(entry, detection))
    if (detection === 'content') await sniffAll(reader, slice, listed, signal)
    for (const entry of listed) {
      if (entry.isDir) numDirs++
      videos ||= entry.type === 'video'
      entries.add(entry)
    }
    for (const entry of subtitleCandidates(slice)) besideVideos.push(entry)
  }
  if (videos) await addSubtitles(scope, entries, besideVideos)
  const order = await sortEntries(entries, sorting.by, sorting.asc)
  return { entries, order, numDirs, numFiles: entries.count() - numDirs }
}

function toListed(entry: DetailedEntry, detection: Detection): ListedEntry {
  const { kind, isSymlink, sizeBytes, mode } = entry.stat
  const { seconds: mtimeS, nanos: mtimeNanos } = toParts(entry.stat.mtimeNs)
  return {
    name: entry.name,
    isDir: kind === 'dir',
    isSymlink,
    isUnreachable: entry.isUnreachable ?? false,
    sizeBytes,
    mtimeS,
    mtimeNanos,
    mode,
    type: listedType(entry, detection),
    subtitles: NO_SUBTITLES,
  }
}

/** The type of one file, its content read where the name does not decide. */
export async function typeOf(scope: Scope, at: At, stat: EntryStat): Promise<FileType> {
  if (stat.kind === 'dir') return ''
  if (stat.kind === 'brokenLink') return 'invalid_link'
  if (stat.kind !== 'file') return 'blob'
  const name = baseName(typeof at === 'string' ? at : at.vpath)
  return (
    typeByName(name, stat.sizeBytes) ??
    typeByContent(name, stat.sizeBytes, await readHead(scope, at))
  )
}

/** Subtitles beside a video, by the rules of docs/http-api.md 6.5. */
export async function subtitlesOf(scope: Scope, vpath: VPath): Promise<VPath[]> {
  const folder = parentOf(vpath)
  const entries = await scope.list(folder)
  return findSubtitles(baseName(vpath), entries, await subtitleFolders(scope, entries))
}

/**
 * The text of a file for `content`: at most 10 MiB. Invalid UTF-8 becomes U+FFFD as in the
 * original; editors of ours read the bytes instead.
 */
export async function readText(scope: Scope, at: At): Promise<string> {
  const file = await scope.openRead(at)
  try {
    if (file.sizeBytes > MAX_TEXT_BYTES)
      throw new AppError('too_large', `${file.vpath} is too long`)
    return (await file.handle.readFile()).toString('utf8')
  } finally {
    await file.handle.close()
  }
}

/** The first bytes of a file, as many as type detection needs; empty when it cannot be read. */
export async function readHead(scope: Scope, at: At): Promise<Buffer> {
  return (await headOf(() => scope.openRead(at, 'see'))) ?? NOTHING
}

// Unreadable, vanished or not a regular file: null, and typed by name alone, like the original.
async function headOf(open: () => Promise<OpenFile>): Promise<Buffer | null> {
  let handle: ReadHandle | undefined
  try {
    handle = (await open()).handle
    const buffer = Buffer.alloc(SNIFF_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, SNIFF_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch {
    return null
  } finally {
    await handle?.close()
  }
}

function listedType(entry: DetailedEntry, detection: Detection): FileType {
  const { kind, sizeBytes } = entry.stat
  if (kind === 'dir') return ''
  if (kind === 'brokenLink') return 'invalid_link'
  if (kind !== 'file') return 'blob'
  if (detection === 'media') return mediaOrText(entry.name, sizeBytes)
  // What content decides is a blob until it was read.
  if (detection === 'content') return typeByName(entry.name, sizeBytes) ?? 'blob'
  return typeWithoutContent(entry.name, sizeBytes)
}

/** Tells types by content. The folder is opened once for all that is read in it, and not before. */
function createSniffer(scope: Scope, folder: At, types: SniffedTypes) {
  let opened: Promise<FolderReader> | undefined
  return {
    /** What is known without a read. */
    known: (entry: DetailedEntry): FileType | undefined =>
      // An empty file is text whatever its name.
      entry.stat.sizeBytes === 0 ? 'text' : types.get(entry),
    async read(entry: DetailedEntry): Promise<FileType> {
      opened ??= scope.openFolder(folder)
      const reader = await opened
      const open = () =>
        entry.stat.isSymlink
          ? scope.openRead(entry.vpath, 'see')
          : reader.openRead(entry, { direct: true, verb: 'see' })
      const head = await headOf(open)
      const type = typeByContent(entry.name, entry.stat.sizeBytes, head ?? NOTHING)
      if (head) types.note(entry, type)
      return type
    },
    async [Symbol.asyncDispose]() {
      const reader = await opened?.catch(() => undefined)
      await reader?.close()
    },
  }
}

/** Gives those of a slice whose names leave it open the types of their content. */
async function sniffAll(
  sniffer: ReturnType<typeof createSniffer>,
  slice: readonly DetailedEntry[],
  listed: readonly ListedEntry[],
  signal: AbortSignal,
): Promise<void> {
  const unknown: { entry: DetailedEntry; told: ListedEntry }[] = []
  for (const [i, entry] of slice.entries()) {
    if (entry.stat.kind !== 'file' || typeByName(entry.name, entry.stat.sizeBytes)) continue
    const told = listed[i] as ListedEntry
    const known = sniffer.known(entry)
    if (known) told.type = known
    else unknown.push({ entry, told })
  }
  for (let i = 0; i < unknown.length; i += SNIFFS_IN_FLIGHT) {
    signal.throwIfAborted()
    await Promise.all(
      unknown.slice(i, i + SNIFFS_IN_FLIGHT).map(async ({ entry, told }) => {
        told.type = await sniffer.read(entry)
      }),
    )
  }
}

async function addSubtitles(
  scope: Scope,
  entries: Columns,
  candidates: readonly DirEntry[],
): Promise<void> {
  if (candidates.length === 0) return
  const folders = await subtitleFolders(scope, candidates)
  for (let at = 0; at < entries.count(); at++)
    if (entries.typeAt(at) === 'video')
      entries.setSubtitles(at, findSubtitles(entries.nameAt(at), candidates, folders))
}

// `subs` and `subtitles` folders with one more level, read once for all videos of a folder.
async function subtitleFolders(
  scope: Scope,
  entries: readonly DirEntry[],
): Promise<Map<VPath, DirEntry[]>> {
  const folders = new Map<VPath, DirEntry[]>()
  for (const { name, vpath, kind } of entries) {
    if (kind !== 'dir' || !SUBTITLE_FOLDER.test(name)) continue
    const inside = await listOrNothing(scope, vpath)
    folders.set(vpath, inside)
    for (const child of inside)
      if (child.kind === 'dir') folders.set(child.vpath, await listOrNothing(scope, child.vpath))
  }
  return folders
}

async function listOrNothing(scope: Scope, vpath: VPath): Promise<DirEntry[]> {
  try {
    return await scope.list(vpath)
  } catch (error) {
    // A subtitle folder that cannot be read must not fail the listing of the film.
    if (error instanceof AppError) return []
    throw error
  }
}

/** `parent` + `/` + name, for the `path` of listing items. */
export function childPath(parent: string, name: string): string {
  return parent.endsWith('/') ? parent + name : `${parent}/${name}`
}
