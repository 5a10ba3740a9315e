// The bytes of an open file on their way to a client, through two buffers: one is read while the
// other is sent.
import { type ReadHandle, readFully } from '../files/volume/read-handle.ts'
import type { Buffers } from '../lib/buffers.ts'
import type { Output } from './answer.ts'

type File = { handle: Pick<ReadHandle, 'read'> }

const SMALL_BUFFER_BYTES = 64 * 1024
const BUFFER_BYTES = 256 * 1024
const FEW_BUFFER_BYTES = 1024 * 1024
const MANY_BUFFER_BYTES = 32 * 1024
/** With fewer transfers than this the large buffer is affordable. */
const FEW_TRANSFERS = 4
/** From this many on a transfer that finds little room begins with small ones. */
const MANY_TRANSFERS = 16
/** All transfers together may hold this much; then small ones must do: the clients may all have stopped reading. */
const MAX_TAKEN_BYTES = 16 * 1024 * 1024
/** What each of many transfers holds, in bytes: two buffers, and the request with its connection. */
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
  buffers.begin()
  let current = buffers.take(firstBytes(buffers, end - start))
  let next = buffers.take(current.length)
  let position = start
  try {
    let filled = await fill(handle, current, position, end)
    while (filled > 0) {
      position += filled
      const reading = position < end ? fill(handle, next, position, end) : Promise.resolve(0)
      await settleBoth(output.write(current.subarray(0, filled)), reading)
      filled = await reading
      ;[current, next] = [next, current]
      // The client keeps up: go on with larger buffers, one after the other.
      const wanted = nextBytes(buffers, end - position - filled)
      if (next.length < wanted) {
        buffers.give(next)
        next = buffers.take(wanted)
      }
    }
    if (position < end) throw becameShorter()
  } finally {
    buffers.give(current)
    buffers.give(next)
    buffers.end()
  }
}

export function becameShorter(): Error {
  return new Error('the file became shorter while it was sent')
}

/** The buffer to begin with: nobody knows yet whether the client takes anything. */
function firstBytes(buffers: Buffers, leftBytes: number): number {
  const isAmple = buffers.takenBytes() < MAX_TAKEN_BYTES / 2
  if (isAmple && leftBytes > BUFFER_BYTES) return BUFFER_BYTES
  return buffers.transfers() < MANY_TRANSFERS ? SMALL_BUFFER_BYTES : MANY_BUFFER_BYTES
}

/** The buffer that suits this much left to read. */
function nextBytes(buffers: Buffers, leftBytes: number): number {
  if (buffers.takenBytes() > MAX_TAKEN_BYTES) return MANY_BUFFER_BYTES
  if (leftBytes <= SMALL_BUFFER_BYTES) return SMALL_BUFFER_BYTES
  return buffers.transfers() < FEW_TRANSFERS && leftBytes > BUFFER_BYTES
    ? FEW_BUFFER_BYTES
    : BUFFER_BYTES
}

// A buffer may be reused only when neither the disk nor the socket works on it any more.
async function settleBoth(writing: Promise<void>, reading: Promise<number>): Promise<void> {
  const results = await Promise.allSettled([writing, reading])
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function fill(
  handle: Pick<ReadHandle, 'read'>,
  buffer: Buffer,
  position: number,
  end: number,
): Promise<number> {
  const length = Math.min(buffer.length, end - position)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return bytesRead
}
