// Pieces of a file for parsers that must not cost more for a file that was made to cost much.

/** A read counts as this much at least, so that the number of reads is bounded as well. */
const LEAST_BYTES = 512

/** An open file, of which only this is used. */
export interface Readable {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>
}

export interface BoundedReader {
  /**
   * The bytes from `at`, fewer at the end of the file. Throws RangeError when more than the budget
   * was asked for in all, or for a place that no file has.
   */
  read(at: number, length: number): Promise<Buffer>
}

/** Bytes that are there already. */
export function readerOf(bytes: Buffer): BoundedReader {
  return { read: async (at, length) => bytes.subarray(at, at + length) }
}

/** Reads at most `budgetBytes` of the file in all. */
export function createBoundedReader(file: Readable, budgetBytes: number): BoundedReader {
  let left = budgetBytes
  return {
    read: async (at, length) => {
      left -= Math.max(length, LEAST_BYTES)
      if (left < 0 || at < 0 || !Number.isSafeInteger(at + length))
        throw new RangeError('more than may be read')
      const buffer = Buffer.alloc(length)
      const { bytesRead } = await file.read(buffer, 0, length, at)
      return buffer.subarray(0, bytesRead)
    },
  }
}
