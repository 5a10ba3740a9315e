// Walks a tree by names, depth first in byte order: for search and the recursive listing. Links are
// reported and never followed. It reads folders of quick local disks synchronously in short turns,
// which is 5 times faster than one thread-pool hop per folder; large folders and other disks are read
// asynchronously, so that the event loop never waits for a disk.
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync } from 'node:fs'
import { sep } from 'node:path'
import { AppError, errnoOf, fromErrno, isLostEntry, isUnreachable } from '../../lib/errors.ts'
import { joinVPath, ROOT, type VPath } from '../../lib/vpath.ts'
import type { Disks } from '../disks/disks.ts'
import { readDirents } from '../disks/read-dirents.ts'
import { inFolder, type Jail, type Place, verifyPlace } from '../place/jail.ts'
import type { Judgement } from '../place/judgement.ts'
import { pointsInside } from './list-folder.ts'
import { compareBytes, nextTurn } from './sort.ts'

export interface Walked {
  name: string
  vpath: VPath
  /** `link` leads inside the scope or dangles there; others are left out. */
  kind: 'file' | 'dir' | 'link' | 'other'
  /** Real path on the host at the time of the walk: for a look at size and time, never to open. */
  realPath: string
}

export interface WalkOptions {
  signal: AbortSignal
  /**
   * Look into folders that a rule denies: a later rule may allow what they hold. Such folders are
   * never reported themselves.
   */
  intoDenied: boolean
  /** Cheap test of the name alone, before rules and links are looked at; default everything. */
  match?: (name: string) => boolean
}

/** The loop gets a turn when one has lasted this long; the first is short, to show something soon. */
const TURN_MS = 5
const FIRST_TURN_MS = 1
/** Entries between two looks at the clock. */
const CLOCK_STEP = 64
/** A folder of this many bytes may hold thousands of names: reading it takes longer than a turn. */
const LARGE_FOLDER_BYTES = 64 * 1024
/** Linux only; 0 elsewhere. */
const FOLDER_FLAGS = (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const HELD = process.platform === 'linux'
/** A base below a file, or with a name no file can have. */
const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'])

/**
 * Yields what lies below `base` in batches, one per turn, possibly empty. Unreadable folders and
 * those that vanish are skipped. Throws `not_found` or `forbidden` for the base itself, and the
 * signal's reason on abort; nothing is left behind.
 */
export async function* walkTree(
  jail: Jail,
  judgement: Judgement,
  base: VPath,
  options: WalkOptions,
): AsyncGenerator<Walked[], void> {
  const { signal, intoDenied, match = () => true } = options
  const place = await locateBase(jail, base)
  const reader = createReader(jail.disks)
  // A base reached through a link is judged by where its content really is, too. Below it nothing
  // is followed, so the two paths go on alike.
  const judge = await judgement.below(base, place.realPath)

  const stack: Folder[] = [await enter(reader, base, place.realPath)]
  let batch: Walked[] = []
  let turnEndsAt = performance.now() + FIRST_TURN_MS
  for (let seen = 1; ; seen++) {
    const folder = stack.at(-1)
    if (!folder) break
    const dirent = folder.dirents[folder.next++]
    if (!dirent) {
      stack.pop()
      continue
    }
    const kind = kindOf(dirent)
    const wanted = match(dirent.name)
    let enters = false
    if (wanted || kind === 'dir') {
      const realPath = `${folder.realPath}${sep}${dirent.name}`
      const vpath = joinVPath(folder.vpath, dirent.name)
      const allowed = (wanted || !intoDenied) && judge(vpath)
      if (wanted && allowed && (kind !== 'link' || (await staysInside(jail, judgement, realPath))))
        batch.push({ name: dirent.name, vpath, kind, realPath })
      enters = kind === 'dir' && (allowed || intoDenied)
      if (enters) stack.push(await enter(reader, vpath, realPath))
    }
    // Asking the clock costs as much as an entry, but little beside a folder.
    if ((enters || seen % CLOCK_STEP === 0) && performance.now() > turnEndsAt) {
      yield batch
      batch = []
      await nextTurn()
      signal.throwIfAborted()
      turnEndsAt = performance.now() + TURN_MS
    }
  }
  yield batch
}

async function locateBase(jail: Jail, base: VPath): Promise<Place> {
  try {
    const place = await jail.locate(base)
    if (place.exists) return place
  } catch (error) {
    if (error instanceof AppError || !NO_FOLDER.has(errnoOf(error))) throw fromErrno(error, base)
  }
  throw new AppError('not_found', `${base} does not exist`)
}

interface Folder {
  vpath: VPath
  realPath: string
  dirents: Dirent[]
  next: number
}

type Reader = (realPath: string) => Dirent[] | Promise<Dirent[]>

async function enter(reader: Reader, vpath: VPath, realPath: string): Promise<Folder> {
  let dirents: Dirent[] = []
  try {
    const found = reader(realPath)
    dirents = found instanceof Promise ? await found : found
  } catch (error) {
    if (!(error instanceof AppError) && !isLostEntry(error)) throw error
  }
  return { vpath, realPath: realPath === sep ? '' : realPath, dirents, next: 0 }
}

// Opened without following and read through the descriptor: a folder swapped for a link is skipped
// instead of telling names from outside.
function createReader(disks: Disks): Reader {
  return (realPath) => {
    const device = disks.of(realPath)
    return device.isDirect
      ? device.direct(() => readNow(disks, realPath))
      : readLater(disks, realPath)
  }
}

function readNow(disks: Disks, realPath: string): Dirent[] | Promise<Dirent[]> {
  const fd = openSync(realPath, FOLDER_FLAGS)
  try {
    if (HELD) verifyPlace(fd, realPath)
    if (fstatSync(fd).size > LARGE_FOLDER_BYTES) return readLater(disks, realPath)
    const path = HELD ? `/proc/self/fd/${fd}` : realPath
    const dirents = readdirSync(path, { withFileTypes: true })
    return dirents.sort((a, b) => compareBytes(a.name, b.name))
  } finally {
    closeSync(fd)
  }
}

// Sorting is spread over turns; plain string order is ten times faster than comparing by bytes and
// the same unless there are surrogates.
async function readLater(disks: Disks, realPath: string): Promise<Dirent[]> {
  const dirents = await inFolder(disks, realPath, readDirents)
  await nextTurn()
  const byName = new Map(dirents.map((dirent) => [dirent.name, dirent]))
  const names = [...byName.keys()]
  await nextTurn()
  if (names.some((name) => /[\ud800-\udfff]/.test(name))) names.sort(compareBytes)
  else names.sort()
  return names.map((name) => byName.get(name) as Dirent)
}

function kindOf(dirent: Dirent): Walked['kind'] {
  if (dirent.isFile()) return 'file'
  if (dirent.isDirectory()) return 'dir'
  return dirent.isSymbolicLink() ? 'link' : 'other'
}

// A link out of the scope must not be noticed, nor one to a denied path; a ring leads nowhere.
async function staysInside(jail: Jail, judgement: Judgement, realPath: string): Promise<boolean> {
  try {
    const { realPath: target } = await jail.landing(realPath)
    const isInside = jail.vpathOf(target, await jail.root()) !== null
    return (isInside || jail.follows) && (await judgement.at(target))(ROOT)
  } catch (error) {
    if (isUnreachable(error)) return pointsInside(jail, realPath)
    if (error instanceof AppError || isLostEntry(error)) return false
    throw error
  }
}
