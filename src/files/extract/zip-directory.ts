// The directory of a zip whose entries are plain, read piece by piece and not kept.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.12 to 4.3.16, 4.4, 4.5)
// https://libzip.org/specifications/extrafld.txt
import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { type ArchiveFile, bytesAt, createWindow } from './source.ts'

const END_BYTES = 22
const END64_BYTES = 56
const LOCATOR_BYTES = 20
const ENTRY_BYTES = 46
const MAX_COMMENT_BYTES = 65_535
const ENTRY_MARK = 0x02014b50
const ENCRYPTED = 1
const IS_UTF8 = 0x800
const FOLDER_OF_DOS = 0x10
const S_IFMT = 0o170000
const S_IFDIR = 0o040000

export const STORED = 0
export const DEFLATED = 8

/** An entry as the directory tells of it. */
export interface ZipEntry {
  name: string
  isFolder: boolean
  /** POSIX st_mode; 0 where nothing is said. */
  unixMode: number
  mtimeMs: number
  sizeBytes: number
  packedBytes: number
  method: number
  /** CRC-32 of the content. */
  sum: number
  /** Where it stands in the file, its own header first. */
  at: number
  /** That header and the content, at least. */
  bytes: number
}

/** Where the directory of a zip is said to be. */
export interface DirectoryPlace {
  at: number
  bytes: number
  count: number
  /** It lies right in front of what tells of it, which is the end of the file. */
  isUsual: boolean
}

/** Null without a directory. */
export async function findDirectory(file: ArchiveFile): Promise<DirectoryPlace | null> {
  const tailAt = Math.max(0, file.sizeBytes - END_BYTES - MAX_COMMENT_BYTES)
  const tail = await bytesAt(file, tailAt, file.sizeBytes - tailAt)
  const endAt = tail.lastIndexOf('PK\x05\x06', tail.length - END_BYTES, 'latin1')
  if (endAt < 0) return null
  const end = tail.subarray(endAt)
  let [count, bytes, at] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)]
  const isWhole = end.length === END_BYTES + end.readUInt16LE(20)
  const isOneDisk = end.readUInt16LE(4) === 0 && end.readUInt16LE(8) === count
  const locator = tail.subarray(Math.max(0, endAt - LOCATOR_BYTES), endAt)
  if (locator.length < LOCATOR_BYTES || locator.toString('latin1', 0, 4) !== 'PK\x06\x07') {
    const isUsual = isWhole && isOneDisk && at + bytes === tailAt + endAt
    return { at, bytes, count, isUsual }
  }
  const largeAt = Number(locator.readBigUInt64LE(8))
  const large = await bytesAt(file, largeAt, END64_BYTES)
  if (large.length < END64_BYTES || large.toString('latin1', 0, 4) !== 'PK\x06\x06')
    return { at, bytes, count, isUsual: false }
  count = Math.max(count === 0xffff ? 0 : count, Number(large.readBigUInt64LE(32)))
  bytes = Math.max(bytes === 0xffffffff ? 0 : bytes, Number(large.readBigUInt64LE(40)))
  if (at === 0xffffffff) at = Number(large.readBigUInt64LE(48))
  const isNext = largeAt + END64_BYTES + LOCATOR_BYTES === tailAt + endAt
  return { at, bytes, count, isUsual: isWhole && isNext && at + bytes === largeAt }
}

/**
 * The entries of a usual directory; `null` in their place where one is encrypted, packed in another way, or not as it is
 * usually written, and for a name that says nothing of its encoding when `encoding` does not either.
 */
export function* entriesOf(
  file: ArchiveFile,
  { at, bytes, count }: DirectoryPlace,
  encoding: string,
): Generator<ZipEntry | null, void> {
  const windowAt = createWindow(file)
  let from = at
  for (let i = 0; i < count; i++) {
    const head = windowAt(from, ENTRY_BYTES)
    if (head.length < ENTRY_BYTES || head.readUInt32LE(0) !== ENTRY_MARK) return yield null
    const lengths = [head.readUInt16LE(28), head.readUInt16LE(30), head.readUInt16LE(32)]
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = lengths
    const whole = windowAt(from, ENTRY_BYTES + nameBytes + extraBytes)
    if (whole.length < ENTRY_BYTES + nameBytes + extraBytes) return yield null
    yield entryIn(whole, nameBytes, encoding)
    from += whole.length + commentBytes
  }
  if (from !== at + bytes) yield null
}

