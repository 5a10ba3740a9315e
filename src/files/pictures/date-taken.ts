// When a photograph was taken, as its camera has noted: EXIF data in JPEG, TIFF, most raw files of cameras, and HEIF.
import { type BoundedReader, createBoundedReader, type Readable } from './bounded-reader.ts'
import { findExif } from './heif-exif.ts'
import { segmentsOf } from './jpeg.ts'
import { numberOf, openTiff, readDirectory } from './tiff.ts'

const BUDGET_BYTES = 128 * 1024
/** Most photographs have all of it there: one read. */
const HEAD_BYTES = 8 * 1024
const TAG = { changed: 0x0132, exif: 0x8769, original: 0x9003 }
const TIME_BYTES = 19

/** Whether files of this ending, in lower case without the dot, are looked into. */
export function mayHaveDate(extension: string): boolean {
  return EXTENSIONS.has(extension)
}

const EXTENSIONS = new Set(
  'jpg jpeg jpe jfif tif tiff heic heif hif cr2 nef arw dng orf'.split(' '),
)

/**
 * `2024-05-05T14:22:00`, in the time of the place; null where the file does not tell. Reads at most 128 KiB,
 * mostly 8 in one go.
 */
export async function readDateTaken(file: Readable): Promise<string | null> {
  const direct = createBoundedReader(file, BUDGET_BYTES)
  try {
    const head = await direct.read(0, HEAD_BYTES)
    const reader = headed(direct, head)
    const base = await findTiff(reader, head)
    return base === null ? null : await dateIn(reader, base)
  } catch (error) {
    // Damaged, or more to read than a photograph needs.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Reads what is in `head` from there. */
function headed(reader: BoundedReader, head: Buffer): BoundedReader {
  return {
    read: async (at, length) =>
      at >= 0 && at + length <= head.length
        ? head.subarray(at, at + length)
        : reader.read(at, length),
  }
}

async function findTiff(reader: BoundedReader, head: Buffer): Promise<number | null> {
  if (head.length < 16) return null
  if (head.readUInt16BE(0) === 0xffd8) {
    for await (const { at, isExif } of segmentsOf(reader, 0)) if (isExif) return at + 10
    return null
  }
  return head.toString('latin1', 4, 8) === 'ftyp' ? await findExif(reader) : 0
}

async function dateIn(reader: BoundedReader, base: number): Promise<string | null> {
  const tiff = await openTiff(reader, base)
  if (!tiff) return null
  const main = await readDirectory(tiff.file, tiff.first)
  const exifAt = numberOf(main, TAG.exif)
  const exif = exifAt === undefined ? null : await readDirectory(tiff.file, exifAt)
  const entry = exif?.entries.get(TAG.original) ?? main.entries.get(TAG.changed)
  if (!entry || entry.count < TIME_BYTES) return null
  return timeOf((await reader.read(base + entry.offset, TIME_BYTES)).toString('latin1'))
}

/** Cameras whose clock was never set write zeros or blanks. */
function timeOf(text: string): string | null {
  const found = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)$/.exec(text)
  if (!found) return null
  const time = `${found[1]}-${found[2]}-${found[3]}T${found[4]}`
  return Number.isNaN(Date.parse(`${time}Z`)) ? null : time
}
