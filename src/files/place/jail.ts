// From virtual path to place on disk, confined to one folder.
//
// Text is resolved first, then the disk is asked: the real path of the target, or of the place
// where a write would land, must be the root or lie below it. Between that answer and the use of
// it a link could be swapped in, so files and folders are used through descriptors that are opened
// without following the last component and whose actual place is read back from /proc. Where
// there is no /proc (macOS, Windows, a bare chroot) that second look is a plain realpath and a
// small race remains.
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fchmod,
  fstat,
  fstatSync,
  open,
  openSync,
  readlinkSync,
} from 'node:fs'
import { chmod, readlink } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf } from '../../lib/errors.ts'
import { ROOT, type VPath, vpathOf } from '../../lib/vpath.ts'
import type { Device } from '../disks/device.ts'
import type { Disks } from '../disks/disks.ts'
import { openForReading, type ReadHandle } from './read-handle.ts'

const openInPool = promisify(open)
const changeModeOf = promisify(fchmod)
const fstatInPool = promisify(fstat)

/** Linux O_PATH: a reference to a folder that needs no permission to read it. */
const O_PATH = 0o10000000
const MAX_LINK_HOPS = 255

const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/fd')
/** The entry itself, links included, whatever it is and whoever may read it. */
const ENTRY_FLAGS = O_PATH | (constants.O_NOFOLLOW ?? 0)
const FOLDER_FLAGS = HAS_PROC ? O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW : 0

export interface Place {
  /** Real path on the host; the last component may not exist. */
  realPath: string
  exists: boolean
}

export interface Jail {
  /** Real path of the root; throws `not_found` when the folder is missing. */
  root(): Promise<string>
  /** Where a path leads when links are followed, the last one included. `forbidden` outside. */
  locate(vpath: VPath): Promise<Place>
  /**
   * The entry itself, not what it links to: its folder is followed, its name is not. A link whose
   * target lies outside is `forbidden` like the target.
   */
  locateEntry(vpath: VPath): Promise<Place>
  /** The virtual path of a real path inside the root; null outside. */
  vpathOf(realPath: string, realRoot: string): VPath | null
  /** Real path as far as the target of `realPath` exists, following links that dangle. */
  landing(realPath: string): Promise<Place>
  readonly follows: boolean
  readonly disks: Disks
}

export interface JailOptions {
  /**
   * The root has been located already, as a place in another jail. It is never resolved again: a link
   * that is swapped in there leads out of this jail like any other.
   */
  isReal?: boolean | undefined
  /**
   * Host folder the root itself must lie in, whatever links lead there; else everything is `forbidden`.
   * Asked when the root is first needed, so that a folder that became a link is noticed.
   */
  within?: string | undefined
}

/** Builds the jail for a host folder. With `followExternal` only the text is confined. */
export function createJail(
  rootPath: string,
  followExternal: boolean,
  disks: Disks,
  { isReal = false, within }: JailOptions = {},
): Jail {
  let known = isReal ? rootPath : undefined

  const mayBeRoot = async (realRoot: string): Promise<boolean> =>
    within === undefined ||
    followExternal ||
    contains(await disks.realpath(resolve(within)), realRoot)

  const root = async () => {
    if (known === undefined) {
      try {
        // A separator at its end would make it another name than the one that is remembered.
        const realRoot = await disks.realpath(resolve(rootPath))
        if (!(await mayBeRoot(realRoot)))
          throw new AppError(
            'forbidden',
            'the folder of the account leads out of the served folder',
          )
        known = realRoot
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') throw new AppError('not_found', 'the root is missing')
        throw error
      }
    }
    return known
  }

  const confine = (realRoot: string, place: Place, vpath: VPath): Place => {
    if (!followExternal && !contains(realRoot, place.realPath))
      throw new AppError('forbidden', `${vpath} leads out of the scope`)
    return place
  }

  // A path through a file or one that is too long leads nowhere; whether that may be told depends
  // on where its last good part lies, or a link would tell what stands outside of the scope.
  const land = async (realRoot: string, host: string, vpath: VPath): Promise<Place> => {
    try {
      return confine(realRoot, await landing(disks, host, 0), vpath)
    } catch (error) {
      if (!(error instanceof AppError) && host !== realRoot)
        await land(realRoot, dirname(host), vpath)
      throw error
    }
  }

  const locate = async (vpath: VPath) => {
    const realRoot = await root()
    return land(realRoot, toHost(realRoot, vpath), vpath)
  }

  return {
    root,
    locate,
    locateEntry: async (vpath) => {
      if (vpath === ROOT) return locate(vpath)
      const realRoot = await root()
      const host = toHost(realRoot, vpath)
      const folder = await land(realRoot, dirname(host), vpath)
      const realPath = join(folder.realPath, basename(host))
      if (!folder.exists) return { realPath, exists: false }
      const found = await disks.lstatIfThere(realPath)
      if (found?.isSymbolicLink()) confine(realRoot, await landing(disks, realPath, 0), vpath)
      return { realPath, exists: found !== null }
    },
    vpathOf: (realPath, realRoot) =>
      contains(realRoot, realPath) ? vpathOf(...relative(realRoot, realPath).split(sep)) : null,
    landing: (realPath) => landing(disks, realPath, 0),
    follows: followExternal,
    disks,
  }
}

