// Bytes to text. Detection never guesses in a way that could lose bytes: what does not come back
// byte for byte when written again is read as Windows-1252, whose 256 codes are all taken.

import { encodeText } from './encode.ts'
import { bomOf, type TextEncoding, UTF8 } from './encodings.ts'

export interface DecodedText {
  /** Without the byte order mark; line ends as they are in the file. */
  text: string
  encoding: TextEncoding
}

/** Bytes searched for the zero bytes of UTF-16 without a mark. */
const SNIFF_BYTES = 64 * 1024

/** False for an empty prefix, which says nothing. */
export function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.length > 0 && prefix.every((byte, index) => bytes[index] === byte)
}

/**
 * The encoding the bytes are most likely in. `partial` says that they are the beginning of something
 * longer, so that a character cut in half at the end does not count against UTF-8.
 */
export function detectEncoding(bytes: Uint8Array, partial = false): TextEncoding {
  for (const name of ['utf-8', 'utf-16le', 'utf-16be']) {
    if (!startsWith(bytes, bomOf(name))) continue
    // A mark proves nothing of the bytes behind it. A window on a file is only read: it may trust it.
    if (name === 'utf-8' && !partial && !isUtf8(bytes, false)) break
    return { name, bom: true }
  }
  const wide = sniffUtf16(bytes.subarray(0, SNIFF_BYTES))
  if (wide !== null && (partial || bytes.length % 2 === 0)) return { name: wide, bom: false }
  return isUtf8(bytes, partial) ? UTF8 : { name: 'windows-1252', bom: false }
}

/** Text in mostly Latin letters has a zero in every second byte of UTF-16, and nowhere else. */
function sniffUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes.length < 2) return null
  const zeros = [0, 0]
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === 0) zeros[index & 1] = (zeros[index & 1] ?? 0) + 1
  }
  const half = bytes.length / 2
  const [even = 0, odd = 0] = zeros
  if (odd > half * 0.4 && even < half * 0.02) return 'utf-16le'
  if (even > half * 0.4 && odd < half * 0.02) return 'utf-16be'
  return null
}

function isUtf8(bytes: Uint8Array, partial: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: partial })
    return true
  } catch {
    return false // a TypeError is how the decoder says that a byte does not fit
  }
}

/** Reads bytes in the given encoding; what does not fit becomes U+FFFD. The mark is left out. */
export function decodeAs(bytes: Uint8Array, encoding: TextEncoding): string {
  const body = encoding.bom ? bytes.subarray(bomOf(encoding.name).length) : bytes
  if (encoding.name === 'utf-16le' || encoding.name === 'utf-16be') {
    return decodeUtf16(body, encoding.name === 'utf-16be')
  }
  return new TextDecoder(encoding.name, { ignoreBOM: true }).decode(body)
}

/**
 * The browser's decoder turns lone surrogates into U+FFFD, which would change the file on save;
 * strings can hold them, so the units are taken as they are.
 */
function decodeUtf16(bytes: Uint8Array, bigEndian: boolean): string {
  const high = bigEndian ? 0 : 1
  const units = new Uint16Array(Math.ceil(bytes.length / 2))
  for (let index = 0; index + 1 < bytes.length; index += 2) {
    units[index >> 1] = ((bytes[index + high] ?? 0) << 8) | (bytes[index + 1 - high] ?? 0)
  }
  if (bytes.length % 2 === 1) units[units.length - 1] = 0xfffd
  const parts: string[] = []
  for (let start = 0; start < units.length; start += 8192) {
    parts.push(String.fromCharCode(...units.subarray(start, start + 8192)))
  }
  return parts.join('')
}

/** Reads a whole file in the encoding it is most likely in, one that can write it back unchanged. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = detectEncoding(bytes)
  const text = decodeAs(bytes, encoding)
  // Checked UTF-8 and Windows-1252 always come back; only UTF-16 can have a byte too many.
  const exact = !encoding.name.startsWith('utf-16') || writesBack(text, encoding, bytes)
  if (exact) return { text, encoding }
  const latin: TextEncoding = { name: 'windows-1252', bom: false }
  return { text: decodeAs(bytes, latin), encoding: latin }
}

/** True when writing `text` in `encoding` gives exactly `bytes`, so that a save changes nothing else. */
export function writesBack(text: string, encoding: TextEncoding, bytes: Uint8Array): boolean {
  const written = encodeText(text, encoding)
  if (!written.ok || written.bytes.length !== bytes.length) return false
  return written.bytes.every((byte, index) => byte === bytes[index])
}
