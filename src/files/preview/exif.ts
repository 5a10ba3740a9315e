// The thumbnail that cameras put into the EXIF block of a JPEG file.

const JPEG_OFFSET_TAG = 0x0201
const JPEG_LENGTH_TAG = 0x0202
const ENTRY_BYTES = 12
const MAX_ENTRIES = 512

/**
 * Finds the JPEG thumbnail in an EXIF block (`Exif\0\0` and a TIFF structure, EXIF 2.32 4.5.8):
 * the second image directory points at it. Null when there is none or the block is damaged.
 */
export function exifThumbnail(exif: Uint8Array): Uint8Array | null {
  const block = Buffer.from(exif.buffer, exif.byteOffset, exif.byteLength)
  const tiff = block.toString('latin1', 0, 6) === 'Exif\0\0' ? block.subarray(6) : block
  try {
    return findThumbnail(tiff)
  } catch (error) {
    // An offset beyond the end: not our picture to repair.
    if (error instanceof RangeError) return null
    throw error
  }
}

function findThumbnail(tiff: Buffer): Buffer | null {
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return null
  const little = order === 'II'
  const u16 = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const u32 = (at: number): number => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  if (u16(2) !== 42) return null
  const first = u32(4)
  const second = u32(first + 2 + Math.min(u16(first), MAX_ENTRIES) * ENTRY_BYTES)
  if (second === 0) return null
  let offset = 0
  let length = 0
  for (let i = 0; i < Math.min(u16(second), MAX_ENTRIES); i++) {
    const entry = second + 2 + i * ENTRY_BYTES
    const tag = u16(entry)
    if (tag === JPEG_OFFSET_TAG) offset = u32(entry + 8)
    if (tag === JPEG_LENGTH_TAG) length = u32(entry + 8)
  }
  const picture = tiff.subarray(offset, offset + length)
  const complete = length > 4 && picture.length === length
  return complete && picture[0] === 0xff && picture[1] === 0xd8 ? picture : null
}
