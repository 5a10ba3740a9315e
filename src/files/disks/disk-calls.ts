// The calls that writing a file takes, by two ways: at once on a local disk that was asked for the folder
// just now (see disks.ts), and otherwise through the thread pool, whose way there and back costs ten times as much as such a call. What may wait for a disk even then has no
// place here: bytes, syncing, and giving the blocks of a file free.
import {
  type BigIntStats,
  chmod,
  chmodSync,
  close,
  closeSync,
  fchmod,
  fchmodSync,
  fstat,
  fstatSync,
  futimes,
  futimesSync,
  link,
  linkSync,
  lstat,
  lstatSync,
  open,
  openSync,
  rename,
  renameSync,
  unlink,
  unlinkSync,
  utimes,
  utimesSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { unless } from '../../lib/errors.ts'
import type { Device } from './device.ts'

export interface DiskCalls {
  open(path: string | Buffer, flags: number, mode?: number): Promise<number>
  close(fd: number): Promise<void>
  fstat(fd: number): Promise<BigIntStats>
  fchmod(fd: number, mode: number): Promise<void>
  futimes(fd: number, atime: Date, mtimeSeconds: number): Promise<void>
  chmod(path: string, mode: number): Promise<void>
  utimes(path: string, atime: Date, mtimeSeconds: number): Promise<void>
  /** Null where nothing is. */
  lstat(path: string | Buffer): Promise<BigIntStats | null>
  link(existing: string, path: string): Promise<void>
  unlink(path: string | Buffer): Promise<void>
  rename(from: string, to: string): Promise<void>
}

const unlessMissing = unless('ENOENT')

const lstatInPool = promisify(lstat)
const fstatInPool = promisify(fstat)

/** The calls through the pool, as many at a time as the device may have. */
export function poolCalls(device: Device): DiskCalls {
  if (device.kind !== 'foreign') return inPool
  const closeLate = (fd: number) => void device.release(() => inPool.close(fd)).catch(() => {})
  return {
    open: (path, flags, mode) => device.query(() => inPool.open(path, flags, mode), closeLate),
    close: (fd) => device.release(() => inPool.close(fd)),
    fstat: (fd) => device.run(() => inPool.fstat(fd)),
    fchmod: (fd, mode) => device.run(() => inPool.fchmod(fd, mode)),
    futimes: (fd, atime, mtime) => device.run(() => inPool.futimes(fd, atime, mtime)),
    chmod: (path, mode) => device.run(() => inPool.chmod(path, mode)),
    utimes: (path, atime, mtime) => device.run(() => inPool.utimes(path, atime, mtime)),
    lstat: (path) => device.query(() => inPool.lstat(path)),
    link: (existing, path) => device.run(() => inPool.link(existing, path)),
    unlink: (path) => device.run(() => inPool.unlink(path)),
    rename: (from, to) => device.run(() => inPool.rename(from, to)),
  }
}

/** For what runs as a whole in a device's `run`. */
export const inPool: DiskCalls = {
  open: promisify(open),
  close: promisify(close),
  fstat: (fd) => fstatInPool(fd, { bigint: true }),
  fchmod: promisify(fchmod),
  futimes: promisify(futimes),
  chmod: promisify(chmod),
  utimes: promisify(utimes),
  lstat: (path) => lstatInPool(path, { bigint: true }).catch(unlessMissing),
  link: promisify(link),
  unlink: promisify(unlink),
  rename: promisify(rename),
}

export const atOnce: DiskCalls = {
  open: async (path, flags, mode) => openSync(path, flags, mode),
  close: async (fd) => closeSync(fd),
  fstat: async (fd) => fstatSync(fd, { bigint: true }),
  fchmod: async (fd, mode) => fchmodSync(fd, mode),
  futimes: async (fd, atime, mtimeSeconds) => futimesSync(fd, atime, mtimeSeconds),
  chmod: async (path, mode) => chmodSync(path, mode),
  utimes: async (path, atime, mtimeSeconds) => utimesSync(path, atime, mtimeSeconds),
  lstat: async (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null,
  link: async (existing, path) => linkSync(existing, path),
  unlink: async (path) => unlinkSync(path),
  rename: async (from, to) => renameSync(from, to),
}

/** Where times cannot be set (network disks), it keeps the time of its end. */
export async function setFileTime(fd: number, mtimeMs: number, calls: DiskCalls): Promise<void> {
  await calls
    .futimes(fd, new Date(), mtimeMs / 1000)
    .catch(unless('EPERM', 'EACCES', 'ENOSYS', 'ENOTSUP'))
}
