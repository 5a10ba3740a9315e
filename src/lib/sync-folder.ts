// Making names last: a file that was synced is under its name after a power cut only when the folder
// was synced as well (fsync(2): "Calling fsync() does not necessarily ensure that the entry in the
// directory containing the file has also reached disk").
import { close, closeSync, constants, fsync, open, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { errnoOf } from './errors.ts'

const openInPool = promisify(open)
const closeInPool = promisify(close)
const sync = promisify(fsync)

const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)
// Windows and a few network file systems cannot open or sync a folder, and one that may be written
// to need not be readable.
const REFUSALS = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'ENOSYS', 'EBADF']

/**
 * Waits until the names in a folder are on the disk; does nothing where that cannot be asked for.
 * `direct`: opened without the thread pool. Rejects with the system's error.
 */
export async function syncFolder(folder: string, direct = false): Promise<void> {
  try {
    const fd = direct ? openSync(folder, FLAGS) : await openInPool(folder, FLAGS)
    try {
      await sync(fd)
    } finally {
      if (direct) closeSync(fd)
      else await closeInPool(fd)
    }
  } catch (error) {
    if (!REFUSALS.includes(errnoOf(error))) throw error
  }
}
