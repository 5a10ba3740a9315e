// Counting what the files of a tree hold, beside changes that are made meanwhile.
import { dirname, sep } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { Volume } from '../files/volume/volume.ts'
import { nextTurn } from '../lib/turns.ts'
import type { Count, Progress } from './ledger.ts'
import { readSizes, type TreeSizes, type Unread } from './tree-sizes.ts'

/** When the turns of others took longer than this, they get some more. */
const BUSY_MS = 2
const PAUSE_MS = 20

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
  const sizes: TreeSizes = { bytes: 0, files: 0, unread: 'pending' }
  let topDir = ''
  let addedBytes = 0
  let isSure = true

  return {
    get bytes() {
      return sizes.bytes + addedBytes
    },
    get files() {
      return sizes.files
    },
    get isSure() {
      return isSure
    },
    add: (more, isCertain) => {
      if (!isCertain) isSure = false
      // Too much is put right by the next count; too little would let a limit be passed.
      if (isCertain || more > 0) addedBytes += more
    },
    progressOf: (path, isTree) => {
      const folder = isTree ? path : dirname(path)
      if (sizes.unread === null || sizes.unread === 'pending') return progressOf(sizes.unread)
      return progressBelow(sizes.unread, topDir, folder, isTree)
    },
    run: (volume, top, signal) => {
      topDir = top.realDir
      return readSizes(volume, top, sizes, { signal, pause })
    },
  }
}

/** Of a folder in the tree at `topDir`, or of all below it. */
function progressBelow(top: Unread, topDir: string, folder: string, isTree: boolean): Progress {
  const above = topDir === sep ? sep : topDir + sep
  const names = folder.startsWith(above) ? folder.slice(above.length).split(sep) : []
  let unread: Unread | undefined = top
  for (const name of names) {
    if (!(unread instanceof Map)) break
    unread = unread.get(name)
  }
  // Some of a tree may be read, and some not.
  return isTree && unread instanceof Map ? 'reading' : progressOf(unread)
}

function progressOf(unread: Unread | null | undefined): Progress {
  return typeof unread === 'string' ? unread : 'passed'
}

/** Work that nobody waits for rests while others are busy. */
async function pause(): Promise<void> {
  const before = performance.now()
  await nextTurn()
  if (performance.now() - before > BUSY_MS) await wait(PAUSE_MS)
}
