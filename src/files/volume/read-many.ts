// Reading many small files of a folder: on quick local disks in turns of the event loop, elsewhere by the pool.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isLostEntry, unless } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Device } from '../disks/device.ts'
import { type OpenFolder, pathIn } from './open-folder.ts'
import { openForReading } from './read-handle.ts'

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const IN_FLIGHT = 16

/**
 * What the files of these names in an open folder hold, in their order; null for what is not there, cannot be read, is no
 * regular file or has more than `maxBytes`. Nothing is under way when it is settled.
 */
export async function readManyIn(
  folder: OpenFolder,
  names: readonly string[],
  maxBytes: number,
): Promise<(Buffer | null)[]> {
  const { device } = folder
  const found = new Array<Buffer | null>(names.length).fill(null)
  const turn = createTurns()
  let at = 0
  for (; at < names.length && device.isDirect; at++) {
    const path = pathIn(folder, names[at] as string)
    found[at] = device.direct(() => readNow(path, maxBytes))
    const others = turn()
    if (others) await others
  }
  const readLater = async () => {
    while (at < names.length) {
      const i = at++
      found[i] = await readInPool(pathIn(folder, names[i] as string), device, maxBytes)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, readLater))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return found
}

function readNow(path: string, maxBytes: number): Buffer | null {
  let fd = -1
  try {
    fd = openSync(path, FLAGS)
    const found = fstatSync(fd)
    if (!found.isFile() || found.size > maxBytes) return null
    const content = Buffer.allocUnsafe(found.size)
    return content.subarray(0, readSync(fd, content, 0, content.length, 0))
  } catch (error) {
    if (isLostEntry(error)) return null
    throw error
  } finally {
    if (fd >= 0) closeSync(fd)
  }
}

async function readInPool(path: string, device: Device, maxBytes: number): Promise<Buffer | null> {
  const handle = await openForReading(path, device, false).catch(
    unless('ENOENT', 'EACCES', 'ELOOP', 'ENXIO'),
  )
  if (!handle) return null
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size > maxBytes) return null
    const content = Buffer.allocUnsafe(Number(found.size))
    const { bytesRead } = await handle.read(content, 0, content.length, 0)
    return content.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
