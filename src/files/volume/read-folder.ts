// The names in a folder and what they are.
import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fstatSync,
  opendirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { opendir, readdir, stat } from 'node:fs/promises'
import { compareBytes } from '../../lib/name-order.ts'
import { sortByName } from '../../lib/sort-in-slices.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Device } from '../disks/device.ts'
import type { Disks } from '../disks/disks.ts'
import { HAS_PROC, inFolder, locationOf, moved, type OpenFolder } from './open-folder.ts'

/** Entries asked for at a time: names are made in some two milliseconds, then others get their turn. */
const ENTRIES_AT_ONCE = 2_000

/** Entries after which the time is checked. */
const CLOCK_STEP = 200

/** Linux only; 0 elsewhere. */
const FOLDER_FLAGS = (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
/** A folder of this many bytes may hold thousands of names: reading it takes longer than a turn. */
export const LARGE_FOLDER_BYTES = 64 * 1024

/**
 * Everything in the folder at `ref`, in the order of the disk. Where a file system does not tell what
 * a name is, Node asks for each, all at once by readdir(): on a device that may stop answering it is
 * one after the other.
 */
async function readDirents(ref: string, device: Device): Promise<Dirent[]> {
  if (device.kind === 'foreign') return readInParts(ref, device, 'utf8')
  const { size } = device.isDirect ? statSync(ref) : await stat(ref)
  return size > LARGE_FOLDER_BYTES ? readInBatches(ref) : readdir(ref, { withFileTypes: true })
}

/**
 * Like readdir(), which takes 7 MB for 100,000 names in whichever thread of the pool it runs in: the system's
 * allocator keeps them there, in each of the threads.
 */
async function readInBatches(ref: string): Promise<Dirent[]> {
  const dirents: Dirent[] = []
  const dir = await opendir(ref, { bufferSize: ENTRIES_AT_ONCE })
  try {
    for (;;) {
      const first = await dir.read()
      if (!first) return dirents
      dirents.push(first)
      // The others have come with it.
      for (let i = 1; i < ENTRIES_AT_ONCE; i++) {
        const dirent = dir.readSync()
        if (!dirent) return dirents
        dirents.push(dirent)
      }
    }
  } finally {
    await dir.close()
  }
}

/** Like readDirents; with `buffer` the names are bytes, whatever their type says. */
async function readInParts(
  ref: string,
  device: Device,
  encoding: 'utf8' | 'buffer',
): Promise<Dirent[]> {
  const close = (dir: Dir) => void device.release(() => dir.close()).catch(() => {})
  const options = { encoding: encoding as BufferEncoding, bufferSize: ENTRIES_AT_ONCE }
  const dir = await device.query(() => opendir(ref, options), close)
  try {
    const dirents: Dirent[] = []
    for (;;) {
      const dirent = await device.query(() => dir.read())
      if (!dirent) return dirents
      dirents.push(dirent)
    }
  } finally {
    // Nobody waits for it: it comes after a read that was given up.
    close(dir)
  }
}

export interface Entries {
  dirents: Dirent[]
  /** The bytes of names that are not UTF-8. */
  rawNames: Map<Dirent, Buffer>
}

/**
 * Everything in an open folder, or what was `read` of it before. Names that are not UTF-8 come with
 * U+FFFD in place of what was wrong; `rawNames` has their bytes.
 */
export async function readEntries(ref: string, device: Device, read?: Dirent[]): Promise<Entries> {
  const rawNames = new Map<Dirent, Buffer>()
  const dirents = read ?? (await readDirents(ref, device))
  if (!dirents.some(({ name }) => name.includes('\ufffd'))) return { dirents, rawNames }
  const named: Dirent[] = []
  for (const entry of await readInParts(ref, device, 'buffer')) {
    const bytes = entry.name as unknown as Buffer
    const name = bytes.toString('utf8')
    // The same record with its name as text: the rest of it is what both kinds have.
    const dirent = Object.assign(entry, { name })
    if (name.includes('\ufffd') && !Buffer.from(name).equals(bytes)) rawNames.set(dirent, bytes)
    named.push(dirent)
  }
  return { dirents: named, rawNames }
}

/** The names in an open folder, in the order of the disk; those that are not UTF-8 with U+FFFD in them. */
export async function namesInOpen({ ref, device }: OpenFolder): Promise<string[]> {
  if (device.kind === 'foreign') return (await readDirents(ref, device)).map(({ name }) => name)
  return device.isDirect ? readInTurns(ref, device, ({ name }) => name) : readdir(ref)
}

/** What `pick` gives of each entry, on the event loop in turns of it: readdir() gives 100,000 names in a single one. */
async function readInTurns<T>(
  ref: string,
  device: Device,
  pick: (dirent: Dirent) => T,
): Promise<T[]> {
  const picked: T[] = []
  const turn = createTurns()
  const dir = opendirSync(ref, { bufferSize: ENTRIES_AT_ONCE })
  // True at the end of the folder.
  const readSome = () => {
    for (let i = 0; i < CLOCK_STEP; i++) {
      const dirent = dir.readSync()
      if (!dirent) return true
      picked.push(pick(dirent))
    }
    return false
  }
  try {
    while (!device.direct(readSome)) await turn()
    return picked
  } finally {
    dir.closeSync()
  }
}

/**
 * Like readEntries. A folder of a quick local disk is read without the pool when it was asked for a moment ago, or
 * `direct`; a large one in turns of the event loop.
 */
export async function readOpenFolder(
  folder: OpenFolder,
  { direct = false } = {},
): Promise<Entries> {
  const { ref, realDir, device, disks } = folder
  if (!device.isDirect || !(direct || disks.isCached(realDir))) return readEntries(ref, device)
  if (statSync(ref).size > LARGE_FOLDER_BYTES)
    return readEntries(ref, device, await readInTurns(ref, device, (dirent) => dirent))
  const read = device.direct(() => readdirSync(ref, { withFileTypes: true }))
  return readEntries(ref, device, read)
}

/**
 * The names in a folder by its real path, in byte order; at once on a quick local disk. It is opened without
 * following a link and read through the descriptor: one swapped for a link is `forbidden`.
 */
export function namesAt(disks: Disks, realDir: string): Dirent[] | Promise<Dirent[]> {
  const device = disks.of(realDir)
  return device.isDirect ? device.direct(() => readNow(disks, realDir)) : readLater(disks, realDir)
}

function readNow(disks: Disks, realPath: string): Dirent[] | Promise<Dirent[]> {
  const fd = openSync(realPath, FOLDER_FLAGS)
  try {
    if (HAS_PROC && locationOf(fd) !== realPath) throw moved(realPath)
    if (fstatSync(fd).size > LARGE_FOLDER_BYTES) return readLater(disks, realPath)
    const path = HAS_PROC ? `/proc/self/fd/${fd}` : realPath
    const dirents = readdirSync(path, { withFileTypes: true })
    return dirents.sort((a, b) => compareBytes(a.name, b.name))
  } finally {
    closeSync(fd)
  }
}

async function readLater(disks: Disks, realPath: string): Promise<Dirent[]> {
  return sortByName(await inFolder(disks, realPath, readDirents))
}
