// An open file for reading: a descriptor with the few operations readers need. On a local disk
// facts and closing take the direct way (see disks.ts), and so does a small file that was read just now.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readSync,
} from 'node:fs'
import { lstat, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Device } from '../disks/device.ts'
import { poolCalls } from '../disks/disk-calls.ts'

export interface ReadHandle {
  /** -1 once closed. */
  readonly fd: number
  /** Reads up to `length` bytes from `position` on; fewer at the end of the file. */
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>
  /**
   * Like read, but rejects with EHOSTDOWN when the disk falls silent; what comes later is still
   * written to the buffer.
   */
  readOrGiveUp: ReadHandle['read']
  stat(): Promise<BigIntStats>
  /** Everything from the start on. */
  readFile(): Promise<Buffer>
  close(): Promise<void>
}

const FLAGS =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0)
const READ_STEP_BYTES = 64 * 1024
/** Copied from the kernel's memory in some 10 µs, less than a trip through the pool takes. */
const MAX_DIRECT_BYTES = 64 * 1024

/**
 * Opens for reading, never through a link in the last place, without waiting for a FIFO. `isCached`: the
 * kernel has it in its caches.
 */
export async function openForReading(
  path: string | Buffer,
  device: Device,
  isCached: boolean,
): Promise<ReadHandle> {
  const fd =
    device.isDirect && isCached
      ? device.direct(() => openSync(path, FLAGS))
      : await poolCalls(device).open(path, FLAGS)
  return createReadHandle(fd, device)
}

/** Like openForReading on the event loop; null where what is open is not `meant`. */
export function openNow(
  path: string,
  device: Device,
  meant: (fd: number) => boolean,
): ReadHandle | null {
  const fd = openSync(path, FLAGS)
  let isMeant = false
  try {
    isMeant = meant(fd)
  } finally {
    if (!isMeant) closeSync(fd)
  }
  return isMeant ? createReadHandle(fd, device) : null
}

function createReadHandle(fd: number, device: Device): ReadHandle {
  const readInPool: ReadHandle['read'] = (buffer, offset, length, position) =>
    new Promise((resolve, reject) => {
      read(handle.fd, buffer, offset, length, position, (error, bytesRead) =>
        error ? reject(error) : resolve({ bytesRead }),
      )
    })
  let ino: bigint | null = null
  const readSome: ReadHandle['read'] = async (buffer, offset, length, position) => {
    if (position > 0 || length > MAX_DIRECT_BYTES || ino === null)
      return device.run(() => readInPool(buffer, offset, length, position))
    if (device.isDirect && device.wasRead(ino))
      return {
        bytesRead: device.direct(() => readSync(handle.fd, buffer, offset, length, position)),
      }
    const done = await device.run(() => readInPool(buffer, offset, length, position))
    device.noteRead(ino)
    return done
  }
  const stat: ReadHandle['stat'] = async () => {
    const stats = device.isDirect
      ? fstatSync(handle.fd, { bigint: true })
      : await poolCalls(device).fstat(handle.fd)
    ino = stats.ino
    return stats
  }
  const handle = {
    fd,
    read: readSome,
    readOrGiveUp: (...words: Parameters<ReadHandle['read']>) =>
      device.query(() => readInPool(...words)),
    stat,
    readFile: async () => {
      const { size } = await stat()
      let bytes = Buffer.allocUnsafe(Number(size) + 1)
      let filled = 0
      for (;;) {
        const { bytesRead } = await readSome(bytes, filled, bytes.length - filled, filled)
        if (bytesRead === 0) return bytes.subarray(0, filled)
        filled += bytesRead
        // The file grew meanwhile.
        if (filled === bytes.length)
          bytes = Buffer.concat([bytes, Buffer.allocUnsafe(READ_STEP_BYTES)])
      }
    },
    close: async () => {
      if (handle.fd < 0) return
      handle.fd = -1
      if (device.isDirect) closeSync(fd)
      else await poolCalls(device).close(fd)
    },
  }
  return handle
}

/**
 * Where an open file is now, without links on the way: bytes of a path at which the same file is found. Null where
 * the system does not tell (Linux does), and for a file that has been removed.
 */
export async function realPathOf(handle: Pick<ReadHandle, 'fd' | 'stat'>): Promise<Buffer | null> {
  try {
    const path = await readlink(`/proc/self/fd/${handle.fd}`, { encoding: 'buffer' })
    const [there, open] = await Promise.all([lstat(path, { bigint: true }), handle.stat()])
    return there.dev === open.dev && there.ino === open.ino ? path : null
  } catch {
    return null
  }
}

const readAt = promisify(read)

/** Fills a buffer from `position` of an open file on, with less at its end alone; gives how many bytes. */
export function readInto(
  fd: number,
  device: Device,
  into: Buffer,
  position: number,
): Promise<number> {
  const handle = {
    read: (...at: [Uint8Array, number, number, number]) => device.run(() => readAt(fd, ...at)),
  }
  return readFully(handle, into, position, into.length)
}

/** Reads `bytes` from `position` on, fewer at the end of the file alone: short reads are legal. */
export async function readFully(
  handle: Pick<ReadHandle, 'read'>,
  buffer: Buffer,
  position: number,
  bytes: number,
): Promise<number> {
  let done = 0
  while (done < bytes) {
    const { bytesRead } = await handle.read(buffer, done, bytes - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return done
}
