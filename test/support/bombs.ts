// Files that are small on disk and enormous once unpacked. Made at run time, since no repository wants
// them.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import lzma from 'lzma-native'
import { makeBook, makeDocx, makeOdt, makePdf } from '../../scripts/sample-documents.ts'
import { storedRar } from '../../scripts/sample-rar.ts'
import { SAMPLES } from './pictures.ts'
import type { TreeContent } from './tree.ts'

const MIB = 1024 * 1024
/** Pixels a side of the pictures: 1.6 gigapixels each. */
const SIDE = 40_000

/** One of every kind. */
export async function bombs(): Promise<TreeContent> {
  const zeros = deflateRawSync(Buffer.alloc(300 * MIB), { level: 1 })
  const jpeg = await readFile(join(SAMPLES, 'picture.jpg'))
  const book = await makeBook(jpeg)
  return {
    'bomb.zip': rawZip([['zeros.txt', zeros, 300 * MIB]]),
    // The directory says 10 bytes, the data says otherwise.
    'liar.zip': rawZip([['zeros.txt', zeros, 10]]),
    'bomb.docx': rawZip([['word/document.xml', zeros, 300 * MIB]]),
    'liar.docx': rawZip([['[Content_Types].xml', zeros, 10]]),
    'bomb.xlsx': rawZip([['xl/workbook.xml', zeros, 300 * MIB]]),
    'bomb.odt': rawZip([['content.xml', zeros, 10]]),
    'bomb.epub': rawZip([['META-INF/container.xml', zeros, 10]]),
    'bomb.tar.gz': gzipSync(Buffer.alloc(200 * MIB), { level: 1 }),
    'bomb.tar.xz': await pack('easyEncoder', tarOf('zeros.txt', 100 * MIB)),
    'bomb.7z': await sevenZip('zeros.txt', 100 * MIB),
    // Stored, so that only the size it claims is enormous.
    'bomb.rar': storedRar({ 'zeros.txt': 'few' }, 3072 * MIB),
    'bomb.png': bigPng(SIDE, SIDE),
    'bomb.gif': bigGif(SIDE, SIDE),
    'bomb.tiff': bigTiff(SIDE, SIDE),
    'bomb.jpg': await bigJpeg(SIDE, SIDE),
    'bomb.heic': await bigHeic(SIDE, SIDE),
    'bomb.pdf': bigPdf(SIDE / 2, SIDE / 2),
    'bomb.svg': laughingSvg(),
    'endless.docx': await makeDocx(jpeg, '<w:p/>'.repeat(120_000)),
    'endless.odt': await makeOdt(jpeg, '<text:p/>'.repeat(120_000)),
    'endless.epub': await makeBook(jpeg, '<p/>'.repeat(120_000)),
    'cut.epub': book.subarray(0, book.length - 300),
    'deep.json': '['.repeat(200_000),
    'deep.md': `${'>'.repeat(200_000)} words\n`,
    'emphatic.md': `${'*a '.repeat(100_000)}a*\n`,
  }
}

/** ZIP entries from data that is compressed already, with the size one likes to claim. */
export function rawZip(entries: [name: string, data: Buffer, claimed: number][]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, data, claimed] of entries) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(claimed, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, tail, Buffer.from(name))
    locals.push(local)
    offset += local.length
  }
  const size = directory.reduce((sum, piece) => sum + piece.length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}

