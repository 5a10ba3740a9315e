// Writing new content into a file that cannot be replaced: one that is a mount of its own, one in a
// folder that takes no new names, one with further names that are to stay names of it. The new content
// is complete in a temporary file first, and noted, so that after a crash or on a full disk there is
// the old content or a whole new one to go on with.
import { type BigIntStats, constants, fdatasync, fsync, ftruncate, read, write } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf, isFullDisk, unless } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { inPool, poolCalls } from '../disks/disk-calls.ts'
import type { Disks } from '../disks/disks.ts'
import type { TempFacts, TempNotes, TempRegistry } from './temp-registry.ts'

const readSome = promisify(read)
const writeSome = promisify(write)
const cut = promisify(ftruncate)
const sync = promisify(fsync)
const syncData = promisify(fdatasync)

const CHUNK_BYTES = 1024 * 1024
/** The temporary file is touched after so many bytes, which tells when the writing has ended. */
const TOUCH_BYTES = 64 * CHUNK_BYTES
/** A target that changed longer after the last touch was changed by somebody else. */
const TOUCH_TOLERANCE_MS = 60_000

const OPEN_TARGET = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ETXTBSY', 'ELOOP', 'ENOENT']

/** What moving a file over another fails with where the other can still be written. */
export const CANNOT_REPLACE = ['EBUSY', 'EACCES', 'EPERM', 'EROFS', 'EXDEV']
/** What making a file fails with in a folder that takes no new names. */
export const CANNOT_CREATE = ['EACCES', 'EPERM', 'EROFS']

interface InPlace {
  /** The temporary file with the new content, synced. */
  source: { fd: number; path: string }
  /** The file to write: by the reference to its folder, and its real path. */
  target: { path: string; realPath: string }
  /** The stats of the target just before. */
  old: BigIntStats
  notes?: TempNotes | undefined
  /** Called when from now on only `source` has the whole content. */
  onBegin: () => void
}

/**
 * Writes the content of `source` into `target` and syncs it; owner, mode and names of the target stay.
 * Gives the open target, or null when it may not be written. Without the room for what is longer than
 * the old content, or where it cannot be noted, nothing has changed (the system's error). After any later failure `source` has to be
 * kept: AppError `internal` or `no_space` says where it is.
 */
export async function writeInPlace(work: InPlace): Promise<number | null> {
  const { target, old, notes } = work
  const fd = await inPool.open(target.path, OPEN_TARGET).catch(unless(...NOT_WRITABLE))
  if (fd === null) return null
  try {
    const found = await inPool.fstat(fd)
    if (found.dev !== old.dev || found.ino !== old.ino)
      throw new AppError('forbidden', 'the file was replaced while it was saved')
    const write = () => overwrite(work, fd)
    await (notes ? notes.targets.withLock(`${found.dev}:${found.ino}`, write) : write())
    return fd
  } catch (error) {
    await inPool.close(fd)
    throw error
  }
}

async function overwrite({ source, target, notes, onBegin }: InPlace, fd: number): Promise<void> {
  const before = await inPool.fstat(fd)
  const { size } = await inPool.fstat(source.fd)
  await inPool.futimes(source.fd, new Date(), Date.now() / 1000)
  notes?.note(source.path, { writesTo: { path: target.realPath, ino: String(before.ino) } })
  try {
    await notes?.sync()
  } catch (error) {
    // After a crash nobody would know that only the temporary file is whole.
    notes?.note(source.path, { writesTo: undefined })
    throw error
  }
  await syncFolder(dirname(source.path))
  const [oldBytes, newBytes] = [Number(before.size), Number(size)]
  try {
    // What needs room comes first, while all of the old content is still there.
    await copyRange(source.fd, fd, oldBytes, newBytes)
    await syncData(fd)
  } catch (error) {
    await cut(fd, oldBytes)
    notes?.note(source.path, { writesTo: undefined })
    throw error
  }
  // A save that failed before must not be finished over this one, whose note is the newer one.
  if (notes)
    for (const path of await otherNotes(notes, source.path, {
      path: target.realPath,
      file: before,
    }))
      notes.note(path, { writesTo: undefined })
  await notes?.sync().catch(() => {})
  onBegin()
  try {
    await copyRange(source.fd, fd, 0, Math.min(oldBytes, newBytes))
    if (newBytes < oldBytes) await cut(fd, newBytes)
    await sync(fd)
  } catch (error) {
    const code = isFullDisk(error) ? 'no_space' : 'internal'
    const message = `${target.realPath} is written in part, all of its new content is in ${source.path}`
    throw new AppError(code, message, { cause: error })
  }
}

interface NotedFile {
  path: string
  file: Pick<BigIntStats, 'dev' | 'ino'>
}

/** The notes besides `own` of temporary files for this file, under any of its names, oldest first. */
async function otherNotes(notes: TempNotes, own: string, target: NotedFile): Promise<string[]> {
  const found: string[] = []
  for (const [path, { writesTo }] of [...notes.noted()]) {
    if (path === own || writesTo?.ino !== String(target.file.ino)) continue
    if (writesTo.path === target.path || (await isSameFile(writesTo.path, target.file)))
      found.push(path)
  }
  return found
}

