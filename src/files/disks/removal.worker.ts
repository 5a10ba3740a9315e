// A thread that removes what is named in an open folder, which stays open meanwhile. It waits for the disk as long as it
// takes, and nobody waits for it but who asked.
import {
  closeSync,
  constants,
  type Dirent,
  opendirSync,
  openSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { errnoOf } from '../../lib/errors.ts'
import { stepBack } from '../../programs/step-back.ts'

export interface RemovalWork {
  /** `/proc/self/fd/N` of the open folder. */
  ref: string
  names: readonly string[]
  /** All of them are, else none is. */
  areFolders: boolean
}

/** Folders open at once, below each other; what lies deeper is left. */
const MAX_DEPTH = 32
/** Files that are removed by one call, which nothing interrupts. */
const FILES_AT_ONCE = 2_000
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Not 0 as soon as the thread is to end what it does. */
const { stop } = workerData as { stop: Int32Array }

stepBack()

parentPort?.on('message', (work: RemovalWork) => {
  parentPort?.postMessage(removeNamed(work))
})

/** How many are gone or were not there, the first ones; the others were not reached, or are left to who asked. */
function removeNamed({ ref, names, areFolders }: RemovalWork): number {
  let gone = 0
  try {
    for (const name of names) {
      requireOn()
      const path = `${ref}/${name}`
      if (areFolders) removeFolder(path, 1)
      else unlinkFile(path)
      gone++
    }
  } catch {}
  return gone
}

function requireOn(): void {
  if (Atomics.load(stop, 0) !== 0) throw new Error('stopped')
}

/** A folder at a path of which the last segment alone may be another's by now. */
function removeFolder(path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error('too deep')
  const fd = openSync(path, FOLDER_FLAGS)
  try {
    if (!emptyFolder(`/proc/self/fd/${fd}`, path, depth)) return
  } finally {
    closeSync(fd)
  }
  rmdirSync(path)
}

/** False where the folder itself is gone, too. */
function emptyFolder(ref: string, path: string, depth: number): boolean {
  const dir = opendirSync(ref, { bufferSize: FILES_AT_ONCE })
  try {
    const entries = next(dir)
    // Node removes a small folder without a call for each name from here.
    if (entries.length < FILES_AT_ONCE && !entries.some((entry) => entry.isDirectory())) {
      rmSync(path, { recursive: true })
      return false
    }
    for (let part = entries; part.length > 0; part = next(dir))
      for (const entry of part) {
        requireOn()
        // Of a name that is no text the path leads nowhere.
        if (entry.isDirectory()) removeFolder(`${ref}/${entry.name}`, depth + 1)
        else unlinkSync(`${ref}/${entry.name}`)
      }
    return true
  } finally {
    dir.closeSync()
  }
}

function next(dir: { readSync(): Dirent | null }): Dirent[] {
  const entries: Dirent[] = []
  while (entries.length < FILES_AT_ONCE) {
    const entry = dir.readSync()
    if (!entry) break
    entries.push(entry)
  }
  return entries
}

function unlinkFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
