// A sum of what is written to a small file, from its beginning on: two files of another sum have other contents.
import { crc32 } from 'node:zlib'

/** What is read on the event loop at most, and of what a sum is made. */
export const DIRECT_BYTES = 64 * 1024

export interface ContentSum {
  /** To be told of all that is written, in its order. */
  add(buffers: readonly Uint8Array[], position: number): void
  /** Null for what is too long, or was not written from its beginning to this end. */
  of(sizeBytes: bigint): number | null
}

/** `isNew`: the file is empty. */
export function createContentSum(isNew: boolean): ContentSum {
  let bytes = isNew ? 0 : Number.NaN
  let sum = 0
  return {
    add: (buffers, position) => {
      if (position !== bytes) bytes = Number.NaN
      for (const buffer of buffers) {
        bytes += buffer.length
        if (bytes > DIRECT_BYTES) bytes = Number.NaN
        if (!Number.isNaN(bytes)) sum = crc32(buffer, sum)
      }
    },
    of: (sizeBytes) => (BigInt(Number.isNaN(bytes) ? -1 : bytes) === sizeBytes ? sum : null),
  }
}
