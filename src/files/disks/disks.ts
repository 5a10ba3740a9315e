// One policy for disks, per device: which calls are made on the event loop, which go through the
// thread pool, and which are refused because their disk is silent. A mount inside a tree is a device
// of its own.
//
// The first call for a path goes through the pool, because a disk may have spun down. On a local file system
// the kernel then has what it said in its caches, and asking again takes microseconds, a tenth of the
// way through the pool: for a second the same path is asked for directly. Only the way of asking is
// remembered, never an answer.
import { type BigIntStats, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, sep } from 'node:path'
import { memo } from '../../lib/memo.ts'
import type { Mount } from '../../lib/mount-points.ts'
import { createForeignDevice, type Device, type InFlight } from './device.ts'
import { poolCalls } from './disk-calls.ts'
import { createMountTable, deviceId } from './mount-table.ts'
import { realPathByParts } from './real-path.ts'
import { canChangeFolder } from './working-folder.ts'

/** Threads of the pool; see setPoolSize. Those that are left over are for local disks and hashes. */
const POOL_THREADS = 24
const MAX_FOREIGN_CALLS = 18
const CACHED_MS = 1_000
const MAX_CACHED = 4_096
const MAX_SYNCED = 1_000

export interface Disks {
  /** The device that a real path lies on, or would if it existed. */
  of(realPath: string): Device
  /** What is mounted where, by its place; the same object as long as nothing changed. Null where nothing tells. */
  mounts(): ReadonlyMap<string, Mount> | null
  /** What is mounted there may stop answering, whatever disk its folder is on. */
  isMountPoint(realPath: string): boolean
  /** Like isMountPoint; null where nothing tells, as on other systems than Linux. */
  isKnownMount(realPath: string): boolean | null
  /** Whether something is mounted anywhere below a folder; null where nothing tells. */
  holdsMount(realFolder: string): boolean | null
  /** The devices of what is mounted directly in a folder, by name. */
  mountedIn(realFolder: string): ReadonlyMap<string, Device>
  /**
   * True for a path on a quick local disk that was asked for within the last second, and in a folder
   * into which a file was synced within the last second: the kernel answers from its caches.
   */
  isCached(path: string): boolean
  /** The same, where a regular file was there. */
  isCachedFile(path: string): boolean
  /** To be told when a call for a path has come back, whatever it said; `isFile`: that a regular file is there. */
  noteCached(path: string, isFile?: boolean): void
  /** To be told when a file was synced in a folder (a real path): its disk has just answered. */
  noteSynced(realFolder: string): void
  /** realpath(3) by the shortest way. Rejects with the system's error. */
  realpath(path: string): Promise<string>
  /** lstat(2) through the pool; null where nothing is. No link may lie on the way. */
  lstat(path: string): Promise<BigIntStats | null>
  /** See inWorkingFolder. False where the way back leads over a disk that may fall silent. */
  mayChangeFolder(): boolean
}

/**
 * Gives the thread pool its size, before its first use; a size from outside stays. Threads beyond the
 * default of four are what keeps the rest going while disks hang.
 */
export function setPoolSize(env: NodeJS.ProcessEnv): void {
  env.UV_THREADPOOL_SIZE ??= String(POOL_THREADS)
}

