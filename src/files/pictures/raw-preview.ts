// The JPEG pictures that cameras put into their raw files, found without reading the raw data: TIFF
// directories (CR2, NEF, ARW, DNG, ORF), boxes (CR3) or a fixed header (RAF). Real files of cameras
// were not at hand; the structures are those that https://exiftool.org/TagNames and
// https://github.com/lclevy/canon_cr3 describe.
import { type BoundedReader, createBoundedReader, type Readable } from './bounded-reader.ts'
import { type Box, listBoxes } from './boxes.ts'
import { type JpegHead, readJpegHead, readOrientation } from './jpeg.ts'
import {
  longsOf,
  numberOf,
  openTiff,
  readDirectory,
  type TiffDirectory,
  type TiffFile,
} from './tiff.ts'

/** Of directories and of heads of pictures in all. */
const BUDGET_BYTES = 512 * 1024
const MAX_DIRECTORIES = 24
const MAX_CANDIDATES = 24
/** Lossless JPEG (process 3) is raw data. */
const SHOWN_PROCESSES = [0, 1, 2]

const TAG = {
  compression: 0x103,
  stripOffsets: 0x111,
  orientation: 0x112,
  stripBytes: 0x117,
  subDirectories: 0x14a,
  jpegOffset: 0x201,
  jpegBytes: 0x202,
  exif: 0x8769,
  makerNote: 0x927c,
  olympusCamera: 0x2020,
  olympusStart: 0x101,
  olympusBytes: 0x102,
}
const JPEG_COMPRESSIONS = [6, 7]

interface Candidate {
  offset: number
  sizeBytes: number
}

interface RawPreview extends Candidate {
  width: number
  height: number
  /** 1 to 8, as EXIF has it; of the picture itself or of the file around it. */
  orientation: number
}

/**
 * The smallest picture in a raw file that has `wantedSide` pixels on its longer side, or else the
 * largest. Null when there is none.
 */
export async function findRawPreview(
  file: Readable,
  fileBytes: number,
  wantedSide: number,
): Promise<RawPreview | null> {
  const reader = createBoundedReader(file, BUDGET_BYTES)
  const found: RawPreview[] = []
  try {
    const { candidates, orientation } = await listCandidates(reader, fileBytes)
    for (const { offset, sizeBytes } of candidates.slice(0, MAX_CANDIDATES)) {
      if (sizeBytes < 4 || offset + sizeBytes > fileBytes) continue
      const head = await headOf(reader, offset)
      if (!head || !SHOWN_PROCESSES.includes(head.process)) continue
      const { width, height } = head
      found.push({ offset, sizeBytes, width, height, orientation: head.orientation ?? orientation })
    }
  } catch (error) {
    // More to read than a raw file needs: what was found so far is as good.
    if (!(error instanceof RangeError)) throw error
  }
  found.sort((a, b) => a.width * a.height - b.width * b.height)
  return found.find((one) => Math.max(one.width, one.height) >= wantedSide) ?? found.at(-1) ?? null
}

