// Removing trees. Names go as bytes from the folder to the removal: one that is not UTF-8 would
// not be found again by its text.
import { type Dirent, lstatSync, readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs'
import { lstat, rmdir, unlink } from 'node:fs/promises'
import { errnoOf } from '../errors.ts'
import { deviceIn, type FolderRef, holdChild, inHeld } from './jail.ts'
import { readEntries } from './list-folder.ts'
import { createPace, type Pace } from './pace.ts'

const REMOVALS_IN_FLIGHT = 8
/** A file of more 512-byte blocks is removed in the pool: giving them free takes its time. */
const SMALL_BLOCKS = 2_048
/** A folder of this many bytes may hold thousands of names: reading it takes longer than a turn. */
const LARGE_FOLDER_BYTES = 64 * 1024

export interface RemoveOptions {
  signal: AbortSignal
  pace?: Pace
}

/**
 * Removes `name` in a held folder, depth first through held folders: a folder replaced by a link
 * while we work is removed as a link, never entered. An abort leaves what was not reached yet.
 */
export async function removeEntry(
  parent: FolderRef,
  name: string | Buffer,
  { signal, pace = createPace() }: RemoveOptions,
): Promise<void> {
  signal.throwIfAborted()
  const device = deviceIn(parent, name)
  // The pool is spared on a local disk as long as it is quick.
  const isDirect = () => device.isDirect && pace.isQuick
  const path = inHeld(parent.ref, name)
  const found = isDirect()
    ? pace.time(() => lstatSync(path))
    : await device.query(() => lstat(path))
  if (!found.isDirectory()) return device.run(() => unlink(path))
  const folder = await holdChild(parent, name, { direct: isDirect() })
  try {
    const direct = isDirect() && statSync(folder.ref).size <= LARGE_FOLDER_BYTES
    const { dirents, rawNames } = await readEntries(
      folder.ref,
      device,
      direct ? pace.time(() => readdirSync(folder.ref, { withFileTypes: true })) : undefined,
    )
    const nameOf = (dirent: Dirent) => rawNames.get(dirent) ?? dirent.name
    const files = dirents.filter((dirent) => !dirent.isDirectory())
    await removeFiles(folder, files.map(nameOf), { signal, pace })
    for (const dirent of dirents)
      if (dirent.isDirectory()) await removeEntry(folder, nameOf(dirent), { signal, pace })
  } finally {
    await folder.close()
  }
  if (isDirect()) pace.time(() => rmdirSync(path))
  else await device.run(() => rmdir(path))
  await pace.turn()
}

async function removeFiles(
  folder: FolderRef,
  names: (string | Buffer)[],
  { signal, pace }: { signal: AbortSignal; pace: Pace },
): Promise<void> {
  const paths = names.map((name) => inHeld(folder.ref, name))
  const { device } = folder
  let at = 0
  // One that is a mount of its own is left to the pool.
  const isDirect = () => deviceIn(folder, names[at] ?? '').isDirect && pace.isQuick
  for (; at < paths.length && isDirect(); at++) {
    signal.throwIfAborted()
    const path = paths[at] as string
    if (!pace.time(() => removedAtOnce(path))) await unlink(path)
    const others = pace.turn()
    if (others) await others
  }
  for (; at < paths.length; at += REMOVALS_IN_FLIGHT) {
    signal.throwIfAborted()
    const part = paths.slice(at, at + REMOVALS_IN_FLIGHT)
    // All of them end before a failure does: the paths go by the number of the folder's descriptor,
    // which is another folder's as soon as this one is closed.
    const ends = await Promise.allSettled(part.map((path) => device.run(() => unlink(path))))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

function removedAtOnce(path: string | Buffer): boolean {
  if (lstatSync(path).blocks > SMALL_BLOCKS) return false
  unlinkSync(path)
  return true
}

/**
 * Removes one entry of a held folder: a folder when nothing is in it, anything else when its
 * modification time (nanoseconds) is still the one given. False when it stays.
 */
export async function removeSingle(
  folder: FolderRef,
  name: string,
  mtimeNs: bigint | null,
): Promise<boolean> {
  const device = deviceIn(folder, name)
  const path = inHeld(folder.ref, name)
  try {
    const found = await device.query(() => lstat(path, { bigint: true }))
    if (found.isDirectory()) await device.run(() => rmdir(path))
    else if (found.mtimeNs === mtimeNs) await device.run(() => unlink(path))
    else return false
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true
    if (['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error))) return false
    throw error
  }
}
