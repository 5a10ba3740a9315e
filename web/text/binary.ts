// Tells a text from a film that was given the name of one, by the control characters in its beginning.

import type { TextEncoding } from './encodings.ts'

/** Enough to judge by, and little for the largest file. */
const SAMPLE_BYTES = 64 * 1024
/** Compressed data has one in ten; a log with a stray one among its lines stays far below. */
const MAX_SHARE = 0.01
/** In a file of a few bytes, one or two of them prove nothing. */
const MAX_COUNT = 3

/** Backspace, tab, line ends, form feed and escape occur in what terminals and printers are sent. */
const IN_TEXTS = new Set([8, 9, 10, 11, 12, 13, 27])

/** True when these are not the bytes of a text; `encoding` is what they seem to be written in. */
export function looksBinary(bytes: Uint8Array, encoding: TextEncoding): boolean {
  if (encoding.name.startsWith('utf-16')) return false
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  let strange = 0
  for (const byte of sample) if (byte < 32 && !IN_TEXTS.has(byte)) strange++
  return strange > Math.max(MAX_COUNT, sample.length * MAX_SHARE)
}
