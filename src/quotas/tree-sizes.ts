// The sizes of all files in a tree, folder by folder: where there are many, on quick local disks, by threads that read some
// folders at a time.
import type { Descent } from '../files/volume/descent.ts'
import type { FoundSizes } from '../files/volume/folder-sizes.ts'
import type { Name, OpenFolder } from '../files/volume/open-folder.ts'
import { isTempName, VERSIONS_NAME } from '../files/volume/temp-name.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError, fromErrno, isLostEntry, isUnreachable } from '../lib/errors.ts'

/** Files asked for at a time where that waits, and by a thread. */
const FILES_AT_ONCE = 512
const FILES_OF_A_THREAD = 2_048
const FOLDERS_OF_A_THREAD = 128
/** Read sooner than a thread starts. */
const FEW_ENTRIES = 2_000
const TURN_MS = 4

/** What of a folder is still to be read: it itself, or some folders in a folder whose files are known. */
export type Unread = 'pending' | 'reading' | UnreadFolders
/** By name; what is missing was read with all below it. */
export type UnreadFolders = Map<string, Unread>

/** What was found so far, and what is still to be read: right between any two steps. */
export interface TreeSizes {
  bytes: number
  files: number
  unread: Unread | null
}

interface Level {
  name: string
  /** The same as in TreeSizes. */
  unread: UnreadFolders
  /** Files still to be asked for; null before the folder was listed. */
  files: Name[] | null
  at: number
  /** Folders in it of which nothing is known. */
  folders: Name[]
  /** Those of them that no thread can read. */
  slow: Name[]
  /** Those whose files are known, with the folders in them. */
  known: { name: string; folders: string[] }[]
}

interface Walk {
  volume: Volume
  descent: Descent
  levels: Level[]
  sizes: TreeSizes
  /** How many files and folders were met. */
  entries: number
  signal: AbortSignal
  pause(): Promise<void>
}

/**
 * Reads the tree in an open folder into `sizes`; links are not followed, and versions and temporary files left out. Folders
 * that may not be read count as empty. `pause` is waited for between turns. Throws `unreachable` when a disk does not
 * answer, and the signal's reason.
 */
export async function readSizes(
  volume: Volume,
  top: OpenFolder,
  sizes: TreeSizes,
  { signal, pause }: Pick<Walk, 'signal' | 'pause'>,
): Promise<void> {
  sizes.unread = 'reading'
  const descent = volume.descend(top)
  const levels = [startLevel('', null)]
  const walk: Walk = { volume, descent, levels, sizes, entries: 0, signal, pause }
  let startedAt = performance.now()
  try {
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      signal.throwIfAborted()
      await step(walk, level)
      if (performance.now() - startedAt < TURN_MS) continue
      await pause()
      startedAt = performance.now()
    }
    sizes.unread = null
  } finally {
    await descent.close()
  }
}

/** `folders`: those in it, where its files are known. */
function startLevel(name: string, folders: string[] | null): Level {
  return {
    name,
    unread: pendingAmong(folders ?? []),
    files: folders && [],
    at: 0,
    folders: folders ?? [],
    slow: [],
    known: [],
  }
}

function pendingAmong(names: readonly Name[]): UnreadFolders {
  return new Map(names.map((name) => [String(name), 'pending']))
}

async function step(walk: Walk, level: Level): Promise<void> {
  if (!level.files) await list(walk, level)
  else if (level.at < level.files.length) await addFiles(walk, level, level.files)
  else if (level.slow.length === 0 && level.folders.length > 0) await lookIntoFolders(walk, level)
  else await descend(walk, level)
}

async function list(walk: Walk, level: Level): Promise<void> {
  const { volume, descent, levels, sizes } = walk
  const found = await volume.list(descent.folder, { direct: true }).catch(skipLost)
  const { dirents, rawNames } = found ?? { dirents: [], rawNames: new Map() }
  const namesOf = (kind: 'isFile' | 'isDirectory') =>
    dirents.filter((entry) => entry[kind]()).map((entry) => rawNames.get(entry) ?? entry.name)
  level.files = namesOf('isFile')
  level.folders = namesOf('isDirectory').filter(isCounted)
  walk.entries += dirents.length
  if (level.files.length === 0) endFiles(levels, sizes, level)
}

/** Its files are known from here on. */
function endFiles(levels: readonly Level[], sizes: TreeSizes, level: Level): void {
  level.unread = pendingAmong(level.folders)
  const above = levels.at(-2)
  if (above) above.unread.set(level.name, level.unread)
  else sizes.unread = level.unread
}

async function addFiles(walk: Walk, level: Level, files: Name[]): Promise<void> {
  const { volume, levels, sizes } = walk
  if (walk.entries > FEW_ENTRIES && files.length - level.at > FILES_AT_ONCE) {
    const readers = Array.from({ length: volume.sizeReaders }, () => readFiles(walk, level, files))
    await Promise.all(readers)
  } else await statFiles(walk, level, files)
  if (level.at >= files.length) endFiles(levels, sizes, level)
}

