// The files of a share as a source for viewers: reading and downloading, nothing else.

import type { FileEntry } from '../../src/api-types.ts'
import { fetchAll, fetchRange, fetchStream } from '../api/content.ts'
import {
  fetchShared,
  type ShareAccess,
  sharedContent,
  sharedDownloadUrl,
  sharedPreviewUrl,
  sharedSubtitleUrl,
} from '../api/shares.ts'
import { parentOf, trimPath } from '../lib/paths.ts'
import { saveUrl } from '../lib/save-url.ts'
import type { FileSource } from '../viewers/frame/source.ts'
import { isMadeByServer } from '../viewers/picture/image-plan.ts'

/** `listSiblings` gives the entries of a folder in the order shown, or null when not at hand. */
export function createShareSource(
  access: ShareAccess,
  listSiblings: (folder: string) => readonly FileEntry[] | null,
): FileSource {
  const innerOf = (entry: Pick<FileEntry, 'path'>) => trimPath(entry.path)
  const content = (entry: FileEntry) => sharedContent(access, innerOf(entry))
  return {
    kind: 'share',
    id: `share:${access.hash}`,
    permissions: { download: true, rename: false, delete: false, modify: false, share: false },
    rawUrl: (entry, { inline }) => sharedDownloadUrl(access, innerOf(entry), { inline }),
    previewUrl: (entry, size) =>
      isMadeByServer(entry.name, size)
        ? sharedPreviewUrl(access, innerOf(entry), size, entry.modified)
        : null,
    subtitleUrl: (path) => sharedSubtitleUrl(access, trimPath(path)),
    readRange(entry, start, end, signal, version) {
      const { path, options } = content(entry)
      return fetchRange(path, start, end, options, signal, version)
    },
    readAll(entry, maxBytes, signal, version) {
      const { path, options } = content(entry)
      return fetchAll(path, maxBytes, options, signal, version)
    },
    readStream(entry, signal, version) {
      const { path, options } = content(entry)
      return fetchStream(path, options, signal, version)
    },
    async info(vpath, signal) {
      return (await fetchShared(access, vpath, signal)).info
    },
    async siblings(entry, signal) {
      const folder = parentOf(innerOf(entry))
      const listed = listSiblings(folder)
      const items = listed ?? (await fetchShared(access, folder, signal)).info.items ?? []
      return items.filter((item) => !item.isDir && item.type !== 'invalid_link')
    },
    download: (entry) => saveUrl(sharedDownloadUrl(access, innerOf(entry)), entry.name),
  }
}
