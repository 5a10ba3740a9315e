// The archive as the decoder process reads it.
import { read, readSync } from 'node:fs'
import { promisify } from 'node:util'

const readAt = promisify(read)
const CHUNK_BYTES = 256 * 1024

/** An archive by its open file. */
export interface ArchiveFile {
  fd: number
  name: string
  sizeBytes: number
  /** Told how far it was read. */
  onRead(bytes: number): void
}

/** So many bytes of a file, fewer at its end. */
export async function bytesAt(
  { fd }: ArchiveFile,
  position: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let used = 0
  while (used < length) {
    const { bytesRead } = await readAt(fd, buffer, used, length - used, position + used)
    if (bytesRead === 0) break
    used += bytesRead
  }
  return buffer.subarray(0, used)
}

/** The most that a window gives. */
export const WINDOW_BYTES = 256 * 1024

/**
 * Gives parts of a file that lie one behind the other from few reads, with less at its end; each is good until the next is asked
 * for.
 */
export function createWindow({ fd }: ArchiveFile): (at: number, length: number) => Buffer {
  const window = Buffer.allocUnsafeSlow(WINDOW_BYTES)
  let windowAt = 0
  let used = 0
  const fill = (at: number) => {
    windowAt = at
    used = 0
    while (used < WINDOW_BYTES) {
      const bytes = readSync(fd, window, used, WINDOW_BYTES - used, at + used)
      if (bytes === 0) return
      used += bytes
    }
  }
  return (at, length) => {
    if (at < windowAt || at + length > windowAt + used) fill(at)
    return window.subarray(at - windowAt, Math.min(at - windowAt + length, used))
  }
}

/** A part of a file, in pieces. */
export async function* pieces(
  file: ArchiveFile,
  from = 0,
  to = file.sizeBytes,
): AsyncGenerator<Buffer, void> {
  for (let at = from; at < to; ) {
    const piece = await bytesAt(file, at, Math.min(CHUNK_BYTES, to - at))
    if (piece.length === 0) return
    at += piece.length
    file.onRead(at)
    yield piece
  }
}

/** Bytes of a stream, asked for by number. */
export interface ByteReader {
  /** Exactly so many; null at the end, and where fewer come. */
  take(bytes: number): Promise<Buffer | null>
  /** At least one, at most so many; null at the end. */
  some(most: number): Promise<Buffer | null>
}

export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async () => {
    const next = await chunks.next()
    if (next.done) return false
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
    return true
  }
  const cut = (bytes: number) => {
    const part = held.subarray(0, bytes)
    held = held.subarray(bytes)
    return part
  }
  return {
    take: async (bytes) => {
      while (held.length < bytes) if (!(await more())) return null
      return cut(bytes)
    },
    some: async (most) => {
      while (held.length === 0) if (!(await more())) return null
      return cut(Math.min(most, held.length))
    },
  }
}