/** Compresses as `.xz` (easy) or as the bare LZMA that 7z holds (alone), quickly rather than well. */
async function pack(coder: 'easyEncoder' | 'aloneEncoder', bytes: Buffer): Promise<Buffer> {
  // The declared types know only what the server uses.
  const create = lzma.createStream as unknown as (coder: string, options: object) => Transform
  const stream = create(coder, { preset: 0 })
  stream.end(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A tar with one file of zeros. */
function tarOf(name: string, sizeBytes: number): Buffer {
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write('0000644', 100)
  head.write(`${sizeBytes.toString(8).padStart(11, '0')}`, 124)
  head.write('        0', 148)
  head.write('ustar\x0000', 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, Buffer.alloc(sizeBytes + 1024)])
}

/**
 * A 7z archive with one file of zeros.
 * https://py7zr.readthedocs.io/en/latest/archive_format.html
 */
async function sevenZip(name: string, sizeBytes: number): Promise<Buffer> {
  const alone = await pack('aloneEncoder', Buffer.alloc(sizeBytes))
  // The header of that format: five bytes of properties, which 7z keeps, and the size.
  const [properties, packed] = [alone.subarray(0, 5), alone.subarray(13)]
  const number = (value: number) => {
    const bytes = Buffer.alloc(9, 0xff)
    bytes.writeBigUInt64LE(BigInt(value), 1)
    return [...bytes]
  }
  const wide = [...Buffer.from(`${name}\0`, 'utf16le')]
  const header = Buffer.from([
    ...[0x01, 0x04],
    ...[0x06, 0x00, 0x01, 0x09, ...number(packed.length), 0x00],
    ...[0x07, 0x0b, 0x01, 0x00, 0x01, 0x23, 0x03, 0x01, 0x01, 0x05, ...properties],
    ...[0x0c, ...number(sizeBytes), 0x00, 0x08, 0x00, 0x00],
    ...[0x05, 0x01, 0x11, ...number(wide.length + 1), 0x00, ...wide, 0x00, 0x00],
  ])
  const start = Buffer.alloc(20)
  start.writeBigUInt64LE(BigInt(packed.length), 0)
  start.writeBigUInt64LE(BigInt(header.length), 8)
  start.writeUInt32LE(crc32(header), 16)
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(start))
  const signature = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4])
  return Buffer.concat([signature, sum, start, packed, header])
}

/** Claims its size; the data ends after a few pixels. */
function bigGif(width: number, height: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0]),
    size,
    Buffer.from([0, 2, 2, 0x4c, 0x01, 0, 0x3b]),
  ])
}

/** The sample with another size in its frame header. */
async function bigJpeg(width: number, height: number): Promise<Buffer> {
  const bytes = await readFile(join(SAMPLES, 'picture.jpg'))
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}

/** The sample with another size in its properties. */
async function bigHeic(width: number, height: number): Promise<Buffer> {
  const bytes = await readFile(join(SAMPLES, 'picture.heic'))
  const size = bytes.indexOf('ispe')
  bytes.writeUInt32BE(width, size + 8)
  bytes.writeUInt32BE(height, size + 12)
  return bytes
}

/** Black, at one bit a pixel, in one strip. */
function bigTiff(width: number, height: number): Buffer {
  const data = deflateSync(Buffer.alloc(Math.ceil(width / 8) * height), { level: 1 })
  const tags: [tag: number, value: number][] = [
    [256, width],
    [257, height],
    [258, 1],
    [259, 8],
    [262, 1],
    [273, 8 + 2 + 8 * 12 + 4],
    [278, height],
    [279, data.length],
  ]
  const head = Buffer.alloc(8 + 2 + tags.length * 12 + 4)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(tags.length, 8)
  for (const [index, [tag, value]] of tags.entries()) {
    const at = 10 + index * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(4, at + 2)
    head.writeUInt32LE(1, at + 4)
    head.writeUInt32LE(value, at + 8)
  }
  return Buffer.concat([head, data])
}

/** A page with words and a picture of that size. */
function bigPdf(width: number, height: number): Uint8Array {
  const data = deflateSync(Buffer.alloc(Math.ceil(width / 8) * height), { level: 1 })
  return makePdf(data, '', {
    picture: `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode`,
  })
}

/** A grey picture; 1.6 gigapixels fit into about 200 kB at one bit a pixel. */
function bigPng(width: number, height: number): Buffer {
  const row = Buffer.alloc(1 + Math.ceil(width / 8))
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)), { level: 1 })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 1
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, crc])
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Entities that expand to a billion, and groups that use each other as often. */
function laughingSvg(): string {
  const names = [...'abcdefghij']
  const entities = names.map((name, i) => {
    const before = names[i - 1]
    return `<!ENTITY ${name} "${before ? `&${before};`.repeat(10) : 'ha'}">`
  })
  return `<?xml version="1.0"?><!DOCTYPE svg [${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><text y="20">&j;</text></svg>`
}
