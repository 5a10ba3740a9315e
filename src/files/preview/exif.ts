// The thumbnail that cameras put into the EXIF block of a JPEG file.
import { readerOf } from '../pictures/bounded-reader.ts'
import { numberOf, openTiff, readDirectory } from '../pictures/tiff.ts'

const JPEG_OFFSET_TAG = 0x0201
const JPEG_LENGTH_TAG = 0x0202

/**
 * Finds the JPEG thumbnail in an EXIF block (`Exif\0\0` and a TIFF structure, EXIF 2.32 4.5.8):
 * the second image directory points at it. Null when there is none or the block is damaged.
 */
export async function exifThumbnail(exif: Uint8Array): Promise<Uint8Array | null> {
  const block = Buffer.from(exif.buffer, exif.byteOffset, exif.byteLength)
  const tiff = block.toString('latin1', 0, 6) === 'Exif\0\0' ? block.subarray(6) : block
  try {
    const opened = await openTiff(readerOf(tiff), 0)
    if (!opened) return null
    const { next } = await readDirectory(opened.file, opened.first)
    if (next === 0) return null
    const second = await readDirectory(opened.file, next)
    const offset = numberOf(second, JPEG_OFFSET_TAG) ?? 0
    const length = numberOf(second, JPEG_LENGTH_TAG) ?? 0
    const picture = tiff.subarray(offset, offset + length)
    const complete = length > 4 && picture.length === length
    return complete && picture[0] === 0xff && picture[1] === 0xd8 ? picture : null
  } catch (error) {
    // An offset beyond the end: not our picture to repair.
    if (error instanceof RangeError) return null
    throw error
  }
}