/** True when `path` is `root` or lies below it; both real, without trailing separator. */
export function contains(root: string, path: string): boolean {
  if (path === root) return true
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}

/**
 * Opens the folder at a real path and gives a reference to it that stays valid when the path is
 * swapped. Throws `forbidden` when the folder is not where it was located. Closes it afterwards.
 */
export async function inFolder<T>(
  disks: Disks,
  realDir: string,
  fn: (ref: string, device: Device) => Promise<T>,
): Promise<T> {
  const folder = await holdFolder(disks, realDir)
  try {
    return await fn(folder.ref, folder.device)
  } finally {
    await folder.close()
  }
}

/** An open folder. */
export interface FolderRef {
  /** A path to it that stays valid when its own path is swapped. */
  ref: string
  realDir: string
  device: Device
  disks: Disks
  close(): Promise<void>
}

/** Like inFolder for callers that keep the folder for a while; they close it. */
export async function holdFolder(disks: Disks, realDir: string): Promise<FolderRef> {
  const device = disks.of(realDir)
  if (!HAS_PROC) {
    if ((await disks.realpath(realDir)) !== realDir) throw moved(realDir)
    return { ref: realDir, realDir, device, disks, close: async () => {} }
  }
  const fd = await openFolder(realDir, device, disks.isNear(realDir))
  try {
    verifyPlace(fd, realDir)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return { realDir, device, disks, ...openRef(fd) }
}

// Closing a reference waits for no disk.
function openRef(fd: number): { ref: string; close(): Promise<void> } {
  return { ref: `/proc/self/fd/${fd}`, close: async () => closeSync(fd) }
}

/** The device of what has a name in an open folder. */
export function deviceIn({ realDir, device, disks }: FolderRef, name: string | Buffer): Device {
  const path = `${realDir === sep ? '' : realDir}${sep}${name}`
  return disks.isMountPoint(path) ? disks.of(path) : device
}

/** The path of an entry of a held folder; a name that is not UTF-8 comes as bytes. */
export function inHeld(ref: string, name: string | Buffer): string | Buffer {
  return typeof name === 'string' ? ref + sep + name : Buffer.concat([Buffer.from(ref + sep), name])
}

/** Opens a child folder of a held folder without following a link; `direct`: without the pool. */
export async function holdChild(
  folder: FolderRef,
  name: string | Buffer,
  { direct = false } = {},
): Promise<FolderRef> {
  const { disks } = folder
  const realDir = join(folder.realDir, name.toString())
  const device = deviceIn(folder, name)
  // Systems without /proc have names that are text.
  if (!HAS_PROC)
    return { ref: join(folder.ref, name.toString()), realDir, device, disks, close: async () => {} }
  const fd = await openFolder(inHeld(folder.ref, name), device, direct && device.isDirect)
  return { realDir, device, disks, ...openRef(fd) }
}

/**
 * Opens the folder that holds a held one now, on `device`; the caller tells whether it is the one that
 * was meant.
 */
export async function holdParent(
  folder: FolderRef,
  device: Device,
  { direct = false } = {},
): Promise<FolderRef> {
  const { disks } = folder
  const realDir = dirname(folder.realDir)
  if (!HAS_PROC) return { ref: dirname(folder.ref), realDir, device, disks, close: async () => {} }
  const fd = await openFolder(`${folder.ref}/..`, device, direct && device.isDirect)
  return { realDir, device, disks, ...openRef(fd) }
}

/** Opens a regular file at a real path for reading, never through a link, and verifies where. */
export async function openVerified(disks: Disks, realPath: string): Promise<ReadHandle> {
  const handle = await openForReading(realPath, disks.of(realPath), disks.isNear(realPath))
  if (!HAS_PROC) return handle
  try {
    verifyPlace(handle.fd, realPath)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Sets the permission bits of the file or folder at a real path, of nothing else: a link that took
 * its place is `forbidden`.
 */
export async function setModeOf(disks: Disks, realPath: string, mode: number): Promise<void> {
  const device = disks.of(realPath)
  // A reference needs no permission to read, and opens no pipe or device.
  const flags = constants.O_NOFOLLOW | (HAS_PROC ? O_PATH : constants.O_RDONLY)
  const fd = await device.query(() => openInPool(realPath, flags), closeSync)
  try {
    if (!HAS_PROC) return await device.run(() => changeModeOf(fd, mode))
    verifyPlace(fd, realPath)
    const { mode: kind } = await device.run(() => fstatInPool(fd))
    if ((kind & constants.S_IFMT) === constants.S_IFLNK) throw moved(realPath)
    await device.run(() => chmod(`/proc/self/fd/${fd}`, mode))
  } finally {
    closeSync(fd)
  }
}

/**
 * Facts of what is at a real path itself, never through a link in its place or on the way. Throws
 * `forbidden` when it is not where it was located.
 */
export async function lookVerified(disks: Disks, realPath: string): Promise<BigIntStats> {
  const device = disks.of(realPath)
  const near = disks.isNear(realPath)
  if (!HAS_PROC) return disks.lstat(realPath)
  // As a whole in the place of one call, so that it can be given up as a whole.
  if (device.kind === 'foreign') return device.query(() => lookInPool(realPath))
  return near ? device.direct(() => lookNow(realPath)) : lookInPool(realPath)
}

function lookNow(realPath: string): BigIntStats {
  const fd = openSync(realPath, ENTRY_FLAGS)
  try {
    verifyPlace(fd, realPath)
    return fstatSync(fd, { bigint: true })
  } finally {
    closeSync(fd)
  }
}

async function lookInPool(realPath: string): Promise<BigIntStats> {
  const fd = await openInPool(realPath, ENTRY_FLAGS)
  try {
    verifyPlace(fd, realPath)
    return await fstatInPool(fd, { bigint: true })
  } finally {
    closeSync(fd)
  }
}

/** Opens a file in a held folder for reading, never through a link; see openForReading. */
export function openHeld(
  folder: FolderRef,
  name: string | Buffer,
  { seen }: { seen: boolean },
): Promise<ReadHandle> {
  return openForReading(inHeld(folder.ref, name), deviceIn(folder, name), seen)
}

async function openFolder(
  path: string | Buffer,
  device: Device,
  isDirect: boolean,
): Promise<number> {
  try {
    if (isDirect) return device.direct(() => openSync(path, FOLDER_FLAGS))
    return await device.query(() => openInPool(path, FOLDER_FLAGS), closeSync)
  } catch (error) {
    // O_NOFOLLOW on a link gives ELOOP or, together with O_DIRECTORY, ENOTDIR.
    if (errnoOf(error) === 'ELOOP') throw moved(path.toString())
    throw error
  }
}

/** Throws `forbidden` unless the open descriptor is where it was located. Linux only. */
export function verifyPlace(fd: number, realPath: string): void {
  if (readlinkSync(`/proc/self/fd/${fd}`) !== realPath) throw moved(realPath)
}

function moved(realPath: string): AppError {
  return new AppError('forbidden', `${basename(realPath)} changed its place while in use`)
}

function toHost(realRoot: string, vpath: VPath): string {
  return vpath === ROOT ? realRoot : join(realRoot, ...vpath.slice(1).split('/'))
}

// realpath answers for what exists; otherwise the nearest existing ancestor is resolved and a link
// that dangles is followed by hand to the place where a write would create its target
// (GHSA-8wc8-hf36-mjh9, GHSA-fh54-6rfh-r8f3).
async function landing(disks: Disks, path: string, hops: number): Promise<Place> {
  const isMissing = disks.isStillMissing(path)
  if (!isMissing)
    try {
      return { realPath: await disks.realpath(path), exists: true }
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
  if (hops > MAX_LINK_HOPS) throw new AppError('forbidden', 'too many links')
  const folder = await landing(disks, dirname(path), hops + 1)
  const here = join(folder.realPath, basename(path))
  if (!folder.exists || (isMissing && here === path)) return { realPath: here, exists: false }
  const found = await disks.lstatIfThere(here)
  if (!found?.isSymbolicLink()) return { realPath: here, exists: found !== null }
  const target = resolve(folder.realPath, await disks.of(here).query(() => readlink(here)))
  const landed = await landing(disks, target, hops + 1)
  return { realPath: landed.realPath, exists: landed.exists }
}
