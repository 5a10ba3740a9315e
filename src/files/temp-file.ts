// Writing so that what was there stays until the new content is whole: a hidden sibling is
// written, synced and moved into place. An abandoned sibling is removed by its owner or, after a
// crash, by sweepTemps.
import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, fchown, fsync, ftruncate } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf } from '../errors.ts'
import { atOnce, type DiskCalls, inPool } from './disk-calls.ts'
import { permissionBits } from './file-mode.ts'
import { moveFileToFreeName } from './free-name.ts'
import { checkFreeSpace } from './free-space.ts'

const sync = promisify(fsync)
const changeOwner = promisify(fchown)
const cut = promisify(ftruncate)

/** Names with this prefix are ours: never listed, never served. Fixed length, see openTemp. */
export const TEMP_PREFIX = '.fb-tmp-'

export interface TempFile {
  /** Open for reading and writing until commit, discard or release. */
  readonly fd: number
  /** On a local disk whose folder was looked at just now. */
  readonly near: boolean
  /** Bytes may also be written through this host path; it is valid until commit or discard. */
  readonly hostPath: string
  sizeBytes(): Promise<number>
  /** Throws `no_space` unless a file of this size fits on the disk of this one. */
  requireSpace(sizeBytes: number): Promise<void>
  /** Cuts off what is past `sizeBytes`. */
  truncate(sizeBytes: number): Promise<void>
  /** Permission bits only. */
  setMode(mode: number): Promise<void>
  /**
   * Syncs and moves the file into place. With `replace: false` an existing target is `exists` and
   * the temp file stays; with `replace: true` the permission bits and, where allowed, the owner of
   * the old file carry over; setuid, setgid and sticky were given to other content. `check` is called last; when it throws nothing is moved.
   */
  commit(options: CommitOptions): Promise<CommittedFile>
  /** Closes and removes it. Does nothing after a commit. */
  discard(): Promise<void>
  /** Closes it and leaves it on disk, to be gone on with later. */
  release(): Promise<void>
}

export interface CommitOptions {
  replace: boolean
  mtimeMs?: number | undefined
  check?: (() => Promise<void>) | undefined
}

export interface CommittedFile {
  sizeBytes: number
  mtimeNs: bigint
}

/** A folder held open; `close` is called by the temp file when it is done. */
export interface HeldFolder {
  ref: string
  close(): Promise<void>
}

/** An old file of more than this is replaced in the pool: freeing its blocks takes its time. */
const SMALL_BYTES = 1024 * 1024

/**
 * Creates the sibling of `name` in a held folder, or opens the one left there under `resume`, and
 * takes over closing that folder. `label` names a new one that is to be found again; it is empty
 * also where one of that name was left. With `near` (see TempFile) the pool is spared.
 */
export async function openTemp(
  folder: HeldFolder,
  name: string,
  options: {
    fileMode: number
    near: boolean
    label?: string | undefined
    resume?: string | undefined
  },
): Promise<TempFile> {
  // The name does not depend on the target's, which may already have the longest allowed length.
  const own = options.resume ?? TEMP_PREFIX + (options.label ?? randomUUID())
  const hostPath = join(folder.ref, own)
  const target = join(folder.ref, name)
  const calls = options.near ? atOnce : inPool
  const fd =
    options.resume === undefined
      ? await createEmpty(calls, hostPath, options.fileMode, options.label !== undefined)
      : await calls.open(hostPath, READ_WRITE)
  let done = false

  const finish = async (by: DiskCalls) => {
    done = true
    try {
      await by.close(fd)
    } finally {
      await folder.close()
    }
  }
  return {
    fd,
    near: options.near,
    hostPath,
    sizeBytes: async () => Number((await calls.fstat(fd)).size),
    requireSpace: (sizeBytes) => checkFreeSpace(folder.ref, sizeBytes, options.near),
    truncate: (sizeBytes) => cut(fd, sizeBytes),
    setMode: (mode) => calls.fchmod(fd, permissionBits(mode)),
    commit: async ({ replace, mtimeMs, check }) => {
      await sync(fd)
      const old = replace ? await calls.lstat(target) : null
      if (old?.isDirectory())
        throw new AppError('is_a_folder', 'a folder cannot be replaced by a file')
      if (old?.isFile()) await carryOver(old, fd, calls)
      await check?.()
      if (!replace) await moveFileToFreeName(hostPath, target, calls)
      else await (old && old.size > SMALL_BYTES ? inPool : calls).rename(hostPath, target)
      // Not before: a file that could not be moved would look abandoned for long, and be swept.
      if (mtimeMs !== undefined) await setTime(fd, mtimeMs, calls)
      const { size, mtimeNs } = await calls.fstat(fd)
      await finish(calls)
      return { sizeBytes: Number(size), mtimeNs }
    },
    release: async () => {
      if (!done) await finish(calls)
    },
    discard: async () => {
      if (done) return
      try {
        await inPool.unlink(hostPath)
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error
      } finally {
        // The last one to let go of a file waits until its blocks are free.
        await finish(inPool)
      }
    },
  }
}

const READ_WRITE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

async function createEmpty(
  calls: DiskCalls,
  hostPath: string,
  fileMode: number,
  mayBeThere: boolean,
): Promise<number> {
  const flags = READ_WRITE | constants.O_CREAT
  const mode = permissionBits(fileMode)
  try {
    return await calls.open(hostPath, flags | constants.O_EXCL, mode)
  } catch (error) {
    if (!mayBeThere || errnoOf(error) !== 'EEXIST') throw error
    return inPool.open(hostPath, flags | constants.O_TRUNC, mode)
  }
}

/** The file is in place: where times cannot be set (network disks), it keeps the time of its end. */
async function setTime(fd: number, mtimeMs: number, calls: DiskCalls): Promise<void> {
  try {
    await calls.futimes(fd, new Date(), mtimeMs / 1000)
  } catch (error) {
    if (!['EPERM', 'EACCES', 'ENOSYS', 'ENOTSUP'].includes(errnoOf(error))) throw error
  }
}

async function carryOver(old: BigIntStats, fd: number, calls: DiskCalls): Promise<void> {
  const own = await calls.fstat(fd)
  if (old.uid !== own.uid || old.gid !== own.gid) {
    // Only root may give files away; without that right the writer becomes the owner.
    await changeOwner(fd, Number(old.uid), Number(old.gid)).catch((error) => {
      if (!['EPERM', 'EACCES', 'ENOSYS', 'EINVAL'].includes(errnoOf(error))) throw error
    })
  }
  await calls.fchmod(fd, permissionBits(Number(old.mode))).catch((error) => {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP'].includes(errnoOf(error))) throw error
  })
}
