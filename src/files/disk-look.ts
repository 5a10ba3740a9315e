// Looking at the disk. A first look at a path goes through the thread pool, because a disk may be
// asleep or far away. On a local file system the kernel then remembers what it saw, and asking
// again takes microseconds, a tenth of the way through the pool: for a second the same path is
// asked directly. Only the way of asking is remembered, never an answer.
import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { lstat, realpath, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from '../errors.ts'
import { MOUNT_LIST, mountPointsOf } from '../mount-points.ts'

/** Type numbers of statfs(2) from linux/magic.h and the file systems' own headers. */
const LOCAL_TYPES = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xca451a4e, // bcachefs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs
  0x3153464a, // jfs
  0x4d44, // fat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
])
const NEAR_MS = 1_000
const MAX_NEAR = 4_096
/** Device numbers of ended mounts are given out again, so what is known does not hold for long. */
const DEVICE_KNOWN_MS = 60_000
const MAX_DEVICES = 1_000

const near = new Map<string, number>()
/** Those of them where nothing was. */
const missing = new Set<string>()
/** Folders on local disks in which a file has just been synced: the disk is awake. */
const written = new Map<string, number>()
const MAX_WRITTEN = 1_000
let mounts = { points: null as Set<string> | null, untilMs: 0 }
const devices = new Map<number, { local: boolean; untilMs: number }>()

/** True for a path on a local disk that was looked up within the last second, and for its folder. */
export function isNear(path: string): boolean {
  return (near.get(path) ?? 0) > performance.now()
}

/** realpath(3) by the shorter way. Rejects with the system's error. */
export async function realpathOf(path: string): Promise<string> {
  if (isNear(path)) return realpathSync.native(path)
  const real = await realpath(path)
  const device = await deviceOf(real)
  if (device === null || !(await isLocal(device, real))) return real
  remember(real)
  const folder = dirname(real)
  // A path through links may lead over other disks, and a folder may be on another than what is
  // mounted in it.
  if (isNear(folder) || (await deviceOf(folder)) === device) remember(folder)
  return real
}

/**
 * lstat(2) by the shorter way, null where nothing is. Rejects with the system's error. That a path
 * leads nowhere is a look as well: what is about to be made is asked for again and again.
 */
export async function lstatIfThere(path: string): Promise<Stats | null> {
  const direct = isNear(path) || isBesideWritten(path)
  const found = direct ? lstatSync(path, { throwIfNoEntry: false }) : await lstatInPool(path)
  if (found) return found
  if (isNear(dirname(path))) {
    remember(path)
    missing.add(path)
  }
  return null
}

/**
 * To be told when a file has been synced in a folder (a real path) on a local disk. For a second
 * names in it need no first look: of many files that come one after the other only the first
 * waits for the pool.
 */
export function noteWritten(realFolder: string): void {
  if (written.size >= MAX_WRITTEN) written.clear()
  written.set(realFolder, performance.now() + NEAR_MS)
}

function isBesideWritten(path: string): boolean {
  return (written.get(dirname(path)) ?? 0) > performance.now() && !isMountPoint(path)
}

/** What is mounted there may be far away however near the folder is. Linux only. */
export function isMountPoint(path: string): boolean {
  if (performance.now() > mounts.untilMs)
    mounts = { points: readMountPoints(), untilMs: performance.now() + NEAR_MS }
  return mounts.points?.has(path) ?? true
}

// Null where nobody can tell, as in a chroot without /proc.
function readMountPoints(): Set<string> | null {
  try {
    return mountPointsOf(readFileSync(MOUNT_LIST))
  } catch (error) {
    if (errnoOf(error) === '') throw error
    return null
  }
}

async function lstatInPool(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    return null
  }
}

/**
 * True when nothing is at a path that was empty a moment ago already; false says nothing. Asked
 * first, since finding nothing by realpath costs an error.
 */
export function isStillMissing(path: string): boolean {
  return missing.has(path) && isNear(path) && !lstatSync(path, { throwIfNoEntry: false })
}

/** lstat(2) by the shorter way. Rejects with the system's error. */
export async function lstatOf(path: string): Promise<Stats> {
  return isNear(path) ? lstatSync(path) : lstat(path)
}

function remember(...paths: string[]): void {
  if (near.size >= MAX_NEAR) {
    near.clear()
    missing.clear()
  }
  const untilMs = performance.now() + NEAR_MS
  for (const path of paths) near.set(path, untilMs)
}

async function deviceOf(realPath: string): Promise<number | null> {
  // Where the type cannot be told (macOS, Windows) nothing is near.
  if (process.platform !== 'linux') return null
  return lstat(realPath).then(
    ({ dev }) => dev,
    () => null,
  )
}

async function isLocal(device: number, realPath: string): Promise<boolean> {
  const known = devices.get(device)
  if (known && performance.now() < known.untilMs) return known.local
  const local = await statfs(realPath).then(
    ({ type }) => LOCAL_TYPES.has(type),
    () => false,
  )
  if (devices.size >= MAX_DEVICES) devices.clear()
  devices.set(device, { local, untilMs: performance.now() + DEVICE_KNOWN_MS })
  return local
}
