// Removing trees. Names go as bytes from the folder to the removal: one that is not UTF-8 would
// not be found again by its text.
import { type Dirent, lstatSync, readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs'
import { lstat, rmdir, stat, unlink } from 'node:fs/promises'
import { AppError, errnoOf } from '../../lib/errors.ts'
import type { Device } from '../disks/device.ts'
import { readEntries } from '../listing/list-folder.ts'
import { deviceIn, type FolderRef, holdChild, holdParent, inHeld } from '../place/jail.ts'
import { createPace, type Pace } from '../place/pace.ts'

const REMOVALS_IN_FLIGHT = 8
/** A file of more 512-byte blocks is removed in the pool: giving them free takes its time. */
const SMALL_BLOCKS = 2_048
/** A folder of this many bytes may hold thousands of names: reading it takes longer than a turn. */
const LARGE_FOLDER_BYTES = 64 * 1024

export interface RemoveOptions {
  signal: AbortSignal
  pace?: Pace
}

/** Folders held open at once: further up the way back is found by `..`. */
const MAX_HELD = 32

/** A folder on the way down, whose files are gone. */
interface Level {
  name: string | Buffer
  /** Null while it is not held. */
  folder: FolderRef | null
  device: Device
  identity: string
  /** Folders in it that are still to be removed. */
  rest: (string | Buffer)[]
}

/**
 * Removes `name` in a held folder, depth first through held folders: a folder replaced by a link
 * while we work is removed as a link, never entered. However deep the tree, few folders are open at
 * once; one that was moved elsewhere meanwhile is `forbidden`. An abort leaves what was not reached yet.
 */
export async function removeEntry(
  parent: FolderRef,
  name: string | Buffer,
  { signal, pace = createPace() }: RemoveOptions,
): Promise<void> {
  const levels: Level[] = []
  const above = () => levels.at(-1)?.folder ?? parent

  const removeOne = async (name: string | Buffer) => {
    signal.throwIfAborted()
    const device = deviceIn(above(), name)
    // The pool is spared on a local disk as long as it is quick.
    const direct = device.isDirect && pace.isQuick
    const path = inHeld(above().ref, name)
    const found = direct ? pace.time(() => lstatSync(path)) : await device.query(() => lstat(path))
    if (!found.isDirectory()) return device.run(() => unlink(path))
    const folder = await holdChild(above(), name, { direct })
    const level: Level = { name, folder, device, identity: '', rest: [] }
    levels.push(level)
    level.identity = await identityOf(folder, device.isDirect && pace.isQuick)
    level.rest = await removeFilesOf(folder, { signal, pace })
    const further = levels.at(-MAX_HELD - 1)
    await further?.folder?.close()
    if (further) further.folder = null
    await pace.turn()
  }
  const leave = async ({ name, folder, device }: Level) => {
    const isDirect = () => device.isDirect && pace.isQuick
    levels.pop()
    const level = levels.at(-1)
    try {
      if (level?.folder === null && folder) {
        level.folder = await holdParent(folder, level.device, { direct: isDirect() })
        if ((await identityOf(level.folder, isDirect())) !== level.identity)
          throw new AppError('forbidden', 'a folder changed its place while it was removed')
      }
    } finally {
      await folder?.close()
    }
    const path = inHeld(above().ref, name)
    if (isDirect()) pace.time(() => rmdirSync(path))
    else await device.run(() => rmdir(path))
    await pace.turn()
  }

  try {
    await removeOne(name)
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const next = level.rest.pop()
      await (next === undefined ? leave(level) : removeOne(next))
    }
  } finally {
    for (const { folder } of levels) await folder?.close()
  }
}

async function identityOf({ ref, device }: FolderRef, direct: boolean): Promise<string> {
  const { dev, ino } = direct
    ? statSync(ref, { bigint: true })
    : await device.query(() => stat(ref, { bigint: true }))
  return `${dev}:${ino}`
}

/** Removes the files of a held folder and gives the names of the folders in it, the last one first. */
async function removeFilesOf(
  folder: FolderRef,
  { signal, pace }: { signal: AbortSignal; pace: Pace },
): Promise<(string | Buffer)[]> {
  const { ref, device } = folder
  const direct = device.isDirect && pace.isQuick && statSync(ref).size <= LARGE_FOLDER_BYTES
  const { dirents, rawNames } = await readEntries(
    ref,
    device,
    direct ? pace.time(() => readdirSync(ref, { withFileTypes: true })) : undefined,
  )
  const nameOf = (dirent: Dirent) => rawNames.get(dirent) ?? dirent.name
  const files = dirents.filter((dirent) => !dirent.isDirectory())
  await removeFiles(folder, files.map(nameOf), { signal, pace })
  return dirents
    .filter((dirent) => dirent.isDirectory())
    .map(nameOf)
    .reverse()
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
