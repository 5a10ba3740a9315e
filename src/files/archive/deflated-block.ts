// Blocks of deflate that follow each other in one stream.
import { deflateRawSync } from 'node:zlib'

/** An empty last block in fixed codes, which ends the stream. */
export const DEFLATE_END = Buffer.from([3, 0])

/** Room for a block that does not compress, so that the result is one piece of memory. */
export function deflatedBytes(blockBytes: number): number {
  return blockBytes + Math.ceil(blockBytes / 128) + 1024
}

const PROBE_BYTES = 16 * 1024
const WORTH_RATIO = 0.97

/** The piece from the middle by which a block is judged; null for a small one, which is worth trying. */
export function probeOf<T extends Uint8Array>(block: T): Uint8Array | null {
  if (block.length <= PROBE_BYTES) return null
  const at = Math.floor((block.length - PROBE_BYTES) / 2)
  return block.subarray(at, at + PROBE_BYTES)
}

/** Whether what a probe shrinks to is worth the work: photos, films and archives are not. */
export function isWorth(packedBytes: number): boolean {
  return packedBytes < PROBE_BYTES * WORTH_RATIO
}

/** Tries it at once, on this thread. */
export function isCompressible(block: Uint8Array): boolean {
  const probe = probeOf(block)
  return probe === null || isWorth(deflateRawSync(probe, { level: 1 }).length)
}
