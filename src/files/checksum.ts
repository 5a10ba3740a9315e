// Checksums of files. Hashing runs in slices on the thread pool through the streaming interface:
// reads are asynchronous and each update covers one chunk, so the event loop stays free.
import { createHash } from 'node:crypto'
import type { OpenFile } from './scope.ts'

export const CHECKSUM_ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'] as const
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number]

/** Chunks of this size keep a single update below two milliseconds even for SHA-512. */
const CHUNK_BYTES = 512 * 1024

export function isChecksumAlgorithm(text: string): text is ChecksumAlgorithm {
  return (CHECKSUM_ALGORITHMS as readonly string[]).includes(text)
}

/** Hex digest of an open file. Does not close it. */
export async function checksum(
  file: OpenFile,
  algorithm: ChecksumAlgorithm,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash(algorithm)
  let current = Buffer.allocUnsafe(CHUNK_BYTES)
  let next = Buffer.allocUnsafe(CHUNK_BYTES)
  let position = 0
  let { bytesRead } = await file.handle.read(current, 0, CHUNK_BYTES, position)
  while (bytesRead > 0) {
    signal.throwIfAborted()
    position += bytesRead
    // The next chunk is read while this one is hashed.
    const reading = file.handle.read(next, 0, CHUNK_BYTES, position)
    hash.update(current.subarray(0, bytesRead))
    bytesRead = (await reading).bytesRead
    const free = current
    current = next
    next = free
  }
  return hash.digest('hex')
}
