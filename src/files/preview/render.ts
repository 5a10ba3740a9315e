// Makes previews. Runs in the preview process only: decoders are native code fed with foreign bytes.
import { open, readFile } from 'node:fs/promises'
import type { Metadata, Sharp } from 'sharp'
import sharp from 'sharp'
import { findRawPreview } from '../pictures/raw-preview.ts'
import { exifSegment } from '../pictures/turn.ts'
import { decodeBmp } from './bmp.ts'
import { editPicture } from './edit-picture.ts'
import { exifThumbnail } from './exif.ts'
import { createHeicDecoder } from './heic.ts'
import { createPdfRenderer } from './pdf.ts'
import { MAX_BODY_BYTES, type Pixels, PreviewError, type PreviewJob } from './protocol.ts'
import { grabVideoFrame } from './video.ts'

/** Pixels a side (docs/http-api.md 13): larger images exhausted the memory of the original. */
const MAX_SIDE = 10_000
/**
 * For our own interface, which shows photographs of 108 megapixels by their preview: a plain JPEG is
 * scaled while it is decoded and takes no more memory for being large, everything else does. Of a
 * progressive one all coefficients are kept, six bytes a pixel.
 */
const MAX_SHOWN_PIXELS = { plainJpeg: 400_000_000, other: 120_000_000 }
const THUMB_SIDE = 256
const BIG_SIDE = 1080
const THUMB_QUALITY = 85
const BIG_QUALITY = 88
/** Files read whole by decoders that cannot do otherwise. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024
/** Of decoders that hold all pixels, once as they come and once as they go. */
const WHOLE_PIXEL_BYTES = 8
/** libheif: planes of up to 6 bytes a pixel, and RGBA twice; 12 were measured with 4:2:0 and 8 bits. */
const HEIC_PIXEL_BYTES = 16
const JOB_SECONDS = 30

export interface Rendered {
  contentType: string
  bytes: Uint8Array
}

/** What is decoded by content, whatever a file is called: no drawings, no documents, no programs. */
const LOADERS = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff', 'Heif'].flatMap((format) => [
  `VipsForeignLoad${format}File`,
  `VipsForeignLoad${format}Buffer`,
])

/** Makes what renders previews, once per process: parallelism is across images, and nothing is read twice. */
export function createRenderer() {
  sharp.concurrency(1)
  sharp.cache(false)
  // A drawing of 1 KB can keep its renderer busy for minutes.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  const decoders = { decodeHeic: createHeicDecoder(), renderPdfPage: createPdfRenderer() }

  /**
   * Renders the job's file from `path`, which the caller has checked and keeps open. `original` means
   * that the file itself is the preview. Throws PreviewError.
   */
  return async (
    job: PreviewJob,
    path: string,
    sizeBytes: number,
  ): Promise<Rendered | 'original'> => {
    try {
      return await render(decoders, job, path, sizeBytes)
    } catch (error) {
      if (error instanceof PreviewError) throw error
      const message = error instanceof Error ? error.message : String(error)
      throw new PreviewError(message.startsWith('timeout:') ? 'too_slow' : 'undecodable', message)
    }
  }
}

interface Decoders {
  decodeHeic: ReturnType<typeof createHeicDecoder>
  renderPdfPage: ReturnType<typeof createPdfRenderer>
}

