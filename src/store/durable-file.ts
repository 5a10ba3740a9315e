// Replacing a small file so that a crash at any moment leaves the old or the new content, whole.
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { link, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError, errnoOf } from '../lib/errors.ts'
import { syncFolder } from '../lib/sync-folder.ts'
import { giveTo, ownerFor } from './owner.ts'

/** As many as Linux follows. */
const MAX_LINKS = 40

/**
 * The file that a path names in the end, there or not: whoever replaces a file must do it there, or the
 * link would be replaced and what it led to be left behind.
 */
export async function followLinks(path: string): Promise<string> {
  let file = path
  for (let links = 0; links < MAX_LINKS; links++) {
    const target = linkAt(file)
    if (target === null) return file
    file = resolve(await realpath(dirname(file)), target)
  }
  return path
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/**
 * Writes `data` beside `file`, syncs it, keeps the previous content as `<file>.bak` unless told
 * otherwise, renames into place and syncs the folder. The mode is 0600. Written by root it belongs to the owner of what it
 * replaces, else of `like`, else of the folder. Nothing is changed when it throws: AppError `no_space`,
 * `unsupported` for a file that is a mount of its own, else the system's error.
 */
export async function replaceFile(
  file: string,
  data: string | Iterable<string> | AsyncIterable<string>,
  { like = file, keepsPrevious = true } = {},
): Promise<void> {
  const temp = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const owner = await ownerFor(file, like, dirname(file))
    const handle = await open(temp, 'wx', 0o600)
    try {
      await handle.writeFile(data)
      await giveTo(owner, handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (keepsPrevious) await keepPrevious(file)
    await rename(temp, file)
  } catch (error) {
    await unlink(temp).catch(() => {})
    throw writeFailure(file, error)
  }
  await syncFolder(dirname(file))
}

/** A failure to write `file` as AppError `no_space` or `unsupported`, or as it is. */
export function writeFailure(file: string, error: unknown): unknown {
  const errno = errnoOf(error)
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new AppError('no_space', `cannot write ${file}: the disk is full (${errno})`, {
      cause: error,
    })
  }
  // Only a folder can take the new file and give up the old one.
  if (errno === 'EBUSY') {
    const message = `cannot replace ${file}, which is mounted as a single file (EBUSY); mount its folder`
    return new AppError('unsupported', message, { cause: error })
  }
  return error
}

// A second name for the old inode costs no copy; rename then moves the first name on.
async function keepPrevious(file: string): Promise<void> {
  const backup = `${file}.bak`
  const temp = `${backup}.${randomBytes(6).toString('hex')}`
  try {
    // An empty file must not replace a good copy.
    if ((await stat(file)).size === 0) return
    await link(file, temp)
    await rename(temp, backup)
  } catch (error) {
    await unlink(temp).catch(() => {})
    if (!NOTHING_TO_KEEP.includes(errnoOf(error))) throw error
  }
}

// ENOENT: there is no file yet. EXDEV: it is mounted as a single file. The others: file systems
// without hard links (exFAT, some NAS).
const NOTHING_TO_KEEP = ['ENOENT', 'EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EEXIST']
