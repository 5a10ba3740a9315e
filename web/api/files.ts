// Listings, facts and changes of files, and the addresses of their bytes. Of jobs the other calls are in jobs.ts, which
// is loaded once something takes long.

import type { FileEntry, FileInfo, RecursiveEntry, Usage } from '../../src/api-types.ts'
import type { Job, JobConflict, JobKind } from '../../src/job-types.ts'
import { boot } from '../lib/boot.ts'
import { encodePath } from '../lib/paths.ts'
import { storage } from '../lib/storage.ts'
import { ApiError, apiUrl, call, callJson, operationHeader, readJson } from './client.ts'
import { readJsonList } from './json-list.ts'
import { selectionQuery } from './selections.ts'

export type ChecksumAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** The ending of each archive format, most useful first. */
export const archiveEndings = {
  zip: '.zip',
  tar: '.tar',
  targz: '.tar.gz',
  tarbz2: '.tar.bz2',
  tarxz: '.tar.xz',
  tarlz4: '.tar.lz4',
  tarsz: '.tar.sz',
  tarbr: '.tar.br',
  tarzst: '.tar.zst',
}
export type ArchiveFormat = keyof typeof archiveEndings
/** Archive formats that the server makes, as it names them. */
export const archiveFormats = (Object.keys(archiveEndings) as ArchiveFormat[]).filter(
  (format) => !boot.MissingArchives.includes(format),
)

const LAST_FORMAT_KEY = 'fb-archive-format'

/** The format chosen last in this browser, signed in or not. */
export function lastFormat(): ArchiveFormat {
  const stored = storage.get(LAST_FORMAT_KEY)
  return archiveFormats.find((format) => format === stored) ?? 'zip'
}

export function rememberFormat(format: ArchiveFormat): void {
  storage.set(LAST_FORMAT_KEY, format)
}

/**
 * A folder with its items, or one file; small text files come with their content. `onBegun` is called when the
 * answer has begun to arrive.
 */
export async function fetchInfo(
  vpath: string,
  signal?: AbortSignal,
  onBegun?: () => void,
): Promise<FileInfo> {
  const response = await call(`/resources${encodePath(vpath)}`, { query: asEntry(vpath), signal })
  onBegun?.()
  return readJson<FileInfo>(response)
}

/** What a card of a folder shows. */
export interface FolderSummary {
  items: number
  picture: FileEntry | null
}

/** How much is in a folder, and one of its pictures. */
export async function fetchSummary(vpath: string, signal: AbortSignal): Promise<FolderSummary> {
  const query = { ...asEntry(vpath), summary: true }
  const info = await callJson<FileInfo>(`/resources${encodePath(vpath)}`, { query, signal })
  const { numDirs = 0, numFiles = 0, picture = null } = info
  return { items: numDirs + numFiles, picture }
}

/** How long a film is, in seconds; null where its head does not say. */
export async function fetchLength(vpath: string, signal: AbortSignal): Promise<number | null> {
  const query = { ...asEntry(vpath), duration: true }
  const info = await callJson<FileInfo>(`/resources${encodePath(vpath)}`, { query, signal })
  return info.duration ?? null
}

// Below this name the server would otherwise give its recursive listing.
function asEntry(vpath: string): { recursive?: false } {
  return /^\/recursive(\/|$)/.test(vpath) ? { recursive: false } : {}
}

/**
 * Everything below a folder, the content of links excepted, each with its whole path.
 *
 * @throws ApiError 400 for a file.
 */
export async function fetchTree(vpath: string, signal: AbortSignal): Promise<RecursiveEntry[]> {
  return callJson<RecursiveEntry[]>(`/resources/recursive${encodePath(vpath)}`, { signal })
}

/** Like `fetchTree`, in batches while the server walks, for folders of any size. */
export async function* streamTree(
  vpath: string,
  signal: AbortSignal,
): AsyncGenerator<RecursiveEntry[]> {
  const { body } = await call(`/resources/recursive${encodePath(vpath)}`, { signal })
  if (body !== null) yield* readJsonList<RecursiveEntry>(body)
}

/** One checksum as lower-case hex. Needs the download permission. */
export async function fetchChecksum(
  vpath: string,
  algorithm: ChecksumAlgorithm,
  signal: AbortSignal,
): Promise<string> {
  const info = await callJson<FileInfo>(`/resources${encodePath(vpath)}`, {
    query: { ...asEntry(vpath), checksum: algorithm },
    signal,
  })
  return info.checksums?.[algorithm] ?? ''
}

/** Makes a folder and the folders above it; one that exists is left alone. */
export async function createFolder(vpath: string): Promise<void> {
  await call(`/resources${encodePath(vpath)}/`, { method: 'POST' })
}