async function readFiles(walk: Walk, level: Level, files: Name[]): Promise<void> {
  while (level.at < files.length) {
    walk.signal.throwIfAborted()
    const part = files.slice(level.at, level.at + FILES_OF_A_THREAD)
    const reading = byThread(walk, part, { areFolders: false })
    if (!reading) return statFiles(walk, level, files)
    level.at += part.length
    const found = await reading
    add(walk.sizes, found)
    if (found.slow.length > 0) await statPart(walk, found.slow)
    await walk.pause()
  }
}

async function statFiles(walk: Walk, level: Level, files: readonly Name[]): Promise<void> {
  const part = files.slice(level.at, level.at + FILES_AT_ONCE)
  level.at += part.length
  await statPart(walk, part)
}

async function statPart(walk: Walk, part: readonly Name[]): Promise<void> {
  const { volume, descent, sizes, signal } = walk
  const stats = await volume.statMany(descent.folder, part, signal)
  for (const [i, found] of stats.entries()) {
    if (found === 'unreachable')
      throw new AppError('unreachable', `${descent.folder.realDir} is silent`)
    const name = part[i] as Name
    if (found?.isFile() && !(typeof name === 'string' && isTempName(name)))
      add(sizes, { bytes: Number(found.size), files: 1 })
  }
}

/** Null where no thread may: the folder may hang, or a name is no text. */
function byThread(
  { volume, descent }: Walk,
  names: readonly Name[],
  what: { areFolders: boolean },
): ReturnType<Volume['readSizes']> {
  const texts = names.filter((name) => typeof name === 'string')
  return texts.length < names.length ? null : volume.readSizes(descent.folder, texts, what)
}

function add(sizes: TreeSizes, { bytes, files }: Pick<FoundSizes, 'bytes' | 'files'>): void {
  sizes.bytes += bytes
  sizes.files += files
}

/** Has threads read all of them, where there may be many. */
async function lookIntoFolders(walk: Walk, level: Level): Promise<void> {
  if (walk.entries > FEW_ENTRIES) {
    const readers = Array.from({ length: walk.volume.sizeReaders }, () => readFolders(walk, level))
    await Promise.all(readers)
  } else level.slow.push(...level.folders.splice(-1))
}

/** Reads what is left, in turns with others who do. */
async function readFolders(walk: Walk, level: Level): Promise<void> {
  const { sizes, signal, pause, volume } = walk
  while (level.folders.length > 0) {
    signal.throwIfAborted()
    const share = Math.ceil(level.folders.length / volume.sizeReaders / 2)
    const part = level.folders.splice(-Math.min(share, FOLDERS_OF_A_THREAD))
    const reading = byThread(walk, part, { areFolders: true })
    if (!reading) return void level.slow.push(...part)
    for (const name of part) level.unread.set(String(name), 'reading')
    const found = await reading
    add(sizes, found)
    walk.entries += found.names + found.files
    const rest = part.slice(found.names)
    for (const name of part.slice(0, found.names)) level.unread.delete(String(name))
    for (const name of [...rest, ...found.slow]) level.unread.set(String(name), 'pending')
    level.folders.push(...rest)
    level.slow.push(...found.slow)
    for (const [name, folders] of found.parents) addParent(level, name, folders.filter(isCounted))
    await pause()
  }
}

function addParent(level: Level, name: string, folders: string[]): void {
  if (folders.length === 0) return
  level.unread.set(name, pendingAmong(folders))
  level.known.push({ name, folders })
}

/** Into one of the folders in it, or back up. */
async function descend(walk: Walk, level: Level): Promise<void> {
  const { descent, levels } = walk
  const unknown = level.slow.pop()
  if (unknown !== undefined) return enter(walk, level, String(unknown), unknown, null)
  const next = level.known.pop()
  if (next) return enter(walk, level, next.name, next.name, next.folders)
  levels.pop()
  const above = levels.at(-1)
  if (!above) return
  above.unread.delete(level.name)
  await descent.leave()
}

async function enter(
  { descent, levels }: Walk,
  level: Level,
  key: string,
  name: Name,
  folders: string[] | null,
): Promise<void> {
  if (!folders) level.unread.set(key, 'reading')
  const isOpen = await descent.enter(name).then(() => true, skipLost)
  if (!isOpen) return void level.unread.delete(key)
  const next = startLevel(key, folders)
  if (folders) level.unread.set(key, next.unread)
  levels.push(next)
}

// Versions count for no folder.
const isCounted = (name: Name) => name !== VERSIONS_NAME

// What is gone, forbidden or a link by now has no files to be counted.
function skipLost(error: unknown): null {
  const lost = fromErrno(error, 'a folder')
  if (isUnreachable(error) || isUnreachable(lost)) throw lost
  if (isLostEntry(error) || lost.code === 'forbidden') return null
  throw error
}
