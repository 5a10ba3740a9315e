// Removing trees. Names go as bytes from the folder to the removal: one that is not UTF-8 would
// not be found again by its text.
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { errnoOf } from '../errors.ts'
import { holdChild, inHeld } from './jail.ts'

const REMOVALS_IN_FLIGHT = 8

/**
 * Removes `name` in a held folder, depth first through held folders: a folder replaced by a link
 * while we work is removed as a link, never entered. An abort leaves what was not reached yet.
 */
export async function removeEntry(
  ref: string,
  name: string | Buffer,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const path = inHeld(ref, name)
  if (!(await lstat(path)).isDirectory()) return unlink(path)
  const folder = await holdChild(ref, name)
  try {
    const dirents = await readdir(folder.ref, { withFileTypes: true, encoding: 'buffer' })
    const files = dirents.filter((dirent) => !dirent.isDirectory())
    for (let i = 0; i < files.length; i += REMOVALS_IN_FLIGHT) {
      signal.throwIfAborted()
      const slice = files.slice(i, i + REMOVALS_IN_FLIGHT)
      await Promise.all(slice.map((file) => unlink(inHeld(folder.ref, file.name))))
    }
    for (const dirent of dirents)
      if (dirent.isDirectory()) await removeEntry(folder.ref, dirent.name, signal)
  } finally {
    await folder.close()
  }
  await rmdir(path)
}

/**
 * Removes one entry of a held folder: a folder when nothing is in it, anything else when its
 * modification time (nanoseconds) is still the one given. False when it stays.
 */
export async function removeSingle(
  ref: string,
  name: string,
  mtimeNs: bigint | null,
): Promise<boolean> {
  const path = inHeld(ref, name)
  try {
    const found = await lstat(path, { bigint: true })
    if (found.isDirectory()) await rmdir(path)
    else if (found.mtimeNs === mtimeNs) await unlink(path)
    else return false
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true
    if (['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error))) return false
    throw error
  }
}
