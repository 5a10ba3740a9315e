// Names and characters of a font: TrueType, OpenType, WOFF and, where the browser can unpack it,
// WOFF 2. Only tables needed for that are read; the browser's own loader judges the rest.
// https://learn.microsoft.com/typography/opentype/spec/

import { inflate, ZipError } from '../archive/zip-reader.ts'

export interface FontFacts {
  family: string
  style: string
  /** Code points with a glyph, ascending; null when they cannot be read here. */
  characters: number[] | null
}

const MAX_TABLE_BYTES = 16 * 1024 * 1024
const MAX_FONT_BYTES = 64 * 1024 * 1024
const MAX_CHARACTERS = 120_000

type Tables = (tag: string) => Promise<DataView | null>

/** Never throws for a damaged font: what cannot be read is left out. */
export async function readFontFacts(bytes: ArrayBuffer): Promise<FontFacts> {
  try {
    const tables = await openTables(bytes)
    const [name, cmap] = await Promise.all([tables('name'), tables('cmap')])
    return {
      family: (name && (readName(name, 16) || readName(name, 1))) || '',
      style: (name && (readName(name, 17) || readName(name, 2))) || '',
      characters: cmap ? readCharacters(cmap) : null,
    }
  } catch (error) {
    if (error instanceof RangeError || error instanceof ZipError || error instanceof TypeError) {
      return { family: '', style: '', characters: null }
    }
    throw error
  }
}

async function openTables(bytes: ArrayBuffer): Promise<Tables> {
  const view = new DataView(bytes)
  const signature = view.getUint32(0)
  if (signature === 0x774f4646) return woffTables(view)
  if (signature === 0x774f4632) return woff2Tables(view)
  // A collection: its first font stands for all.
  const start = signature === 0x74746366 ? view.getUint32(12) : 0
  const count = view.getUint16(start + 4)
  return async (tag) => {
    for (let index = 0; index < count; index++) {
      const at = start + 12 + index * 16
      if (tagAt(view, at) !== tag) continue
      return new DataView(bytes, view.getUint32(at + 8), view.getUint32(at + 12))
    }
    return null
  }
}

function tagAt(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))
}

function woffTables(view: DataView): Tables {
  const count = view.getUint16(12)
  return async (tag) => {
    for (let index = 0; index < count; index++) {
      const at = 44 + index * 20
      if (tagAt(view, at) !== tag) continue
      const offset = view.getUint32(at + 4)
      const packed = view.getUint32(at + 8)
      const data = view.buffer.slice(offset, offset + packed) as ArrayBuffer
      if (packed >= view.getUint32(at + 12)) return new DataView(data)
      return new DataView((await inflate(data, 'deflate', MAX_TABLE_BYTES)).buffer)
    }
    return null
  }
}

const TAGS =
  'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB'
/** The order of known tags fixed by the WOFF 2 specification, as far as needed to find two tables. */
const knownTags = TAGS.match(/.{4} ?/g)?.map((tag) => tag.slice(0, 4)) ?? []

async function woff2Tables(view: DataView): Promise<Tables> {
  const count = view.getUint16(12)
  const packedLength = view.getUint32(20)
  let at = 48
  function base128(): number {
    let value = 0
    for (let index = 0; index < 5; index++) {
      const byte = view.getUint8(at++)
      value = value * 128 + (byte & 127)
      if ((byte & 128) === 0) return value
    }
    throw new RangeError('number too long')
  }
  const places = new Map<string, { start: number; length: number }>()
  let start = 0
  for (let index = 0; index < count; index++) {
    const flags = view.getUint8(at++)
    let tag = knownTags[flags & 63] ?? ''
    if ((flags & 63) === 63) {
      tag = tagAt(view, at)
      at += 4
    }
    let length = base128()
    const version = flags >> 6
    const outlines = tag === 'glyf' || tag === 'loca'
    // Outlines are transformed unless the version says 3, all other tables only when it is not 0.
    if (outlines ? version !== 3 : version !== 0) length = base128()
    places.set(tag, { start, length })
    start += length
  }
  const packed = view.buffer.slice(at, at + packedLength) as ArrayBuffer
  // Not in every browser yet; its absence is a TypeError, and the characters stay unknown.
  const all = await inflate(packed, 'brotli' as CompressionFormat, MAX_FONT_BYTES)
  return async (tag) => {
    const place = places.get(tag)
    return place ? new DataView(all.buffer, place.start, place.length) : null
  }
}

/** The English or first readable record of a name, '' when there is none. */
function readName(table: DataView, id: number): string {
  const count = table.getUint16(2)
  const strings = table.getUint16(4)
  let found = ''
  for (let index = 0; index < count; index++) {
    const at = 6 + index * 12
    if (table.getUint16(at + 6) !== id) continue
    const platform = table.getUint16(at)
    const start = table.byteOffset + strings + table.getUint16(at + 10)
    const bytes = new Uint8Array(table.buffer, start, table.getUint16(at + 8))
    const text = new TextDecoder(platform === 1 ? 'macintosh' : 'utf-16be').decode(bytes)
    if (platform === 3 && table.getUint16(at + 4) === 0x409) return text
    found ||= text
  }
  return found
}

function readCharacters(table: DataView): number[] {
  const count = table.getUint16(2)
  let best = 0
  let rank = -1
  for (let index = 0; index < count; index++) {
    const at = 4 + index * 8
    const platform = table.getUint16(at)
    const encoding = table.getUint16(at + 2)
    const offset = table.getUint32(at + 4)
    const format = table.getUint16(offset)
    const score =
      format === 12
        ? 3
        : format !== 4
          ? -1
          : platform === 0 || encoding === 1
            ? 2
            : encoding === 0
              ? 1
              : 0
    if (score > rank) {
      rank = score
      best = offset
    }
  }
  if (rank < 0) return []
  return table.getUint16(best) === 12 ? fromSegments12(table, best) : fromSegments4(table, best)
}

function fromSegments12(table: DataView, at: number): number[] {
  const found: number[] = []
  const groups = table.getUint32(at + 12)
  for (let index = 0; index < groups; index++) {
    const group = at + 16 + index * 12
    const last = table.getUint32(group + 4)
    for (let code = table.getUint32(group); code <= last && code <= 0x10ffff; code++) {
      if (found.length >= MAX_CHARACTERS) return found
      found.push(code)
    }
  }
  return found
}

function fromSegments4(table: DataView, at: number): number[] {
  const found: number[] = []
  const doubled = table.getUint16(at + 6)
  for (let index = 0; index < doubled; index += 2) {
    const last = table.getUint16(at + 14 + index)
    const first = table.getUint16(at + 16 + doubled + index)
    const delta = table.getUint16(at + 16 + doubled * 2 + index)
    const rangeAt = at + 16 + doubled * 3 + index
    const range = table.getUint16(rangeAt)
    for (let code = first; code <= last && code < 0xffff; code++) {
      if (found.length >= MAX_CHARACTERS) return found
      const glyph =
        range === 0
          ? (code + delta) & 0xffff
          : table.getUint16(rangeAt + range + (code - first) * 2)
      if (glyph !== 0) found.push(code)
    }
  }
  return found
}
