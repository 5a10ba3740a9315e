// How long a film is, from its head: for the tiles of a gallery. Whatever the file holds, at most 64 KiB are read.
import { type BoundedReader, createBoundedReader, type Readable } from './bounded-reader.ts'
import { listBoxes } from './boxes.ts'

const BUDGET_BYTES = 64 * 1024
const MAX_ELEMENTS = 64
/** No file is as long; what is damaged says anything. */
const MAX_SECONDS = 1_000_000

/** In seconds; null when the format is unknown, does not say it, or is damaged. */
export async function readFilmLength(file: Readable): Promise<number | null> {
  const reader = createBoundedReader(file, BUDGET_BYTES)
  try {
    const head = await reader.read(0, 16)
    const isBoxed = ['ftyp', 'moov', 'wide', 'mdat'].includes(head.toString('latin1', 4, 8))
    const seconds = isBoxed ? await ofMovie(reader) : await ofMatroska(reader, head)
    return seconds !== null && seconds > 0 && seconds < MAX_SECONDS ? seconds : null
  } catch (error) {
    // An offset beyond what is there, or more to read than a head needs.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** MP4 and QuickTime: the movie header (ISO/IEC 14496-12, 8.2.2). */
async function ofMovie(reader: BoundedReader): Promise<number | null> {
  const moov = await findBox(reader, 'moov', 0, Number.MAX_SAFE_INTEGER - 16)
  const mvhd = moov && (await findBox(reader, 'mvhd', moov.start, moov.end))
  if (!mvhd) return null
  const bytes = await reader.read(mvhd.start, 32)
  const isLong = bytes.readUInt8(0) === 1
  const scale = bytes.readUInt32BE(isLong ? 20 : 12)
  const duration = isLong ? Number(bytes.readBigUInt64BE(24)) : bytes.readUInt32BE(16)
  return scale === 0 ? null : duration / scale
}

async function findBox(reader: BoundedReader, type: string, start: number, end: number) {
  return (await listBoxes(reader, start, end)).find((box) => box.type === type)
}

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489

/** WebM and Matroska: `Duration` of the segment's information (RFC 9559, 5.1.2). */
async function ofMatroska(reader: BoundedReader, head: Buffer): Promise<number | null> {
  if (head.length < 16 || head.readUInt32BE(0) !== EBML) return null
  const end = Number.MAX_SAFE_INTEGER - 16
  const segment = await findElement(reader, [SEGMENT], 0, end)
  const info = segment && (await findElement(reader, [INFO], segment.start, segment.end))
  if (!info) return null
  let scaleNs = 1_000_000
  for (let at = info.start; at < info.end; ) {
    const found = await findElement(reader, [TIMESTAMP_SCALE, DURATION], at, info.end)
    if (!found) return null
    const length = found.end - found.start
    if (length > 8) return null
    const bytes = await reader.read(found.start, length)
    if (found.id === TIMESTAMP_SCALE) scaleNs = length > 6 ? 0 : bytes.readUIntBE(0, length)
    else {
      const ticks = length === 8 ? bytes.readDoubleBE(0) : bytes.readFloatBE(0)
      return (ticks * scaleNs) / 1e9
    }
    at = found.end
  }
  return null
}

interface Element {
  id: number
  start: number
  end: number
}

/** The first element with one of the ids in a part of the file. */
async function findElement(
  reader: BoundedReader,
  ids: readonly number[],
  start: number,
  end: number,
): Promise<Element | null> {
  for (let at = start, count = 0; at < end && count < MAX_ELEMENTS; count++) {
    const head = await reader.read(at, 12)
    if (head.length < 2) return null
    const idBytes = Math.clz32(head.readUInt8(0)) - 23
    if (idBytes > 4) return null
    const id = head.readUIntBE(0, idBytes)
    const sizeBytes = Math.clz32(head.readUInt8(idBytes)) - 23
    if (sizeBytes > 8) return null
    const size = sizeOf(head.subarray(idBytes, idBytes + sizeBytes))
    const from = at + idBytes + sizeBytes
    const to = size === null ? end : Math.min(end, from + size)
    if (ids.includes(id)) return { id, start: from, end: to }
    at = to
  }
  return null
}

/** A number of variable length without its marker (RFC 8794, 4); null when all bits are set: unknown. */
function sizeOf(bytes: Buffer): number | null {
  const marker = 1 << (8 - bytes.length)
  let value = bytes.readUInt8(0) & (marker - 1)
  let isUnknown = value === marker - 1
  for (const byte of bytes.subarray(1)) {
    value = value * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return isUnknown ? null : value
}
