// Reads tar files: headers only where ranges can skip the content, all of it where a compressed
// stream has to be read through. Names in ustar, GNU and pax form.
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html

import { type ReadRange, ZipError } from './zip-reader.ts'

const BLOCK = 512
/** Pax headers and long names are read into memory; genuine ones have a few hundred bytes. */
const MAX_META_BYTES = 1024 * 1024

export interface TarEntry {
  name: string
  kind: 'file' | 'dir' | 'other'
  sizeBytes: number
  modified: Date
  /** Where its content starts in the unpacked archive. */
  dataAt: number
}

/** Yields `length` bytes at `at`; fewer at the end. Positions only ever grow. */
export type ReadAhead = (at: number, length: number) => Promise<Uint8Array>

/** The entries in order. Ends quietly at the first header that is none, as tar itself does. */
export async function* walkTar(read: ReadAhead): AsyncGenerator<TarEntry> {
  let at = 0
  let longName = ''
  let pax: Map<string, string> = new Map()
  for (;;) {
    const header = await read(at, BLOCK)
    if (header.length < BLOCK || !hasGoodSum(header)) return
    const declared = numberAt(header, 124, 12)
    const size = Number(pax.get('size') ?? declared)
    if (!Number.isSafeInteger(size) || size < 0) return
    const type = String.fromCharCode(header[156] ?? 0)
    const dataAt = at + BLOCK
    at = dataAt + Math.ceil(size / BLOCK) * BLOCK
    if (type === 'S') at += await sparseBlocks(read, header, dataAt)
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      if (size > MAX_META_BYTES) return
      const data = await read(dataAt, size)
      if (type === 'x') pax = parsePax(data)
      else if (type === 'L') longName = cString(data, 0, data.length)
      continue
    }
    const prefix = cString(header, 257, 5) === 'ustar' ? cString(header, 345, 155) : ''
    const short = (prefix ? `${prefix}/` : '') + cString(header, 0, 100)
    const name = pax.get('path') ?? (longName || short)
    const kind =
      type === '5' || name.endsWith('/')
        ? 'dir'
        : /[\0 07]/.test(type) || type === ''
          ? 'file'
          : 'other'
    yield {
      name,
      kind,
      sizeBytes: kind === 'file' ? size : 0,
      modified: new Date(Number(pax.get('mtime') ?? numberAt(header, 136, 12)) * 1000),
      dataAt,
    }
    longName = ''
    pax = new Map()
  }
}

/**
 * Bytes of the further maps that follow the header of a sparse file in GNU's old form, which its size
 * leaves out.
 */
async function sparseBlocks(read: ReadAhead, header: Uint8Array, from: number): Promise<number> {
  let at = from
  let more = header[482] === 1
  while (more) {
    const block = await read(at, BLOCK)
    more = block[504] === 1
    at += BLOCK
  }
  return at - from
}

function hasGoodSum(header: Uint8Array): boolean {
  let sum = 0
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte
  return sum === numberAt(header, 148, 8)
}

function cString(bytes: Uint8Array, start: number, length: number): string {
  const part = bytes.subarray(start, start + length)
  const end = part.indexOf(0)
  return new TextDecoder().decode(end < 0 ? part : part.subarray(0, end))
}

/** Octal text, or, with the top bit set, big-endian binary as GNU tar writes large numbers. */
function numberAt(bytes: Uint8Array, start: number, length: number): number {
  if (((bytes[start] ?? 0) & 0x80) !== 0) {
    let value = 0
    for (let index = start + 1; index < start + length; index++)
      value = value * 256 + (bytes[index] ?? 0)
    return value
  }
  return Number.parseInt(cString(bytes, start, length).trim() || '0', 8)
}

function parsePax(data: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  let at = 0
  while (at < data.length) {
    const space = data.indexOf(32, at)
    const length = Number.parseInt(new TextDecoder().decode(data.subarray(at, space)), 10)
    if (space < 0 || !(length > 0)) break
    const record = new TextDecoder().decode(data.subarray(space + 1, at + length - 1))
    const equals = record.indexOf('=')
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
}

const PIECE_BYTES = 64 * 1024

/** Over a plain tar file: content is skipped, small neighbours come with one request. */
export function readAheadOfRange(read: ReadRange, fileBytes: number): ReadAhead {
  let start = 0
  let piece = new Uint8Array(0)
  return async (at, length) => {
    if (at < start || at + length > start + piece.length) {
      start = at
      const end = Math.min(fileBytes, at + Math.max(PIECE_BYTES, length))
      piece = at < end ? new Uint8Array(await read(at, end)) : new Uint8Array(0)
    }
    return piece.subarray(at - start, at - start + length)
  }
}

/** Over a stream: what lies before `at` is dropped as it arrives. @throws ZipError after `maxBytes`. */
export function readAheadOfStream(stream: ReadableStream<Uint8Array>, maxBytes: number) {
  const reader = stream.getReader()
  let chunk: Uint8Array = new Uint8Array(0)
  /** Position of the first byte of `chunk`. */
  let position = 0

  async function nextChunk(): Promise<boolean> {
    position += chunk.length
    const { done, value } = await reader.read()
    chunk = done ? new Uint8Array(0) : value
    if (position + chunk.length > maxBytes) throw new ZipError('too_large')
    return !done
  }
  const read: ReadAhead = async (at, length) => {
    const out = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const want = at + filled
      if (want >= position + chunk.length) {
        if (!(await nextChunk())) return out.subarray(0, filled)
        continue
      }
      const piece = chunk.subarray(want - position, want - position + length - filled)
      out.set(piece, filled)
      filled += piece.length
    }
    return out
  }
  return { read, cancel: () => reader.cancel().catch(() => {}) }
}
