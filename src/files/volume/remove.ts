// Removing trees. Names go as bytes from the folder to the removal: one that is not UTF-8 would
// not be found again by its text.
import { type Dirent, lstatSync, rmdirSync, type Stats, unlinkSync } from 'node:fs'
import { lstat, rmdir, unlink } from 'node:fs/promises'
import { errnoOf } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import { createDescent } from './descent.ts'
import { deviceIn, type Name, type OpenFolder, pathIn } from './open-folder.ts'
import { readOpenFolder } from './read-folder.ts'

const REMOVALS_IN_FLIGHT = 8
/** A file of more 512-byte blocks is removed in the pool: giving them free takes its time. */
const SMALL_BLOCKS = 2_048

export interface RemoveOptions {
  signal: AbortSignal
  /** Asked right before each file is removed; what it gives is called when the file is gone. */
  onFile?: ((folder: OpenFolder, name: Name, stats: Stats) => () => void) | undefined
}

/**
 * Removes `name` in an open folder, depth first and however deep: a folder replaced by a link
 * while we work is removed as a link, never entered. One that was moved elsewhere meanwhile is `forbidden`.
 * An abort leaves what was not reached yet.
 */
export async function removeEntry(
  parent: OpenFolder,
  name: string | Buffer,
  options: RemoveOptions,
): Promise<void> {
  const { signal, onFile } = options
  const descent = createDescent(parent)
  const turn = createTurns()
  /** Folders on the way down, whose files are gone, with the folders in them that are still to be removed. */
  const levels: { name: string | Buffer; rest: (string | Buffer)[] }[] = []
  const at = (name: string | Buffer) => {
    const device = deviceIn(descent.folder, name)
    return { path: pathIn(descent.folder, name), device }
  }

  const removeOne = async (name: string | Buffer) => {
    signal.throwIfAborted()
    const { path, device } = at(name)
    const found = device.isDirect
      ? device.direct(() => lstatSync(path))
      : await device.query(() => lstat(path))
    if (!found.isDirectory()) {
      const removed = onFile?.(descent.folder, name, found)
      await device.run(() => unlink(path))
      return removed?.()
    }
    await descent.enter(name)
    levels.push({ name, rest: await removeFilesOf(descent.folder, options) })
    await turn()
  }
  const leave = async (name: string | Buffer) => {
    levels.pop()
    await descent.leave()
    const { path, device } = at(name)
    if (device.isDirect) device.direct(() => rmdirSync(path))
    else await device.run(() => rmdir(path))
    await turn()
  }

  try {
    await removeOne(name)
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const next = level.rest.pop()
      await (next === undefined ? leave(level.name) : removeOne(next))
    }
  } finally {
    await descent.close()
  }
}

/** Removes the files of an open folder and gives the names of the folders in it, the last one first. */
async function removeFilesOf(
  folder: OpenFolder,
  options: RemoveOptions,
): Promise<(string | Buffer)[]> {
  const { dirents, rawNames } = await readOpenFolder(folder, { direct: true })
  const nameOf = (dirent: Dirent) => rawNames.get(dirent) ?? dirent.name
  const files = dirents.filter((dirent) => !dirent.isDirectory())
  await removeFiles(folder, files.map(nameOf), options)
  return dirents
    .filter((dirent) => dirent.isDirectory())
    .map(nameOf)
    .reverse()
}

async function removeFiles(
  folder: OpenFolder,
  names: (string | Buffer)[],
  { signal, onFile }: RemoveOptions,
): Promise<void> {
  const paths = names.map((name) => pathIn(folder, name))
  const { device } = folder
  const turn = createTurns()
  let at = 0
  // One that is a mount of its own is left to the pool.
  const isDirect = () => deviceIn(folder, names[at] ?? '').isDirect
  for (; at < paths.length && isDirect(); at++) {
    signal.throwIfAborted()
    const path = paths[at] as string
    const stats = device.direct(() => lstatSync(path))
    const removed = onFile?.(folder, names[at] as Name, stats)
    if (stats.blocks > SMALL_BLOCKS) await unlink(path)
    else device.direct(() => unlinkSync(path))
    removed?.()
    const others = turn()
    if (others) await others
  }
  for (; at < paths.length; at += REMOVALS_IN_FLIGHT) {
    signal.throwIfAborted()
    const part = paths.slice(at, at + REMOVALS_IN_FLIGHT).map(async (path, i) => {
      const name = names[at + i] as Name
      const removed = onFile?.(folder, name, await device.query(() => lstat(path)))
      await device.run(() => unlink(path))
      removed?.()
    })
    // All of them end before a failure does: the paths go by the number of the folder's descriptor,
    // which is another folder's as soon as this one is closed.
    const ends = await Promise.allSettled(part)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

/**
 * Removes one entry of an open folder: a folder when nothing is in it, anything else when its
 * modification time (nanoseconds) is still the one given. False when it stays.
 */
export async function removeSingle(
  folder: OpenFolder,
  name: Name,
  mtimeNs: bigint | null,
): Promise<boolean> {
  const device = deviceIn(folder, name)
  const path = pathIn(folder, name)
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
