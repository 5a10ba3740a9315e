// Files that are ZIP archives of parts (EPUB, OpenDocument): parts by name, with limits that no
// genuine document reaches.

import type { FileEntry } from '../../../src/api-types.ts'
import { OneVersion } from '../../api/content.ts'
import {
  listZip,
  type ReadRange,
  readZipEntry,
  type ZipEntry,
  ZipError,
} from '../archive/zip-reader.ts'
import type { FileSource } from '../frame/source.ts'
import { withoutDoctype, withoutEntities } from './doctype.ts'
import { createMarkupBudget, MAX_MARKUP_BYTES } from './markup-limits.ts'

const MAX_PARTS = 20_000
/** Of one part, unpacked. */
const MAX_PART_BYTES = 64 * 1024 * 1024
/** Of all parts read for what is shown at one time. */
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
/** Up to this size the whole file is fetched at once, which is quicker than many ranges. */
const WHOLE_BYTES = 8 * 1024 * 1024

export interface PackageFile {
  has(name: string): boolean
  /** @throws ZipError when the part is missing, damaged or beyond a limit. */
  bytes(name: string): Promise<Uint8Array<ArrayBuffer>>
  /** As much as the page can hold, or ZipError `too_large`. */
  text(name: string): Promise<string>
  /** Parsed; a part that is no XML throws ZipError `damaged`. Entities of a DTD are not expanded. */
  xml(name: string): Promise<Document>
  /**
   * The same parts with the whole room for them again: for a reader that gives the parts before free,
   * as a book does that is paged through.
   */
  afresh(): PackageFile
}

/**
 * What is read of it later, too, is of the file as it was at first.
 *
 * @throws ZipError when it is no package or damaged; ApiError when the file cannot be read.
 */
export async function openPackage(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<PackageFile> {
  const version = new OneVersion()
  const fetched: ReadRange = (start, end) => source.readRange(entry, start, end, signal, version)
  // Of a large file its first byte, which tells the size it has by now.
  const head = await fetched(0, entry.size <= WHOLE_BYTES ? WHOLE_BYTES : 1)
  const sizeBytes = version.sizeBytes ?? entry.size
  const read: ReadRange =
    head.byteLength < sizeBytes ? fetched : async (start, end) => head.slice(start, end)
  const { entries } = await listZip(read, sizeBytes, MAX_PARTS)
  const byName = new Map<string, ZipEntry>(entries.map((part) => [part.name, part]))
  return packageOf(read, byName)
}

function packageOf(read: ReadRange, byName: ReadonlyMap<string, ZipEntry>): PackageFile {
  let totalBytes = 0

  async function unpack(name: string, maxBytes: number) {
    const part = byName.get(name)
    if (!part) throw new ZipError('damaged')
    // Several at once: the room is taken before they are read, or together they could exceed it.
    const claimed = Math.max(part.sizeBytes, part.compressedBytes)
    if (claimed > Math.min(maxBytes, MAX_TOTAL_BYTES - totalBytes)) {
      throw new ZipError('too_large')
    }
    totalBytes += claimed
    let takenBytes = 0
    try {
      const content = await readZipEntry(read, part, claimed)
      takenBytes = content.length
      return content
    } finally {
      totalBytes -= claimed - takenBytes
    }
  }
  async function text(name: string) {
    const content = new TextDecoder().decode(await unpack(name, MAX_MARKUP_BYTES))
    createMarkupBudget().spend(content)
    return content
  }
  return {
    has: (name) => byName.has(name),
    bytes: (name) => unpack(name, MAX_PART_BYTES),
    text,
    async xml(name) {
      const content = await text(name)
      const plain = withoutEntities(withoutDoctype(content))
      const parsed = new DOMParser().parseFromString(plain, 'text/xml')
      if (parsed.querySelector('parsererror')) throw new ZipError('damaged')
      return parsed
    },
    afresh: () => packageOf(read, byName),
  }
}

/** `href` as written in the part `from`, as the name of a part; null when it leads outside. */
export function resolvePart(from: string, href: string): { name: string; fragment: string } | null {
  const base = 'https://package.invalid/'
  try {
    const url = new URL(href, base + from.split('/').map(encodeURIComponent).join('/'))
    if (url.origin !== new URL(base).origin) return null
    return {
      name: decodeURIComponent(url.pathname.slice(1)),
      fragment: decodeURIComponent(url.hash.slice(1)),
    }
  } catch {
    return null
  }
}
