// A file with a few changes: what is replaced where, so that all else is copied byte by byte.
import type { Readable } from './bounded-reader.ts'

const CHUNK_BYTES = 1024 * 1024

/** From `at`, `removed` bytes go and `bytes` come. */
export interface Splice {
  at: number
  removed: number
  bytes: Buffer
}

/** How long the file is with these changes. */
export function splicedBytes(sizeBytes: number, splices: readonly Splice[]): number {
  return splices.reduce((sum, { removed, bytes }) => sum - removed + bytes.length, sizeBytes)
}

/** The file with the changes, in pieces; they come in order of their places and do not overlap. */
export async function* spliced(
  file: Readable,
  sizeBytes: number,
  splices: readonly Splice[],
): AsyncGenerator<Buffer> {
  let at = 0
  for (const { at: end, removed, bytes } of splices) {
    yield* piecesOf(file, at, end)
    yield bytes
    at = end + removed
  }
  yield* piecesOf(file, at, sizeBytes)
}

async function* piecesOf(file: Readable, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) throw new RangeError('the file has become shorter')
    yield piece.subarray(0, bytesRead)
    at += bytesRead
  }
}
