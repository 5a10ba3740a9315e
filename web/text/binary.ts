// Tells a text from a film that was given the name of one, by the control characters in its beginning.

import { decodeAs } from './decode.ts'
import type { TextEncoding } from './encodings.ts'

/** Enough to decide by, and little of the largest file. */
const SAMPLE_BYTES = 64 * 1024
/** Compressed data has one in ten; a log with a stray one among its lines stays far below. */
const MAX_SHARE = 0.01
/** In a file of a few bytes, one or two of them prove nothing. */
const MAX_COUNT = 3

/**
 * Backspace, tab, line ends, form feed and escape occur in what terminals and printers are sent; 1 and
 * 28 to 31 separate fields and records, as in FIX logs and data of library catalogues.
 */
const IN_TEXTS = new Set([1, 8, 9, 10, 11, 12, 13, 27, 28, 29, 30, 31])
/** Half of a character of two units, alone: one in thirty of what is no UTF-16. */
const LONE_SURROGATE = /^\p{Surrogate}$/u

/** True when these are not the bytes of a text; `encoding` is what they seem to be written in. */
export function looksBinary(bytes: Uint8Array, encoding: TextEncoding): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const wide = encoding.name.startsWith('utf-16')
  const strange = wide ? strangeCharacters(decodeAs(sample, encoding)) : strangeBytes(sample)
  const units = wide ? sample.length / 2 : sample.length
  return strange > Math.max(MAX_COUNT, units * MAX_SHARE)
}

function strangeBytes(bytes: Uint8Array): number {
  let strange = 0
  for (const byte of bytes) if (isStrange(byte)) strange++
  return strange
}

function strangeCharacters(text: string): number {
  let strange = 0
  for (const character of text) {
    if (isStrange(character.codePointAt(0) ?? 0) || LONE_SURROGATE.test(character)) strange++
  }
  return strange
}

function isStrange(code: number): boolean {
  return code < 32 && !IN_TEXTS.has(code)
}
