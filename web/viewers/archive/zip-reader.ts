// Reads ZIP files by ranges: the list from the end of the file, single entries on demand, so that a
// 20 GB archive costs a few kilobytes. Serves archives as well as EPUB and OpenDocument files.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

export type ReadRange = (start: number, end: number) => Promise<ArrayBuffer>

export interface ZipEntry {
  /** As written in the archive, `/`-separated; ends in `/` for folders. */
  name: string
  isDir: boolean
  sizeBytes: number
  compressedBytes: number
  modified: Date
  encrypted: boolean
  method: number
  headerAt: number
}

/** The file is no ZIP, is damaged, or asks for more than a limit allows. */
export class ZipError extends Error {
  override name = 'ZipError'
  readonly reason: 'damaged' | 'too_large' | 'encrypted' | 'unsupported'
  constructor(reason: ZipError['reason']) {
    super(reason)
    this.reason = reason
  }
}

const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024

interface ZipList {
  entries: ZipEntry[]
  /** True when there are more than `maxEntries`. */
  truncated: boolean
}

/** @throws ZipError */
export async function listZip(
  read: ReadRange,
  fileBytes: number,
  maxEntries: number,
): Promise<ZipList> {
  const tailStart = Math.max(0, fileBytes - END_BYTES - MAX_COMMENT_BYTES)
  const tail = new DataView(await read(tailStart, fileBytes))
  const end = findEnd(tail)
  if (end < 0) throw new ZipError('damaged')
  let count = tail.getUint16(end + 10, true)
  let size = tail.getUint32(end + 12, true)
  let start = tail.getUint32(end + 16, true)
  if (count === 0xffff || size === 0xffffffff || start === 0xffffffff) {
    const large = await readZip64(read, tail, end)
    if (large) ({ count, size, start } = large)
  }
  if (size > MAX_DIRECTORY_BYTES) throw new ZipError('too_large')
  if (start + size > fileBytes) throw new ZipError('damaged')
  const directory = new DataView(await read(start, start + size))
  const entries: ZipEntry[] = []
  let at = 0
  while (at + 46 <= directory.byteLength && directory.getUint32(at, true) === 0x02014b50) {
    if (entries.length >= maxEntries) return { entries, truncated: true }
    const { entry, next } = readEntry(directory, at)
    entries.push(entry)
    at = next
  }
  if (entries.length === 0 && count > 0) throw new ZipError('damaged')
  return { entries, truncated: false }
}

function findEnd(tail: DataView): number {
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) {
    if (tail.getUint32(at, true) === 0x06054b50) return at
  }
  return -1
}

async function readZip64(read: ReadRange, tail: DataView, end: number) {
  const locator = end - 20
  if (locator < 0 || tail.getUint32(locator, true) !== 0x07064b50) return null
  const at = Number(tail.getBigUint64(locator + 8, true))
  const record = new DataView(await read(at, at + 56))
  if (record.byteLength < 56 || record.getUint32(0, true) !== 0x06064b50) {
    throw new ZipError('damaged')
  }
  return {
    count: Number(record.getBigUint64(32, true)),
    size: Number(record.getBigUint64(40, true)),
    start: Number(record.getBigUint64(48, true)),
  }
}

function readEntry(view: DataView, at: number): { entry: ZipEntry; next: number } {
  try {
    const flags = view.getUint16(at + 8, true)
    const nameLength = view.getUint16(at + 28, true)
    const extraLength = view.getUint16(at + 30, true)
    const commentLength = view.getUint16(at + 32, true)
    const nameBytes = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength)
    const name = decodeName(nameBytes, (flags & 0x800) !== 0).replaceAll('\\', '/')
    const wide = readWide(view, at + 46 + nameLength, extraLength, {
      sizeBytes: view.getUint32(at + 24, true),
      compressedBytes: view.getUint32(at + 20, true),
      headerAt: view.getUint32(at + 42, true),
    })
    const entry: ZipEntry = {
      name,
      isDir: name.endsWith('/'),
      ...wide,
      modified: fromDos(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
      encrypted: (flags & 1) !== 0,
      method: view.getUint16(at + 10, true),
    }
    return { entry, next: at + 46 + nameLength + extraLength + commentLength }
  } catch (error) {
    if (error instanceof RangeError) throw new ZipError('damaged')
    throw error
  }
}

type WideFields = Pick<ZipEntry, 'sizeBytes' | 'compressedBytes' | 'headerAt'>

/** Replaces fields of value 2³²−1 by those of the zip64 extra field. */
function readWide(view: DataView, start: number, length: number, fields: WideFields): WideFields {
  const wide = { ...fields }
  for (let at = start; at + 4 <= start + length; ) {
    const id = view.getUint16(at, true)
    const size = view.getUint16(at + 2, true)
    if (id === 1) {
      let from = at + 4
      for (const key of ['sizeBytes', 'compressedBytes', 'headerAt'] as const) {
        if (wide[key] !== 0xffffffff || from + 8 > at + 4 + size) continue
        wide[key] = Number(view.getBigUint64(from, true))
        from += 8
      }
    }
    at += 4 + size
  }
  return wide
}

function decodeName(bytes: Uint8Array, utf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Older programs wrote the code page of their machine without saying which.
    return new TextDecoder(utf8 ? 'utf-8' : 'windows-1252').decode(bytes)
  }
}

function fromDos(date: number, time: number): Date {
  return new Date(
    (date >> 9) + 1980,
    ((date >> 5) & 15) - 1,
    date & 31,
    time >> 11,
    (time >> 5) & 63,
    (time & 31) * 2,
  )
}

/**
 * The content of one entry, never more than `maxBytes`, whatever the archive claims.
 *
 * @throws ZipError `too_large`, `encrypted`, `unsupported` or `damaged`.
 */
export async function readZipEntry(
  read: ReadRange,
  entry: ZipEntry,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (entry.encrypted) throw new ZipError('encrypted')
  if (entry.sizeBytes > maxBytes || entry.compressedBytes > maxBytes) {
    throw new ZipError('too_large')
  }
  const header = new DataView(await read(entry.headerAt, entry.headerAt + 30))
  if (header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50) {
    throw new ZipError('damaged')
  }
  const start = entry.headerAt + 30 + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = await read(start, start + entry.compressedBytes)
  if (packed.byteLength < entry.compressedBytes) throw new ZipError('damaged')
  if (entry.method === 0) return new Uint8Array(packed)
  if (entry.method !== 8) throw new ZipError('unsupported')
  return inflate(packed, 'deflate-raw', maxBytes)
}

/** Unpacks up to `maxBytes` and stops there. @throws ZipError */
export async function inflate(
  packed: ArrayBuffer,
  format: CompressionFormat,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream(format))
    .getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.length
      if (size > maxBytes) throw new ZipError('too_large')
      chunks.push(value)
    }
  } catch (error) {
    await reader.cancel().catch(() => {})
    if (error instanceof TypeError) throw new ZipError('damaged')
    throw error
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
