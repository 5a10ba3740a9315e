// bzip2, block by block, also where several streams follow each other.
// https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf
import { AppError } from '../../lib/errors.ts'

const BLOCK_MARK = 0x314159265359
const END_MARK = 0x177245385090
const MAX_CODE_BITS = 20
const GROUP_SYMBOLS = 50
/** No block takes more than this. */
const MAX_PACKED_BYTES = 1_500_000
/** Of a block after the first of its steps, for each level. */
const LEVEL_BYTES = 100_000

interface Bits {
  bytes: Buffer
  /** Of the next bit. */
  at: number
}

function damaged(): AppError {
  return new AppError('damaged', 'bzip2')
}

function take(bits: Bits, count: number): number {
  let value = 0
  for (let left = count; left > 0; ) {
    const offset = bits.at & 7
    const step = Math.min(left, 8 - offset)
    const byte = bits.bytes[bits.at >> 3]
    if (byte === undefined) throw damaged()
    value = value * 2 ** step + ((byte >> (8 - offset - step)) & ((1 << step) - 1))
    bits.at += step
    left -= step
  }
  return value
}

/** The next MAX_CODE_BITS bits, zeros behind the last; none are taken. */
function peek({ bytes, at }: Bits): number {
  const place = at >> 3
  const high = ((bytes[place] ?? 0) << 24) | ((bytes[place + 1] ?? 0) << 16)
  const low = ((bytes[place + 2] ?? 0) << 8) | (bytes[place + 3] ?? 0)
  return ((high | low) << (at & 7)) >>> (32 - MAX_CODE_BITS)
}

/** What is packed. Throws `damaged`; the sum of each block is compared. */
export async function* unpackBzip2(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const chunks = source[Symbol.asyncIterator]()
  const bits: Bits = { bytes: Buffer.alloc(0), at: 0 }
  let hasMore = true
  /** So that a block is there as a whole. */
  const fill = async () => {
    const parts = [bits.bytes.subarray(bits.at >> 3)]
    let held = parts[0]?.length ?? 0
    if (held >= MAX_PACKED_BYTES || !hasMore) return
    while (hasMore && held < 2 * MAX_PACKED_BYTES) {
      const next = await chunks.next()
      hasMore = !next.done
      if (next.done) break
      parts.push(next.value)
      held += next.value.length
    }
    bits.bytes = Buffer.concat(parts)
    bits.at &= 7
  }
  for (let isFirst = true; ; isFirst = false) {
    await fill()
    const at = bits.at >> 3
    const level = (bits.bytes[at + 3] ?? 0) - 0x30
    if (bits.bytes.toString('latin1', at, at + 3) !== 'BZh' || level < 1 || level > 9) {
      if (isFirst) throw damaged()
      // What follows the last stream counts for nothing.
      return
    }
    bits.at += 32
    const memory = new Uint32Array(level * LEVEL_BYTES)
    for (;;) {
      await fill()
      const mark = take(bits, 48)
      const sum = take(bits, 32)
      if (mark === END_MARK) break
      if (mark !== BLOCK_MARK) throw damaged()
      yield* unpackBlock(bits, memory, sum)
    }
    bits.at = (bits.at + 7) & ~7
  }
}

function* unpackBlock(bits: Bits, memory: Uint32Array, sum: number): Generator<Buffer, void> {
  if (take(bits, 1) === 1) throw new AppError('unsupported', 'bzip2: a randomised block')
  const origin = take(bits, 24)
  const symbols = readSymbols(bits)
  const { counts, length } = readMoved(bits, memory, symbols)
  if (origin >= length) throw damaged()
  // Each byte's place in the sorted rotations leads to the one behind it.
  const starts = new Uint32Array(256)
  for (let byte = 1; byte < 256; byte++)
    starts[byte] = (starts[byte - 1] ?? 0) + (counts[byte - 1] ?? 0)
  for (let i = 0; i < length; i++) {
    const byte = (memory[i] ?? 0) & 0xff
    const to = starts[byte] ?? 0
    starts[byte] = to + 1
    memory[to] = (memory[to] ?? 0) | (i << 8)
  }
  yield* runsOf(memory, length, origin, sum)
}

const PIECE_BYTES = 256 * 1024

// Four equal bytes are followed by how many more there are.
function* runsOf(
  memory: Uint32Array,
  length: number,
  origin: number,
  sum: number,
): Generator<Buffer, void> {
  let out = Buffer.allocUnsafe(PIECE_BYTES)
  let used = 0
  let crc = 0xffffffff
  let place = (memory[origin] ?? 0) >>> 8
  let last = -1
  let run = 0
  for (let i = 0; i < length; i++) {
    const value = memory[place] ?? 0
    const byte = value & 0xff
    place = value >>> 8
    let times = 1
    if (run === 4) {
      times = byte
      run = 0
    } else {
      run = byte === last ? run + 1 : 1
      last = byte
    }
    for (; times > 0; times--) {
      out[used++] = last
      crc = ((crc << 8) ^ (CRC[(crc >>> 24) ^ last] ?? 0)) >>> 0
    }
    if (used < PIECE_BYTES - 256) continue
    yield out.subarray(0, used)
    out = Buffer.allocUnsafe(PIECE_BYTES)
    used = 0
  }
  if (~crc >>> 0 !== sum) throw damaged()
  if (used > 0) yield out.subarray(0, used)
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = (byte << 24) >>> 0
  for (let bit = 0; bit < 8; bit++)
    value = ((value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1) >>> 0) >>> 0
  return value
})

