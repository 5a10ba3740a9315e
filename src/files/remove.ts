// Removing trees. Names go as bytes from the folder to the removal: one that is not UTF-8 would
// not be found again by its text.
import { type Dirent, lstatSync, readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs'
import { lstat, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../errors.ts'
import { isMountPoint } from './disk-look.ts'
import { holdChild, inHeld } from './jail.ts'
import { readEntries } from './list-folder.ts'
import { createPace, type Pace } from './pace.ts'

const REMOVALS_IN_FLIGHT = 8
/** A file of more 512-byte blocks is removed in the pool: giving them free takes its time. */
const SMALL_BLOCKS = 2_048
/** A folder of this many bytes may hold thousands of names: reading it takes longer than a turn. */
const LARGE_FOLDER_BYTES = 64 * 1024

export interface RemoveOptions {
  /** Where the entry was located. */
  realPath: string
  /** On a local disk: the pool is spared as long as the disk is quick. */
  near: boolean
  signal: AbortSignal
  pace?: Pace
}

/**
 * Removes `name` in a held folder, depth first through held folders: a folder replaced by a link
 * while we work is removed as a link, never entered. An abort leaves what was not reached yet.
 */
export async function removeEntry(
  ref: string,
  name: string | Buffer,
  { realPath, near, signal, pace = createPace() }: RemoveOptions,
): Promise<void> {
  signal.throwIfAborted()
  // What is mounted there may be far away however near the folder is.
  const local = near && !isMountPoint(realPath)
  const path = inHeld(ref, name)
  const found = local && pace.isQuick ? pace.time(() => lstatSync(path)) : await lstat(path)
  if (!found.isDirectory()) return unlink(path)
  const folder = await holdChild(ref, name, { direct: local && pace.isQuick })
  try {
    const direct = local && pace.isQuick && statSync(folder.ref).size <= LARGE_FOLDER_BYTES
    const { dirents, rawNames } = await readEntries(
      folder.ref,
      direct ? pace.time(() => readdirSync(folder.ref, { withFileTypes: true })) : undefined,
    )
    const nameOf = (dirent: Dirent) => rawNames.get(dirent) ?? dirent.name
    const files = dirents.filter((dirent) => !dirent.isDirectory())
    const paths = files.map((file) => inHeld(folder.ref, nameOf(file)))
    await removeFiles(paths, { local, signal, pace })
    for (const dirent of dirents) {
      if (!dirent.isDirectory()) continue
      const child = { realPath: join(realPath, dirent.name), near: local, signal, pace }
      await removeEntry(folder.ref, nameOf(dirent), child)
    }
  } finally {
    await folder.close()
  }
  if (local && pace.isQuick) pace.time(() => rmdirSync(path))
  else await rmdir(path)
  await pace.turn()
}

async function removeFiles(
  paths: (string | Buffer)[],
  { local, signal, pace }: { local: boolean; signal: AbortSignal; pace: Pace },
): Promise<void> {
  let at = 0
  for (; at < paths.length && local && pace.isQuick; at++) {
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
    const ends = await Promise.allSettled(part.map((path) => unlink(path)))
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