async function headOf(reader: BoundedReader, offset: number): Promise<JpegHead | null> {
  try {
    return await readJpegHead(reader, offset)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

interface Found {
  candidates: Candidate[]
  orientation: number
}

async function listCandidates(reader: BoundedReader, fileBytes: number): Promise<Found> {
  const head = await reader.read(0, 96)
  if (head.toString('latin1', 0, 16) === 'FUJIFILMCCD-RAW ' && head.length >= 92) {
    const picture = { offset: head.readUInt32BE(84), sizeBytes: head.readUInt32BE(88) }
    return { candidates: [picture], orientation: 1 }
  }
  if (head.toString('latin1', 4, 8) === 'ftyp') return inBoxes(reader, fileBytes)
  const tiff = await openTiff(reader, 0)
  return tiff ? inDirectories(tiff.file, tiff.first) : { candidates: [], orientation: 1 }
}

/** All directories, those below others as well, each once. */
async function inDirectories(file: TiffFile, first: number): Promise<Found> {
  const candidates: Candidate[] = []
  const waiting = [first]
  const seen = new Set<number>([0])
  let orientation: number | undefined
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (seen.has(at) || seen.size > MAX_DIRECTORIES) continue
    seen.add(at)
    try {
      const directory = await readDirectory(file, at)
      orientation ??= numberOf(directory, TAG.orientation)
      candidates.push(...picturesIn(directory), ...(await olympusPicture(file, directory)))
      waiting.push(directory.next, ...(await longsOf(file, directory, TAG.subDirectories)))
      const exif = numberOf(directory, TAG.exif)
      if (exif !== undefined) waiting.push(exif)
    } catch (error) {
      // Damaged, or of another kind than it seems: the others stand for themselves.
      if (!(error instanceof RangeError)) throw error
    }
  }
  const turned = orientation !== undefined && orientation >= 1 && orientation <= 8
  return { candidates, orientation: turned ? (orientation as number) : 1 }
}

function picturesIn(directory: TiffDirectory): Candidate[] {
  const pairs: [number, number][] = [[TAG.jpegOffset, TAG.jpegBytes]]
  if (JPEG_COMPRESSIONS.includes(numberOf(directory, TAG.compression) ?? 0))
    pairs.push([TAG.stripOffsets, TAG.stripBytes])
  return pairs.flatMap(([offsetTag, bytesTag]) => {
    const offset = numberOf(directory, offsetTag)
    const sizeBytes = numberOf(directory, bytesTag)
    return offset && sizeBytes ? [{ offset, sizeBytes }] : []
  })
}

/** Olympus keeps its picture in the notes of the camera, with offsets from where they begin. */
async function olympusPicture(file: TiffFile, directory: TiffDirectory): Promise<Candidate[]> {
  const note = directory.entries.get(TAG.makerNote)
  if (!note || note.count < 16) return []
  const begin = file.base + note.offset
  const head = (await file.reader.read(begin, 16)).toString('latin1')
  const first = head.startsWith('OLYMPUS\0') ? 12 : head.startsWith('OM SYSTEM\0') ? 16 : 0
  if (first === 0) return []
  const notes = { ...file, base: begin }
  const camera = (await readDirectory(notes, first)).entries.get(TAG.olympusCamera)
  if (!camera) return []
  const settings = await readDirectory(notes, camera.value ?? camera.offset)
  const offset = numberOf(settings, TAG.olympusStart)
  const sizeBytes = numberOf(settings, TAG.olympusBytes)
  return offset && sizeBytes ? [{ offset: begin + offset, sizeBytes }] : []
}

const CANON_METADATA = '85c0b687820f11e08111f4ce462b6a48'
const CANON_PREVIEW = 'eaf42b5e1c984b88b9fbb7dc406e4d16'
const UUID_BYTES = 16

/** CR3: a preview in a box of its own, and a picture in full size as the first track. */
async function inBoxes(reader: BoundedReader, fileBytes: number): Promise<Found> {
  const candidates: Candidate[] = []
  let orientation = 1
  const inside = (box: Box) => listBoxes(reader, box.start, box.end)
  for (const box of await listBoxes(reader, 0, fileBytes)) {
    if (box.type === 'uuid' && (await uuidOf(reader, box)) === CANON_PREVIEW) {
      // Eight bytes, then a box: eight of head, eight of size and flags, four of bytes, the picture.
      const at = box.start + UUID_BYTES + 8
      const head = await reader.read(at, 24)
      if (head.toString('latin1', 4, 8) === 'PRVW' && head.length === 24)
        candidates.push({ offset: at + 24, sizeBytes: head.readUInt32BE(20) })
    }
    if (box.type !== 'moov') continue
    for (const part of await inside(box)) {
      if (part.type === 'uuid' && (await uuidOf(reader, part)) === CANON_METADATA) {
        const metadata = await listBoxes(reader, part.start + UUID_BYTES, part.end)
        const tiff = metadata.find(({ type }) => type === 'CMT1')
        if (tiff) orientation = (await readOrientation(reader, tiff.start)) ?? orientation
      }
      if (part.type === 'trak') candidates.push(...(await firstSample(reader, part)))
    }
  }
  return { candidates, orientation }
}

async function uuidOf(reader: BoundedReader, box: Box): Promise<string> {
  return (await reader.read(box.start, UUID_BYTES)).toString('hex')
}

/** Where the first sample of a track is and how long (ISO/IEC 14496-12, 8.7). */
async function firstSample(reader: BoundedReader, track: Box): Promise<Candidate[]> {
  let box: Box | undefined = track
  for (const type of ['mdia', 'minf', 'stbl']) {
    if (!box) return []
    box = (await listBoxes(reader, box.start, box.end)).find((part) => part.type === type)
  }
  if (!box) return []
  const parts = await listBoxes(reader, box.start, box.end)
  const sizes = parts.find(({ type }) => type === 'stsz')
  const offsets = parts.find(({ type }) => type === 'co64')
  if (!sizes || !offsets) return []
  const sizeHead = await reader.read(sizes.start, 16)
  const offsetHead = await reader.read(offsets.start, 16)
  // One size for all samples, or else a list.
  const sizeBytes = sizeHead.readUInt32BE(4) || sizeHead.readUInt32BE(12)
  return [{ offset: Number(offsetHead.readBigUInt64BE(8)), sizeBytes }]
}
