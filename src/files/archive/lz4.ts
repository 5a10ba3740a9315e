// LZ4 blocks, and what a frame around them needs. The library that was tried before keeps hundreds
// of megabytes until the process is idle; this holds one table.
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md and lz4_Frame_format.md

const MIN_MATCH = 4
/** The last match starts at least so many bytes before the end, and the last bytes are literals. */
const MATCH_START_LIMIT = 12
const LAST_LITERALS = 5
const MAX_OFFSET = 65_535
const HASH_BITS = 16
/** After so many misses in a row (as a power of two) the step grows: noise is passed quickly. */
const SKIP_BITS = 6

/** Largest size a block of `bytes` can take. */
export function lz4Bound(bytes: number): number {
  return bytes + Math.ceil(bytes / 255) + 16
}

/** Compresses blocks one after the other with one table. */
export function createLz4Encoder(): (source: Uint8Array, target: Uint8Array) => number {
  const table = new Int32Array(1 << HASH_BITS)

  /** Returns the bytes written to `target`, which has room for lz4Bound(source.length). */
  return (source, target) => {
    // Positions are kept plus one, so that 0 means never seen.
    table.fill(0)
    const matchEnd = source.length - LAST_LITERALS
    const lastStart = source.length - MATCH_START_LIMIT
    let written = 0
    let anchor = 0
    let at = 0
    let misses = 1 << SKIP_BITS
    while (at <= lastStart) {
      const sequence = read32(source, at)
      const slot = Math.imul(sequence, 0x9e3779b1) >>> (32 - HASH_BITS)
      let candidate = (table[slot] as number) - 1
      table[slot] = at + 1
      if (candidate < 0 || at - candidate > MAX_OFFSET || read32(source, candidate) !== sequence) {
        at += misses++ >> SKIP_BITS
        continue
      }
      misses = 1 << SKIP_BITS
      while (at > anchor && candidate > 0 && source[at - 1] === source[candidate - 1]) {
        at--
        candidate--
      }
      let end = at + MIN_MATCH
      for (let from = candidate + MIN_MATCH; end < matchEnd && source[end] === source[from]; from++)
        end++
      written = putSequence(source, anchor, at, target, written, at - candidate, end - at)
      anchor = end
      at = end
    }
    return putSequence(source, anchor, source.length, target, written, 0, 0)
  }
}

// Literals, then a match; the last sequence has no match (length 0).
function putSequence(
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  start: number,
  offset: number,
  matchLength: number,
): number {
  const literals = to - from
  const extra = matchLength === 0 ? 0 : matchLength - MIN_MATCH
  let at = start
  target[at++] = (Math.min(literals, 15) << 4) | Math.min(extra, 15)
  if (literals >= 15) at = putLength(target, at, literals - 15)
  if (literals > 32) target.set(source.subarray(from, to), at)
  else for (let i = 0; i < literals; i++) target[at + i] = source[from + i] as number
  at += literals
  if (matchLength === 0) return at
  target[at++] = offset & 255
  target[at++] = offset >> 8
  return extra >= 15 ? putLength(target, at, extra - 15) : at
}

function putLength(target: Uint8Array, start: number, length: number): number {
  let at = start
  let rest = length
  for (; rest >= 255; rest -= 255) target[at++] = 255
  target[at++] = rest
  return at
}

const P1 = 0x9e3779b1
const P2 = 0x85ebca77
const P3 = 0xc2b2ae3d
const P4 = 0x27d4eb2f
const P5 = 0x165667b1

/** The checksum of the frame format. https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md */
export function xxh32(bytes: Uint8Array): number {
  let at = 0
  let hash = P5
  if (bytes.length >= 16) {
    let a = (P1 + P2) | 0
    let b = P2 | 0
    let c = 0
    let d = -P1 | 0
    for (; at <= bytes.length - 16; at += 16) {
      a = round(a, read32(bytes, at))
      b = round(b, read32(bytes, at + 4))
      c = round(c, read32(bytes, at + 8))
      d = round(d, read32(bytes, at + 12))
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)
  }
  hash = (hash + bytes.length) | 0
  for (; at <= bytes.length - 4; at += 4)
    hash = Math.imul(rotate((hash + Math.imul(read32(bytes, at), P3)) | 0, 17), P4)
  for (; at < bytes.length; at++)
    hash = Math.imul(rotate((hash + Math.imul(bytes[at] as number, P5)) | 0, 11), P1)
  hash = Math.imul(hash ^ (hash >>> 15), P2)
  hash = Math.imul(hash ^ (hash >>> 13), P3)
  return (hash ^ (hash >>> 16)) >>> 0
}

function round(lane: number, input: number): number {
  return Math.imul(rotate((lane + Math.imul(input, P2)) | 0, 13), P1)
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function read32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

/** Bytes of input per block of the frame; the frame header says so (code 6). */
export const LZ4_BLOCK_BYTES = 1024 * 1024
const BLOCK_SIZE_CODE = 6
/** Version 01, blocks independent, each with a checksum. */
const FLAGS = 0b0111_0000

/** Magic number, descriptor and its checksum. */
export function lz4FrameHead(): Buffer {
  const descriptor = Buffer.from([FLAGS, BLOCK_SIZE_CODE << 4])
  const check = (xxh32(descriptor) >>> 8) & 255
  return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18]), descriptor, Buffer.from([check])])
}

/** A block size of zero ends the frame. */
export const LZ4_FRAME_END = Buffer.alloc(4)
/** Set in the size of a block that is stored as it is. */
const STORED = 0x80000000

/** Room that a block of LZ4_BLOCK_BYTES needs in a frame. */
export const LZ4_FRAMED_BYTES = lz4Bound(LZ4_BLOCK_BYTES) + 8

/** Puts one block into a frame: size, data, checksum. Returns the bytes written to `target`. */
export function putFramedBlock(
  encode: ReturnType<typeof createLz4Encoder>,
  source: Uint8Array,
  target: Uint8Array,
): number {
  const view = new DataView(target.buffer, target.byteOffset)
  let bytes = encode(source, target.subarray(4))
  const stored = bytes >= source.length
  if (stored) {
    bytes = source.length
    target.set(source, 4)
  }
  view.setUint32(0, stored ? bytes + STORED : bytes, true)
  view.setUint32(4 + bytes, xxh32(target.subarray(4, 4 + bytes)), true)
  return bytes + 8
}
