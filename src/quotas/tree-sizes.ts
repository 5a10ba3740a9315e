// The sizes of all files in a tree, folder by folder: on quick local disks in turns of the event loop, elsewhere by
// what waits.
import type { Stats } from 'node:fs'
import type { Descent, DirectSteps } from '../files/volume/descent.ts'
import type { Name, OpenFolder } from '../files/volume/open-folder.ts'
import { isTempName, VERSIONS_NAME } from '../files/volume/temp-name.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError, fromErrno, isLostEntry, isUnreachable } from '../lib/errors.ts'

/** Files asked for at a time where that waits. */
const FILES_AT_ONCE = 512
const TURN_MS = 4

/** Told of each folder of a tree in the order in which they are read, the top being the first. */
export interface SizesVisitor {
  /** A folder in the one that was entered last and not left is read from now on. */
  enter(name: Name): void
  /** A regular file in it. */
  add(bytes: number): void
  /** Its files are known, and the folders in it come next. */
  read(folders: readonly Name[]): void
  /** One of these folders is not to be read: it is gone by now, forbidden, or a link. */
  skip(name: Name): void
  /** It was read with all below it. */
  leave(): void
}

/** A folder on the way down. */
interface Level {
  /** What is still to be asked for; null before the folder was listed. */
  names: Name[] | null
  at: number
  /** Those that come next. */
  folders: Folder[]
  isRead: boolean
  /** Of the folder itself, where it is known. */
  sizeBytes: number | null
}

interface Folder {
  name: Name
  sizeBytes: number | null
}

/**
 * Reads the tree in an open folder; links are not followed, and versions and temporary files left out. Folders that may
 * not be read count as empty. `pause` is waited for between turns. Throws `unreachable` when a disk does not answer, and
 * the signal's reason.
 */
export async function readSizes(
  volume: Volume,
  top: OpenFolder,
  visitor: SizesVisitor,
  { signal, pause }: { signal: AbortSignal; pause: () => Promise<void> },
): Promise<void> {
  const descent = volume.descend(top)
  const levels: Level[] = [startLevel(null)]
  try {
    while (levels.length > 0) {
      signal.throwIfAborted()
      const endsAt = performance.now() + TURN_MS
      let isOver = false
      const isQuick = descent.inTurn((steps) => {
        isOver = readNow(levels, steps, visitor, endsAt)
      })
      if (!isQuick || !isOver) await stepLater({ volume, descent, levels, visitor, signal })
      if (performance.now() >= endsAt) await pause()
    }
  } finally {
    await descent.close()
  }
}

function startLevel(sizeBytes: number | null): Level {
  return { names: null, at: 0, folders: [], isRead: false, sizeBytes }
}

/** Goes on until the turn is over or the tree ends; false where the next step waits. */
function readNow(
  levels: Level[],
  steps: DirectSteps,
  visitor: SizesVisitor,
  endsAt: number,
): boolean {
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    if (steps.endedAtMs >= endsAt) return true
    const isDone = level.isRead
      ? descendNow(levels, level, steps, visitor)
      : readFolderNow(level, steps, visitor, endsAt)
    if (!isDone) return false
  }
  return true
}

function readFolderNow(
  level: Level,
  steps: DirectSteps,
  visitor: SizesVisitor,
  endsAt: number,
): boolean {
  level.names ??= orNull(() => steps.names(level.sizeBytes), [])
  const { names, folders } = level
  if (!names) return false
  const take = (found: Stats | undefined) => {
    const name = names[level.at++] as Name
    if (found?.isFile()) addFile(name, found.size, visitor)
    else if (found?.isDirectory() && isCounted(name)) folders.push({ name, sizeBytes: found.size })
  }
  while (level.at < names.length) {
    if (steps.endedAtMs >= endsAt) return true
    try {
      if (!steps.stats(names, level.at, endsAt, take)) return false
    } catch (error) {
      skipLost(error)
      level.at++
    }
  }
  endFolder(level, visitor)
  return true
}

function descendNow(
  levels: Level[],
  level: Level,
  steps: DirectSteps,
  visitor: SizesVisitor,
): boolean {
  const next = level.folders.at(-1)
  if (!next) {
    if (!steps.leave()) return false
    levels.pop()
    visitor.leave()
    return true
  }
  const isOpen = orNull(() => steps.enter(next.name) || null, false)
  if (isOpen === null) return false
  level.folders.pop()
  enterOrSkip(levels, next, isOpen, visitor)
  return true
}

interface Walk {
  volume: Volume
  descent: Descent
  levels: Level[]
  visitor: SizesVisitor
  signal: AbortSignal
}

/** Takes the next step in the way that waits. */
async function stepLater({ volume, descent, levels, visitor, signal }: Walk): Promise<void> {
  const level = levels.at(-1)
  if (!level) return
  const { folder } = descent
  if (!level.names) {
    const entries = await volume.list(folder, { direct: true }).catch(skipLost)
    const { dirents, rawNames } = entries ?? { dirents: [], rawNames: new Map() }
    const namesOf = (kind: 'isFile' | 'isDirectory') =>
      dirents.filter((entry) => entry[kind]()).map((entry) => rawNames.get(entry) ?? entry.name)
    level.names = namesOf('isFile')
    level.folders = namesOf('isDirectory')
      .filter(isCounted)
      .map((name) => ({ name, sizeBytes: null }))
  } else if (level.at < level.names.length) {
    const part = level.names.slice(level.at, level.at + FILES_AT_ONCE)
    const stats = await volume.statMany(folder, part, signal)
    for (const [i, found] of stats.entries()) {
      const name = part[i] as Name
      if (found === 'unreachable') throw new AppError('unreachable', `${folder.realDir} is silent`)
      if (found?.isFile()) addFile(name, Number(found.size), visitor)
      else if (found?.isDirectory() && isCounted(name))
        level.folders.push({ name, sizeBytes: Number(found.size) })
    }
    level.at += part.length
  } else if (!level.isRead) endFolder(level, visitor)
  else await descendLater(level, descent, levels, visitor)
}

async function descendLater(
  level: Level,
  descent: Descent,
  levels: Level[],
  visitor: SizesVisitor,
): Promise<void> {
  const next = level.folders.pop()
  if (next) {
    const isOpen = await descent.enter(next.name).then(() => true, skipLost)
    enterOrSkip(levels, next, isOpen ?? false, visitor)
    return
  }
  levels.pop()
  visitor.leave()
  if (levels.length > 0) await descent.leave()
}

function endFolder(level: Level, visitor: SizesVisitor): void {
  level.isRead = true
  visitor.read(level.folders.map(({ name }) => name))
}

function enterOrSkip(
  levels: Level[],
  { name, sizeBytes }: Folder,
  isOpen: boolean,
  visitor: SizesVisitor,
): void {
  if (isOpen) levels.push(startLevel(sizeBytes))
  if (isOpen) visitor.enter(name)
  else visitor.skip(name)
}

function addFile(name: Name, bytes: number, visitor: SizesVisitor): void {
  if (typeof name !== 'string' || !isTempName(name)) visitor.add(bytes)
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

function orNull<T>(step: () => T, whenLost: T): T {
  try {
    return step()
  } catch (error) {
    skipLost(error)
    return whenLost
  }
}