async function render(
  { decodeHeic, renderPdfPage }: Decoders,
  job: PreviewJob,
  path: string,
  sizeBytes: number,
): Promise<Rendered | 'original'> {
  if (job.edit) return editPicture(job, job.edit, path)
  if (job.kind === 'image') return renderImage(job, path)
  if (job.kind === 'raw') return renderImage(job, await rawPicture(job, path, sizeBytes))
  if (job.kind === 'video')
    return finish(job, sharp(await grabVideoFrame(job.ffmpeg, path)), 'jpeg')
  if (sizeBytes > MAX_WHOLE_BYTES) throw new PreviewError('too_large', 'too large to be read whole')
  const bytes = await readFile(path)
  if (job.kind === 'pdf')
    return finish(job, fromPixels(await renderPdfPage(bytes, BIG_SIDE)), 'jpeg')
  const checkSize = (width: number, height: number): void => {
    if (isTooLarge(job, width, height)) throw new PreviewError('too_large', `${width}x${height}`)
    const pixelBytes = job.kind === 'heic' ? HEIC_PIXEL_BYTES : WHOLE_PIXEL_BYTES
    const memoryBytes = sizeBytes + width * height * pixelBytes
    if (memoryBytes > job.memoryBytes)
      throw new PreviewError('too_heavy', `${width}x${height} takes ${memoryBytes} bytes`)
  }
  if (job.kind === 'heic')
    return finish(job, fromPixels(await decodeHeic(bytes, checkSize)), 'jpeg')
  const pixels = decodeBmp(bytes, checkSize)
  if (job.size === 'big' && !job.display && fits(pixels.width, pixels.height)) return 'original'
  return finish(job, fromPixels(pixels), 'jpeg')
}

/** The picture that a camera put into its raw file, turned as the file says. */
async function rawPicture(job: PreviewJob, path: string, sizeBytes: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const side = job.full ? Number.POSITIVE_INFINITY : job.size === 'big' ? BIG_SIDE : THUMB_SIDE
    const found = await findRawPreview(handle, sizeBytes, side)
    if (!found) throw new PreviewError('unsupported', 'no picture in the raw file')
    const { offset, orientation } = found
    if (found.sizeBytes > MAX_WHOLE_BYTES) throw new PreviewError('too_large', 'a large picture')
    const bytes = Buffer.alloc(found.sizeBytes)
    await handle.read(bytes, 0, bytes.length, offset)
    const { orientation: own = 1 } = await sharp(bytes).metadata()
    if (own === orientation) return bytes
    return Buffer.concat([bytes.subarray(0, 2), exifSegment(orientation), bytes.subarray(2)])
  } finally {
    await handle.close()
  }
}

async function renderImage(
  job: PreviewJob,
  source: string | Buffer,
): Promise<Rendered | 'original'> {
  const image = sharp(source, {
    failOn: 'none',
    // Checked below, by what is asked for; nothing is decoded before that.
    limitInputPixels: false,
    sequentialRead: true,
    autoOrient: true,
  })
  const metadata = await image.metadata()
  const { width, height, format } = metadata
  const most = format === 'jpeg' && !metadata.isProgressive ? 'plainJpeg' : 'other'
  if (isTooLarge(job, width, height, MAX_SHOWN_PIXELS[most]))
    throw new PreviewError('too_large', `${width}x${height}`)
  const memoryBytes = memoryOf(metadata, job)
  if (memoryBytes > job.memoryBytes)
    throw new PreviewError('too_heavy', `${width}x${height} takes ${memoryBytes} bytes`)
  if (job.size === 'thumb') {
    const embedded = job.display || job.kind === 'raw' ? null : await embeddedThumbnail(metadata)
    if (embedded) return { contentType: 'image/jpeg', bytes: embedded }
    if (keptSmall(format) && width <= THUMB_SIDE && height <= THUMB_SIDE) return 'original'
    return finish(job, image, 'jpeg')
  }
  if (job.full) return finish(job, image, 'jpeg')
  // The file around the picture of a camera is nothing to be shown.
  if (job.kind === 'raw') return finish(job, image, 'jpeg')
  const shown = format !== 'tiff'
  if (fits(width, height) && (shown || !job.display)) return 'original'
  return finish(job, image, bigFormat(metadata))
}

function isTooLarge(
  { display, full }: PreviewJob,
  width: number,
  height: number,
  maxPixels = MAX_SHOWN_PIXELS.other,
): boolean {
  if (!display) return width > MAX_SIDE || height > MAX_SIDE
  // Nothing is scaled while it is decoded then.
  return width * height > (full ? MAX_SHOWN_PIXELS.other : maxPixels)
}

