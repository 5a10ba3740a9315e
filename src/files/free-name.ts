// Moving to a name that must be free, without a gap between the look and the move where the file
// system has hard links.
import { link, lstat, rename, unlink } from 'node:fs/promises'
import { AppError, errnoOf } from '../errors.ts'

// File systems without hard links, and files of others that Linux lets nobody link.
const NO_HARD_LINK = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS']

/**
 * Moves an entry on one file system. Throws `exists` when the target is taken, else the system's
 * error; nothing has changed then.
 */
export async function moveToFreeName(from: string, to: string): Promise<void> {
  const found = await lstat(from)
  // link(2) of macOS makes a second name for what a symbolic link leads to.
  const canLink = found.isFile() || (found.isSymbolicLink() && process.platform === 'linux')
  return canLink ? moveFileToFreeName(from, to) : renameToFreeName(from, to)
}

/** Like moveToFreeName for what is known to be a regular file. */
export async function moveFileToFreeName(from: string, to: string): Promise<void> {
  if (!(await linked(from, to))) return renameToFreeName(from, to)
  try {
    await unlink(from)
  } catch (error) {
    // Two names for one file would be half a move.
    const names = await Promise.all([lstat(from, { bigint: true }), lstat(to, { bigint: true })])
    if (names[0].ino === names[1].ino && names[0].dev === names[1].dev) await unlink(to)
    throw error
  }
}

async function renameToFreeName(from: string, to: string): Promise<void> {
  const taken = await lstat(to).catch((error) => {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  })
  if (taken) throw new AppError('exists', 'the target exists')
  // It would replace an empty folder at most, should one appear now.
  await rename(from, to)
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    // A second name fails when the target exists.
    await link(from, to)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw new AppError('exists', 'the target exists')
    if (NO_HARD_LINK.includes(errnoOf(error))) return false
    throw error
  }
}
