// Writing so that what was there stays until the new content is whole: a hidden sibling is written, synced and moved into
// place. Where no sibling can be made, or nothing be moved over the old file, the new content is written into it when it
// is whole, see in-place.ts. An abandoned temporary file is removed by its owner or, after a crash, by temp-registry.ts.
import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, ftruncate } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf, unless } from '../../lib/errors.ts'
import { type ContentSum, createContentSum, DIRECT_BYTES } from '../disks/content-sum.ts'
import { atOnce, type DiskCalls, poolCalls, setFileTime } from '../disks/disk-calls.ts'
import { requireFree, spaceAt } from '../disks/free-space.ts'
import type { PageBuffers } from '../disks/page-buffers.ts'
import { openPastCache, type PastCache } from '../disks/past-cache.ts'
import { writeFully } from '../disks/write-fully.ts'
import { carryOver } from './carry-over.ts'
import { isCloned } from './clone.ts'
import { permissionBits } from './file-mode.ts'
import { moveFileToFreeName } from './free-name.ts'
import { CANNOT_CREATE, CANNOT_REPLACE, writeInPlace } from './in-place.ts'
import { deviceIn, type OpenFolder } from './open-folder.ts'
import { readInto } from './read-handle.ts'
import { hasSameContent } from './same-content.ts'
import { TEMP_PREFIX } from './temp-name.ts'
import type { TempFacts, TempNotes } from './temp-registry.ts'

const cut = promisify(ftruncate)

