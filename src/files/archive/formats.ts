// The compressions around a tar. All but brotli are cut into blocks that stand alone, so that
// several cores work and the result is still one valid file for the usual tools.
import { promisify } from 'node:util'
import {
  type BrotliCompress,
  constants,
  crc32,
  createBrotliCompress,
  zstdCompress,
} from 'node:zlib'
import type { Gate } from '../../lib/gate.ts'
import { freeMemory } from '../../lib/memory/free-memory.ts'
import type { Threads } from '../../programs/threads.ts'
import { createBlockThreads } from './block-threads.ts'
import { type BlockCodec, createBlockCompressor } from './blocks.ts'
import type { ByteSink, FinishingSink } from './byte-sink.ts'
import { DEFLATE_END, deflateBlock, deflatedBytes, isCompressible } from './deflated-block.ts'
import { LZ4_BLOCK_BYTES, LZ4_FRAME_END, LZ4_FRAMED_BYTES, lz4FrameHead } from './lz4.ts'
import { compressXz, storeXz, XZ_BLOCK_BYTES } from './xz.ts'

export type ArchiveFormat =
  | 'zip'
  | 'tar'
  | 'targz'
  | 'tarbz2'
  | 'tarxz'
  | 'tarlz4'
  | 'tarsz'
  | 'tarbr'
  | 'tarzst'

interface Compressor extends FinishingSink {
  /** Frees memory and threads after a failure. */
  destroy(): void
}

const MIB = 1024 * 1024

/** Just under the 900 kB that one bzip2 block holds, so that a stream is exactly one block. */
const BZIP2_BLOCK_BYTES = 899_000

/** Makes what builds the compressor of a format; results go to `target`. Its archives share threads, and pack blocks `inTurn`. */
export function createCompressors(threads: Threads, inTurn: Gate) {
  const compressBzip2 = createBlockThreads({
    inputBytes: BZIP2_BLOCK_BYTES,
    // The library asks for room for 1 % more than the input plus 600 bytes.
    outputBytes: Math.ceil(BZIP2_BLOCK_BYTES * 1.01) + 600,
    threads,
    script: new URL('./bzip2.worker.ts', import.meta.url),
  })
  const compressLz4 = createBlockThreads({
    inputBytes: LZ4_BLOCK_BYTES,
    outputBytes: LZ4_FRAMED_BYTES,
    threads,
    script: new URL('./lz4.worker.ts', import.meta.url),
  })
  const codecs = {
    targz: gzipCodec,
    tarbz2: () => ({ blockBytes: BZIP2_BLOCK_BYTES, compress: compressBzip2 }),
    tarxz: () => ({ blockBytes: XZ_BLOCK_BYTES, compress: xzBlock }),
    // One frame; its blocks are independent and carry their own checksums.
    tarlz4: () => ({
      blockBytes: LZ4_BLOCK_BYTES,
      head: lz4FrameHead,
      compress: compressLz4,
      tail: () => LZ4_FRAME_END,
    }),
    tarzst: () => ({ blockBytes: MIB, compress: zstdBlock }),
  }
  return (format: Exclude<ArchiveFormat, 'zip' | 'tar'>, target: ByteSink): Compressor => {
    if (format === 'tarsz') return snappyCompressor(target)
    if (format === 'tarbr') return brotliCompressor(target)
    return createBlockCompressor(codecs[format](), target, inTurn)
  }
}

const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

// One gzip member: every block ends with a sync flush, so blocks can follow each other.
function gzipCodec(): BlockCodec {
  let crc = 0
  let bytes = 0
  return {
    blockBytes: MIB,
    observe: (block) => {
      crc = crc32(block, crc)
      bytes += block.length
    },
    head: () => GZIP_HEAD,
    compress: deflateBlock,
    tail: () => {
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(crc, 0)
      trailer.writeUInt32LE(bytes % 2 ** 32, 4)
      return Buffer.concat([DEFLATE_END, trailer])
    },
  }
}

async function xzBlock(block: Buffer): Promise<Uint8Array> {
  return (await isCompressible(block)) ? compressXz(block) : storeXz(block)
}

function zstdBlock(block: Buffer): Promise<Uint8Array> {
  const params = {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_checksumFlag]: 1,
  }
  return promisify(zstdCompress)(block, { params, chunkSize: deflatedBytes(block.length) })
}

const SNAPPY_PIECE_BYTES = 128 * 1024

// The library frames by itself, at 500 MB/s: a piece keeps the thread for a quarter of a
// millisecond, less than handing it to another thread and back.
function snappyCompressor(target: ByteSink): Compressor {
  const library = import('snappy').then(({ Compressor }) => new Compressor())
  // Seen at the first write.
  library.catch(() => {})
  const send = async (bytes: Uint8Array) => {
    if (bytes.length === 0) return
    await target.write(bytes)
    freeMemory(bytes)
  }
  return {
    write: async (chunk) => {
      const snappy = await library
      for (let at = 0; at < chunk.length; at += SNAPPY_PIECE_BYTES)
        await send(snappy.update(chunk.subarray(at, at + SNAPPY_PIECE_BYTES)))
    },
    end: async () => send(await (await library).finish()),
    destroy: () => {},
  }
}

/** Level 4 of 11: 60 MB/s; higher ones are for files that are packed once and read often. */
const BROTLI_QUALITY = 4
const BROTLI_WINDOW_BITS = 22

// Brotli streams cannot be joined, so this one is a single stream on one thread.
function brotliCompressor(target: ByteSink): Compressor {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
  }
  const brotli = createBrotliCompress({ params, chunkSize: 128 * 1024 })
  const drained = drain(brotli, target)
  // Seen at the next write or at the end; until then it must not count as unhandled.
  drained.catch(() => {})
  const written = (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      brotli.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  return {
    // Whichever fails first: a failed target destroys the stream, which fails the write.
    write: (chunk) => Promise.race([written(chunk), drained]),
    end: async () => {
      brotli.end()
      await drained
    },
    destroy: () => brotli.destroy(),
  }
}

async function drain(source: BrotliCompress, target: ByteSink): Promise<void> {
  for await (const chunk of source) await target.write(chunk as Buffer)
}
