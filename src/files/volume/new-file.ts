// Small new files of our own, which no other program may read.
import { constants } from 'node:fs'
import { poolCalls } from '../disks/disk-calls.ts'
import { writeFully } from '../disks/write-fully.ts'
import { type OpenFolder, pathIn } from './open-folder.ts'

const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Writes and syncs a file that is not there yet, for its owner alone. Rejects with the system's error, EEXIST
 * when anything has the name; what was begun is removed then.
 */
export async function writeNew(folder: OpenFolder, name: string, content: Buffer): Promise<void> {
  const { device } = folder
  const calls = poolCalls(device)
  const path = pathIn(folder, name)
  const fd = await calls.open(path, FLAGS, 0o600)
  try {
    await writeFully(fd, device, [content], 0, false)
    await device.syncFile(fd)
  } catch (error) {
    await calls.unlink(path).catch(() => {})
    throw error
  } finally {
    await calls.close(fd)
  }
}