async function isSameFile(path: string, { dev, ino }: NotedFile['file']): Promise<boolean> {
  const other = await inPool.lstat(path).catch(() => null)
  return other?.dev === dev && other.ino === ino
}

type Transfer<T> = (
  fd: number,
  buffer: Buffer,
  offset: number,
  bytes: number,
  position: number,
) => Promise<T>

interface CopyCalls {
  read: Transfer<{ bytesRead: number }>
  write: Transfer<{ bytesWritten: number }>
  futimes: typeof inPool.futimes
}

const COPY_IN_POOL: CopyCalls = { read: readSome, write: writeSome, futimes: inPool.futimes }

async function copyRange(
  from: number,
  to: number,
  start: number,
  end: number,
  { read, write, futimes }: CopyCalls = COPY_IN_POOL,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK_BYTES, end - start)))
  for (let at = start; at < end; ) {
    const wanted = Math.min(buffer.length, end - at)
    const { bytesRead } = await read(from, buffer, 0, wanted, at)
    if (bytesRead === 0) throw new Error('the new content became shorter')
    for (let done = 0; done < bytesRead; )
      done += (await write(to, buffer, done, bytesRead - done, at + done)).bytesWritten
    if (Math.floor((at + bytesRead) / TOUCH_BYTES) > Math.floor(at / TOUCH_BYTES))
      await futimes(from, new Date(), Date.now() / 1000)
    at += bytesRead
  }
}

/**
 * Finishes what a crash interrupted: files that were being written in place get the rest of their new
 * content, unless they were changed or replaced since; then both are left, and the log says where. What
 * lies on a disk that does not answer is left for the next start, and keeps no other waiting. True when
 * any was finished.
 */
export async function finishWrites(
  disks: Disks,
  registry: TempRegistry,
  log: Logger,
): Promise<boolean> {
  let isAny = false
  const finish = async (path: string, writesTo: Target) => {
    try {
      const end = await finishWrite(disks, registry, path, writesTo)
      isAny ||= end === 'finished'
      if (end === 'finished') log.warn(`${writesTo.path}: a save that was interrupted is finished`)
      if (end === 'changed')
        log.warn(
          `${writesTo.path} was changed after a save that was interrupted; ` +
            `the content that was saved is in ${path}`,
        )
    } catch (error) {
      const reason = errnoOf(error) || String(error)
      log.warn(
        `${writesTo.path}: a save that was interrupted cannot be finished now (${reason}); ` +
          `the content that was saved is in ${path}`,
      )
    }
  }
  await Promise.all(
    [...registry.noted()].map(([path, { writesTo }]) => writesTo && finish(path, writesTo)),
  )
  return isAny
}

type Target = NonNullable<TempFacts['writesTo']>

// Under the lock that saves of the file take. The newest note counts: `done` is a save that a newer one
// has replaced, or will.
async function finishWrite(
  disks: Disks,
  registry: TempRegistry,
  path: string,
  writesTo: Target,
): Promise<'finished' | 'changed' | 'done'> {
  const [fromDevice, toDevice] = [disks.of(path), disks.of(writesTo.path)]
  const [from, to] = [poolCalls(fromDevice), poolCalls(toDevice)]
  const file = await to.lstat(writesTo.path)
  if (!file?.isFile() || String(file.ino) !== writesTo.ino) {
    if (await from.lstat(path)) return 'changed'
    registry.forget(path)
    return 'done'
  }
  return registry.targets.withLock(`${file.dev}:${file.ino}`, async () => {
    if (!registry.noted().get(path)?.writesTo) return 'done'
    const others = await otherNotes(registry, path, { path: writesTo.path, file })
    const order = [...registry.noted().keys()]
    if (others.some((other) => order.indexOf(other) > order.indexOf(path))) return 'done'
    // Missing when the save was finished before its note could be forgotten.
    const isThere = (await from.lstat(path)) !== null
    if (isThere && !(await copyRest(disks, path, { path: writesTo.path, file }))) return 'changed'
    for (const other of others) registry.note(other, { writesTo: undefined })
    if (isThere) await from.unlink(path)
    registry.forget(path)
    return isThere ? 'finished' : 'done'
  })
}

/** False when the target was changed or replaced since. */
async function copyRest(disks: Disks, path: string, target: NotedFile): Promise<boolean> {
  const [fromDevice, toDevice] = [disks.of(path), disks.of(target.path)]
  const [from, to] = [poolCalls(fromDevice), poolCalls(toDevice)]
  const source = await from.open(path, OPEN_TARGET)
  try {
    const { mtimeMs, size } = await from.fstat(source)
    const fd = await to.open(target.path, OPEN_TARGET)
    try {
      const found = await to.fstat(fd)
      if (found.dev !== target.file.dev || found.ino !== target.file.ino) return false
      if (Number(found.mtimeMs - mtimeMs) > TOUCH_TOLERANCE_MS) return false
      await copyRange(source, fd, 0, Number(size), {
        read: (...words) => fromDevice.run(() => readSome(...words)),
        write: (...words) => toDevice.run(() => writeSome(...words)),
        futimes: from.futimes,
      })
      await toDevice.run(() => cut(fd, Number(size)))
      await toDevice.run(() => sync(fd))
      return true
    } finally {
      await to.close(fd)
    }
  } finally {
    await from.close(source)
  }
}
