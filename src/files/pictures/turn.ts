// Pictures turned by what their file says of the way up, with every pixel as it was: the orientation of
// EXIF data (JPEG) and of TIFF files. https://www.cipa.jp/std/documents/download_e.html?DC-008-Translation-2023-E
import { type BoundedReader, createBoundedReader, type Readable } from './bounded-reader.ts'
import { isFrame, ORIENTATION_TAG, segmentsOf } from './jpeg.ts'
import type { Splice } from './splices.ts'
import { openTiff, readDirectory, type TiffDirectory, type TiffFile } from './tiff.ts'

/** Of directories and of one block of EXIF data. */
const BUDGET_BYTES = 512 * 1024
const MAX_SEGMENT_BYTES = 0xffff
const SHORT = 3
const ENTRY_BYTES = 12
const APP0 = 0xe0

/** What shows a picture of the orientation before it by a quarter turn clockwise. */
const NEXT = [1, 6, 7, 8, 5, 2, 3, 4, 1]

/** Orientation (1 to 8) of a picture that was turned clockwise. */
export function turnedOrientation(orientation: number, quarterTurns: number): number {
  let turned = orientation
  for (let turn = 0; turn < quarterTurns % 4; turn++) turned = NEXT[turned] ?? 1
  return turned
}

/** Why a picture cannot be turned this way. */
export class UnturnableError extends Error {}

/**
 * What to change in a JPEG or TIFF file so that it shows turned clockwise; null for other files. Throws
 * UnturnableError for damaged ones, TIFF files of several pages, and EXIF data without room.
 */
export async function turn(
  file: Readable,
  sizeBytes: number,
  quarterTurns: number,
): Promise<Splice[] | null> {
  const reader = createBoundedReader(file, BUDGET_BYTES)
  try {
    const head = await reader.read(0, 4)
    if (head.length < 4) return null
    if (head.readUInt16BE(0) === 0xffd8) return await turnJpeg(reader, quarterTurns)
    return await turnTiff(reader, sizeBytes, quarterTurns)
  } catch (error) {
    if (error instanceof RangeError) throw new UnturnableError('its head is damaged')
    throw error
  }
}

async function turnJpeg(reader: BoundedReader, quarterTurns: number): Promise<Splice[]> {
  // Behind the block of JFIF, which has to come first.
  let place = 2
  for await (const { marker, at, bytes, isExif } of segmentsOf(reader, 0)) {
    if (marker === APP0 && at === 2) place = at + bytes
    if (isFrame(marker)) return [added(place, exifSegment(turnedOrientation(1, quarterTurns)))]
    if (!isExif) continue
    const tiff = await openTiff(reader, at + 10)
    if (!tiff) throw new UnturnableError('its EXIF data are damaged')
    const directory = await readDirectory(tiff.file, tiff.first)
    const changed = changedInPlace(tiff.file, directory, quarterTurns)
    if (changed) return [changed]
    const end = at + bytes
    const { head, block } = await withOrientation(tiff, directory, end, quarterTurns)
    const length = bytes - 2 + block.length
    if (length > MAX_SEGMENT_BYTES) throw new UnturnableError('its EXIF data have no room')
    return [{ at: at + 2, removed: 2, bytes: u16(length) }, head, added(end, block)]
  }
  throw new UnturnableError('its head is damaged')
}

async function turnTiff(
  reader: BoundedReader,
  sizeBytes: number,
  quarterTurns: number,
): Promise<Splice[] | null> {
  const tiff = await openTiff(reader, 0)
  if (!tiff) return null
  const directory = await readDirectory(tiff.file, tiff.first)
  if (directory.next !== 0) throw new UnturnableError('it has several pages')
  const changed = changedInPlace(tiff.file, directory, quarterTurns)
  if (changed) return [changed]
  const { head, block } = await withOrientation(tiff, directory, sizeBytes, quarterTurns)
  return [head, added(sizeBytes, block)]
}

/** The entry that says the orientation with another value; null where there is none. */
function changedInPlace(
  { base, little }: TiffFile,
  { entries }: TiffDirectory,
  quarterTurns: number,
): Splice | null {
  const entry = entries.get(ORIENTATION_TAG)
  if (!entry) return null
  if (entry.type !== SHORT || entry.count !== 1)
    throw new UnturnableError('its orientation is written in an unknown way')
  const { value = 1 } = entry
  const now = turnedOrientation(value >= 1 && value <= 8 ? value : 1, quarterTurns)
  return { at: base + entry.offset, removed: 2, bytes: u16(now, little) }
}

/**
 * The first directory once more, with an entry for the orientation, to stand at `end`, and the head that
 * leads to it: nothing else in the file moves, so that all offsets hold.
 */
async function withOrientation(
  { file, first }: { file: TiffFile; first: number },
  { next }: TiffDirectory,
  end: number,
  quarterTurns: number,
): Promise<{ head: Splice; block: Buffer }> {
  const { reader, base, little } = file
  const numberOfEntries = await reader.read(base + first, 2)
  const count = little ? numberOfEntries.readUInt16LE() : numberOfEntries.readUInt16BE()
  const old = await reader.read(base + first + 2, count * ENTRY_BYTES)
  if (old.length < count * ENTRY_BYTES) throw new RangeError('a directory that is cut')
  // Directories begin at even offsets.
  const gap = (end - base) % 2
  const block = Buffer.alloc(gap + 2 + (count + 1) * ENTRY_BYTES + 4)
  block.set(u16(count + 1, little), gap)
  const own = Buffer.concat([
    u16(ORIENTATION_TAG, little),
    u16(SHORT, little),
    u32(1, little),
    u16(turnedOrientation(1, quarterTurns), little),
    u16(0, little),
  ])
  const all = Array.from({ length: count }, (_, n) =>
    old.subarray(n * ENTRY_BYTES, (n + 1) * ENTRY_BYTES),
  )
  const tagOf = (entry: Buffer) => (little ? entry.readUInt16LE(0) : entry.readUInt16BE(0))
  const sorted = [...all, own].sort((a, b) => tagOf(a) - tagOf(b))
  sorted.forEach((entry, n) => {
    block.set(entry, gap + 2 + n * ENTRY_BYTES)
  })
  block.set(u32(next, little), block.length - 4)
  const head = { at: base + 4, removed: 4, bytes: u32(end + gap - base, little) }
  return { head, block }
}

/** A segment of EXIF data that says nothing but how the picture is turned. */
export function exifSegment(orientation: number): Buffer {
  const segment = Buffer.from(
    'ffe100224578696600004d4d002a00000008000101120003000000010000000000000000',
    'hex',
  )
  segment.writeUInt16BE(orientation, 28)
  return segment
}

function added(at: number, bytes: Buffer): Splice {
  return { at, removed: 0, bytes }
}

function u16(value: number, little = false): Buffer {
  const bytes = Buffer.alloc(2)
  if (little) bytes.writeUInt16LE(value)
  else bytes.writeUInt16BE(value)
  return bytes
}

function u32(value: number, little: boolean): Buffer {
  const bytes = Buffer.alloc(4)
  if (little) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}
