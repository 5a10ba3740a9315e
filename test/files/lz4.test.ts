import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createLz4Encoder,
  LZ4_FRAME_END,
  LZ4_FRAMED_BYTES,
  lz4Bound,
  lz4FrameHead,
  putFramedBlock,
  xxh32,
} from '../../src/files/archive/lz4.ts'
import { needProgram } from '../support/programs.ts'

/** A decoder written from the format's description, which also checks its end-of-block rules. */
function decode(block: Uint8Array): Buffer {
  const out: number[] = []
  let at = 0
  const length = (first: number) => {
    let total = first
    if (first === 15)
      for (let more = 255; more === 255; ) {
        more = block[at++] ?? 0
        total += more
      }
    return total
  }
  let matchEnds = 0
  for (;;) {
    const token = block[at++] ?? 0
    const literals = length(token >> 4)
    for (let i = 0; i < literals; i++) out.push(block[at++] as number)
    if (at >= block.length) {
      if (matchEnds > 0 && literals < 5) throw new Error('the last five bytes must be literals')
      return Buffer.from(out)
    }
    const offset = (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8)
    at += 2
    if (offset === 0 || offset > out.length) throw new Error(`offset ${offset} at ${out.length}`)
    const bytes = length(token & 15) + 4
    for (let i = 0; i < bytes; i++) out.push(out[out.length - offset] as number)
    matchEnds = out.length
  }
}

/** Bytes with repetitions near and far, and runs of one byte. */
const compressible = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .tuple(fc.nat(255), fc.integer({ min: 1, max: 700 }))
        .map(([byte, n]) => new Uint8Array(n).fill(byte)),
      fc
        .constantFrom('the same words ', 'and others, ', 'x')
        .map((text) => new Uint8Array(Buffer.from(text))),
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts))

it('gives back any bytes', () => {
  const encode = createLz4Encoder()
  fc.assert(
    fc.property(compressible, (source) => {
      const target = new Uint8Array(lz4Bound(source.length))
      const bytes = encode(source, target)
      expect(decode(target.subarray(0, bytes)).equals(source)).toBe(true)
    }),
    { numRuns: 400 },
  )
})

it('finds repetitions up to 64 KiB away and none beyond', () => {
  const encode = createLz4Encoder()
  const noise = crypto.getRandomValues(new Uint8Array(65_536))
  const size = (distance: number) => {
    const source = Buffer.alloc(distance + 4096)
    for (let at = 0; at < source.length; at += 65_536)
      crypto.getRandomValues(source.subarray(at, at + 65_536))
    source.set(noise.subarray(0, 4096), 0)
    source.set(noise.subarray(0, 4096), distance)
    const target = new Uint8Array(lz4Bound(source.length))
    const bytes = encode(source, target)
    expect(decode(target.subarray(0, bytes)).equals(source)).toBe(true)
    return bytes - source.length
  }
  expect(size(60_000)).toBeLessThan(-3_000)
  expect(size(70_000)).toBeGreaterThan(0)
})

it.each([
  ['', 0x02cc5d05],
  ['a', 0x550d7456],
  ['abc', 0x32d153ff],
  ['Nobody inspects the spammish repetition', 0xe2293b2f],
])('xxh32 of %j', (text, expected) => {
  expect(xxh32(Buffer.from(text))).toBe(expected)
})

it('makes frames that lz4 reads and checks', () => {
  needProgram('lz4')
  const encode = createLz4Encoder()
  const blocks = [
    Buffer.alloc(1024 * 1024, 'compressible text, '),
    Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))),
    Buffer.alloc(1024 * 1024),
    Buffer.from('end'),
  ]
  const framed = blocks.map((block) => {
    const target = Buffer.alloc(LZ4_FRAMED_BYTES)
    return target.subarray(0, putFramedBlock(encode, block, target))
  })
  const file = Buffer.concat([lz4FrameHead(), ...framed, LZ4_FRAME_END])
  const plain = execFileSync('lz4', ['-dc'], { input: file, maxBuffer: 1 << 24 })
  expect(plain.equals(Buffer.concat(blocks))).toBe(true)
  const damaged = Buffer.from(file)
  damaged[10_000] = (damaged[10_000] ?? 0) ^ 1
  expect(() => execFileSync('lz4', ['-dc'], { input: damaged, stdio: 'pipe' })).toThrow()
})
