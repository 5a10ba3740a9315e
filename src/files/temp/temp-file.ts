// Writing so that what was there stays until the new content is whole: a hidden sibling is
// written, synced and moved into place. Where no sibling can be made, or nothing be moved over the
// old file, the new content is written into it when it is whole, see transfer/in-place.ts. An abandoned
// temporary file is removed by its owner or, after a crash, by transfer/temp-registry.ts.
import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, fchown, ftruncate } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf } from '../../lib/errors.ts'
import type { Device } from '../disks/device.ts'
import { atOnce, type DiskCalls, poolCalls } from '../disks/disk-calls.ts'
import { permissionBits } from '../volume/file-mode.ts'
import { moveFileToFreeName } from '../volume/free-name.ts'
import { requireFree, spaceAt } from '../volume/free-space.ts'
import { CANNOT_CREATE, CANNOT_REPLACE, writeInPlace } from './in-place.ts'
import { TEMP_PREFIX } from './temp-name.ts'
import type { TempFacts, TempNotes } from './temp-registry.ts'

const changeOwner = promisify(fchown)
const cut = promisify(ftruncate)

export interface TempFile {
  /** Open for reading and writing until commit, discard or release. */
  readonly fd: number
  /** Its disk is local and fast: calls are made on the event loop. */
  readonly isDirect: boolean
  /** Bytes are written by its `run`, unless at once. */
  readonly device: Device
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
   * Syncs the file, moves it into place and syncs the folder. With `replace: false` an existing target is `exists` and
   * the temp file stays; with `replace: true` the permission bits and, where allowed, the owner of
   * the old file carry over; setuid, setgid and sticky were given to other content. `check` is called last; when it throws nothing is moved.
   */
  commit(options: CommitOptions): Promise<CommittedFile>
  /**
   * Closes and removes it. Does nothing after a commit, and only closes it when it alone has all of the
   * content that was being written in place.
   */
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

/** An open folder; `close` is called by the temp file when it is done. */
export interface TempFolder {
  ref: string
  device: Device
  close(): Promise<void>
}

/** An old file of more than this is replaced in the pool: freeing its blocks takes its time. */
const SMALL_BYTES = 1024 * 1024

export interface OpenTempOptions {
  fileMode: number
  /** See TempFile: the pool is spared. */
  isDirect: boolean
  /** Names a new one that is to be found again. */
  label?: string | undefined
  /** The name of one that was left: it is opened instead of a new one. */
  resume?: string | undefined
  /** Told of the file as long as it is there; `folder` is the real path of the open folder. */
  noted?: { in: TempNotes; folder: string; facts?: TempFacts | undefined } | undefined
  /** False when the caller syncs the folder after many files. */
  syncsFolder?: boolean
}

/**
 * Creates the sibling of `name` in an open folder, or opens the one left there under `resume`, and
 * takes over closing that folder. One that is made with a `label` is empty also where one of that name
 * was left. Where the folder takes no new names but has the file, the temporary one is made in the
 * staging folder of `noted`.
 */
export async function openTemp(
  folder: TempFolder,
  name: string,
  options: OpenTempOptions,
): Promise<TempFile> {
  const { isDirect, resume, label, noted, syncsFolder = true } = options
  // The name does not depend on the target's, which may already have the longest allowed length.
  const given = resume ?? (label === undefined ? undefined : TEMP_PREFIX + label)
  const own = given ?? noted?.in.takeSpare(noted.folder) ?? TEMP_PREFIX + randomUUID()
  const target = join(folder.ref, name)
  const { device } = folder
  const inPool = poolCalls(device)
  const calls = isDirect ? atOnce : inPool
  const { fd, hostPath, notedPath, isStaged } = await openIn(folder, name, own, options)
  let done = false
  let holdsAll = false
  let isMoved = false

  const finish = async (by: DiskCalls) => {
    done = true
    try {
      await by.close(fd)
    } finally {
      await folder.close()
    }
  }
  const remove = async () => {
    try {
      await inPool.unlink(hostPath)
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
    noted?.in.forget(notedPath)
  }
  const intoPlace = async (old: BigIntStats): Promise<number | null> => {
    const work = {
      source: { fd, path: noted ? notedPath : hostPath },
      target: { path: target, realPath: join(noted?.folder ?? folder.ref, name) },
      old,
      notes: noted?.in,
      onBegin: () => {
        holdsAll = true
      },
    }
    const written = await device.run(() => writeInPlace(work))
    if (written === null) return null
    holdsAll = false
    await remove()
    return written
  }
  const move = async (old: BigIntStats | null, replace: boolean): Promise<void> => {
    if (!replace) await moveFileToFreeName(hostPath, target, calls)
    else await (old && old.size > SMALL_BYTES ? inPool : calls).rename(hostPath, target)
    isMoved = true
    if (given === undefined) noted?.in.spare(notedPath)
    else noted?.in.forget(notedPath)
    if (syncsFolder) await device.syncFolder(folder.ref)
  }
  // The descriptor of what has the name now: of this file, or of the old one that was written.
  const settle = async (old: BigIntStats | null, replace: boolean): Promise<number> => {
    const isFile = old?.isFile() ?? false
    if (old && isFile && (isStaged || old.nlink > 1n)) {
      const written = await intoPlace(old)
      if (written !== null) return written
    }
    if (isStaged) throw new AppError('forbidden', 'the folder takes no new names')
    if (old && isFile) await carryOver(old, fd, calls, device)
    try {
      await move(old, replace)
      return fd
    } catch (error) {
      if (!old || !isFile || !CANNOT_REPLACE.includes(errnoOf(error))) throw error
      const written = await intoPlace(old)
      if (written === null) throw error
      return written
    }
  }
  return {
    fd,
    isDirect,
    device,
    hostPath,
    sizeBytes: async () => Number((await calls.fstat(fd)).size),
    requireSpace: async (sizeBytes) =>
      requireFree(await spaceAt(device, dirname(hostPath), isDirect), sizeBytes),
    truncate: (sizeBytes) => device.run(() => cut(fd, sizeBytes)),
    setMode: (mode) => calls.fchmod(fd, permissionBits(mode)),
    commit: async ({ replace, mtimeMs, check }) => {
      await device.syncFile(fd)
      const old = replace ? await calls.lstat(target) : null
      if (old?.isDirectory())
        throw new AppError('is_a_folder', 'a folder cannot be replaced by a file')
      await check?.()
      const placed = await settle(old, replace)
      try {
        // Not before: a file that could not be moved would look abandoned for long, and be swept.
        if (mtimeMs !== undefined) await setTime(placed, mtimeMs, calls)
        const { size, mtimeNs } = await calls.fstat(placed)
        return { sizeBytes: Number(size), mtimeNs }
      } finally {
        if (placed !== fd) await calls.close(placed)
        await finish(calls)
      }
    },
    release: async () => {
      if (!done) await finish(calls)
    },
    discard: async () => {
      if (done) return
      try {
        // Once it is moved the name may be another file's.
        if (!holdsAll && !isMoved) await remove()
      } finally {
        // The last one to let go of a file waits until its blocks are free.
        await finish(inPool)
      }
    },
  }
}

interface Opened {
  fd: number
  hostPath: string
  notedPath: string
  isStaged: boolean
}

async function openIn(
  folder: TempFolder,
  name: string,
  own: string,
  { fileMode, isDirect, label, resume, noted }: OpenTempOptions,
): Promise<Opened> {
  const inPool = poolCalls(folder.device)
  const calls = isDirect ? atOnce : inPool
  const open = async (at: string, notedIn: string, isStaged: boolean): Promise<Opened> => {
    const hostPath = join(at, own)
    const notedPath = join(notedIn, own)
    if (resume !== undefined)
      return { fd: await calls.open(hostPath, READ_WRITE), hostPath, notedPath, isStaged }
    noted?.in.note(notedPath, noted.facts)
    try {
      const fd = await createEmpty(calls, inPool, hostPath, { fileMode, label })
      return { fd, hostPath, notedPath, isStaged }
    } catch (error) {
      noted?.in.forget(notedPath)
      throw error
    }
  }
  try {
    return await open(folder.ref, noted?.folder ?? folder.ref, false)
  } catch (error) {
    const isRefused = [...CANNOT_CREATE, ...(resume ? ['ENOENT'] : [])].includes(errnoOf(error))
    if (!noted || !isRefused) throw error
    const { stagingFolder } = noted.in
    if (resume === undefined) {
      if (!(await calls.lstat(join(folder.ref, name)))?.isFile()) throw error
      await mkdir(stagingFolder, { recursive: true, mode: 0o700 })
    }
    return open(stagingFolder, stagingFolder, true)
  }
}

const READ_WRITE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

async function createEmpty(
  calls: DiskCalls,
  inPool: DiskCalls,
  hostPath: string,
  { fileMode, label }: { fileMode: number; label?: string | undefined },
): Promise<number> {
  const flags = READ_WRITE | constants.O_CREAT
  const mode = permissionBits(fileMode)
  try {
    return await calls.open(hostPath, flags | constants.O_EXCL, mode)
  } catch (error) {
    if (label === undefined || errnoOf(error) !== 'EEXIST') throw error
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

async function carryOver(
  old: BigIntStats,
  fd: number,
  calls: DiskCalls,
  device: Device,
): Promise<void> {
  const own = await calls.fstat(fd)
  if (old.uid !== own.uid || old.gid !== own.gid) {
    // Only root may give files away; without that right the writer becomes the owner.
    const give = () => changeOwner(fd, Number(old.uid), Number(old.gid))
    await device.run(give).catch((error) => {
      if (!['EPERM', 'EACCES', 'ENOSYS', 'EINVAL'].includes(errnoOf(error))) throw error
    })
  }
  await calls.fchmod(fd, permissionBits(Number(old.mode))).catch((error) => {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP'].includes(errnoOf(error))) throw error
  })
}
