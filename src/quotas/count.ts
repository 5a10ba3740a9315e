// Counting what the files of a tree hold, beside changes that are made meanwhile.
import type { Dirent } from 'node:fs'
import { dirname, sep } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { Entries } from '../files/volume/read-folder.ts'
import { isTempName, VERSIONS_NAME } from '../files/volume/temp-name.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError, fromErrno, isLostEntry, isUnreachable } from '../lib/errors.ts'
import { nextTurn } from '../lib/turns.ts'
import type { Count, Progress } from './ledger.ts'

/** Files asked for at a time. */
const FILES_AT_ONCE = 512
const TURN_MS = 4
/** When the turns of others took longer than this, they get some more. */
const BUSY_MS = 2
const PAUSE_MS = 20

interface Level {
  path: string
  /** Names of the folders in it that are still to be entered; null while it is read. */
  rest: Set<string> | null
}

export interface TreeCount extends Count {
  /** What was counted, with what was added meanwhile. */
  readonly bytes: number
  /** How many files were met. */
  readonly files: number
  /** False when a change was made of which nobody knows whether it was counted. */
  readonly isSure: boolean
  /**
   * Adds up the sizes of all regular files below an open folder, links not followed and temporary ones left
   * out. Folders that may not be read count as empty. Throws `unreachable` when a disk does not answer,
   * and the signal's reason.
   */
  run(volume: Volume, top: OpenFolder, signal: AbortSignal): Promise<void>
}

/** Makes a count that has not begun. */
export function createCount(): TreeCount {
  const levels: Level[] = []
  const turn = pacedTurns()
  let bytes = 0
  let files = 0
  let isSure = true
  let hasBegun = false

  const addFiles = async (
    volume: Volume,
    folder: OpenFolder,
    { dirents, rawNames }: Entries,
    signal: AbortSignal,
  ) => {
    const names = dirents
      .filter((dirent) => dirent.isFile() && !isTempName(dirent.name))
      .map((dirent) => rawNames.get(dirent) ?? dirent.name)
    for (let at = 0; at < names.length; at += FILES_AT_ONCE) {
      const part = names.slice(at, at + FILES_AT_ONCE)
      for (const found of await volume.statMany(folder, part, signal)) {
        if (found === 'unreachable')
          throw new AppError('unreachable', `${folder.realDir} is silent`)
        if (found?.isFile()) files++
        if (found?.isFile()) bytes += Number(found.size)
      }
      await turn()
    }
  }
  // Counts the files of a folder and gives the names of the folders in it.
  const read = async (volume: Volume, folder: OpenFolder, path: string, signal: AbortSignal) => {
    const level: Level = { path, rest: null }
    levels.push(level)
    const entries = await volume.list(folder, { direct: true }).catch(skipLost)
    if (entries) await addFiles(volume, folder, entries, signal)
    const folders = (entries?.dirents ?? []).filter(isCounted)
    level.rest = new Set(folders.map(({ name }) => name))
    return folders.map((dirent) => entries?.rawNames.get(dirent) ?? dirent.name)
  }
  return {
    get bytes() {
      return bytes
    },
    get files() {
      return files
    },
    get isSure() {
      return isSure
    },
    add: (more, isCertain) => {
      if (!isCertain) isSure = false
      // Too much is put right by the next count; too little would let a limit be passed.
      if (isCertain || more > 0) bytes += more
    },
    progressOf: (path, isTree) => {
      if (levels.length === 0) return hasBegun ? 'passed' : 'pending'
      return progressIn(levels, path, isTree)
    },
    run: async (volume, top, signal) => {
      hasBegun = true
      const descent = volume.descend(top)
      const waiting = [await read(volume, top, top.realDir, signal)]
      try {
        for (let names = waiting.at(-1); names; names = waiting.at(-1)) {
          signal.throwIfAborted()
          await turn()
          const name = names.pop()
          const above = levels.at(-1) as Level
          if (name === undefined) {
            waiting.pop()
            levels.pop()
            if (waiting.length > 0) await descent.leave()
            continue
          }
          const isOpen = await descent.enter(name).then(() => true, skipLost)
          const path = (above.path === sep ? '' : above.path) + sep + name
          const reading = isOpen && read(volume, descent.folder, path, signal)
          above.rest?.delete(name.toString())
          if (reading) waiting.push(await reading)
        }
      } finally {
        await descent.close()
      }
    },
  }
}

function progressIn(levels: readonly Level[], path: string, isTree: boolean): Progress {
  const folder = isTree ? path : dirname(path)
  for (const level of [...levels].reverse()) {
    if (level.path === folder) return level.rest && !isTree ? 'passed' : 'reading'
    const above = level.path === sep ? sep : level.path + sep
    if (!folder.startsWith(above)) continue
    if (!level.rest) return 'reading'
    const name = folder.slice(above.length).split(sep, 1)[0] ?? ''
    return level.rest.has(name) ? 'pending' : 'passed'
  }
  return 'pending'
}

// What is gone, forbidden or a link by now has no files to be counted.
function skipLost(error: unknown): null {
  const lost = fromErrno(error, 'a folder')
  if (isUnreachable(error) || isUnreachable(lost)) throw lost
  if (isLostEntry(error) || lost.code === 'forbidden') return null
  throw error
}

/** Turns for work that nobody waits for: while others are busy it rests. */
function pacedTurns(): () => Promise<void> {
  let endsAt = performance.now() + TURN_MS
  return async () => {
    const now = performance.now()
    if (now < endsAt) return
    await nextTurn()
    if (performance.now() - now > BUSY_MS) await wait(PAUSE_MS)
    endsAt = performance.now() + TURN_MS
  }
}

// Versions count for no folder.
function isCounted(dirent: Dirent): boolean {
  return dirent.isDirectory() && dirent.name !== VERSIONS_NAME
}
