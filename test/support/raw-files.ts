// Raw files as cameras lay them out, with a JPEG picture inside and a few bytes for the raw data. Built
// here, as real ones belong to who took them.

export interface RawPictures {
  small: Buffer
  large: Buffer
}

type Entry = [tag: number, type: 3 | 4 | 7, value: number, count?: number]

/** A TIFF directory at `at`; entries in the order of their tags. */
function directory(entries: Entry[], next = 0): Buffer {
  const bytes = Buffer.alloc(2 + entries.length * 12 + 4)
  bytes.writeUInt16LE(entries.length, 0)
  for (const [index, [tag, type, value, count = 1]] of entries.entries()) {
    const at = 2 + index * 12
    bytes.writeUInt16LE(tag, at)
    bytes.writeUInt16LE(type, at + 2)
    bytes.writeUInt32LE(count, at + 4)
    if (type === 3) bytes.writeUInt16LE(value, at + 8)
    else bytes.writeUInt32LE(value, at + 8)
  }
  bytes.writeUInt32LE(next, bytes.length - 4)
  return bytes
}

/** Puts pieces at their places; the first at 0. */
function lay(pieces: [at: number, bytes: Buffer][]): Buffer {
  const file = Buffer.alloc(Math.max(...pieces.map(([at, bytes]) => at + bytes.length)))
  for (const [at, bytes] of pieces) bytes.copy(file, at)
  return file
}

function tiffHead(version = 42): Buffer {
  const head = Buffer.from('II\0\0\x08\0\0\0', 'latin1')
  head.writeUInt16LE(version, 2)
  return head
}

/** The start of a lossless JPEG (SOF3), as raw data have it: larger than any picture. */
const LOSSLESS = Buffer.from('ffd8ffc3000b0e20004000014400ffd9', 'hex')
const [FIRST, SECOND, THIRD] = [0x100, 0x200, 0x300]
const PICTURES = 0x400

/** `orientation` as EXIF counts. */
export function rawFiles({ small, large }: RawPictures, orientation = 1): Record<string, Buffer> {
  const after = PICTURES + small.length
  const lossless = after + large.length
  const strip = (offset: number, bytes: number): Entry[] => [
    [0x103, 3, 6],
    [0x111, 4, offset],
    [0x112, 3, orientation],
    [0x117, 4, bytes],
  ]
  const jpeg = (offset: number, bytes: number): Entry[] => [
    [0x201, 4, offset],
    [0x202, 4, bytes],
  ]
  const turn: Entry = [0x112, 3, orientation]
  /** The first directory is that of a thumbnail, whose pixels are left out here. */
  const reduced: Entry[] = [
    [0xfe, 4, 1],
    [0x100, 4, 160],
    [0x101, 4, 120],
  ]
  const content: [number, Buffer][] = [
    [PICTURES, small],
    [after, large],
    [lossless, LOSSLESS],
  ]
  const tiff = (first: Buffer, second: Buffer, third: Buffer, version?: number) =>
    lay([[0, tiffHead(version)], [8, first], [FIRST, second], [SECOND, third], ...content])
  const none = directory([])
  const raw = directory([
    [0x103, 3, 7],
    [0x111, 4, lossless],
    [0x117, 4, LOSSLESS.length],
  ])
  return {
    // The picture is the strip of the first directory, the thumbnail in the second, raw in the third.
    'a.cr2': tiff(
      directory(strip(after, large.length), FIRST),
      directory(jpeg(PICTURES, small.length), SECOND),
      raw,
    ),
    // Pictures in directories below the first.
    'a.nef': lay([
      [0, tiffHead()],
      [8, directory([...reduced, turn, [0x14a, 4, THIRD, 2]])],
      [FIRST, directory(jpeg(after, large.length))],
      [SECOND, raw],
      [THIRD, longs([FIRST, SECOND])],
      ...content,
    ]),
    'a.arw': tiff(
      directory([turn, ...jpeg(after, large.length)], FIRST),
      directory(jpeg(PICTURES, small.length)),
      none,
    ),
    'a.dng': tiff(
      directory([...reduced, turn, [0x14a, 4, FIRST]]),
      directory(strip(after, large.length)),
      raw,
    ),
    'a.orf': olympus(large, turn),
    'a.raf': fuji(large),
    'a.cr3': canon({ small, large }, orientation),
  }
}

function longs(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

function olympus(large: Buffer, turn: Entry): Buffer {
  const camera = 0x80
  const settings: Entry[] = [
    [0x101, 4, PICTURES - SECOND],
    [0x102, 4, large.length],
  ]
  const note = lay([
    [0, Buffer.from('OLYMPUS\0II\x03\0', 'latin1')],
    [12, directory([[0x2020, 4, camera]])],
    [camera, directory(settings)],
  ])
  return lay([
    [0, tiffHead(0x4f52)],
    [8, directory([turn, [0x8769, 4, FIRST]])],
    [FIRST, directory([[0x927c, 7, SECOND, note.length]])],
    [SECOND, note],
    [PICTURES, large],
  ])
}

function fuji(large: Buffer): Buffer {
  const head = Buffer.alloc(96)
  head.write('FUJIFILMCCD-RAW 0201FF000000')
  head.writeUInt32BE(PICTURES, 84)
  head.writeUInt32BE(large.length, 88)
  return lay([
    [0, head],
    [PICTURES, large],
  ])
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(type, 4)
  return Buffer.concat([head, body])
}

function canon({ small, large }: RawPictures, orientation: number): Buffer {
  const uuid = (hex: string, ...parts: Buffer[]) => box('uuid', Buffer.from(hex, 'hex'), ...parts)
  const numbers = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
    return bytes
  }
  const metadata = lay([
    [0, tiffHead()],
    [8, directory([[0x112, 3, orientation]])],
  ])
  const preview = box('PRVW', numbers(0, 1, 0, small.length), small)
  const build = (at: number): Buffer[] => [
    box('ftyp', Buffer.from('crx \0\0\0\0crx isom')),
    box(
      'moov',
      uuid('85c0b687820f11e08111f4ce462b6a48', box('CMT1', metadata)),
      box(
        'trak',
        box(
          'mdia',
          box(
            'minf',
            box(
              'stbl',
              box('stsz', numbers(0, large.length, 1)),
              box('co64', numbers(0, 1, 0, at)),
            ),
          ),
        ),
      ),
    ),
    uuid('eaf42b5e1c984b88b9fbb7dc406e4d16', Buffer.alloc(8), preview),
  ]
  const at = Buffer.concat(build(0)).length + 8
  return Buffer.concat([...build(at), box('mdat', large)])
}
