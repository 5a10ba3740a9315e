// Counting what the files of a tree hold, beside changes that are made meanwhile.
import { dirname, sep } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { Volume } from '../files/volume/volume.ts'
import { nextTurn } from '../lib/turns.ts'
import type { Count, Progress } from './ledger.ts'
import { readSizes, type SizesVisitor } from './tree-sizes.ts'

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
  let bytes = 0
  let files = 0
  let isSure = true
  let hasBegun = false

  const visitor: SizesVisitor = {
    enter: (name) => {
      const above = levels.at(-1)
      above?.rest?.delete(name.toString())
      if (above) levels.push({ path: pathIn(above, name.toString()), rest: null })
    },
    add: (size) => {
      files++
      bytes += size
    },
    read: (folders) => {
      const level = levels.at(-1)
      if (level) level.rest = new Set(folders.map(String))
    },
    skip: (name) => levels.at(-1)?.rest?.delete(name.toString()),
    leave: () => levels.pop(),
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
    run: (volume, top, signal) => {
      hasBegun = true
      levels.push({ path: top.realDir, rest: null })
      return readSizes(volume, top, visitor, { signal, pause })
    },
  }
}

function pathIn({ path }: Level, name: string): string {
  return (path === sep ? '' : path) + sep + name
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

/** Work that nobody waits for rests while others are busy. */
async function pause(): Promise<void> {
  const before = performance.now()
  await nextTurn()
  if (performance.now() - before > BUSY_MS) await wait(PAUSE_MS)
}
