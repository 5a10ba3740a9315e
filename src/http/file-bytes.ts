// The bytes of an open file on their way to a client, through two buffers: one is read while the
// other is sent.
import { type ReadHandle, readFully } from '../files/volume/read-handle.ts'
import { freeMemory } from '../lib/free-memory.ts'
import type { Output } from './answer.ts'

const SMALL_BUFFER_BYTES = 64 * 1024
const BUFFER_BYTES = 256 * 1024
const FEW_BUFFER_BYTES = 1024 * 1024
const MANY_BUFFER_BYTES = 32 * 1024
/** With fewer transfers than this the large buffer is affordable. */
const FEW_TRANSFERS = 4
/** From this many on small ones must do: their clients may all have stopped reading. */
const MANY_TRANSFERS = 16
/** What each of many transfers holds, in bytes: two buffers, and the request with its connection. */
export const TRANSFER_BYTES = 3 * MANY_BUFFER_BYTES
/** Kept of each size for the next transfers; all is given back when none has run for a while. */
const MAX_POOLED_BYTES = 2 * 1024 * 1024
const POOL_IDLE_MS = 5_000
const pool = new Map<number, Buffer[]>()
let transfers = 0
let emptying: NodeJS.Timeout | undefined

/** Like `sendRange` for the last bytes of an answer: few enough leave together with the head. */
export async function sendLast(
  output: Output,
  file: { handle: Pick<ReadHandle, 'read'> },
  start: number,
  end: number,
): Promise<void> {
  if (start >= end || end - start > SMALL_BUFFER_BYTES) return sendRange(output, file, start, end)
  transfers++
  const buffer = take(SMALL_BUFFER_BYTES)
  try {
    const filled = await readFully(file.handle, buffer, start, end - start)
    if (start + filled < end) throw becameShorter()
    await output.end(buffer.subarray(0, filled))
  } finally {
    give(buffer)
    endTransfer()
  }
}

/**
 * Writes bytes [start, end) of the file. Rejects when the file is shorter than announced or the
 * client went away. A client may stall, such as a paused player; one that has vanished is found out
 * by the kernel (see server.ts).
 */
export async function sendRange(
  output: Output,
  file: { handle: Pick<ReadHandle, 'read'> },
  start: number,
  end: number,
): Promise<void> {
  if (start >= end) return
  transfers++
  let current = take(firstBufferBytes())
  let next = take(firstBufferBytes())
  let position = start
  try {
    let filled = await fill(file.handle, current, position, end)
    while (filled > 0) {
      position += filled
      const reading = position < end ? fill(file.handle, next, position, end) : Promise.resolve(0)
      await settleBoth(output.write(current.subarray(0, filled)), reading)
      filled = await reading
      const free = current
      current = next
      next = free
      // The client keeps up: go on with larger buffers, one after the other.
      const wanted = bufferBytes(end - position - filled)
      if (next.length < wanted) {
        give(next)
        next = take(wanted)
      }
    }
    if (position < end) throw becameShorter()
  } finally {
    give(current)
    give(next)
    endTransfer()
  }
}

export function becameShorter(): Error {
  return new Error('the file became shorter while it was sent')
}

function firstBufferBytes(): number {
  return transfers < MANY_TRANSFERS ? SMALL_BUFFER_BYTES : MANY_BUFFER_BYTES
}

/** The buffer that suits this much left to read. */
function bufferBytes(leftBytes: number): number {
  if (transfers >= MANY_TRANSFERS) return MANY_BUFFER_BYTES
  if (leftBytes <= SMALL_BUFFER_BYTES) return SMALL_BUFFER_BYTES
  return transfers < FEW_TRANSFERS && leftBytes > BUFFER_BYTES ? FEW_BUFFER_BYTES : BUFFER_BYTES
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

function take(size: number): Buffer {
  return pool.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size)
}

function give(buffer: Buffer): void {
  const free = pool.get(buffer.length) ?? []
  pool.set(buffer.length, free)
  if (free.length * buffer.length < MAX_POOLED_BYTES) free.push(buffer)
  else freeMemory(buffer)
}

function endTransfer(): void {
  transfers--
  if (transfers > 0) return
  emptying ??= setTimeout(emptyPool, POOL_IDLE_MS).unref()
  emptying.refresh()
}

function emptyPool(): void {
  if (transfers > 0) return
  for (const buffers of pool.values()) for (const buffer of buffers) freeMemory(buffer)
  pool.clear()
}
