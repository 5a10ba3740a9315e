// Width and height of a picture from its head, for the `resolution` of file objects. Whatever the
// file holds: at most 64 KiB are read, and each byte is parsed once.
import {
  type BoundedReader,
  createBoundedReader,
  type Readable,
  readerOf,
} from './bounded-reader.ts'
import { listBoxes } from './boxes.ts'
import { readJpegHead } from './jpeg.ts'
import { numberOf, openTiff, readDirectory } from './tiff.ts'

const BUDGET_BYTES = 64 * 1024
const HEAD_BYTES = 1024
/** The description of a HEIF picture: a few KiB for one of a phone, with all its tiles. */
const MAX_META_BYTES = 32 * 1024
const MAX_PROPERTIES = 1024

export interface PictureSize {
  width: number
  height: number
}

/** As it is shown, turned by its EXIF data. Null when the format is unknown or the head damaged. */
export async function readPictureSize(file: Readable): Promise<PictureSize | null> {
  const reader = createBoundedReader(file, BUDGET_BYTES)
  try {
    return await sizeOf(reader, await reader.read(0, HEAD_BYTES))
  } catch (error) {
    // An offset beyond what is there, or more to read than a picture needs.
    if (error instanceof RangeError) return null
    throw error
  }
}

async function sizeOf(reader: BoundedReader, head: Buffer): Promise<PictureSize | null> {
  const text = (start: number, end: number) => head.toString('latin1', start, end)
  if (head.readUInt16BE(0) === 0xffd8) return jpegSize(reader)
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') {
    // Apple puts a chunk of its own before IHDR.
    const at = text(12, 16) === 'CgBI' ? 32 : 16
    return size(head.readUInt32BE(at), head.readUInt32BE(at + 4))
  }
  if (text(0, 4) === 'GIF8') return size(head.readUInt16LE(6), head.readUInt16LE(8))
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return webpSize(head)
  if (text(0, 2) === 'BM') return bitmapSize(head)
  if (text(0, 4) === '8BPS') return size(head.readUInt32BE(18), head.readUInt32BE(14))
  if (head.readUInt32LE(0) === 0x10000) return iconSize(head)
  if (text(4, 8) === 'ftyp') return heifSize(reader)
  return (await tiffSize(reader)) ?? svgSize(head)
}

function size(width: number, height: number, orientation = 1): PictureSize | null {
  if (width === 0 || height === 0) return null
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}

async function jpegSize(reader: BoundedReader): Promise<PictureSize | null> {
  const head = await readJpegHead(reader, 0)
  return head && size(head.width, head.height, head.orientation)
}

