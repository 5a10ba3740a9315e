// Open folders: what is done in one goes by its descriptor, so it stays where it was checked when the path
// is swapped. Where there is no /proc (macOS, Windows, a bare chroot) paths stand for descriptors and a
// small race remains.
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { AppError, errnoOf, isUnreachable } from '../../lib/errors.ts'
import type { Device } from '../disks/device.ts'
import { atOnce, type DiskCalls, poolCalls } from '../disks/disk-calls.ts'
import type { Disks } from '../disks/disks.ts'
import { type EntryStats, statNames } from '../disks/stat-many.ts'
import { openForReading, openNow, type ReadHandle } from './read-handle.ts'

/** Linux O_PATH: a reference to a folder that needs no permission to read it. */
const O_PATH = 0o10000000
export const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/fd')
const FOLDER_FLAGS = HAS_PROC ? O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW : 0

/** One segment; bytes where it is not UTF-8. */
export type Name = string | Buffer

/** An open folder. */
export interface OpenFolder {
  /** A path to it that stays valid when its own path is swapped. */
  ref: string
  /** Where it was when it was opened. */
  realDir: string
  device: Device
  disks: Disks
  /** The same folder for another user, who closes it too. */
  share(): OpenFolder
  /** Once or more often. It is let go of when all its users have closed it. */
  close(): Promise<void>
}

/**
 * Opens the folder at a real path; the caller closes it. Throws `forbidden` when the folder is not there
 * but somewhere else, where a link leads.
 */
export async function openFolder(
  disks: Disks,
  realDir: string,
  { direct = false } = {},
): Promise<OpenFolder> {
  const device = disks.of(realDir)
  if (!HAS_PROC) {
    if ((await disks.realpath(realDir)) !== realDir) throw moved(realDir)
    return withoutProc(realDir, realDir, disks)
  }
  const fd = await openFd(realDir, device, direct || disks.isCached(realDir))
  if (locationOf(fd) === realDir) return byFd(fd, { realDir, device, disks })
  closeSync(fd)
  throw moved(realDir)
}

/** Opens a folder by a path on which no link lies; null where one does, or nothing is. */
export async function openPlain(disks: Disks, path: string): Promise<OpenFolder | null> {
  try {
    if (!disks.isCached(path) && (await disks.realpath(path)) !== path) return null
    return await openFolder(disks, path)
  } catch (error) {
    if (isUnreachable(error)) throw error
    return null
  }
}

/** Runs `fn` with the folder at a real path open; see openFolder. */
export async function inFolder<T>(
  disks: Disks,
  realDir: string,
  fn: (ref: string, device: Device) => Promise<T>,
): Promise<T> {
  const folder = await openFolder(disks, realDir)
  try {
    return await fn(folder.ref, folder.device)
  } finally {
    await folder.close()
  }
}

function withoutProc(ref: string, realDir: string, disks: Disks): OpenFolder {
  const folder = { ref, realDir, device: disks.of(realDir), disks, close: async () => {} }
  return { ...folder, share: () => withoutProc(ref, realDir, disks) }
}

/** The number may be that of another folder by then. */
const CLOSED = '/dev/null/closed'

// Closing a reference waits for no disk.
function byFd(fd: number, of: Pick<OpenFolder, 'realDir' | 'device' | 'disks'>): OpenFolder {
  let users = 0
  const share = (): OpenFolder => {
    users++
    const close = async () => {
      if (folder.ref === CLOSED) return
      folder.ref = CLOSED
      if (--users === 0) closeSync(fd)
    }
    // No getter: V8 keeps what those of an object refer to until it collects the whole heap.
    const folder = { ...of, ref: `/proc/self/fd/${fd}`, share, close }
    return folder
  }
  return share()
}

/** The device of what has a name in an open folder. */
export function deviceIn({ realDir, device, disks }: OpenFolder, name: Name): Device {
  const realPath = `${realDir === sep ? '' : realDir}${sep}${name}`
  return disks.isMountPoint(realPath) ? disks.of(realPath) : device
}

/** The path of an entry of an open folder. */
export function pathIn({ ref }: { ref: string }, name: string): string
export function pathIn({ ref }: { ref: string }, name: Name): Name
export function pathIn({ ref }: { ref: string }, name: Name): Name {
  return typeof name === 'string' ? ref + sep + name : Buffer.concat([Buffer.from(ref + sep), name])
}

/** Opens a folder in an open one without following a link; without the pool where that is quick. */
export async function openChild(folder: OpenFolder, name: Name): Promise<OpenFolder> {
  const { disks } = folder
  const realDir = join(folder.realDir, name.toString())
  // Systems without /proc have names that are text.
  if (!HAS_PROC) return withoutProc(join(folder.ref, name.toString()), realDir, disks)
  const device = deviceIn(folder, name)
  const fd = await openFd(pathIn(folder, name), device, true)
  return byFd(fd, { realDir, device, disks })
}

/**
 * Opens the folder that holds an open one now, on `device`; the caller tells whether it is the one that
 * was meant.
 */
export async function openParent(folder: OpenFolder, device: Device): Promise<OpenFolder> {
  const { disks } = folder
  const realDir = dirname(folder.realDir)
  if (!HAS_PROC) return withoutProc(dirname(folder.ref), realDir, disks)
  const fd = await openFd(`${folder.ref}/..`, device, true)
  return byFd(fd, { realDir, device, disks })
}