/** Makes the policy. There is one to a process. */
export function createDisks(): Disks {
  const inFlight: InFlight = { calls: 0, maxCalls: maxForeignCalls() }
  const mountTable = createMountTable(inFlight)
  /** Until when the paths are taken to be in the kernel's caches. */
  const cached = new Map<string, number>()
  /** Of regular files among them. */
  const files = new Map<string, number>()
  /** The same of all names in folders. */
  const synced = new Map<string, number>()
  // Where nobody can tell one disk from another (macOS, Windows, a chroot without /proc) all share the
  // places, and none is known to be silent.
  const unknown = createForeignDevice(async () => {}, { inFlight, maxCalls: inFlight.maxCalls })
  let mayChangeFolder: boolean | undefined

  const of = (realPath: string): Device => {
    const known = mountTable()
    if (!known) return unknown
    const mount = known.mounts.get(realPath)
    if (mount) return known.devices.get(deviceId(mount)) ?? unknown
    if (realPath === sep || realPath === '.') return unknown
    const folder = dirname(realPath)
    let found = known.found.get(folder)
    if (!found) {
      found = of(folder)
      if (known.found.size >= MAX_CACHED) known.found.clear()
      known.found.set(folder, found)
    }
    return found
  }
  const isCached = (path: string) => {
    const now = performance.now()
    if ((cached.get(path) ?? 0) < now && !((synced.get(dirname(path)) ?? 0) > now)) return false
    // A mount may be remote though its parent is local.
    return of(path).isDirect && ((cached.get(path) ?? 0) > now || !isMountPoint(path))
  }
  const note = (known: Map<string, number>, path: string, max: number) => {
    if (known.size >= max) known.clear()
    known.set(path, performance.now() + CACHED_MS)
  }
  const isKnownMount = (path: string) => mountTable()?.mounts.has(path) ?? null
  const isMountPoint = (path: string) => isKnownMount(path) ?? true
  const noteCached = (path: string, isFile = false) => {
    if (!of(path).isDirect) return
    note(cached, path, MAX_CACHED)
    if (isFile) note(files, path, MAX_CACHED)
  }

  return {
    of,
    mounts: () => mountTable()?.mounts ?? null,
    isMountPoint,
    isKnownMount,
    holdsMount: (realFolder) => {
      // A folder that is moved takes along what was mounted in it a moment ago.
      const known = mountTable(true)
      if (!known) return null
      const below = realFolder === sep ? sep : realFolder + sep
      for (const place of known.mounts.keys()) if (place.startsWith(below)) return true
      return false
    },
    mountedIn: (realFolder) => mountedIn(mountTable()?.mounts, of, realFolder),
    isCached,
    isCachedFile: (path) => (files.get(path) ?? 0) > performance.now() && of(path).isDirect,
    realpath: async (path) => {
      if (isCached(path)) return of(path).direct(() => realpathSync.native(path))
      const known = mountTable()
      const real = await (known === null
        ? unknown.query(() => realpath(path))
        : known.hasForeign
          ? realPathByParts({ of, isCached }, path)
          : realpath(path))
      noteCached(real)
      // A folder may be on another disk than what is mounted in it.
      if (of(dirname(real)) === of(real)) noteCached(dirname(real))
      return real
    },
    lstat: (path) => poolCalls(of(path)).lstat(path),
    noteCached,
    mayChangeFolder: () => {
      mayChangeFolder ??= canChangeFolder() && isOnLocalDisk(of)
      return mayChangeFolder
    },
    noteSynced: (realFolder) => note(synced, realFolder, MAX_SYNCED),
  }
}

const NOTHING_MOUNTED: ReadonlyMap<string, Device> = new Map()

/** The folders in which something is mounted. */
const mountFolders = memo(
  (mounts: ReadonlyMap<string, Mount>) =>
    new Set([...mounts.keys()].map((place) => dirname(place))),
)

function mountedIn(
  mounts: ReadonlyMap<string, Mount> | undefined,
  of: Disks['of'],
  realFolder: string,
): ReadonlyMap<string, Device> {
  if (!mounts || !mountFolders(mounts).has(realFolder)) return NOTHING_MOUNTED
  const mounted = new Map<string, Device>()
  for (const place of mounts.keys())
    if (place !== realFolder && dirname(place) === realFolder)
      mounted.set(basename(place), of(place))
  return mounted
}

// A working directory that was removed has no path.
function isOnLocalDisk(of: Disks['of']): boolean {
  try {
    return of(process.cwd()).kind === 'local'
  } catch {
    return false
  }
}

function maxForeignCalls(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
  return Math.max(1, Math.min(MAX_FOREIGN_CALLS, threads - 2))
}
