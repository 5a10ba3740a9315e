// A long text file in parts: from any byte offset, forwards or backwards, cut where lines end and
// never within a character. Nothing here knows how the bytes are fetched or shown.

import { looksBinary } from './binary.ts'
import { decodeAs, detectEncoding } from './decode.ts'
import { bomOf, type TextEncoding } from './encodings.ts'

/** Bytes of one part; a screenful is about 5 KiB. */
export const PART_BYTES = 256 * 1024
/** A cut looks this far for a line end before it gives up and cuts within the line. */
const CUT_BYTES = 64 * 1024
/** Enough to tell the encoding. */
const SNIFF_BYTES = 64 * 1024

export interface TextPart {
  /** Byte offsets in the file; `end` is exclusive. */
  start: number
  end: number
  text: string
}

/** Bytes from `start` up to, not including, `end`; fewer when the file ends before. */
type ReadBytes = (start: number, end: number, signal: AbortSignal) => Promise<ArrayBuffer>

export class TextParts {
  readonly sizeBytes: number
  readonly #read: ReadBytes
  encoding: TextEncoding = { name: 'utf-8', bom: false }
  binary = false

  constructor(read: ReadBytes, sizeBytes: number) {
    this.#read = read
    this.sizeBytes = sizeBytes
  }

  /** Sets the encoding, and whether it is text at all, by the beginning. Call before anything else. */
  async detect(signal: AbortSignal): Promise<TextEncoding> {
    const bytes = await this.#bytes(0, Math.min(SNIFF_BYTES, this.sizeBytes), signal)
    this.encoding = detectEncoding(bytes, bytes.length < this.sizeBytes)
    this.binary = looksBinary(bytes, this.encoding)
    return this.encoding
  }

  /** The part that begins with the first whole line at or after `offset`. */
  async at(offset: number, signal: AbortSignal): Promise<TextPart> {
    const wanted = this.#align(Math.max(0, Math.min(offset, this.sizeBytes)))
    if (wanted === 0) return this.after(0, signal)
    const bytes = await this.#bytes(wanted, wanted + PART_BYTES, signal)
    const skip = this.#lineStart(bytes)
    return this.#part(wanted + skip, bytes.subarray(skip))
  }

  /** The part that begins exactly at `start`, the end of another one. */
  async after(start: number, signal: AbortSignal): Promise<TextPart> {
    return this.#part(start, await this.#bytes(start, start + PART_BYTES, signal))
  }

  /** The part that ends exactly at `end`, the start of another one. */
  async before(end: number, signal: AbortSignal): Promise<TextPart> {
    const from = this.#align(Math.max(0, end - PART_BYTES))
    const bytes = await this.#bytes(from, end, signal)
    const skip = from === 0 ? 0 : this.#lineStart(bytes)
    return { start: from + skip, end, text: this.#decode(bytes.subarray(skip), from + skip) }
  }

  async last(signal: AbortSignal): Promise<TextPart> {
    return this.before(this.sizeBytes, signal)
  }

  async #bytes(start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    const stop = Math.min(end, this.sizeBytes)
    if (stop <= start) return new Uint8Array()
    return new Uint8Array(await this.#read(start, stop, signal))
  }

  #part(start: number, bytes: Uint8Array): TextPart {
    const atEnd = start + bytes.length >= this.sizeBytes
    const length = atEnd ? bytes.length : this.#lastCut(bytes)
    return { start, end: start + length, text: this.#decode(bytes.subarray(0, length), start) }
  }

  #decode(bytes: Uint8Array, start: number): string {
    const mark = start === 0 && this.encoding.bom ? bomOf(this.encoding.name).length : 0
    return decodeAs(bytes.subarray(mark), { name: this.encoding.name, bom: false })
  }

  get #wide(): boolean {
    return this.encoding.name.startsWith('utf-16')
  }

  #align(offset: number): number {
    return this.#wide ? offset - (offset % 2) : offset
  }

  /** How many bytes to leave out at the start of a part that begins anywhere. */
  #lineStart(bytes: Uint8Array): number {
    const limit = Math.min(bytes.length, CUT_BYTES)
    for (let at = 0; at < limit; at++) if (this.#isFeed(bytes, at)) return at + (this.#wide ? 2 : 1)
    let skip = 0
    if (this.encoding.name === 'utf-8') {
      while (skip < 4 && ((bytes[skip] ?? 0) & 0xc0) === 0x80) skip++
    }
    return skip
  }

  /** Where to end a part: after its last line end, else between two characters. */
  #lastCut(bytes: Uint8Array): number {
    const limit = Math.max(0, bytes.length - CUT_BYTES)
    for (let at = bytes.length - 1; at >= limit; at--) {
      if (this.#isFeed(bytes, at)) return at + (this.#wide ? 2 : 1)
    }
    if (this.#wide) return bytes.length - (bytes.length % 2)
    if (this.encoding.name !== 'utf-8') return bytes.length
    let cut = bytes.length
    for (let back = 1; back <= Math.min(4, bytes.length); back++) {
      const byte = bytes[bytes.length - back] ?? 0
      if ((byte & 0xc0) === 0x80) continue
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
      if (length > back) cut = bytes.length - back
      break
    }
    return cut
  }

  #isFeed(bytes: Uint8Array, at: number): boolean {
    if (!this.#wide) return bytes[at] === 10
    if (at % 2 === 1 || at + 1 >= bytes.length) return false
    const [low, high] = this.encoding.name === 'utf-16le' ? [at, at + 1] : [at + 1, at]
    return bytes[low] === 10 && bytes[high] === 0
  }

  /** Bytes a text takes in the file, for turning a place in a part into an offset. */
  byteLength(text: string): number {
    if (this.#wide) return text.length * 2
    return this.encoding.name === 'utf-8' ? new TextEncoder().encode(text).length : text.length
  }

  /**
   * Looks for `text` from `start` on, part by part. Null when it does not occur; `onProgress` hears
   * the offset reached after each part.
   */
  async find(
    text: string,
    start: number,
    onProgress: (offset: number) => void,
    signal: AbortSignal,
  ): Promise<{ start: number; end: number } | null> {
    const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu')
    let offset = this.#align(start)
    // The end of each part is searched again with the next one: a match may lie across the cut.
    let carry = ''
    let carryStart = offset
    while (offset < this.sizeBytes) {
      const part = await this.after(offset, signal)
      if (part.end <= offset) return null
      const joined = carry + part.text
      const hit = pattern.exec(joined)
      if (hit !== null) {
        const at = carryStart + this.byteLength(joined.slice(0, hit.index))
        return { start: at, end: at + this.byteLength(hit[0]) }
      }
      carry = joined.slice(Math.max(0, joined.length - text.length * 2))
      carryStart = part.end - this.byteLength(carry)
      offset = part.end
      onProgress(offset)
    }
    return null
  }
}