export interface TempFile {
  /** Its real path; the last part of it opens it again. */
  readonly path: string
  /** Waits until what was written outlives a power cut. */
  sync(): Promise<void>
  /** Writes all bytes from `position` on. */
  write(buffers: readonly Uint8Array[], position: number, options: WriteOptions): Promise<void>
  /** For writes past the kernel's memory, see past-cache.ts; null where there are none. */
  readonly pages: PageBuffers | null
  /** Fills the buffer from `position` on, with less at the end of the file alone; gives how many bytes. */
  read(into: Buffer, position: number): Promise<number>
  /** Shares all blocks of an open file of this size, where the disk can; false where it cannot. */
  cloneFrom(fd: number, sizeBytes: number): Promise<boolean>
  sizeBytes(): Promise<number>
  /** Throws `no_space` unless a file of this size fits on the disk of this one. */
  requireSpace(sizeBytes: number): Promise<void>
  /** Cuts off what is past `sizeBytes`. */
  truncate(sizeBytes: number): Promise<void>
  /** Permission bits only. */
  setMode(mode: number): Promise<void>
  /** So that it never has its name without its time. With an old one it is swept soon unless it is moved now. */
  setTime(mtimeMs: number): Promise<void>
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

interface WriteOptions {
  /** Without the pool where that is quick, for few bytes. */
  direct: boolean
  /** Past the kernel's memory, where `pages` gave the buffers. */
  isPastCache?: boolean
}

interface CommitOptions {
  replace: boolean
  mtimeMs?: number | undefined
  check?: (() => Promise<void>) | undefined
  /**
   * Asked right before a file is replaced by other content: by another file, so that the old one stays whole by any
   * further name of it, or, with `inPlace`, by being written. When it throws nothing has changed.
   */
  keepOld?: ((how: { inPlace: boolean }) => Promise<KeptOld | null>) | undefined
}

/** Where the content of a replaced file is kept. */
export interface KeptOld {
  id: string
  /** Takes it back: the file was not replaced. */
  drop(): Promise<void>
}

export interface CommittedFile {
  sizeBytes: number
  mtimeNs: bigint
  ino: bigint
  /** A file was there before. */
  hasReplaced: boolean
  /** Id of the version that the replaced file became; null without one. */
  version: string | null
}

/** An old file of more than this is replaced in the pool: freeing its blocks takes its time. */
const SMALL_BYTES = 1024 * 1024

export interface OpenTempOptions {
  fileMode: number
  /** Id of the account that writes; null for nobody's. */
  owner?: number | null
  /** Names a new one that is to be found again. */
  label?: string | undefined
  /** The name of one that was left: it is opened instead of a new one. */
  resume?: string | undefined
  /** What is to be known of a new one after a restart. */
  facts?: TempFacts | undefined
  /** False when the caller syncs the folder after many files. */
  syncsFolder?: boolean
  /** True where `keepOld` will be asked at its commit. */
  keepsOld?: boolean
}

/** A file that is being written: what it is, and how far it has come. */
interface Temp extends Opened {
  readonly folder: OpenFolder
  /** The name that it is to get. */
  readonly name: string
  /** Calls that wait for no disk are made on the event loop. */
  readonly isDirect: boolean
  readonly calls: DiskCalls
  readonly inPool: DiskCalls
  readonly notes: TempNotes | undefined
  /** Once it is in place, its temporary name is free for the next file. */
  readonly isSpare: boolean
  readonly syncsFolder: boolean
  /** Of what was written to it. */
  readonly sum: ContentSum
  /** `onlyCopy`: nothing else has all of the content that is being written in place. */
  state: 'open' | 'moved' | 'onlyCopy' | 'closed'
  pastCache?: Promise<PastCache>
}

/**
 * Creates the sibling of `name` in an open folder, or opens the one left there under `resume`, and
 * takes over closing that folder, also when it fails. One that is made with a `label` is empty also where one of that name
 * was left. Where the folder takes no new names but has the file, the temporary one is made in the
 * staging folder of `notes`, which are told of it as long as it is there.
 */
export async function openTemp(
  folder: OpenFolder,
  name: string,
  options: OpenTempOptions,
  notes?: TempNotes,
): Promise<TempFile> {
  const { resume, label, syncsFolder = true, keepsOld = false } = options
  const sum = createContentSum(keepsOld && resume === undefined)
  const { device } = folder
  // The name does not depend on the target's, which may already have the longest allowed length.
  const given = resume ?? (label === undefined ? undefined : TEMP_PREFIX + label)
  const own = given ?? notes?.takeSpare(folder.realDir) ?? TEMP_PREFIX + randomUUID()
  const isDirect = device.isDirect && deviceIn(folder, name).isDirect
  const inPool = poolCalls(device)
  const calls = isDirect ? atOnce : inPool
  const base = { folder, name, isDirect, calls, inPool, notes, syncsFolder }
  const opened = await openIn(base, own, options).catch(async (error) => {
    await folder.close()
    throw error
  })
  const temp: Temp = { ...base, ...opened, isSpare: given === undefined, sum, state: 'open' }
  const { fd, hostPath, notedPath } = temp
  return {
    path: notedPath,
    sync: () => device.run(() => device.syncFile(fd)),
    pages: device.pages,
    write: (buffers, position, { direct, isPastCache = false }) => {
      if (keepsOld) sum.add(buffers, position)
      if (!isPastCache) return writeFully(fd, device, buffers, position, direct && isDirect)
      temp.pastCache ??= openPastCache(fd, device)
      return temp.pastCache.then((past) => past.write(buffers, position))
    },
    read: (into, position) => readInto(fd, device, into, position),
    cloneFrom: (from) => {
      // What it holds was never seen.
      sum.add([], -1)
      return isCloned(device, from, fd)
    },
    sizeBytes: async () => Number((await calls.fstat(fd)).size),
    requireSpace: async (sizeBytes) => {
      const hereBytes = Number((await calls.fstat(fd)).size)
      requireFree(await spaceAt(device, dirname(hostPath), isDirect), sizeBytes - hereBytes)
    },
    truncate: (sizeBytes) => {
      // From here on it is not what was written one after the other.
      sum.add([], -1)
      return device.run(() => cut(fd, sizeBytes))
    },
    setMode: (mode) => calls.fchmod(fd, permissionBits(mode)),
    setTime: (mtimeMs) => setFileTime(fd, mtimeMs, calls),
    commit: (how) => commit(temp, how),
    release: async () => {
      if (temp.state !== 'closed') await close(temp, calls)
    },
    discard: () => discard(temp),
  }
}

interface Opened {
  fd: number
  hostPath: string
  /** Its real path. */
  notedPath: string
  /** It is in the staging folder. */
  isStaged: boolean
}

async function openIn(
  {
    folder,
    name,
    calls,
    inPool,
    notes,
  }: Pick<Temp, 'folder' | 'name' | 'calls' | 'inPool' | 'notes'>,
  own: string,
  { fileMode, label, resume, facts }: OpenTempOptions,
): Promise<Opened> {
  const open = async (at: string, notedIn: string, isStaged: boolean): Promise<Opened> => {
    const hostPath = join(at, own)
    const notedPath = join(notedIn, own)
    if (resume !== undefined)
      return { fd: await calls.open(hostPath, READ_WRITE), hostPath, notedPath, isStaged }
    notes?.note(notedPath, facts)
    try {
      const fd = await createEmpty(calls, inPool, hostPath, { fileMode, label })
      return { fd, hostPath, notedPath, isStaged }
    } catch (error) {
      notes?.forget(notedPath)
      throw error
    }
  }
  try {
    return await open(folder.ref, folder.realDir, false)
  } catch (error) {
    const isRefused = [...CANNOT_CREATE, ...(resume ? ['ENOENT'] : [])].includes(errnoOf(error))
    if (!notes || !isRefused) throw error
    const { stagingFolder } = notes
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

async function commit(
  temp: Temp,
  { replace, mtimeMs, check, keepOld }: CommitOptions,
): Promise<CommittedFile> {
  const { folder, name, fd, calls, isDirect, syncsFolder, sum } = temp
  await folder.device.syncFile(fd)
  const old = replace ? await calls.lstat(join(folder.ref, name)) : null
  if (old?.isDirectory()) throw new AppError('is_a_folder', 'a folder cannot be replaced by a file')
  await check?.()
  const { placed, version } = await settle(temp, old, replace, keepOld)
  try {
    // After the move: with an old time, a file that could not be moved would be swept as abandoned.
    if (mtimeMs !== undefined) await setFileTime(placed, mtimeMs, calls)
    const { size, mtimeNs, ino } = await calls.fstat(placed)
    if (isDirect && syncsFolder) folder.disks.noteSynced(folder.realDir)
    // It is in the memory of the kernel as well, for who replaces it again.
    if (keepOld && size <= DIRECT_BYTES) folder.device.noteRead(ino)
    const written = keepOld ? sum.of(size) : null
    if (written !== null) folder.device.noteSum(ino, mtimeNs, written)
    return { sizeBytes: Number(size), mtimeNs, ino, hasReplaced: old !== null, version }
  } finally {
    if (placed !== fd) await calls.close(placed)
    await close(temp, calls)
  }
}

/** `placed` is the descriptor of what has the name now: of this file, or of the old one that was written. */
async function settle(
  temp: Temp,
  old: BigIntStats | null,
  replace: boolean,
  keepOld: CommitOptions['keepOld'],
): Promise<{ placed: number; version: string | null }> {
  const { isStaged, fd, calls } = temp
  const file = old?.isFile() ? old : null
  const own = file && (await calls.fstat(fd))
  const isKept = own && keepOld && !(await hasSameContent(temp, file, own))
  const keep = async (inPlace: boolean) => (isKept ? await keepOld({ inPlace }) : null)
  const write = async (file: BigIntStats) => {
    const kept = await keep(true)
    // Once it has begun, nothing else has the old content.
    const drop = () => (temp.state === 'onlyCopy' ? undefined : kept?.drop())
    try {
      const placed = await intoPlace(temp, file)
      if (placed !== null) return { placed, version: kept?.id ?? null }
    } catch (error) {
      await drop()
      throw error
    }
    await drop()
    return null
  }
  if (file && (isStaged || file.nlink > 1n)) {
    const written = await write(file)
    if (written) return written
  }
  if (isStaged) throw new AppError('forbidden', 'the folder takes no new names')
  if (own) await carryOver(temp, file, own)
  const kept = await keep(false)
  try {
    await move(temp, old, replace)
    return { placed: fd, version: kept?.id ?? null }
  } catch (error) {
    if (temp.state !== 'moved') await kept?.drop()
    if (!file || !CANNOT_REPLACE.includes(errnoOf(error))) throw error
    const written = await write(file)
    if (!written) throw error
    return written
  }
}

async function move(temp: Temp, old: BigIntStats | null, replace: boolean): Promise<void> {
  const { folder, name, hostPath, notedPath, calls, inPool, notes } = temp
  const target = join(folder.ref, name)
  if (!replace) await moveFileToFreeName(hostPath, target, calls)
  else await (old && old.size > SMALL_BYTES ? inPool : calls).rename(hostPath, target)
  temp.state = 'moved'
  if (temp.isSpare) notes?.spare(notedPath)
  else notes?.forget(notedPath)
  if (temp.syncsFolder) await folder.device.syncFolder(folder.ref)
}

async function intoPlace(temp: Temp, old: BigIntStats): Promise<number | null> {
  const { folder, name, fd, notedPath, notes } = temp
  const work = {
    source: { fd, path: notedPath },
    target: { path: join(folder.ref, name), realPath: join(folder.realDir, name) },
    old,
    notes,
    onBegin: () => {
      temp.state = 'onlyCopy'
    },
  }
  const written = await folder.device.run(() => writeInPlace(work))
  if (written === null) return null
  temp.state = 'open'
  await remove(temp)
  return written
}

async function discard(temp: Temp): Promise<void> {
  if (temp.state === 'closed') return
  try {
    // Once it is moved the name may be another file's.
    if (temp.state === 'open') await remove(temp)
  } finally {
    // In the pool, since closing a removed file waits until its blocks are free.
    await close(temp, temp.inPool)
  }
}

async function remove({ inPool, hostPath, notedPath, notes }: Temp): Promise<void> {
  await inPool.unlink(hostPath).catch(unless('ENOENT'))
  notes?.forget(notedPath)
}

async function close(temp: Temp, by: DiskCalls): Promise<void> {
  temp.state = 'closed'
  try {
    await (await temp.pastCache)?.close()
    await by.close(temp.fd)
  } finally {
    await temp.folder.close()
  }
}