async function tiffSize(reader: BoundedReader): Promise<PictureSize | null> {
  const tiff = await openTiff(reader, 0)
  if (!tiff) return null
  const directory = await readDirectory(tiff.file, tiff.first)
  const [width = 0, height = 0, orientation] = [0x100, 0x101, 0x112].map((tag) =>
    numberOf(directory, tag),
  )
  return size(width, height, orientation)
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(head: Buffer): PictureSize | null {
  const form = head.toString('latin1', 12, 16)
  if (form === 'VP8X') return size(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1)
  if (form === 'VP8 ') return size(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff)
  if (form !== 'VP8L') return null
  const bits = head.readUInt32LE(21)
  return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
}

/** Of a Windows bitmap by its first 26 bytes; null for one of no size. */
export function bitmapSize(head: Buffer): PictureSize | null {
  if (head.readUInt32LE(14) === 12) return size(head.readUInt16LE(18), head.readUInt16LE(20))
  // A negative height means rows from the top.
  return size(Math.abs(head.readInt32LE(18)), Math.abs(head.readInt32LE(22)))
}

/** The first picture of an icon; 0 stands for 256. */
function iconSize(head: Buffer): PictureSize | null {
  return head.readUInt16LE(4) > 0 ? size(head.readUInt8(6) || 256, head.readUInt8(7) || 256) : null
}

/** Of the primary item, by its properties (ISO/IEC 23008-12, 6.5). */
async function heifSize(reader: BoundedReader): Promise<PictureSize | null> {
  const top = await listBoxes(reader, 0, Number.MAX_SAFE_INTEGER - 16, 8)
  const box = top.find(({ type }) => type === 'meta')
  if (!box) return null
  const meta = await reader.read(box.start, Math.min(box.end - box.start, MAX_META_BYTES))
  const inMeta = readerOf(meta)
  const parts = await listBoxes(inMeta, 4, meta.length)
  const pitm = parts.find(({ type }) => type === 'pitm')
  const iprp = parts.find(({ type }) => type === 'iprp')
  if (!pitm || !iprp) return null
  const primary =
    meta[pitm.start] === 0 ? meta.readUInt16BE(pitm.start + 4) : meta.readUInt32BE(pitm.start + 4)
  const inner = await listBoxes(inMeta, iprp.start, iprp.end)
  const ipco = inner.find(({ type }) => type === 'ipco')
  const ipma = inner.find(({ type }) => type === 'ipma')
  if (!ipco || !ipma) return null
  const properties = await listBoxes(inMeta, ipco.start, ipco.end, MAX_PROPERTIES)
  const own = associationsOf(meta.subarray(ipma.start, ipma.end), primary)
  const find = (wanted: string) =>
    own.map((index) => properties[index - 1]).find((found) => found?.type === wanted)
  const extent = find('ispe')
  if (!extent) return null
  const turn = find('irot')
  const sideways = turn !== undefined && meta.readUInt8(turn.start) % 2 === 1
  const clean = find('clap')
  const [width, height] = clean
    ? [quotient(meta, clean.start), quotient(meta, clean.start + 8)]
    : [meta.readUInt32BE(extent.start + 4), meta.readUInt32BE(extent.start + 8)]
  return size(width, height, sideways ? 6 : 1)
}

function quotient(bytes: Buffer, at: number): number {
  return Math.round(bytes.readUInt32BE(at) / Math.max(1, bytes.readUInt32BE(at + 4)))
}

/** Numbers of an item's properties, from 1. */
function associationsOf(ipma: Buffer, item: number): number[] {
  const wideItems = ipma.readUInt8(0) >= 1
  const wideNumbers = (ipma.readUInt8(3) & 1) === 1
  const items = ipma.readUInt32BE(4)
  let at = 8
  for (let i = 0; i < items; i++) {
    const id = wideItems ? ipma.readUInt32BE(at) : ipma.readUInt16BE(at)
    at += wideItems ? 4 : 2
    const count = ipma.readUInt8(at)
    at += 1
    if (id === item)
      return Array.from({ length: count }, (_, n) =>
        wideNumbers ? ipma.readUInt16BE(at + n * 2) & 0x7fff : ipma.readUInt8(at + n) & 0x7f,
      )
    at += count * (wideNumbers ? 2 : 1)
  }
  return []
}

/** Of drawings that say their size in pixels, or the sides of their view, in the first 1,024 bytes. */
function svgSize(head: Buffer): PictureSize | null {
  const text = head.toString('latin1')
  const start = text.indexOf('<svg')
  const end = text.indexOf('>', start)
  if (start < 0 || end < 0) return null
  const tag = text.slice(start, end)
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(`\\s${name}=["']([\\d.]{1,12})(?:px)?["']`).exec(tag)?.[1] ?? 0),
  ) as [number, number]
  if (width && height) return size(Math.round(width), Math.round(height))
  const box = /\sviewBox=["']([\d.,\s-]{1,60})["']/
    .exec(tag)?.[1]
    ?.trim()
    .split(/[\s,]+/)
  return size(Math.round(Number(box?.[2]) || 0), Math.round(Number(box?.[3]) || 0))
}
