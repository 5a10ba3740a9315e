// The bytes of an open file on their way to a client, piece by piece.
import { type ReadHandle, readFully } from '../files/volume/read-handle.ts'
import type { Buffers } from '../lib/buffers.ts'
import type { Output } from './answer.ts'

type File = { handle: Pick<ReadHandle, 'read'> }

const SMALL_BUFFER_BYTES = 64 * 1024
const BUFFER_BYTES = 512 * 1024
const MANY_BUFFER_BYTES = 32 * 1024
/** With fewer transfers than this the next piece is read while one is sent. More keep disk and sockets busy anyway. */
const FEW_TRANSFERS = 4
/** All transfers together may hold this much; then small buffers must do: the clients may all have stopped reading. */
const MAX_TAKEN_BYTES = 16 * 1024 * 1024
/** What each of many transfers holds, in bytes: a buffer, and the request with its connection. */
export const TRANSFER_BYTES = 3 * MANY_BUFFER_BYTES

/** Like `sendRange` for the last bytes of an answer: few enough leave together with the head. */
export async function sendLast(
  output: Output,
  file: File,
  start: number,
  end: number,
): Promise<void> {
  if (start >= end || end - start > SMALL_BUFFER_BYTES) return sendRange(output, file, start, end)
  const { buffers } = output
  buffers.begin()
  const buffer = buffers.take(SMALL_BUFFER_BYTES)
  try {
    const filled = await readFully(file.handle, buffer, start, end - start)
    if (start + filled < end) throw becameShorter()
    await output.end(buffer.subarray(0, filled))
  } finally {
    buffers.give(buffer)
    buffers.end()
  }
}

/**
 * Writes bytes [start, end) of the file. Rejects when the file is shorter than announced or the
 * client went away. A client may stall, such as a paused player; one that has vanished is found out
 * by the kernel (see server.ts).
 */
export async function sendRange(
  output: Output,
  { handle }: File,
  start: number,
  end: number,
): Promise<void> {
  if (start >= end) return
  const { buffers } = output
  const read = (position: number) =>
    position < end ? readPiece(buffers, handle, position, end - position) : null
  buffers.begin()
  try {
    let position = start
    let piece = read(position)
    while (piece) {
      const bytes = await piece.bytes
      position += bytes.length
      const next: Piece | null = buffers.transfers() < FEW_TRANSFERS ? read(position) : null
      try {
        await output.write(bytes)
      } catch (error) {
        await next?.bytes.then(next.give, () => {})
        throw error
      } finally {
        piece.give()
      }
      piece = next ?? read(position)
    }
  } finally {
    buffers.end()
  }
}

interface Piece {
  /** Not empty. Rejects, with the buffer given back, when they cannot be read. */
  bytes: Promise<Buffer>
  /** To be called when neither the disk nor the socket works on the buffer any more. */
  give(): void
}

function readPiece(
  buffers: Buffers,
  handle: File['handle'],
  position: number,
  leftBytes: number,
): Piece {
  // Taken for each piece anew: what was given back last is still in the processor's cache.
  const buffer = buffers.take(bufferBytes(buffers, leftBytes))
  const give = () => buffers.give(buffer)
  const fill = async () => {
    try {
      const length = Math.min(buffer.length, leftBytes)
      const { bytesRead } = await handle.read(buffer, 0, length, position)
      if (bytesRead === 0) throw becameShorter()
      return buffer.subarray(0, bytesRead)
    } catch (error) {
      give()
      throw error
    }
  }
  const bytes = fill()
  // It may fail while the piece before is still being sent; who waits for it next is told.
  bytes.catch(() => {})
  return { bytes, give }
}

function bufferBytes(buffers: Buffers, leftBytes: number): number {
  if (buffers.takenBytes() > MAX_TAKEN_BYTES) return MANY_BUFFER_BYTES
  return leftBytes <= SMALL_BUFFER_BYTES ? SMALL_BUFFER_BYTES : BUFFER_BYTES
}

export function becameShorter(): Error {
  return new Error('the file became shorter while it was sent')
}