/** The bytes that occur. */
function readSymbols(bits: Bits): Uint8Array {
  const ranges = take(bits, 16)
  const symbols: number[] = []
  for (let range = 0; range < 16; range++) {
    if (!(ranges & (0x8000 >> range))) continue
    const map = take(bits, 16)
    for (let i = 0; i < 16; i++) if (map & (0x8000 >> i)) symbols.push(range * 16 + i)
  }
  if (symbols.length === 0) throw damaged()
  return Uint8Array.from(symbols)
}

interface Codes {
  shortest: number
  /** Where the codes of each length end, as peek() gives them, and what one is away from its place in `order`. */
  ends: Uint32Array
  shift: Int32Array
  order: Uint16Array
}

function readCodes(bits: Bits, count: number): Codes {
  const lengths = new Uint8Array(count)
  let length = take(bits, 5)
  for (let symbol = 0; symbol < count; symbol++) {
    while (take(bits, 1) === 1) length += take(bits, 1) === 1 ? -1 : 1
    if (length < 1 || length > MAX_CODE_BITS) throw damaged()
    lengths[symbol] = length
  }
  const order = new Uint16Array(count)
  const ends = new Uint32Array(MAX_CODE_BITS + 1)
  const shift = new Int32Array(MAX_CODE_BITS + 1)
  let code = 0
  let placed = 0
  for (let bit = 1; bit <= MAX_CODE_BITS; bit++) {
    shift[bit] = placed - code
    for (let symbol = 0; symbol < count; symbol++) {
      if (lengths[symbol] !== bit) continue
      order[placed++] = symbol
      code++
    }
    ends[bit] = code * 2 ** (MAX_CODE_BITS - bit)
    code *= 2
  }
  return { shortest: Math.min(...lengths), ends, shift, order }
}

function nextSymbol(bits: Bits, { shortest, ends, shift, order }: Codes): number {
  const window = peek(bits)
  let length = shortest
  while (window >= (ends[length] ?? 0)) if (++length > MAX_CODE_BITS) throw damaged()
  bits.at += length
  return order[(window >>> (MAX_CODE_BITS - length)) + (shift[length] ?? 0)] ?? 0
}

/** Fills the memory with the bytes of the last column; gives how many of each there are. */
function readMoved(
  bits: Bits,
  memory: Uint32Array,
  symbols: Uint8Array,
): { counts: Uint32Array; length: number } {
  const groups = take(bits, 3)
  const selectorCount = take(bits, 15)
  if (groups < 2 || groups > 6 || selectorCount === 0) throw damaged()
  const moved = Uint8Array.from({ length: groups }, (_, i) => i)
  const selectors = new Uint8Array(selectorCount)
  for (let i = 0; i < selectorCount; i++) {
    let steps = 0
    while (take(bits, 1) === 1) if (++steps >= groups) throw damaged()
    selectors[i] = toFront(moved, steps)
  }
  const codes = Array.from({ length: groups }, () => readCodes(bits, symbols.length + 2))
  const end = symbols.length + 1
  const counts = new Uint32Array(256)
  let length = 0
  let run = 0
  let weight = 1
  for (let count = 0; ; count++) {
    const table = codes[selectors[Math.floor(count / GROUP_SYMBOLS)] ?? groups]
    if (!table) throw damaged()
    const symbol = nextSymbol(bits, table)
    if (symbol <= 1) {
      run += weight << symbol
      weight <<= 1
      if (run > memory.length) throw damaged()
      continue
    }
    if (length + run >= memory.length + (symbol === end ? 1 : 0)) throw damaged()
    if (run > 0) {
      const byte = symbols[0] ?? 0
      memory.fill(byte, length, length + run)
      counts[byte] = (counts[byte] ?? 0) + run
      length += run
    }
    run = 0
    weight = 1
    if (symbol === end) break
    const byte = toFront(symbols, symbol - 1)
    counts[byte] = (counts[byte] ?? 0) + 1
    memory[length++] = byte
  }
  if (bits.at > bits.bytes.length * 8) throw damaged()
  return { counts, length }
}

/** Most are near the front, where a loop is quicker than a call. */
const NEAR = 16

function toFront(list: Uint8Array, at: number): number {
  const value = list[at]
  if (value === undefined) throw damaged()
  if (at > NEAR) list.copyWithin(1, 0, at)
  else for (let i = at; i > 0; i--) list[i] = list[i - 1] ?? 0
  list[0] = value
  return value
}
