// A picture turned or cropped in its own format. Runs in the preview process only.
import { type FileHandle, open } from 'node:fs/promises'
import type { Metadata, Sharp } from 'sharp'
import sharp from 'sharp'
import { createBoundedReader, readerOf } from '../pictures/bounded-reader.ts'
import { segmentsOf } from '../pictures/jpeg.ts'
import { openTiff, readDirectory, type TiffFile } from '../pictures/tiff.ts'
import { MAX_BODY_BYTES, type PictureEdit, PreviewError, type PreviewJob } from './protocol.ts'

/** Of formats that lose something whenever they are written; nothing of it is seen at this one. */
const QUALITY = 95
const EDIT_SECONDS = 30
/** What is in memory whatever the picture; measured. */
const WORK_BYTES = 40 * 1024 * 1024
/** Bytes a pixel that the encoder of WebP holds, and at most those of a good JPEG. */
const WEBP_PIXEL_BYTES = 12
const JPEG_PIXEL_BYTES = 1.5
const MAX_CHUNKS = 256

/**
 * Turns and crops what `path` leads to: JPEG, PNG and WebP, with its colour profile and EXIF data, which say
 * afterwards that it is upright. PNG and lossless WebP keep each pixel. Throws PreviewError: `unsupported`
 * for animations, pictures for print (CMYK) and other formats.
 */
export async function editPicture(
  { memoryBytes }: Pick<PreviewJob, 'memoryBytes'>,
  edit: PictureEdit,
  path: string,
): Promise<{ contentType: string; bytes: Uint8Array }> {
  const { quarterTurns, crop } = edit
  const image = sharp(path, {
    failOn: 'error',
    // Checked below.
    limitInputPixels: false,
    sequentialRead: true,
    // The numbers stay as they are, and the profile that gives them a meaning with them.
    ignoreIcc: true,
    autoOrient: true,
  })
  const metadata = await image.metadata()
  const form = await formOf(metadata, path)
  requireRoom(memoryBytes, form, metadata, edit)
  if (quarterTurns > 0) image.rotate(quarterTurns * 90)
  if (crop) {
    const { width, height } = shownSize(metadata, quarterTurns)
    if (crop.left + crop.width > width || crop.top + crop.height > height)
      throw new PreviewError('unsupported', `the picture has ${width}x${height} pixels`)
    image.extract(crop)
  }
  inOwnColours(image, metadata).keepExif().keepIccProfile().timeout({ seconds: EDIT_SECONDS })
  const written = await encodeAs(image, form, metadata)
  const bytes = form === 'jpeg' ? await withoutOldPictures(written) : written
  if (bytes.length > MAX_BODY_BYTES) throw new PreviewError('too_large', `${bytes.length} bytes`)
  return { contentType: `image/${form.split('-', 1)}`, bytes }
}

type Form = 'jpeg' | 'png' | 'webp' | 'webp-lossless'

async function formOf({ format, space, pages = 1 }: Metadata, path: string): Promise<Form> {
  if (format !== 'jpeg' && format !== 'png' && format !== 'webp')
    throw new PreviewError('unsupported', `a picture of the format ${format}`)
  if (pages > 1) throw new PreviewError('unsupported', 'an animation')
  if (space === 'cmyk') throw new PreviewError('unsupported', 'a picture for print')
  if (format === 'jpeg') return 'jpeg'
  const file = await open(path, 'r')
  try {
    const chunks = await chunksOf(file, format)
    if (chunks.includes('acTL')) throw new PreviewError('unsupported', 'an animation')
    return format === 'webp' && chunks.includes('VP8L') ? 'webp-lossless' : format
  } finally {
    await file.close()
  }
}

/** Names of the chunks of a PNG file before its pixels, or of a WebP file. */
async function chunksOf(file: FileHandle, format: 'png' | 'webp'): Promise<string[]> {
  const isPng = format === 'png'
  const reader = createBoundedReader(file, 1024 * 1024)
  const names: string[] = []
  for (let at = isPng ? 8 : 12; names.length < MAX_CHUNKS; ) {
    const head = await reader.read(at, 8)
    if (head.length < 8) break
    const name = isPng ? head.toString('latin1', 4, 8) : head.toString('latin1', 0, 4)
    names.push(name)
    if (name === 'IDAT') break
    const bytes = isPng ? head.readUInt32BE(0) : head.readUInt32LE(4)
    // A checksum behind each chunk of a PNG; those of a WebP begin at even places.
    at += isPng ? 12 + bytes : 8 + bytes + (bytes % 2)
  }
  return names
}

