// A thread that adds up the sizes of files in an open folder, which stays open meanwhile, and in the folders in it.
import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { stepBack } from '../../programs/step-back.ts'
import { isTempName } from './temp-name.ts'

export interface SizesWork {
  /** `/proc/self/fd/N` of the open folder. */
  ref: string
  /** Where it was when it was opened. */
  realDir: string
  /** Files in it, or folders. */
  names: readonly string[]
  areFolders: boolean
}

/** What was found of the first names. */
export interface FoundSizes {
  /** How many names these are. */
  names: number
  /** Of regular files, temporary ones left out. */
  bytes: number
  files: number
  /** Folders that hold folders, with the names of these. */
  parents: [name: string, folders: string[]][]
  /** What is to be read in another way. */
  slow: string[]
}

/** Who asked goes on after about so long, with the folders that were not reached. */
const TURN_MS = 10
/** What is larger is read in parts. */
const MAX_ENTRIES = 20_000
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const STAT_OPTIONS = { throwIfNoEntry: false } as const

stepBack()

parentPort?.on('message', (work: SizesWork) => {
  parentPort?.postMessage(work.areFolders ? readFolders(work) : readFiles(work))
})

/** One folder at least. */
function readFolders({ ref, realDir, names }: SizesWork): FoundSizes {
  const endsAt = performance.now() + TURN_MS
  const found: FoundSizes = { names: 0, bytes: 0, files: 0, parents: [], slow: [] }
  for (const name of names) {
    found.names++
    const folder = readFolder(`${ref}/${name}`, realDir === '/' ? `/${name}` : `${realDir}/${name}`)
    if (folder) {
      found.bytes += folder.bytes
      found.files += folder.files
      if (folder.folders.length > 0) found.parents.push([name, folder.folders])
    } else found.slow.push(name)
    if (performance.now() > endsAt) break
  }
  return found
}

/** Null where it has so many names, or such, that it is to be read in another way. */
function readFolder(path: string, realDir: string): Sizes | null {
  try {
    const fd = openSync(path, FOLDER_FLAGS)
    try {
      const ref = `/proc/self/fd/${fd}`
      const names = readdirSync(ref)
      if (names.length > MAX_ENTRIES || names.some((name) => name.includes('\ufffd'))) return null
      return sizesAt(ref, realDir, names)
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

function readFiles({ ref, realDir, names }: SizesWork): FoundSizes {
  const rest = { names: names.length, parents: [], slow: [] }
  try {
    return { ...sizesAt(ref, realDir, names), ...rest }
  } catch {
    return { bytes: 0, files: 0, ...rest, slow: [...names] }
  }
}

interface Sizes {
  bytes: number
  files: number
  folders: string[]
}

// A path through /proc takes twice the time of one from the root, which leads elsewhere once the folder was moved.
function sizesAt(ref: string, realDir: string, names: readonly string[]): Sizes {
  const found = addUp(realDir, names)
  return readlinkSync(ref) === realDir ? found : addUp(ref, names)
}

function addUp(folder: string, names: readonly string[]): Sizes {
  const found: Sizes = { bytes: 0, files: 0, folders: [] }
  for (const name of names) {
    const stats = lstatSync(`${folder}/${name}`, STAT_OPTIONS)
    if (stats?.isDirectory()) found.folders.push(name)
    else if (stats?.isFile() && !isTempName(name)) {
      found.bytes += stats.size
      found.files++
    }
  }
  return found
}
