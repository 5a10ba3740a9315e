// Office files are ZIP archives that libraries unpack without limits of their own. They are unpacked
// here first, within limits, and handed on as an archive in which nothing is compressed.

import type { FileEntry } from '../../../src/api-types.ts'
import { storeZip } from '../../lib/store-zip.ts'
import { listZip, readZipEntry, ZipError } from '../archive/zip-reader.ts'
import type { FileSource } from '../frame/source.ts'
import { withoutDoctype } from './doctype.ts'
import type { MarkupBudget } from './markup-limits.ts'

const MAX_PARTS = 4000
const MAX_FILE_BYTES = 64 * 1024 * 1024
/** All parts together: about what a thousand pages with pictures take. */
const MAX_TOTAL_BYTES = 192 * 1024 * 1024

/**
 * `budget` bounds the markup of all parts together, for readers on the page's own thread.
 *
 * @throws ZipError `too_large`, `encrypted`, `damaged` or `unsupported`.
 */
export async function repackOffice(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
  budget?: MarkupBudget,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = await readWhole(source, entry, MAX_FILE_BYTES, signal)
  const read = (start: number, end: number) => Promise.resolve(whole.slice(start, end))
  const { entries, truncated } = await listZip(read, whole.byteLength, MAX_PARTS)
  if (truncated) throw new ZipError('too_large')
  const parts: [string, Uint8Array<ArrayBuffer>][] = []
  let room = MAX_TOTAL_BYTES
  for (const part of entries) {
    if (part.isDir) continue
    const bytes = await readZipEntry(read, part, room)
    room -= bytes.length
    parts.push([part.name, budget && isMarkup(bytes) ? plainMarkup(bytes, budget) : bytes])
  }
  return storeZip(parts)
}

/**
 * All bytes of the file as it is by now, which may be longer than when it was listed.
 *
 * @throws ZipError `too_large` when there are more than `maxBytes`; otherwise as `readRange`.
 */
export async function readWhole(
  source: FileSource,
  entry: FileEntry,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  // One listed as too large is not fetched in vain.
  const whole =
    entry.size > maxBytes ? null : await source.readRange(entry, 0, maxBytes + 1, signal)
  if (whole === null || whole.byteLength > maxBytes) {
    throw new ZipError('too_large')
  }
  return whole
}

/** Without document type: no genuine part has one, and its entities could be a bomb. */
function plainMarkup(bytes: Uint8Array<ArrayBuffer>, budget: MarkupBudget) {
  const markup = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  budget.spend(markup)
  const plain = withoutDoctype(markup)
  return plain === markup ? bytes : new TextEncoder().encode(plain)
}

/** White space and the byte order mark. */
const BEFORE_MARKUP = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** By content, not by name: any part can be named as the document. */
function isMarkup(bytes: Uint8Array): boolean {
  const first = bytes.findIndex((byte) => !BEFORE_MARKUP.has(byte))
  return bytes[first] === 0x3c
}
