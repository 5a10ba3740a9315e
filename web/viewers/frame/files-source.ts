// The signed-in person's own files as a source for viewers.

import type { FileEntry } from '../../../src/api-types.ts'
import { apiUrl } from '../../api/client.ts'
import { fetchAll, fetchRange, fetchStream } from '../../api/content.ts'
import { fetchInfo, previewUrl, rawUrl } from '../../api/files.ts'
import { encodePath } from '../../lib/paths.ts'
import { saveUrl } from '../../lib/save-url.ts'
import { listing } from '../../state/listing.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { ownKey } from '../../state/session.ts'
import { isMadeByServer } from '../picture/image-plan.ts'
import type { FileSource } from './source.ts'

const inline = { query: { inline: true } }

function rawPath(entry: FileEntry): string {
  return `/raw${encodePath(entry.path)}`
}

/** `entriesBeside` gives what stands beside a file, in the order its listing shows it. */
export function createFilesSource(
  entriesBeside: (vpath: string, signal: AbortSignal) => Promise<readonly FileEntry[]>,
): FileSource {
  return {
    kind: 'files',
    // Several people may use this browser, and each reads a book at their own pace.
    get id() {
      return ownKey('files')
    },
    get permissions() {
      const can = abilitiesOn(listing.phase.vpath)
      const { download, rename, delete: remove, modify, share } = can
      return { download, rename, delete: remove, modify, share: share && download }
    },
    rawUrl: (entry, options) => rawUrl(entry.path, options),
    previewUrl: (entry, size) =>
      isMadeByServer(entry.name, size) ? previewUrl(entry, size) : null,
    subtitleUrl: (vpath) => apiUrl(`/subtitle${encodePath(vpath)}`, { inline: true }),
    readRange: (entry, start, end, signal, version) =>
      fetchRange(rawPath(entry), start, end, inline, signal, version),
    readAll: (entry, maxBytes, signal, version) =>
      fetchAll(rawPath(entry), maxBytes, inline, signal, version),
    readStream: (entry, signal, version) => fetchStream(rawPath(entry), inline, signal, version),
    info: fetchInfo,
    async siblings(entry, signal) {
      const items = await entriesBeside(entry.path, signal)
      return items.filter((item) => !item.isDir && item.type !== 'invalid_link')
    },
    download: (entry) => saveUrl(rawUrl(entry.path), entry.name),
  }
}