/** Roughly what the work takes at its peak: a picture that is turned as a whole, and the result twice. */
function requireRoom(memoryBytes: number, form: Form, metadata: Metadata, edit: PictureEdit): void {
  const { width, height, channels = 4, depth, orientation = 1, isProgressive } = metadata
  const pixelBytes = channels * (depth === 'ushort' ? 2 : 1)
  const pixels = width * height
  const resultPixels = edit.crop ? edit.crop.width * edit.crop.height : pixels
  const isWhole = edit.quarterTurns > 0 || orientation > 1 || isProgressive
  const resultBytes = form === 'jpeg' ? JPEG_PIXEL_BYTES : pixelBytes
  const neededBytes =
    WORK_BYTES +
    (isWhole ? pixels * pixelBytes : 0) +
    (form.startsWith('webp') ? pixels * pixelBytes + resultPixels * WEBP_PIXEL_BYTES : 0) +
    resultPixels * resultBytes * 2
  if (neededBytes > memoryBytes) throw new PreviewError('too_large', `${width}x${height}`)
}

function shownSize({ autoOrient }: Metadata, quarterTurns: number) {
  const { width, height } = autoOrient
  return quarterTurns % 2 === 0 ? { width, height } : { width: height, height: width }
}

/** Neither made 8 bits of 16 nor three channels of one. */
function inOwnColours(image: Sharp, { space }: Metadata): Sharp {
  return space === 'rgb16' || space === 'grey16' || space === 'b-w'
    ? image.toColourspace(space)
    : image
}

function encodeAs(image: Sharp, form: Form, metadata: Metadata): Promise<Buffer> {
  if (form === 'png') return image.png({ compressionLevel: 6, adaptiveFiltering: true }).toBuffer()
  if (form === 'webp') return image.webp({ quality: QUALITY, alphaQuality: 100 }).toBuffer()
  if (form === 'webp-lossless') return image.webp({ lossless: true, exact: true }).toBuffer()
  const { chromaSubsampling, isProgressive: progressive = false } = metadata
  const sampling = chromaSubsampling === '4:2:0' ? chromaSubsampling : '4:4:4'
  return image.jpeg({ quality: QUALITY, chromaSubsampling: sampling, progressive }).toBuffer()
}

const TAG = { exif: 0x8769, makerNote: 0x927c, jpegOffset: 0x201, jpegBytes: 0x202 }

/**
 * Wipes the small picture in the EXIF data, and what the maker of the camera has put there, which may be
 * another one: they show what was cut away.
 */
async function withoutOldPictures(jpeg: Buffer): Promise<Buffer> {
  const reader = readerOf(jpeg)
  for await (const { at, isExif } of segmentsOf(reader, 0)) {
    if (!isExif) continue
    const tiff = await openTiff(reader, at + 10)
    if (!tiff) break
    await wipe(jpeg, tiff.file, tiff.first)
  }
  return jpeg
}

async function wipe(jpeg: Buffer, file: TiffFile, first: number): Promise<void> {
  const { base, little } = file
  const directory = await readDirectory(file, first)
  const exifAt = directory.entries.get(TAG.exif)?.value
  const note = exifAt && (await readDirectory(file, exifAt)).entries.get(TAG.makerNote)
  if (note && note.value === undefined)
    jpeg.fill(0, base + note.offset, base + note.offset + note.count)
  if (directory.next === 0) return
  const { entries } = await readDirectory(file, directory.next)
  const [from = 0, bytes = 0] = [TAG.jpegOffset, TAG.jpegBytes].map(
    (tag) => entries.get(tag)?.value,
  )
  jpeg.fill(0, base + from, base + from + bytes)
  // The directory leads to no other any more.
  const count = little ? jpeg.readUInt16LE(base + first) : jpeg.readUInt16BE(base + first)
  jpeg.writeUInt32BE(0, base + first + 2 + count * 12)
}
