import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type BlockCodec, createBlockCompressor, MAX_JOBS } from '../../src/files/archive/blocks.ts'
import { type ByteSink, createBatchingSink } from '../../src/files/archive/byte-sink.ts'
import { compressXz, storeXz } from '../../src/files/archive/xz.ts'
import { createGate } from '../../src/lib/gate.ts'

function collector() {
  const parts: Buffer[] = []
  return {
    write: async (chunk: Uint8Array) => void parts.push(Buffer.from(chunk)),
    text: () => Buffer.concat(parts).toString(),
    parts,
  }
}

function compressorOf(codec: BlockCodec, target: ByteSink) {
  return createBlockCompressor(codec, target, createGate(MAX_JOBS))
}

/** Settles in the order the test decides. */
function deferred<T>() {
  return Promise.withResolvers<T>()
}

describe('blocks', () => {
  it('leave in order although later ones are done first', async () => {
    const target = collector()
    const waits = [deferred<void>(), deferred<void>(), deferred<void>()]
    let started = 0
    const sink = compressorOf(
      {
        blockBytes: 2,
        compress: async (block) => {
          const text = block.toString()
          await waits[started++]?.promise
          return Buffer.from(`[${text}]`)
        },
      },
      target,
    )
    const done = (async () => {
      await sink.write(Buffer.from('aabbc'))
      await sink.end()
    })()
    for (const wait of waits.reverse()) wait.resolve()
    await done
    expect(target.text()).toBe('[aa][bb][c]')
  })

  it('in flight are bounded when the target is slow', async () => {
    let running = 0
    let most = 0
    let accepted = 0
    const gate = deferred<void>()
    const sink = compressorOf(
      {
        blockBytes: 1,
        compress: async (block) => {
          most = Math.max(most, ++running)
          await Promise.resolve()
          running--
          return Buffer.from(block)
        },
      },
      { write: () => gate.promise },
    )
    const feed = (async () => {
      for (let i = 0; i < 100; i++) {
        await sink.write(Buffer.of(i))
        accepted++
      }
      await sink.end()
    })()
    for (let i = 0; i < 1000; i++) await Promise.resolve()
    expect(accepted).toBeLessThanOrEqual(MAX_JOBS + 2)
    gate.resolve()
    await feed
    expect(most).toBeLessThanOrEqual(MAX_JOBS)
  })

  it('that are equal are compressed once', async () => {
    const target = collector()
    let calls = 0
    const sink = compressorOf(
      {
        blockBytes: 4,
        compress: async (block) => {
          calls++
          return Buffer.from(block)
        },
      },
      target,
    )
    await sink.write(Buffer.from('0000000000000000xxxx0000'))
    await sink.end()
    expect(target.text()).toBe('0000000000000000xxxx0000')
    expect(calls).toBe(3)
  })

  it('report a failed job to the writer', async () => {
    const failing = {
      blockBytes: 1,
      compress: async () => {
        throw new Error('no')
      },
    }
    const sink = compressorOf(failing, collector())
    const all = (async () => {
      for (let i = 0; i < 50; i++) await sink.write(Buffer.of(i))
      await sink.end()
    })()
    await expect(all).rejects.toThrow('no')
  })
})

it('batches small writes and keeps the order around large ones', async () => {
  const target = collector()
  const sink = createBatchingSink(target)
  const pieces = [
    'a',
    'b'.repeat(100_000),
    'c',
    'd'.repeat(31_000),
    'e'.repeat(31_000),
    'f'.repeat(31_000),
    'g'.repeat(31_000),
    'h'.repeat(31_000),
  ]
  const scratch = Buffer.alloc(200_000)
  for (const piece of pieces) {
    // The memory is reused at once, as callers may.
    scratch.write(piece)
    await sink.write(scratch.subarray(0, piece.length))
  }
  await sink.end()
  expect(target.text()).toBe(pieces.join(''))
  expect(target.parts.length).toBeLessThan(pieces.length)
})

it.each([1, 2, 3, 4, 65_535, 65_536, 65_537, 2_097_152])(
  'xz reads %i bytes, stored and compressed, as two streams in a row',
  async (bytes) => {
    const block = Buffer.alloc(bytes, 'stored or not ')
    const file = Buffer.concat([storeXz(block), await compressXz(block)])
    const plain = execFileSync('xz', ['-dc'], { input: file, maxBuffer: 1 << 24 })
    expect(plain.equals(Buffer.concat([block, block]))).toBe(true)
  },
)