/** Opens a file in an open folder for reading, never through a link; see openForReading. */
export function openFileIn(
  folder: OpenFolder,
  name: Name,
  { direct }: { direct: boolean },
): Promise<ReadHandle> {
  return openForReading(pathIn(folder, name), deviceIn(folder, name), direct)
}

/**
 * Opens a regular file of a quick local disk that was asked for a moment ago, by its path. Null for all else, and where
 * a link is on the path.
 */
export function openPlainFile(disks: Disks, path: string): ReadHandle | null {
  // Opening a pipe would let go whoever waits to write to it.
  if (!HAS_PROC || !disks.isCachedFile(path)) return null
  const device = disks.of(path)
  try {
    return device.direct(() => openNow(path, device, (fd) => locationOf(fd) === path))
  } catch {
    return null
  }
}

const STAT_OPTIONS = { bigint: true, throwIfNoEntry: false } as const

/** lstat(2) of a name in an open folder; null where nothing is. Rejects with the system's error. */
export async function statIn(
  folder: OpenFolder,
  name: Name,
  { direct = false } = {},
): Promise<BigIntStats | null> {
  const { disks, realDir } = folder
  const device = deviceIn(folder, name)
  const path = pathIn(folder, name)
  const realPath = name === '.' ? realDir : join(realDir, name.toString())
  const statNow = () => device.direct(() => lstatSync(path, STAT_OPTIONS) ?? null)
  if (device.isDirect && (direct || disks.isCached(realPath))) return statNow()
  const found = device.isMemory ? statNow() : await poolCalls(device).lstat(path)
  disks.noteCached(realPath, found?.isFile())
  return found
}

/** lstat(2) of many names in an open folder, in their order; see statNames. */
export function statAllIn(
  folder: OpenFolder,
  names: readonly Name[],
  signal: AbortSignal,
): Promise<EntryStats[]> {
  const { device, disks, realDir } = folder
  // Nothing in a folder that may not answer is asked directly, whatever is mounted there.
  const mounted = device.kind === 'foreign' ? null : disks.mountedIn(realDir)
  const deviceOf = (i: number): Device =>
    (mounted && mounted.size > 0 && mounted.get(String(names[i]))) || device
  return statNames(folder, names, deviceOf, signal)
}

/**
 * Sets the permission bits of a file or folder in an open folder; a link in its place is `forbidden`.
 */
export function setModeIn(folder: OpenFolder, name: Name, mode: number): Promise<void> {
  return onEntry(folder, name, (path, calls, fd) =>
    path === null ? calls.fchmod(fd, mode) : calls.chmod(path, mode),
  )
}

/** Sets the modification time of a file or folder in an open folder; a link in its place is `forbidden`. */
export function setTimeIn(folder: OpenFolder, name: Name, mtimeNs: bigint): Promise<void> {
  const seconds = Number(mtimeNs) / 1e9
  return onEntry(folder, name, (path, calls, fd) =>
    path === null
      ? calls.futimes(fd, new Date(), seconds)
      : calls.utimes(path, new Date(), seconds),
  )
}

/** Gives `work` a path that leads to the open entry; null where only its descriptor does. */
async function onEntry(
  folder: OpenFolder,
  name: Name,
  work: (path: string | null, calls: DiskCalls, fd: number) => Promise<void>,
): Promise<void> {
  const device = deviceIn(folder, name)
  const calls = device.isDirect ? atOnce : poolCalls(device)
  // A reference needs no permission to read, and opens no pipe or device.
  const flags = constants.O_NOFOLLOW | (HAS_PROC ? O_PATH : constants.O_RDONLY)
  const fd = await calls.open(pathIn(folder, name), flags)
  try {
    if (!HAS_PROC) return await work(null, calls, fd)
    if ((await calls.fstat(fd)).isSymbolicLink()) throw moved(name.toString())
    await work(`/proc/self/fd/${fd}`, calls, fd)
  } finally {
    closeSync(fd)
  }
}

async function openFd(path: Name, device: Device, isDirect: boolean): Promise<number> {
  if (isDirect && device.isDirect) return openFdNow(path, device)
  try {
    return await poolCalls(device).open(path, FOLDER_FLAGS)
  } catch (error) {
    throw asMoved(error, path)
  }
}

function openFdNow(path: Name, device: Device): number {
  try {
    return device.direct(() => openSync(path, FOLDER_FLAGS))
  } catch (error) {
    throw asMoved(error, path)
  }
}

// O_NOFOLLOW on a link gives ELOOP or, together with O_DIRECTORY, ENOTDIR.
function asMoved(error: unknown, path: Name): unknown {
  return errnoOf(error) === 'ELOOP' ? moved(path.toString()) : error
}

/** False when the folder is not where it was when it was opened. */
export function isInPlace({ ref, realDir }: OpenFolder): boolean {
  return !HAS_PROC || readlinkSync(ref) === realDir
}

/** Where what is open really is. Linux only. */
export function locationOf(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`)
}

export function moved(path: string): AppError {
  return new AppError('forbidden', `${basename(path)} changed its place while in use`)
}
