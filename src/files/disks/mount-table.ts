// The list of mounts, and a device for each file system in it.
import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { errnoOf } from '../../lib/errors.ts'
import { MOUNT_LIST, type Mount, mountsOf } from '../../lib/mount-points.ts'
import {
  createForeignDevice,
  createKernelDevice,
  createLocalDevice,
  type Device,
  type InFlight,
} from './device.ts'

/** File systems on this machine's own disks, by their names in the list of mounts. */
const LOCAL_TYPES = new Set(
  (
    'ext2 ext3 ext4 xfs btrfs bcachefs zfs f2fs overlay jfs vfat msdos exfat ntfs3 ' +
    'squashfs erofs'
  ).split(' '),
)
/** Those that write past the kernel's memory what they would write anyway; btrfs leaves it uncompressed then. */
const PAGE_TYPES = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'f2fs'])
const MEMORY_TYPES = new Set(['tmpfs', 'ramfs'])
/** What the kernel makes up answers always. */
const KERNEL_TYPES = new Set(
  (
    'proc sysfs devtmpfs devpts cgroup cgroup2 mqueue securityfs debugfs tracefs ' +
    'configfs bpf pstore hugetlbfs fusectl efivarfs nsfs'
  ).split(' '),
)
const MAX_DEVICE_CALLS = 6
/**
 * How long the list of mounts is taken to be true: reading it takes some 0.1 ms. A disk that is mounted and
 * falls silent within that time is taken for the one around it: Node cannot poll the list for changes.
 */
export const MOUNTS_MS = 50

interface MountTable {
  mounts: Map<string, Mount>
  devices: Map<string, Device>
  /** Of folders that were asked for. */
  found: Map<string, Device>
  /** Something is mounted that may stop answering. */
  hasForeign: boolean
}

/** Returns the table as it is now, read anew when `isFresh`; null where nobody can tell, as in a chroot without /proc. */
export function createMountTable(inFlight: InFlight): (isFresh?: boolean) => MountTable | null {
  const kernel = createKernelDevice()
  let list: Buffer | null = null
  let table: MountTable | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  const makeDevice = ({ type }: Mount, place: string): Device => {
    if (LOCAL_TYPES.has(type)) return createLocalDevice({ takesPages: PAGE_TYPES.has(type) })
    if (MEMORY_TYPES.has(type)) return createLocalDevice({ isMemory: true })
    if (KERNEL_TYPES.has(type)) return kernel
    // Unlike attributes, free space is never told from the kernel's memory.
    return createForeignDevice(() => statfs(place), { inFlight, maxCalls: MAX_DEVICE_CALLS })
  }
  const tableOf = (mounts: Map<string, Mount>): MountTable => {
    const devices = new Map<string, Device>()
    let hasForeign = false
    for (const [place, mount] of mounts) {
      const id = deviceId(mount)
      const device = devices.get(id) ?? table?.devices.get(id) ?? makeDevice(mount, place)
      devices.set(id, device)
      hasForeign ||= device.kind === 'foreign' && !isKernelPlace(place)
    }
    return { mounts, devices, found: new Map(), hasForeign }
  }
  return (isFresh = false) => {
    if (!isFresh && performance.now() - readAtMs < MOUNTS_MS) return table
    const read = readList()
    readAtMs = performance.now()
    if (!read) table = null
    else if (!table || !list?.equals(read)) table = tableOf(mountsOf(read))
    list = read
    return table
  }
}

/** The key of a mount's device in the table. */
export function deviceId({ device, type }: Mount): string {
  return `${device} ${type}`
}

function readList(): Buffer | null {
  if (process.platform !== 'linux') return null
  try {
    return readFileSync(MOUNT_LIST)
  } catch (error) {
    if (errnoOf(error) === '') throw error
    return null
  }
}

function isKernelPlace(place: string): boolean {
  return place.startsWith('/proc/') || place.startsWith('/sys/')
}
