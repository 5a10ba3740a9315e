// What lies in an entry of the trash as a source for viewers.

import { fetchAll, fetchRange, fetchStream } from '../../api/content.ts'
import { deletedContent, deletedUrl, readDeleted } from '../../api/trash.ts'
import { parentOf } from '../../lib/paths.ts'
import { saveUrl } from '../../lib/save-url.ts'
import type { FileSource } from '../../viewers/frame/source.ts'

/** `path` is where the entry was: the paths in it begin with it. */
export function createTrashSource(id: string, path: string, download: boolean): FileSource {
  const below = (vpath: string) => vpath.slice(path.length)
  const content = (vpath: string) => {
    const { path: at, query } = deletedContent(id, below(vpath))
    return [at, { query }] as const
  }
  return {
    kind: 'trash',
    id: `trash:${id}`,
    permissions: { download, rename: false, delete: false, modify: false, share: false },
    rawUrl: (entry, options) => deletedUrl(id, below(entry.path), options),
    // Pictures are made of files that have a place.
    previewUrl: () => null,
    subtitleUrl: () => null,
    readRange(entry, start, end, signal, version) {
      const [at, options] = content(entry.path)
      return fetchRange(at, start, end, options, signal, version)
    },
    readAll(entry, maxBytes, signal, version) {
      const [at, options] = content(entry.path)
      return fetchAll(at, maxBytes, options, signal, version)
    },
    readStream(entry, signal, version) {
      const [at, options] = content(entry.path)
      return fetchStream(at, options, signal, version)
    },
    info: (vpath, signal) => readDeleted(id, below(vpath), signal),
    async siblings(entry, signal) {
      if (entry.path === path) return []
      const { items = [] } = await readDeleted(id, below(parentOf(entry.path)), signal)
      return items.filter((item) => !item.isDir && item.type !== 'invalid_link')
    },
    download: (entry) => saveUrl(deletedUrl(id, below(entry.path)), entry.name),
  }
}
