// What the segments of a JPEG file say before its picture begins (ITU-T T.81, annex B).
import type { BoundedReader } from './bounded-reader.ts'
import { numberOf, openTiff, readDirectory } from './tiff.ts'

const MAX_SEGMENTS = 100
const APP1 = 0xe1
const SCAN = 0xda
export const ORIENTATION_TAG = 0x0112
/** Between C0 and CF, but no frame headers: Huffman tables, reserved, arithmetic coding. */
const NO_FRAME = [0xc4, 0xc8, 0xcc]

export interface JpegHead {
  /** As stored; turned ones are not exchanged. */
  width: number
  height: number
  /** Number of the frame header's marker: 0 baseline, 2 progressive, 3 lossless. */
  process: number
  /** Of the EXIF data, 1 to 8; undefined when they say nothing. */
  orientation: number | undefined
}

export interface JpegSegment {
  marker: number
  /** Of its marker. */
  at: number
  /** From its marker to its end. */
  bytes: number
  /** The first ones of it, 16 where it has as many. */
  head: Buffer
  isExif: boolean
}

/** The segments before the scan of the JPEG that begins at `start`; none, or fewer, where it is damaged. */
export async function* segmentsOf(
  reader: BoundedReader,
  start: number,
): AsyncGenerator<JpegSegment> {
  const soi = await reader.read(start, 2)
  if (soi[0] !== 0xff || soi[1] !== 0xd8) return
  let at = start + 2
  for (let i = 0; i < MAX_SEGMENTS; i++) {
    const head = await reader.read(at, 16)
    if (head.length < 4 || head[0] !== 0xff) return
    const marker = head.readUInt8(1)
    // Any number of FF bytes may precede a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === SCAN) return
    const bytes = 2 + head.readUInt16BE(2)
    const isExif = marker === APP1 && head.toString('latin1', 4, 10) === 'Exif\0\0'
    yield { marker, at, bytes, head, isExif }
    at += bytes
  }
}

/** Null when there is no JPEG at `start`, or no frame header where one may be. */
export async function readJpegHead(reader: BoundedReader, start: number): Promise<JpegHead | null> {
  let orientation: number | undefined
  for await (const { marker, at, head, isExif } of segmentsOf(reader, start)) {
    if (isFrame(marker)) {
      if (head.length < 9) return null
      return {
        height: head.readUInt16BE(5),
        width: head.readUInt16BE(7),
        process: marker - 0xc0,
        orientation,
      }
    }
    if (isExif) orientation ??= await readOrientation(reader, at + 10)
  }
  return null
}

/** Whether a segment of this marker says how large the picture is. */
export function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.includes(marker)
}

/** Orientation (1 to 8) in the first directory of the TIFF structure at `base`, if it says one. */
export async function readOrientation(
  reader: BoundedReader,
  base: number,
): Promise<number | undefined> {
  try {
    const tiff = await openTiff(reader, base)
    if (!tiff) return undefined
    const value = numberOf(await readDirectory(tiff.file, tiff.first), ORIENTATION_TAG)
    return value !== undefined && value >= 1 && value <= 8 ? value : undefined
  } catch (error) {
    // Damaged EXIF data do not make the picture less of one.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