/** Rows that are in memory at a time where a picture is read from top to bottom; measured. */
const STREAMED_ROWS = 1_200
/** Bytes a pixel of decoders that keep everything; measured. */
const AVIF_BYTES = 18
const GIF_BYTES = 5
/** What making it smaller takes beside a picture that is in memory as a whole; 30 to 40 MB measured. */
const RESIZE_BYTES = 40 * 1024 * 1024

/** Roughly what making a preview takes at its peak, by what the header says. */
function memoryOf(metadata: Metadata, job: PreviewJob): number {
  const { width, height, format, channels = 4, depth, isProgressive, orientation = 1 } = metadata
  const pixelBytes = channels * (DEPTH_BYTES[depth ?? ''] ?? 8)
  const whole = (bytesPerPixel: number) => RESIZE_BYTES + width * height * bytesPerPixel
  if (format === 'heif') return whole(AVIF_BYTES)
  if (format === 'gif') return whole(GIF_BYTES)
  // The coefficients, two bytes each; those of the colours are fewer in most photographs.
  if (format === 'jpeg' && isProgressive)
    return whole(metadata.chromaSubsampling === '4:2:0' ? 3 : 2 * channels)
  if (isProgressive) return whole(pixelBytes)
  // Turning needs all of it, which is little where it is made smaller before.
  if (job.full && orientation > 1) return whole(pixelBytes)
  return Math.min(height, STREAMED_ROWS) * width * pixelBytes
}

const DEPTH_BYTES: Record<string, number> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
}

/** Formats whose small files the original always sent as they are. */
function keptSmall(format: string | undefined): boolean {
  return format === 'gif' || format === 'webp' || format === 'heif'
}

function bigFormat({ format, hasAlpha }: Metadata): 'jpeg' | 'png' | 'webp' {
  if (format === 'png') return 'png'
  if (format === 'jpeg') return 'jpeg'
  return format === 'webp' || hasAlpha ? 'webp' : 'jpeg'
}

function fits(width: number, height: number): boolean {
  return width <= BIG_SIDE && height <= BIG_SIDE
}

/**
 * The picture inside a JPEG's EXIF data, which the original sends whatever its size. Not for turned
 * ones: nothing in it says which way is up.
 */
async function embeddedThumbnail({
  format,
  exif,
  orientation = 1,
}: Metadata): Promise<Uint8Array | null> {
  return format === 'jpeg' && exif && orientation === 1 ? exifThumbnail(exif) : null
}

function fromPixels({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: MAX_SHOWN_PIXELS.other })
}

async function finish(
  job: PreviewJob,
  image: Sharp,
  format: 'jpeg' | 'png' | 'webp',
): Promise<Rendered> {
  const limited = resize(job, image).timeout({ seconds: JOB_SECONDS })
  const bytes = await encode(limited, format, job.size === 'thumb' ? THUMB_QUALITY : BIG_QUALITY)
  if (bytes.length > MAX_BODY_BYTES) throw new PreviewError('too_large', `${bytes.length} bytes`)
  return { contentType: `image/${format}`, bytes }
}

function resize({ size, kind, full }: PreviewJob, image: Sharp): Sharp {
  if (full) return image
  if (size === 'big')
    return image.resize(BIG_SIDE, BIG_SIDE, { fit: 'inside', withoutEnlargement: true })
  // The top of a page tells more than its middle.
  const position = kind === 'pdf' ? 'top' : 'centre'
  return image.resize(THUMB_SIDE, THUMB_SIDE, { fit: 'cover', position })
}

function encode(image: Sharp, format: 'jpeg' | 'png' | 'webp', quality: number): Promise<Buffer> {
  if (format === 'png')
    return image.png({ compressionLevel: 6, adaptiveFiltering: true }).toBuffer()
  if (format === 'webp') return image.webp({ quality }).toBuffer()
  // JPEG has no transparency: what is behind shows white, as on paper.
  return image.flatten({ background: '#ffffff' }).jpeg({ quality }).toBuffer()
}
