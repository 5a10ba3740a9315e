// An open file for reading: a descriptor with the few operations readers need. On a local disk
// facts and closing take the direct way (see disks.ts); bytes always come through the pool.
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fstat,
  fstatSync,
  open,
  openSync,
  read,
} from 'node:fs'
import { promisify } from 'node:util'
import type { Device } from '../disks/device.ts'

const openInPool = promisify(open)
const closeInPool = promisify(close)
const fstatInPool = promisify(fstat)

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
  stat(): Promise<BigIntStats>
  /** Everything from the start on. */
  readFile(): Promise<Buffer>
  close(): Promise<void>
}

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const READ_STEP_BYTES = 64 * 1024

/**
 * Opens for reading, never through a link in the last place, without waiting for a FIFO. `seen`: the
 * file was looked at just now.
 */
export async function openForReading(
  path: string | Buffer,
  device: Device,
  seen: boolean,
): Promise<ReadHandle> {
  const closeLate = (late: number) => void device.release(() => closeInPool(late)).catch(() => {})
  const fd =
    device.isDirect && seen
      ? device.direct(() => openSync(path, FLAGS))
      : await device.query(() => openInPool(path, FLAGS), closeLate)
  return createReadHandle(fd, device)
}

function createReadHandle(opened: number, device: Device): ReadHandle {
  let fd = opened
  const readInPool: ReadHandle['read'] = (buffer, offset, length, position) =>
    new Promise((resolve, reject) => {
      read(fd, buffer, offset, length, position, (error, bytesRead) =>
        error ? reject(error) : resolve({ bytesRead }),
      )
    })
  const readSome: ReadHandle['read'] = (...words) => device.run(() => readInPool(...words))
  const stat: ReadHandle['stat'] = async () =>
    device.isDirect
      ? fstatSync(fd, { bigint: true })
      : device.run(() => fstatInPool(fd, { bigint: true }))
  return {
    get fd() {
      return fd
    },
    read: readSome,
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
      if (fd < 0) return
      const closing = fd
      fd = -1
      if (device.isDirect) closeSync(closing)
      else await device.release(() => closeInPool(closing))
    },
  }
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
