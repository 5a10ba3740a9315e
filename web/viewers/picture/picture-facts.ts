// Width and height of a picture from the first bytes of its file, so that the header can show them
// and the viewer can choose a preview before a hundred megapixels are on their way.

import type { Size } from '../../lib/page/use-size.ts'

/** Pixels as shown, that is after EXIF orientation. */
export type PictureFacts = Size

/** How much of the file is enough for every format below; EXIF with a thumbnail fits as well. */
export const HEAD_BYTES = 128 * 1024
/** Enough for JPEG files that carry colour profiles and further previews in front of the picture. */
export const DEEP_HEAD_BYTES = 4 * 1024 * 1024

/** A JPEG file, whose size can lie deeper than `HEAD_BYTES`. */
export function isJpeg(head: ArrayBuffer): boolean {
  return head.byteLength > 2 && new DataView(head).getUint16(0) === 0xffd8
}

/** Null when the format is unknown or the size lies further back than the given bytes. */
export function readPictureFacts(head: ArrayBuffer): PictureFacts | null {
  const view = new DataView(head)
  try {
    return (
      fromPng(view) ??
      fromGif(view) ??
      fromJpeg(view) ??
      fromWebp(view) ??
      fromBmp(view) ??
      fromIsobmff(view) ??
      fromTiff(view) ??
      fromIco(view)
    )
  } catch (error) {
    // A damaged or cut header reads past its end; the picture is then shown without facts.
    if (error instanceof RangeError) return null
    throw error
  }
}

function tag(view: DataView, at: number, length = 4): string {
  let text = ''
  for (let i = 0; i < length; i++) text += String.fromCharCode(view.getUint8(at + i))
  return text
}

function fromPng(view: DataView): PictureFacts | null {
  if (view.getUint32(0) !== 0x89504e47) return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function fromGif(view: DataView): PictureFacts | null {
  if (tag(view, 0) !== 'GIF8') return null
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function fromBmp(view: DataView): PictureFacts | null {
  if (tag(view, 0, 2) !== 'BM') return null
  // A negative height means rows from top to bottom.
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
}

function fromWebp(view: DataView): PictureFacts | null {
  if (tag(view, 0) !== 'RIFF' || tag(view, 8) !== 'WEBP') return null
  switch (tag(view, 12)) {
    case 'VP8X':
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
    }
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return null
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16)
}

function fromJpeg(view: DataView): PictureFacts | null {
  if (view.getUint16(0) !== 0xffd8) return null
  let orientation = 1
  let at = 2
  while (at + 9 < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    // Frame headers; C4, C8 and CC among them mean tables.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return turned(view.getUint16(at + 7), view.getUint16(at + 5), orientation)
    }
    if (marker === 0xe1 && tag(view, at + 4) === 'Exif') orientation = orientationOf(view, at + 10)
    at += 2 + view.getUint16(at + 2)
  }
  return null
}

function turned(width: number, height: number, orientation: number): PictureFacts {
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}

function orientationOf(view: DataView, tiff: number): number {
  const little = view.getUint16(tiff) === 0x4949
  const entries = tiff + view.getUint32(tiff + 4, little)
  for (let i = 0; i < view.getUint16(entries, little); i++) {
    const entry = entries + 2 + i * 12
    if (view.getUint16(entry, little) === 0x0112) return view.getUint16(entry + 8, little)
  }
  return 1
}

/** Enough for the directory of a TIFF file: some hundred entries. */
export const TIFF_DIRECTORY_BYTES = 4096

/** Where a TIFF file has its directory, often behind the pixels; null for anything else. */
export function tiffDirectoryOf(head: ArrayBuffer): { at: number; little: boolean } | null {
  if (head.byteLength < 8) return null
  const view = new DataView(head)
  const order = view.getUint16(0)
  if (order !== 0x4949 && order !== 0x4d4d) return null
  const little = order === 0x4949
  return view.getUint16(2, little) === 42 ? { at: view.getUint32(4, little), little } : null
}

/** The size by the directory alone, as it begins `bytes`; null when it is cut or without one. */
export function readTiffDirectory(bytes: ArrayBuffer, little: boolean): PictureFacts | null {
  try {
    return fromDirectory(new DataView(bytes), 0, little)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function fromTiff(view: DataView): PictureFacts | null {
  const directory = tiffDirectoryOf(view.buffer as ArrayBuffer)
  return directory && fromDirectory(view, directory.at, directory.little)
}

function fromDirectory(view: DataView, entries: number, little: boolean): PictureFacts | null {
  const found = new Map<number, number>()
  for (let i = 0; i < view.getUint16(entries, little); i++) {
    const entry = entries + 2 + i * 12
    const short = view.getUint16(entry + 2, little) === 3
    const value = short ? view.getUint16(entry + 8, little) : view.getUint32(entry + 8, little)
    found.set(view.getUint16(entry, little), value)
  }
  // A thumbnail, as raw files of cameras have it first (TIFF 6.0, NewSubfileType).
  const isReduced = ((found.get(254) ?? 0) & 1) === 1
  const width = found.get(256)
  const height = found.get(257)
  if (isReduced || !width || !height) return null
  return turned(width, height, found.get(274) ?? 1)
}

/** The largest of its pictures, by what the pictures say and not only by the list of them. */
function fromIco(view: DataView): PictureFacts | null {
  if (view.getUint32(0) !== 0x00000100) return null
  let best: PictureFacts | null = null
  for (let i = 0; i < view.getUint16(4, true); i++) {
    const entry = 6 + i * 16
    const found = { width: view.getUint8(entry) || 256, height: view.getUint8(entry + 1) || 256 }
    const inner = icoPicture(view, view.getUint32(entry + 12, true)) ?? found
    if (!best || inner.width * inner.height > best.width * best.height) best = inner
  }
  return best
}

/** A PNG, or a bitmap without its file header and with its mask counted in the height. */
function icoPicture(view: DataView, at: number): PictureFacts | null {
  if (at + 24 > view.byteLength) return null
  if (view.getUint32(at) === 0x89504e47) {
    return { width: view.getUint32(at + 16), height: view.getUint32(at + 20) }
  }
  return { width: view.getInt32(at + 4, true), height: Math.abs(view.getInt32(at + 8, true)) / 2 }
}

/** HEIC and AVIF: the largest `ispe` property, turned when an `irot` asks for a quarter turn. */
function fromIsobmff(view: DataView): PictureFacts | null {
  if (tag(view, 4) !== 'ftyp') return null
  let best: PictureFacts | null = null
  let quarter = false
  for (let at = 0; at + 16 < view.byteLength; at++) {
    // The boxes lie in nested containers of many kinds; their names are found more simply by sight.
    const word = view.getUint32(at)
    if (word === 0x69737065) {
      const width = view.getUint32(at + 8)
      const height = view.getUint32(at + 12)
      if (!best || width * height > best.width * best.height) best = { width, height }
    } else if (word === 0x69726f74) quarter = (view.getUint8(at + 4) & 1) === 1
    else if (word === 0x6d646174) break
  }
  return best && quarter ? { width: best.height, height: best.width } : best
}
