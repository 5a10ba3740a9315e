// Replacing a small file so that a crash at any moment leaves the old or the new content, whole.
import { randomBytes } from 'node:crypto'
import { link, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errnoOf } from '../errors.ts'

/**
 * Writes `data` beside `file`, syncs it, keeps the previous content as `<file>.bak`, renames into
 * place and syncs the folder. The mode is 0600. Nothing is changed when it throws.
 */
export async function replaceFile(file: string, data: string | Uint8Array): Promise<void> {
  const temp = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const handle = await open(temp, 'wx', 0o600)
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await keepPrevious(file)
    await rename(temp, file)
  } catch (error) {
    await unlink(temp).catch(() => {})
    throw error
  }
  await syncFolder(dirname(file))
}

// A second name for the old inode costs no copy; rename then moves the first name on.
async function keepPrevious(file: string): Promise<void> {
  const backup = `${file}.bak`
  const temp = `${backup}.${randomBytes(6).toString('hex')}`
  try {
    // An emptied file is nobody's previous content: it must not push out a good copy.
    if ((await stat(file)).size === 0) return
    await link(file, temp)
    await rename(temp, backup)
  } catch (error) {
    await unlink(temp).catch(() => {})
    // ENOENT: nothing to keep yet. The others: file systems without hard links (exFAT, some NAS).
    if (!['ENOENT', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EEXIST'].includes(errnoOf(error)))
      throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    // Windows and a few network file systems cannot open or sync a folder.
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(errnoOf(error)))
      throw error
  }
}
