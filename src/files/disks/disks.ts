// One policy for disks, per device: which calls are made on the event loop, which go through the
// thread pool, and which are refused because their disk is silent. A mount inside a tree is a device
// of its own.
//
// A first look at a path goes through the pool, because a disk may be asleep. On a local file system
// the kernel then remembers what it saw, and asking again takes microseconds, a tenth of the way
// through the pool: for a second the same path is asked directly. Only the way of asking is
// remembered, never an answer.
import {
  type BigIntStats,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { lstat, readlink, realpath, statfs } from 'node:fs/promises'
import { basename, dirname, resolve, sep } from 'node:path'
import { errnoOf } from '../../lib/errors.ts'
import { MOUNT_LIST, type Mount, mountsOf } from '../../lib/mount-points.ts'
import {
  createForeignDevice,
  createKernelDevice,
  createLocalDevice,
  type Device,
  type InFlight,
} from './device.ts'

/** File systems on this machine's own disks and memory, by their names in the list of mounts. */
const LOCAL_TYPES = new Set([
  'ext2',
  'ext3',
  'ext4',
  'xfs',
  'btrfs',
  'bcachefs',
  'zfs',
  'f2fs',
  'tmpfs',
  'ramfs',
  'overlay',
  'jfs',
  'vfat',
  'msdos',
  'exfat',
  'ntfs3',
  'squashfs',
  'erofs',
])
/** What the kernel makes up answers always. */
const KERNEL_TYPES = new Set([
  'proc',
  'sysfs',
  'devtmpfs',
  'devpts',
  'cgroup',
  'cgroup2',
  'mqueue',
  'securityfs',
  'debugfs',
  'tracefs',
  'configfs',
  'bpf',
  'pstore',
  'hugetlbfs',
  'fusectl',
  'efivarfs',
  'nsfs',
])
/** Threads of the pool; see setPoolSize. Those that are left over are for local disks and hashes. */
const POOL_THREADS = 24
const MAX_FOREIGN_CALLS = 18
const MAX_DEVICE_CALLS = 6
/** How long the list of mounts is taken to be true. */
export const MOUNTS_MS = 250
const NEAR_MS = 1_000
const MAX_NEAR = 4_096
const MAX_WRITTEN = 1_000
const MAX_LINK_HOPS = 40

export interface Disks {
  /** The device that a real path lies on, or would if it existed. */
  of(realPath: string): Device
  /** What is mounted there may be far away however near the folder is. */
  isMountPoint(realPath: string): boolean
  /** Like isMountPoint; null where nothing tells, as on other systems than Linux. */
  isKnownMount(realPath: string): boolean | null
  /** The devices of what is mounted directly in a folder, by name. */
  mountedIn(realFolder: string): ReadonlyMap<string, Device>
  /** True for a path on a quick local disk that was looked at within the last second, and its folder. */
  isNear(path: string): boolean
  /** realpath(3) by the shortest way. Rejects with the system's error. */
  realpath(path: string): Promise<string>
  /** lstat(2) of a path without links before its last part, by the shortest way. */
  lstat(path: string): Promise<BigIntStats>
  /**
   * Like lstat, null where nothing is. That a path leads nowhere is a look as well: what is about to
   * be made is asked for again and again.
   */
  lstatIfThere(path: string): Promise<Stats | null>
  /**
   * True when nothing is at a path that was empty a moment ago already; false says nothing. Asked
   * first, since finding nothing by realpath costs an error.
   */
  isStillMissing(path: string): boolean
  /**
   * To be told when a file has been synced in a folder (a real path) on a local disk. For a second
   * names in it need no first look: of many files that come one after the other only the first
   * waits for the pool.
   */
  noteWritten(realFolder: string): void
}

interface MountTable {
  mounts: Map<string, Mount>
  devices: Map<string, Device>
  /** Something is mounted that may stop answering. */
  hasForeign: boolean
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
  const near = new Map<string, number>()
  const missing = new Set<string>()
  /** Folders on local disks in which a file has just been synced: the disk is awake. */
  const written = new Map<string, number>()
  const kernel = createKernelDevice()
  // Where nobody can tell one disk from another (macOS, Windows, a chroot without /proc) all share the
  // places, and none is known to be silent.
  const unknown = createForeignDevice(async () => {}, { inFlight, maxCalls: inFlight.maxCalls })
  let table: MountTable | null = null
  let readAtMs = Number.NEGATIVE_INFINITY

  const makeDevice = ({ type }: Mount, place: string): Device => {
    if (LOCAL_TYPES.has(type)) return createLocalDevice()
    if (KERNEL_TYPES.has(type)) return kernel
    // Unlike attributes, free space is never told from the kernel's memory.
    return createForeignDevice(() => statfs(place), { inFlight, maxCalls: MAX_DEVICE_CALLS })
  }
  const mountTable = (): MountTable | null => {
    if (performance.now() - readAtMs < MOUNTS_MS) return table
    const mounts = readMounts()
    readAtMs = performance.now()
    if (!mounts) {
      table = null
      return null
    }
    const devices = new Map<string, Device>()
    let hasForeign = false
    for (const [place, mount] of mounts) {
      const id = `${mount.device} ${mount.type}`
      const device = devices.get(id) ?? table?.devices.get(id) ?? makeDevice(mount, place)
      devices.set(id, device)
      hasForeign ||= device.kind === 'foreign' && !isKernelPlace(place)
    }
    table = { mounts, devices, hasForeign }
    return table
  }

  const of = (realPath: string): Device => {
    const known = mountTable()
    if (!known) return unknown
    for (let place = realPath; ; place = dirname(place)) {
      const mount = known.mounts.get(place)
      if (mount) return known.devices.get(`${mount.device} ${mount.type}`) ?? unknown
      if (place === sep || place === '.') return unknown
    }
  }
  const isNear = (path: string) => (near.get(path) ?? 0) > performance.now() && of(path).isDirect
  const isKnownMount = (path: string) => mountTable()?.mounts.has(path) ?? null
  const isMountPoint = (path: string) => isKnownMount(path) ?? true
  const mountedIn = (realFolder: string) => {
    const mounted = new Map<string, Device>()
    for (const place of mountTable()?.mounts.keys() ?? [])
      if (place !== realFolder && dirname(place) === realFolder)
        mounted.set(basename(place), of(place))
    return mounted
  }
  const isBesideWritten = (path: string) =>
    (written.get(dirname(path)) ?? 0) > performance.now() && !isMountPoint(path)
  const remember = (...paths: string[]) => {
    if (near.size >= MAX_NEAR) {
      near.clear()
      missing.clear()
    }
    const untilMs = performance.now() + NEAR_MS
    for (const path of paths) near.set(path, untilMs)
  }

  // Part by part, so that a link on a local disk that leads to a silent one is not followed by a call
  // that nobody can give up.
  const resolveByParts = async (path: string): Promise<string> => {
    let parts = path.split(sep).filter(Boolean)
    let real = ''
    for (let hops = 0; parts.length > 0; ) {
      const here = `${real}${sep}${parts[0]}`
      parts = parts.slice(1)
      const device = of(here)
      // On one disk the system is quicker.
      if (device.kind === 'foreign') return device.query(() => realpath([here, ...parts].join(sep)))
      const target = isNear(here)
        ? device.direct(() => linkTargetNow(here))
        : await linkTarget(here)
      if (target === null) {
        real = here
        continue
      }
      if (++hops > MAX_LINK_HOPS)
        throw Object.assign(new Error(`ELOOP: too many links, ${path}`), { code: 'ELOOP' })
      const led = resolve(real || sep, target)
      parts = [...led.split(sep).filter(Boolean), ...parts]
      real = ''
    }
    return real || sep
  }

  return {
    of,
    isMountPoint,
    isKnownMount,
    mountedIn,
    isNear,
    realpath: async (path) => {
      if (isNear(path)) return of(path).direct(() => realpathSync.native(path))
      const known = mountTable()
      const real = await (known === null
        ? unknown.query(() => realpath(path))
        : known.hasForeign
          ? resolveByParts(path)
          : realpath(path))
      const device = of(real)
      if (!device.isDirect) return real
      const folder = dirname(real)
      // A folder may be on another disk than what is mounted in it.
      if (of(folder) === device) remember(real, folder)
      else remember(real)
      return real
    },
    lstat: async (path) => {
      if (isNear(path)) return of(path).direct(() => lstatSync(path, { bigint: true }))
      return of(path).query(() => lstat(path, { bigint: true }))
    },
    lstatIfThere: async (path) => {
      const device = of(path)
      const isDirect = isNear(path) || (device.isDirect && isBesideWritten(path))
      const found = isDirect
        ? device.direct(() => lstatSync(path, { throwIfNoEntry: false }))
        : await device.query(() => lstatInPool(path))
      if (found) return found
      if (isNear(dirname(path))) {
        remember(path)
        missing.add(path)
      }
      return null
    },
    isStillMissing: (path) =>
      missing.has(path) && isNear(path) && !lstatSync(path, { throwIfNoEntry: false }),
    noteWritten: (realFolder) => {
      if (written.size >= MAX_WRITTEN) written.clear()
      written.set(realFolder, performance.now() + NEAR_MS)
    },
  }
}

// Null where nobody can tell, as in a chroot without /proc.
function readMounts(): Map<string, Mount> | null {
  if (process.platform !== 'linux') return null
  try {
    return mountsOf(readFileSync(MOUNT_LIST))
  } catch (error) {
    if (errnoOf(error) === '') throw error
    return null
  }
}

function isKernelPlace(place: string): boolean {
  return place.startsWith('/proc/') || place.startsWith('/sys/')
}

function maxForeignCalls(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
  return Math.max(1, Math.min(MAX_FOREIGN_CALLS, threads - 2))
}

async function lstatInPool(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    return null
  }
}

function linkTargetNow(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (errnoOf(error) === 'EINVAL') return null
    throw error
  }
}

// Null for what is no link.
async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch (error) {
    if (errnoOf(error) === 'EINVAL') return null
    throw error
  }
}
