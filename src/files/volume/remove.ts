// Removing trees. Names go as bytes from the folder to the removal: one that is not UTF-8 would
// not be found again by its text.
import { type Dirent, lstatSync, rmdirSync, type Stats, unlinkSync } from 'node:fs'
import { lstat, rmdir, unlink } from 'node:fs/promises'
import { errnoOf, unless } from '../../lib/errors.ts'
import { createTurns, nextTurn } from '../../lib/turns.ts'
import { MANY_NAMES, type RemovalThread } from '../disks/removal-thread.ts'
import { inWorkingFolder } from '../disks/working-folder.ts'
import { createDescent } from './descent.ts'
import { deviceIn, HAS_PROC, type Name, type OpenFolder, pathIn } from './open-folder.ts'
import { LARGE_FOLDER_BYTES, readOpenFolder } from './read-folder.ts'

const REMOVALS_IN_FLIGHT = 8
/** Short, as nobody waits for what is emptied, but for the folders that are listed meanwhile. */
const TURN_MS = 2
/** Fewer are named by their paths: changing the folder costs as much as they do. */
const MIN_NAMES = 8
const unlessGone = unless('ENOENT')
const rethrow = (error: unknown) => {
  throw error
}
/** A file of more 512-byte blocks is removed in the pool: giving them free takes its time. */
const SMALL_BLOCKS = 2_048

export interface RemoveOptions {
  signal: AbortSignal
  /** Asked right before each file is removed; what it gives is called when the file is gone. */
  onFile?: ((folder: OpenFolder, name: Name, stats: Stats) => () => void) | undefined
  /** What is not there is no error, of files in an open folder. */
  mayBeGone?: boolean
}

/** Much goes by `thread`, where nobody is asked before each file. */
interface RemoveHow extends RemoveOptions {
  thread?: RemovalThread | undefined
}

/**
 * Removes `name` in an open folder, depth first and however deep: a folder replaced by a link
 * while we work is removed as a link, never entered. One that was moved elsewhere meanwhile is `forbidden`.
 * An abort leaves what was not reached yet.
 */
export async function removeEntry(
  parent: OpenFolder,
  name: string | Buffer,
  options: RemoveHow,
): Promise<void> {
  const { signal, onFile } = options
  const descent = createDescent(parent)
  const turn = createTurns()
  /** Folders on the way down, whose files are gone, with the folders in them that are still to be removed. */
  const levels: { name: Name; folders: Name[]; at: number }[] = []
  /** What lies deeper is not handed over, since the thread has left it. */
  let careful = Number.POSITIVE_INFINITY
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
    const isLarge = found.size > LARGE_FOLDER_BYTES
    if (isLarge && (await byThread(descent.folder, [name], options, { count: MANY_NAMES }))) return
    await descent.enter(name)
    levels.push({ name, folders: await removeFilesOf(descent.folder, options), at: 0 })
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
      if (levels.length <= careful) {
        const gone = await byThread(descent.folder, level.folders, options, { from: level.at })
        level.at += gone ?? 0
        careful = gone === null ? Number.POSITIVE_INFINITY : levels.length
      }
      const next = level.folders[level.at++]
      await (next === undefined ? leave(level.name) : removeOne(next))
    }
  } finally {
    await descent.close()
  }
}

/** Removes the files of an open folder and gives the names of the folders in it. */
async function removeFilesOf(folder: OpenFolder, options: RemoveHow): Promise<(string | Buffer)[]> {
  const { dirents, rawNames } = await readOpenFolder(folder, { direct: true })
  const nameOf = (dirent: Dirent) => rawNames.get(dirent) ?? dirent.name
  const files = dirents.filter((dirent) => !dirent.isDirectory())
  await removeFiles(folder, files.map(nameOf), options)
  return dirents.filter((dirent) => dirent.isDirectory()).map(nameOf)
}

/**
 * Hands folders over, or files, where there is much to remove: `count` says how much it is, as far as known. Gives how
 * many are gone, the first ones; null where nothing was handed over.
 */
async function byThread(
  { ref, realDir, device, disks }: OpenFolder,
  names: readonly Name[],
  { thread, signal, onFile }: RemoveHow,
  { from = 0, count = 1, areFolders = true },
): Promise<number | null> {
  if (!thread || onFile || !HAS_PROC || device.kind !== 'local') return null
  if (!thread.wants(count) || from >= names.length || disks.holdsMount(realDir) !== false)
    return null
  const end = names.findIndex((name, i) => i >= from && typeof name !== 'string')
  const texts = names.slice(from, end < 0 ? undefined : end) as string[]
  const gone = await thread.remove({ ref, names: texts, areFolders }, signal)
  signal.throwIfAborted()
  return gone
}

/** Removes files and links of an open folder; a folder is the system's error. An abort leaves what was not reached yet. */
export async function removeFiles(
  folder: OpenFolder,
  names: readonly Name[],
  options: RemoveHow,
): Promise<void> {
  const { signal, onFile, mayBeGone = false } = options
  const { device } = folder
  const handedOver = await byThread(folder, names, options, {
    areFolders: false,
    count: names.length,
  })
  let at = handedOver ?? 0
  at += await removeAtOnce(folder, names.slice(at), options)
  for (; at < names.length; at += REMOVALS_IN_FLIGHT) {
    signal.throwIfAborted()
    const part = names.slice(at, at + REMOVALS_IN_FLIGHT).map(async (name) => {
      const path = pathIn(folder, name)
      const stats = await device.query(() => lstat(path)).catch(mayBeGone ? unlessGone : rethrow)
      if (!stats) return
      const removed = onFile?.(folder, name, stats)
      await device.run(() => unlink(path))
      removed?.()
    })
    // All of them end before a failure does: the paths go by the number of the folder's descriptor,
    // which is another folder's as soon as this one is closed.
    const ends = await Promise.allSettled(part)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

/** Removes files on the event loop, in turns, as long as the disk is quick; gives how many are gone. */
async function removeAtOnce(
  folder: OpenFolder,
  names: readonly Name[],
  { signal, onFile, mayBeGone = false }: RemoveOptions,
): Promise<number> {
  const { ref, realDir, device, disks } = folder
  // One that is a mount of its own is left to the pool.
  const mounted = disks.mountedIn(realDir)
  const inFolder = names.length >= MIN_NAMES && disks.mayChangeFolder()
  const pathOf = (name: Name) => (inFolder ? name : pathIn(folder, name))
  let at = 0
  /** Ends before a large file, with what is to be told of it. */
  const turn = (): { removed: (() => void) | undefined } | null => {
    const startedAt = performance.now()
    let before = startedAt
    while (at < names.length && device.isDirect && !mounted.has(String(names[at]))) {
      const name = names[at] as Name
      const path = pathOf(name)
      const stats = lstatSync(path, { throwIfNoEntry: !mayBeGone }) as Stats | undefined
      const removed = stats && onFile?.(folder, name, stats)
      if (stats && stats.blocks > SMALL_BLOCKS) return { removed }
      if (stats) unlinkSync(path)
      removed?.()
      at++
      const now = performance.now()
      device.measure(now - before)
      before = now
      if (now - startedAt > TURN_MS) return null
    }
    return null
  }
  for (let before = -1; at > before && at < names.length; ) {
    signal.throwIfAborted()
    before = at
    const large = inFolder ? inWorkingFolder(ref, turn) : turn()
    if (large) {
      await unlink(pathIn(folder, names[at] as Name))
      large.removed?.()
      at++
    }
    if (at < names.length) await nextTurn()
  }
  return at
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
