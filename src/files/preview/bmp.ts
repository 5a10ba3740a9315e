// Windows bitmaps, which sharp does not read.
import { decode } from 'bmp-ts'
import { bitmapSize } from '../pictures/picture-size.ts'
import { type Pixels, PreviewError } from './protocol.ts'

/** Decodes a whole bitmap; `checkSize` may throw before memory is taken for the pixels. */
export function decodeBmp(bytes: Buffer, checkSize: (w: number, h: number) => void): Pixels {
  const isBitmap = bytes.length >= 26 && bytes.toString('latin1', 0, 2) === 'BM'
  const size = isBitmap ? bitmapSize(bytes) : null
  if (!size) throw new PreviewError('undecodable', 'not a bitmap')
  const { width, height } = size
  checkSize(width, height)
  const { data } = decode(bytes, { toRGBA: true })
  // Most 32-bit bitmaps leave the fourth byte empty; taken as transparency they would vanish.
  for (let i = 3; i < data.length; i += 4) data[i] = 255
  return { data, width, height, channels: 4 }
}
