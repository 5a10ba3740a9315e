// Windows bitmaps, which sharp does not read.
import { decode } from 'bmp-ts'
import { type Pixels, PreviewError } from './protocol.ts'

const FILE_HEADER_BYTES = 14
const OLD_HEADER_BYTES = 12

/** Decodes a whole bitmap; `checkSize` may throw before memory is taken for the pixels. */
export function decodeBmp(bytes: Buffer, checkSize: (w: number, h: number) => void): Pixels {
  const { width, height } = sizeOf(bytes)
  checkSize(width, height)
  const { data } = decode(bytes, { toRGBA: true })
  // Most 32-bit bitmaps leave the fourth byte empty; taken as transparency they would vanish.
  for (let i = 3; i < data.length; i += 4) data[i] = 255
  return { data, width, height, channels: 4 }
}

function sizeOf(bytes: Buffer): { width: number; height: number } {
  if (bytes.length < 26 || bytes.toString('latin1', 0, 2) !== 'BM')
    throw new PreviewError('undecodable', 'not a bitmap')
  if (bytes.readUInt32LE(FILE_HEADER_BYTES) === OLD_HEADER_BYTES)
    return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
  // A negative height means rows from the top.
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) }
}
