// Text to bytes in any encoding the browser can read. It writes UTF-8 only, so the tables of the
// others are obtained by asking its decoder about every code, once, when first needed.

import { bomOf, type TextEncoding } from './encodings.ts'

export type Encoded =
  | { ok: true; bytes: Uint8Array<ArrayBuffer> }
  /** `position` counts UTF-16 units from the start of the text. */
  | { ok: false; reason: 'unencodable'; character: string; position: number; count: number }
  /** The encoding switches state within the text, and we only read it. */
  | { ok: false; reason: 'read-only' }

/** Writes `text`, with the byte order mark when `encoding.bom`; refuses what the encoding lacks. */
export function encodeText(text: string, encoding: TextEncoding): Encoded {
  const mark = encoding.bom ? bomOf(encoding.name) : []
  switch (encoding.name) {
    case 'utf-8':
      return encodeUtf8(text, mark)
    case 'utf-16le':
    case 'utf-16be':
      return { ok: true, bytes: encodeUtf16(text, encoding.name === 'utf-16be', mark) }
    default:
      if (!canWrite(encoding)) return { ok: false, reason: 'read-only' }
      return encodeByTable(text, tableOf(encoding.name))
  }
}

/** True when a file in this encoding can be saved at all. */
export function canWrite(encoding: TextEncoding): boolean {
  return encoding.name !== 'iso-2022-jp'
}

function encodeUtf8(text: string, mark: readonly number[]): Encoded {
  if (!text.isWellFormed()) {
    const lone = /[\ud800-\udfff]/u
    const position = text.search(lone)
    const count = text.match(new RegExp(lone, 'gu'))?.length ?? 1
    const character = text.charAt(position)
    return { ok: false, reason: 'unencodable', character, position, count }
  }
  const body = new TextEncoder().encode(text)
  if (mark.length === 0) return { ok: true, bytes: body }
  const bytes = new Uint8Array(mark.length + body.length)
  bytes.set(mark)
  bytes.set(body, mark.length)
  return { ok: true, bytes }
}

function encodeUtf16(text: string, bigEndian: boolean, mark: readonly number[]) {
  const bytes = new Uint8Array(mark.length + text.length * 2)
  bytes.set(mark)
  const high = bigEndian ? 0 : 1
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const at = mark.length + index * 2
    bytes[at + high] = unit >> 8
    bytes[at + 1 - high] = unit & 0xff
  }
  return bytes
}

/** Code of each character: one byte below 256, else two bytes (or three with 0x8F first). */
type EncodeTable = ReadonlyMap<string, number>

function encodeByTable(text: string, table: EncodeTable): Encoded {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  let missing = 0
  let first: { character: string; position: number } | null = null
  let position = 0
  for (const character of text) {
    const code = table.get(character)
    if (code === undefined) {
      missing += 1
      first ??= { character, position }
    } else {
      if (code > 0xffff) bytes[length++] = code >> 16
      if (code > 0xff) bytes[length++] = (code >> 8) & 0xff
      bytes[length++] = code & 0xff
    }
    position += character.length
  }
  if (first !== null) return { ok: false, reason: 'unencodable', ...first, count: missing }
  return { ok: true, bytes: bytes.slice(0, length) }
}

/** A memo: a table depends on the name of its encoding alone, and takes long to make. */
const tables = new Map<string, EncodeTable>()

function tableOf(name: string): EncodeTable {
  const table = tables.get(name) ?? makeTable(name)
  tables.set(name, table)
  return table
}

/**
 * Every byte alone, then the pairs of legacy encodings of East Asia: a lead byte from 0x81 and a trail
 * byte from 0x40. The first code of a character wins: of two the lower one is the usual one.
 */
function makeTable(name: string): EncodeTable {
  const table = new Map<string, number>()
  const decoder = new TextDecoder(name)
  const add = (...bytes: number[]) => {
    const decoded = decoder.decode(Uint8Array.from(bytes))
    const single = [...decoded].length === 1 && decoded !== '\ufffd'
    const code = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    if (single && !table.has(decoded)) table.set(decoded, code)
  }
  for (let byte = 0; byte < 256; byte++) add(byte)
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail)
  }
  if (name === 'euc-jp') {
    for (let lead = 0xa1; lead <= 0xfe; lead++) {
      for (let trail = 0xa1; trail <= 0xfe; trail++) add(0x8f, lead, trail)
    }
  }
  return table
}
