// Directories of TIFF files, which EXIF data and most camera raw files are as well.
// https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf
import type { BoundedReader } from './bounded-reader.ts'

const ENTRY_BYTES = 12
const MAX_ENTRIES = 512
/** Of one entry; offsets of pictures are few. */
const MAX_VALUES = 16
/** Bytes of a value, by the number of its type: BYTE, SHORT, LONG, UNDEFINED and IFD are read. */
const TYPE_BYTES: Record<number, number> = { 1: 1, 3: 2, 4: 4, 7: 1, 13: 4 }
/** 42, and what Olympus writes instead (`IIRO`, `IIRS`). */
const VERSIONS = [42, 0x4f52, 0x5352]

export interface TiffFile {
  reader: BoundedReader
  /** Where offsets count from. */
  base: number
  little: boolean
}

interface TiffEntry {
  /** Of its values. */
  count: number
  type: number
  /** Where the values stand, from the base. */
  offset: number
  /** The first value where it stands in the directory itself. */
  value: number | undefined
}

export interface TiffDirectory {
  entries: Map<number, TiffEntry>
  /** Offset of the next directory; 0 after the last. */
  next: number
}

/** Null when no TIFF structure begins there. */
export async function openTiff(
  reader: BoundedReader,
  base: number,
): Promise<{ file: TiffFile; first: number } | null> {
  const head = await reader.read(base, 8)
  const order = head.toString('latin1', 0, 2)
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return null
  const little = order === 'II'
  if (!VERSIONS.includes(u16(head, 2, little))) return null
  return { file: { reader, base, little }, first: u32(head, 4, little) }
}

/** Throws RangeError for what lies outside of the file or of what may be read. */
export async function readDirectory(file: TiffFile, at: number): Promise<TiffDirectory> {
  const { reader, base, little } = file
  const count = u16(await reader.read(base + at, 2), 0, little)
  if (count > MAX_ENTRIES) throw new RangeError(`a directory of ${count} entries`)
  const block = await reader.read(base + at + 2, count * ENTRY_BYTES + 4)
  const entries: TiffDirectory['entries'] = new Map()
  for (let entry = 0; entry < count * ENTRY_BYTES; entry += ENTRY_BYTES) {
    const type = u16(block, entry + 2, little)
    const values = u32(block, entry + 4, little)
    const inside = values * (TYPE_BYTES[type] ?? 8) <= 4
    entries.set(u16(block, entry, little), {
      count: values,
      type,
      offset: inside ? at + 2 + entry + 8 : u32(block, entry + 8, little),
      value: inside ? numberAt(block, entry + 8, type, little) : undefined,
    })
  }
  const end = count * ENTRY_BYTES
  // Some writers leave the end of a directory out.
  return { entries, next: block.length >= end + 4 ? u32(block, end, little) : 0 }
}

/** The value of an entry that has one; undefined when it is not there. */
export function numberOf({ entries }: TiffDirectory, tag: number): number | undefined {
  return entries.get(tag)?.value
}

/** The first values of an entry of 32-bit numbers, which may stand elsewhere in the file. */
export async function longsOf(
  { reader, base, little }: TiffFile,
  { entries }: TiffDirectory,
  tag: number,
): Promise<number[]> {
  const entry = entries.get(tag)
  if (!entry || TYPE_BYTES[entry.type] !== 4) return []
  if (entry.value !== undefined) return [entry.value]
  const count = Math.min(entry.count, MAX_VALUES)
  const bytes = await reader.read(base + entry.offset, count * 4)
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, n) => u32(bytes, n * 4, little))
}

function numberAt(bytes: Buffer, at: number, type: number, little: boolean): number {
  if (TYPE_BYTES[type] === 4) return u32(bytes, at, little)
  return TYPE_BYTES[type] === 2 ? u16(bytes, at, little) : bytes.readUInt8(at)
}

function u16(bytes: Buffer, at: number, little: boolean): number {
  return little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
}

function u32(bytes: Buffer, at: number, little: boolean): number {
  return little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
}
