// Moving to a name that must be free, without a gap between the check and the move where the file
// system has hard links.
import { AppError, errnoOf } from '../../lib/errors.ts'
import type { DiskCalls } from '../disks/disk-calls.ts'

// File systems without hard links, and files of others that Linux lets nobody link.
const NO_HARD_LINK = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS']

// Elsewhere link(2) names what a symbolic link leads to.
const LINKS_SYMLINKS = process.platform === 'linux'

/**
 * Moves an entry on one file system. Throws `exists` when the target is taken, else the system's
 * error; nothing has changed then.
 */
export async function moveToFreeName(from: string, to: string, calls: DiskCalls): Promise<void> {
  const found = await calls.lstat(from)
  const canLink = found?.isFile() || (found?.isSymbolicLink() && LINKS_SYMLINKS)
  return canLink ? moveFileToFreeName(from, to, calls) : renameToFreeName(from, to, calls)
}

/** Like moveToFreeName for what is known to be a regular file, by the given way. */
export async function moveFileToFreeName(
  from: string,
  to: string,
  calls: DiskCalls,
): Promise<void> {
  if (!(await linked(from, to, calls))) return renameToFreeName(from, to, calls)
  try {
    await calls.unlink(from)
  } catch (error) {
    // The old name could not be removed: remove the new one.
    const [first, second] = [await calls.lstat(from), await calls.lstat(to)]
    if (first && first.ino === second?.ino && first.dev === second.dev) await calls.unlink(to)
    throw error
  }
}

async function renameToFreeName(from: string, to: string, calls: DiskCalls): Promise<void> {
  if (await calls.lstat(to)) throw new AppError('exists', 'the target exists')
  // It would replace an empty folder at most, should one appear now.
  await calls.rename(from, to)
}

async function linked(from: string, to: string, calls: DiskCalls): Promise<boolean> {
  try {
    // A second name fails when the target exists.
    await calls.link(from, to)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw new AppError('exists', 'the target exists')
    if (NO_HARD_LINK.includes(errnoOf(error))) return false
    throw error
  }
}
