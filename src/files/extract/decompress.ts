// The compressions around a tar, undone.
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { AppError } from '../../lib/errors.ts'
import { giveBack } from '../transfer/give-back.ts'
import { unpackBzip2 } from './bunzip2.ts'
import { type ArchiveFile, bytesAt, pieces } from './source.ts'
import { unpackLz4 } from './unlz4.ts'

export type Compression = 'none' | 'gzip' | 'bzip2' | 'xz' | 'lz4' | 'snappy' | 'brotli' | 'zstd'
export type Kind = 'zip' | '7z' | 'rar' | Compression

const MARKS: [Kind, number, Buffer][] = [
  ['zip', 0, Buffer.from('PK\x03\x04')],
  ['zip', 0, Buffer.from('PK\x05\x06')],
  ['7z', 0, Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c])],
  ['rar', 0, Buffer.from('Rar!\x1a\x07')],
  ['gzip', 0, Buffer.from([0x1f, 0x8b, 8])],
  ['bzip2', 0, Buffer.from('BZh')],
  ['xz', 0, Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])],
  ['zstd', 0, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['lz4', 0, Buffer.from([0x04, 0x22, 0x4d, 0x18])],
  ['snappy', 0, Buffer.from([0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59])],
  ['none', 257, Buffer.from('ustar')],
]
const HEAD_BYTES = 512

/** What an archive is, by its first bytes, and by its name where these say nothing. `unsupported` for what is none. */
export async function kindOf(file: ArchiveFile): Promise<Kind> {
  const head = await bytesAt(file, 0, HEAD_BYTES)
  for (const [kind, at, mark] of MARKS)
    if (head.subarray(at, at + mark.length).equals(mark)) return kind
  const name = file.name.toLowerCase()
  if (/\.(?:tar\.br|tbr)$/.test(name)) return 'brotli'
  if (/\.(?:zip|exe|jar|cbz)$/.test(name)) return 'zip'
  if (name.endsWith('.tar')) return 'none'
  throw new AppError('unsupported', 'no archive that is known')
}

/** The bytes of an archive without its compression, in pieces that are good until the next is asked for. Throws `damaged`. */
export function unpacked(file: ArchiveFile, kind: Compression): AsyncIterable<Buffer> {
  const source = pieces(file)
  if (kind === 'none') return givenBack(source)
  if (kind === 'bzip2') return unpackBzip2(source)
  if (kind === 'lz4') return unpackLz4(source)
  if (kind === 'snappy') return unpackSnappy(source)
  return through(source, async () => {
    if (kind === 'gzip') return createGunzip({ chunkSize: CHUNK_BYTES })
    if (kind === 'brotli') return createBrotliDecompress({ chunkSize: CHUNK_BYTES })
    if (kind === 'zstd') return createZstdDecompress({ chunkSize: CHUNK_BYTES })
    const { default: lzma } = await import('lzma-native').catch((error: Error) => {
      throw new AppError('unsupported', `xz: ${error.message}`)
    })
    return lzma.createStream('autoDecoder', { memlimit: XZ_MEMORY_BYTES, flags: lzma.CONCATENATED })
  })
}

const CHUNK_BYTES = 256 * 1024
/** What xz -9 needs, and no more. */
const XZ_MEMORY_BYTES = 96 * 1024 * 1024

async function* through(
  source: AsyncIterable<Buffer>,
  make: () => Promise<Transform>,
): AsyncGenerator<Buffer, void> {
  try {
    yield* decoded(source, await make())
  } catch (error) {
    if (error instanceof AppError) throw error
    const { message } = error as Error
    // As liblzma and libzstd say it.
    const needsMemory = /memory (?:usage limit|for decoding)/i.test(message)
    throw new AppError(needsMemory ? 'too_large' : 'damaged', message)
  }
}

/**
 * What a decoder makes of a source whose pieces are nobody else's, in pieces that are good until the next is asked for.
 * Throws its error.
 */
export async function* decoded(
  source: AsyncIterable<Buffer>,
  decoder: Transform,
): AsyncGenerator<Buffer, void> {
  const fed = feed(source, decoder)
  for await (const piece of decoder) {
    yield piece as Buffer
    giveBack([piece as Buffer])
  }
  await fed
}

async function feed(source: AsyncIterable<Buffer>, decoder: Transform): Promise<void> {
  try {
    for await (const piece of source) {
      await new Promise<void>((resolve) => decoder.write(piece, () => resolve()))
      if (decoder.destroyed) return
      giveBack([piece])
    }
    decoder.end()
  } catch (error) {
    decoder.destroy(error as Error)
  }
}

async function* givenBack(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const piece of source) {
    yield piece
    giveBack([piece])
  }
}

async function* unpackSnappy(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const { Decompressor } = await import('snappy')
  const decoder = new Decompressor()
  try {
    for await (const chunk of source) yield decoder.update(chunk)
    yield await decoder.finish()
  } catch (error) {
    throw new AppError('damaged', (error as Error).message)
  }
}
