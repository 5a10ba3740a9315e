import { writev, writevSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Device } from './device.ts'

const writevInPool = promisify(writev)

/**
 * Writes all bytes to an open file from `position` on; writev(2) may write less than asked, for instance
 * when the disk is almost full. `atOnce`: on the event loop. Rejects with the system's error.
 */
export async function writeFully(
  fd: number,
  device: Device,
  buffers: readonly Uint8Array[],
  position: number,
  atOnce: boolean,
): Promise<void> {
  const later = () => writevInPool(fd, left, position)
  let left = [...buffers]
  while (left.length > 0) {
    const written = atOnce ? writevSync(fd, left, position) : (await device.run(later)).bytesWritten
    position += written
    left = behind(left, written)
    if (written === 0 && left.length > 0) throw new Error('nothing could be written')
  }
}

/** What is left of buffers of which so many bytes are written. */
export function behind(buffers: readonly Uint8Array[], sizeBytes: number): Uint8Array[] {
  const left: Uint8Array[] = []
  let rest = sizeBytes
  for (const buffer of buffers) {
    if (rest < buffer.length) left.push(buffer.subarray(rest))
    rest = Math.max(0, rest - buffer.length)
  }
  return left
}
