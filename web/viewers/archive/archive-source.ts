// One unpacked entry of an archive as a source of its own, so that every viewer can show it.

import type { FileInfo, FileType } from '../../../src/api-types.ts'
import { ApiError } from '../../api/client.ts'
import { extensionOf } from '../../lib/file-class.ts'
import { nameOf } from '../../lib/paths.ts'
import { saveBlob } from '../../lib/save-url.ts'
import { byWord } from '../../text/by-word.ts'
import { kindOf } from '../frame/kinds.ts'
import type { FileSource, ViewerKind } from '../frame/source.ts'
import type { ArchiveFile, ArchiveItem } from './archive-item.ts'

/** Types the page may show by address. Everything else is bytes without meaning. */
const types = byWord({
  'image/jpeg': 'jpg jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/x-icon': 'ico',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4 m4v mov',
  'video/webm': 'webm',
  'video/ogg': 'ogv',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg opus',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
})

/** Pictures of one text, unpacked for it: each, and all together. */
const MAX_PICTURE_BYTES = 32 * 1024 * 1024
const MAX_PICTURES_BYTES = 128 * 1024 * 1024

export interface EntryFile {
  source: FileSource
  entry: FileInfo
  kind: ViewerKind
  release(): void
}

/** `release` frees the bytes; the source must not be used after it. */
export function createEntryFile(
  outer: FileSource,
  archive: ArchiveFile,
  archivePath: string,
  item: ArchiveItem,
  bytes: Uint8Array<ArrayBuffer>,
): EntryFile {
  const name = nameOf(`/${item.path}`)
  const extension = extensionOf(name)
  const blob = new Blob([bytes], { type: types.get(extension) ?? 'application/octet-stream' })
  const url = URL.createObjectURL(blob)
  const entry: FileInfo = {
    path: `${archivePath}/${item.path}`,
    name,
    size: bytes.length,
    extension: extension ? `.${extension}` : '',
    modified: (item.modified ?? new Date(0)).toISOString(),
    mode: 0o444,
    isDir: false,
    isSymlink: false,
    type: typeOf(bytes),
  }
  const pictures = createPictures(archive, archivePath)
  const part = (start: number, end: number) => bytes.slice(start, end).buffer
  const source: FileSource = {
    kind: 'archive',
    id: `${outer.id}:inside`,
    permissions: { download: true, rename: false, delete: false, modify: false, share: false },
    rawUrl: () => url,
    previewUrl: () => null,
    subtitleUrl: () => null,
    unpackPicture: pictures.urlOf,
    async readRange(_, start, end) {
      return part(start, Math.min(end, bytes.length))
    },
    async readAll(_, maxBytes) {
      if (bytes.length > maxBytes) throw new ApiError(413, 'too_large', '')
      return part(0, bytes.length)
    },
    async readStream() {
      return blob.stream()
    },
    async info() {
      return entry
    },
    async siblings() {
      return []
    },
    download: () => saveBlob(new Blob([bytes]), name),
  }
  return {
    source,
    entry,
    kind: kindOf(entry),
    release() {
      URL.revokeObjectURL(url)
      pictures.release()
    },
  }
}

/** The pictures a text of the archive shows, unpacked when asked for and once. */
function createPictures(archive: ArchiveFile, archivePath: string) {
  const urls = new Map<string, Promise<string | null>>()
  const made: string[] = []
  let roomBytes = MAX_PICTURES_BYTES
  let released = false

  async function unpack(vpath: string): Promise<string | null> {
    const type = types.get(extensionOf(nameOf(vpath)))
    if (released) return null
    const item = archive.items.find(
      ({ path, isDir }) => !isDir && `${archivePath}/${path}` === vpath,
    )
    if (!item || !type?.startsWith('image/')) return null
    // Several at once: the memory is taken before they are read, or together they could fill it.
    const { sizeBytes } = item
    if (sizeBytes > Math.min(MAX_PICTURE_BYTES, roomBytes)) return null
    roomBytes -= sizeBytes
    // What cannot be unpacked is missing in the text; the archive's own list says why.
    const bytes = await archive.read(item, sizeBytes).catch(() => null)
    if (!bytes) roomBytes += sizeBytes
    if (!bytes || released) return null
    const url = URL.createObjectURL(new Blob([bytes], { type }))
    made.push(url)
    return url
  }
  return {
    urlOf(vpath: string): Promise<string | null> {
      const known = urls.get(vpath)
      if (known) return known
      const url = unpack(vpath)
      urls.set(vpath, url)
      return url
    },
    release() {
      released = true
      for (const url of made) URL.revokeObjectURL(url)
    },
  }
}

/** Text when it has no NUL byte near its start, as the server decides for files without a known type. */
function typeOf(bytes: Uint8Array): FileType {
  return bytes.subarray(0, 512).includes(0) ? 'blob' : 'textImmutable'
}