function entryIn(whole: Buffer, nameBytes: number, encoding: string): ZipEntry | null {
  const [flags, method] = [whole.readUInt16LE(8), whole.readUInt16LE(10)]
  if (flags & ENCRYPTED || (method !== STORED && method !== DEFLATED)) return null
  const extras = extrasIn(whole.subarray(ENTRY_BYTES + nameBytes))
  const sizes = extras && sizesOf(whole, extras.get(0x0001))
  if (!sizes) return null
  const raw = whole.subarray(ENTRY_BYTES, ENTRY_BYTES + nameBytes)
  const name = (!(flags & IS_UTF8) && unicodeName(extras.get(0x7075), raw)) || textOf(raw, encoding)
  if (name === null) return null
  const unixMode = whole.readUInt32LE(38) >>> 16
  const isOfDos = whole[5] === 0
  const isFolder =
    name.endsWith('/') ||
    (unixMode & S_IFMT) === S_IFDIR ||
    (isOfDos && (whole.readUInt32LE(38) & FOLDER_OF_DOS) !== 0)
  return {
    name,
    isFolder,
    unixMode,
    mtimeMs: timeOf(extras) ?? dosTime(whole.readUInt16LE(14), whole.readUInt16LE(12)),
    sizeBytes: sizes.sizeBytes,
    packedBytes: sizes.packedBytes,
    method,
    sum: whole.readUInt32LE(16),
    at: sizes.at,
    bytes: LOCAL_BYTES + nameBytes + sizes.packedBytes,
  }
}

/** Of the header in front of the content of an entry. */
export const LOCAL_BYTES = 30

/** UTF-8 where it is that, else as it was asked for; null where nobody has. */
export function textOf(bytes: Uint8Array, encoding: string): string | null {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  return encoding === '' ? null : new TextDecoder(encoding).decode(bytes)
}

/** By their ids; null where they are cut off. */
function extrasIn(bytes: Buffer): Map<number, Buffer> | null {
  const found = new Map<number, Buffer>()
  let at = 0
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt16LE(at + 2)
    found.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return at === bytes.length ? found : null
}

/** Null where the large ones are missing. */
function sizesOf(
  whole: Buffer,
  large: Buffer | undefined,
): { sizeBytes: number; packedBytes: number; at: number } | null {
  let next = 0
  let isMissing = whole.readUInt16LE(34) !== 0
  const numberAt = (offset: number) => {
    const value = whole.readUInt32LE(offset)
    if (value !== 0xffffffff) return value
    isMissing ||= !large || large.length < next + 8
    if (!large || isMissing) return value
    next += 8
    return Number(large.readBigUInt64LE(next - 8))
  }
  const [sizeBytes, packedBytes, at] = [numberAt(24), numberAt(20), numberAt(42)]
  return isMissing ? null : { sizeBytes, packedBytes, at }
}

/** Info-ZIP's name in UTF-8, as long as it belongs to the other one. */
function unicodeName(extra: Buffer | undefined, raw: Buffer): string | null {
  if (!extra || extra.length < 5 || extra[0] !== 1) return null
  return extra.readUInt32LE(1) === crc32(raw) ? extra.toString('utf8', 5) : null
}

/** By NTFS, by the extended timestamp, or by the two of old Unix; null without any. */
function timeOf(extras: Map<number, Buffer>): number | null {
  const ntfs = extras.get(0x000a)
  // Reserved bytes, then the first of its attributes, with the time of modification first.
  if (ntfs && ntfs.length >= 32 && ntfs.readUInt16LE(4) === 1 && ntfs.readUInt16LE(6) === 24)
    return Number(ntfs.readBigUInt64LE(8) / 10_000n - 11_644_473_600_000n)
  const extended = extras.get(0x5455)
  if (extended && extended.length >= 5) return extended.readInt32LE(1) * 1000
  const old = extras.get(0x5855) ?? extras.get(0x000d)
  return old && old.length >= 8 ? old.readInt32LE(4) * 1000 : null
}

/** Of the clock of whoever made it. */
function dosTime(date: number, time: number): number {
  const [year, month, day] = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31]
  return new Date(year, month, day, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime()
}
