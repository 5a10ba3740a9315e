// Blocks of deflate that follow each other in one stream.
import { promisify } from 'node:util'
import { constants, deflateRaw } from 'node:zlib'
import { OWN_MEMORY_BYTES } from '../../lib/memory/free-memory.ts'

/** Text comes to 2 or 3 % more than with the usual 6, in two thirds of the time. */
const LEVEL = 4
/** More memory for what was seen: the same result, sooner. */
const MEMORY_LEVEL = 9

/** An empty last block in fixed codes, which ends the stream. */
export const DEFLATE_END = Buffer.from([3, 0])

/** Room for a block that does not compress, so that the result is one piece of memory. */
export function deflatedBytes(blockBytes: number): number {
  return blockBytes + Math.ceil(blockBytes / 128) + 1024
}

const PROBE_BYTES = 16 * 1024
const WORTH_RATIO = 0.97

/** The piece from the middle by which a block is judged; null for a small one, which is worth trying. */
function probeOf<T extends Uint8Array>(block: T): Uint8Array | null {
  if (block.length <= PROBE_BYTES) return null
  const at = Math.floor((block.length - PROBE_BYTES) / 2)
  return block.subarray(at, at + PROBE_BYTES)
}

/** Whether what a probe shrinks to is worth the work: photos, films and archives are not. */
function isWorth(packedBytes: number): boolean {
  return packedBytes < PROBE_BYTES * WORTH_RATIO
}

/** Tries a piece of it. */
export async function isCompressible(block: Uint8Array): Promise<boolean> {
  const probe = probeOf(block)
  return probe === null || isWorth((await promisify(deflateRaw)(probe, { level: 1 })).length)
}

/** Packs a block in the thread pool. The result ends at a byte, and needs DEFLATE_END behind the last one. */
export async function deflateBlock(block: Uint8Array): Promise<Buffer> {
  return promisify(deflateRaw)(block, {
    level: (await isCompressible(block)) ? LEVEL : 0,
    memLevel: MEMORY_LEVEL,
    finishFlush: constants.Z_SYNC_FLUSH,
    // What becomes of a small one can be freed as well.
    chunkSize: Math.max(OWN_MEMORY_BYTES, deflatedBytes(block.length)),
  })
}