/** Makes a file, empty unless `body` is given. @throws ApiError 409 when something has this name. */
export async function createFile(
  vpath: string,
  body: Uint8Array<ArrayBuffer> | '' = '',
): Promise<void> {
  await call(`/resources${encodePath(vpath)}`, {
    method: 'POST',
    query: { override: false },
    body,
  })
}

/** Into the trash or for good, as `trash` says; `operation` joins what is deleted in one go. */
export async function deletePath(
  vpath: string,
  trash?: boolean,
  operation?: string,
): Promise<void> {
  await call(`/resources${encodePath(vpath)}`, {
    method: 'DELETE',
    query: { trash },
    headers: operationHeader(operation),
  })
}

/**
 * Deletes `entries`, `vpath` and all it was seen to hold: paths with the times of files as listed, null for
 * folders, each folder before what it holds. False when something came or changed, which stays.
 */
export async function deleteSeen(
  vpath: string,
  entries: ReadonlyMap<string, string | null>,
): Promise<boolean> {
  try {
    await call(`/resources${encodePath(vpath)}`, {
      method: 'DELETE',
      query: { seen: true },
      json: { entries: Object.fromEntries(entries) },
    })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'precondition_failed') return false
    throw error
  }
}

export interface Transfer {
  action: 'copy' | 'rename'
  from: string
  to: string
  /** Replaces what has this name; folders are merged. */
  override: boolean
}

/**
 * Copies or moves one entry. The destination is decoded twice by the server (docs/http-api.md 7.6),
 * so it goes out encoded twice: once here, once as a query value.
 *
 * @throws ApiError 409 when the name is taken and `override` is false.
 */
export async function transfer(
  what: Transfer,
  operation?: string,
  signal?: AbortSignal,
): Promise<void> {
  await call(`/resources${encodePath(what.from)}`, {
    method: 'PATCH',
    query: {
      action: what.action,
      destination: encodePath(what.to),
      override: what.override,
      rename: false,
    },
    headers: operationHeader(operation),
    signal,
  })
}

/** The bytes of a file; as a download, or `inline` with its real type. Works by cookie. */
export function rawUrl(vpath: string, options: { inline?: boolean } = {}): string {
  return apiUrl(`/raw${encodePath(vpath)}`, options.inline === true ? { inline: true } : undefined)
}

/**
 * An archive of a folder, or of some of its entries by name. Works for a few minutes when they are
 * many.
 *
 * @throws ApiError when a long selection cannot be registered.
 */
export async function archiveUrl(
  folder: string,
  names: readonly string[],
  format: ArchiveFormat,
): Promise<string> {
  const at = folder === '/' ? '/' : `${encodePath(folder)}/`
  const selected = await selectionQuery(names, '/selections')
  return apiUrl(`/raw${at}`, { algo: format, planned: 'auto', ...selected })
}

/** `full` is for formats that browsers do not read; of anything else it gives no more than `big`. */
export type PictureSize = 'thumb' | 'big' | 'full'

/** A picture of the entry: at most 256 px (`thumb`) or 1080 px (`big`) wide and high, or `full`. */
export function previewUrl(entry: Pick<FileEntry, 'path' | 'modified'>, size: PictureSize): string {
  const key = Date.parse(entry.modified) || 0
  const [made, display] = size === 'full' ? ['big', 'full'] : [size, true]
  return apiUrl(`/preview/${made}${encodePath(entry.path)}`, { inline: true, display, key })
}

/** The page of an entry with origin, for links that are copied. */
export function absoluteUrl(path: string): string {
  return new URL(path, location.origin).href
}

/** Both figures are 0 when the server cannot tell. */
export async function getUsage(folder: string, signal?: AbortSignal): Promise<Usage> {
  const path = folder.endsWith('/') ? folder : `${folder}/`
  return callJson(`/usage${encodePath(path)}`, { signal })
}

/** What takes no longer than this is over when the call is answered, in seconds. */
const WAIT_S = 1

export interface JobRequest {
  kind: JobKind
  /** Without those it is about the trash. */
  items?: readonly string[]
  to?: string
  conflict?: JobConflict
  trash?: boolean | undefined
  /** Of an archive that is made. */
  format?: ArchiveFormat
  /** What is unpacked: these paths in the archive alone, its names read in this encoding. */
  entries?: readonly string[]
  encoding?: string
  /** What is fetched. */
  url?: string
}

/**
 * Begins a job and waits a moment for its end.
 *
 * @throws ApiError when an item cannot be done: nothing is done then.
 */
export async function startJob(request: JobRequest, operation: string): Promise<Job> {
  return callJson('/jobs', {
    method: 'POST',
    query: { wait: WAIT_S },
    json: request,
    headers: operationHeader(operation),
  })
}
