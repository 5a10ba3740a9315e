// What every reader of archives gives: the list, and a way to the bytes of one entry.

import { ZipError } from './zip-reader.ts'

export interface ArchiveItem {
  /** `/`-separated, without leading slash, `.` and `..`. */
  path: string
  isDir: boolean
  sizeBytes: number
  modified: Date | null
  encrypted: boolean
}

export interface ArchiveFile {
  items: ArchiveItem[]
  /** True when the archive goes on beyond what is listed. */
  truncated: boolean
  /** @throws ZipError `too_large` beyond `maxBytes`, `encrypted`, `damaged`, `unsupported`. */
  read(item: ArchiveItem, maxBytes: number): Promise<Uint8Array<ArrayBuffer>>
}

/** The path as shown; '' for names that lead nowhere, such as `./` and `../..`. */
export function cleanPath(name: string): string {
  const parts: string[] = []
  for (const part of name.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** An archive of the entries in `places`, each with what `read` needs to find its bytes. */
export function archiveOf<Place>(
  places: ReadonlyMap<ArchiveItem, Place>,
  truncated: boolean,
  read: (place: Place, maxBytes: number) => Promise<Uint8Array<ArrayBuffer>>,
): ArchiveFile {
  return {
    items: [...places.keys()].filter(({ path }) => path !== ''),
    truncated,
    async read(item, maxBytes) {
      const place = places.get(item)
      if (place === undefined) throw new ZipError('damaged')
      if (item.sizeBytes > maxBytes) throw new ZipError('too_large')
      return read(place, maxBytes)
    },
  }
}
