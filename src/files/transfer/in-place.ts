// Writing new content into a file that cannot be replaced: one that is a mount of its own, one in a
// folder that takes no new names, one with further names that are to stay names of it. The new content
// is complete in a temporary file first, and noted, so that after a crash or on a full disk there is
// the old content or a whole new one to go on with.
import { type BigIntStats, constants, fdatasync, fsync, ftruncate, read, write } from 'node:fs'
import { lstat, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf, isFullDisk } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { inPool } from '../disks/disk-calls.ts'
import type { TempNotes, TempRegistry } from './temp-registry.ts'

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

export interface InPlace {
  /** The temporary file with the new content, synced. */
  source: { fd: number; path: string }
  /** The file to write: by the reference to its folder, and its real path. */
  target: { path: string; realPath: string }
  /** What the target was when it was last looked at. */
  old: BigIntStats
  notes?: TempNotes | undefined
  /** Called when from now on only `source` has the whole content. */
  onBegin: () => void
}

/**
 * Writes the content of `source` into `target` and syncs it; owner, mode and names of the target stay.
 * Gives the open target, or null when it may not be written. Without the room for what is longer than
 * the old content nothing has changed (the system's error). After any later failure `source` has to be
 * kept: AppError `internal` or `no_space` says where it is.
 */
export async function writeInPlace(work: InPlace): Promise<number | null> {
  const { target, old, notes } = work
  let fd: number
  try {
    fd = await inPool.open(target.path, OPEN_TARGET)
  } catch (error) {
    if (NOT_WRITABLE.includes(errnoOf(error))) return null
    throw error
  }
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
  await notes?.sync().catch(() => {})
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

async function copyRange(from: number, to: number, start: number, end: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK_BYTES, end - start)))
  for (let at = start; at < end; ) {
    const wanted = Math.min(buffer.length, end - at)
    const { bytesRead } = await readSome(from, buffer, 0, wanted, at)
    if (bytesRead === 0) throw new Error('the new content became shorter')
    for (let done = 0; done < bytesRead; )
      done += (await writeSome(to, buffer, done, bytesRead - done, at + done)).bytesWritten
    if (Math.floor((at + bytesRead) / TOUCH_BYTES) > Math.floor(at / TOUCH_BYTES))
      await inPool.futimes(from, new Date(), Date.now() / 1000)
    at += bytesRead
  }
}

/**
 * Finishes what a crash interrupted: files that were being written in place get the rest of their new
 * content, unless they were changed or replaced since; then both are left, and the log says where.
 */
export async function finishWrites(registry: TempRegistry, log: Logger): Promise<void> {
  for (const [path, { writesTo }] of [...registry.noted()]) {
    if (!writesTo) continue
    try {
      const end = await finishWrite(path, writesTo)
      if (end !== 'changed') registry.forget(path)
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
}

async function finishWrite(
  path: string,
  writesTo: { path: string; ino: string },
): Promise<'finished' | 'changed' | 'gone'> {
  // It was noted, and finished before it could be forgotten.
  if (!(await lstat(path).catch(unlessMissing))) return 'gone'
  const source = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
  try {
    const found = await lstat(writesTo.path, { bigint: true }).catch(unlessMissing)
    const { mtimeMs, size } = await source.stat()
    if (!found?.isFile() || String(found.ino) !== writesTo.ino) return 'changed'
    if (Number(found.mtimeMs) > mtimeMs + TOUCH_TOLERANCE_MS) return 'changed'
    const target = await open(writesTo.path, OPEN_TARGET)
    try {
      await copyRange(source.fd, target.fd, 0, size)
      await target.truncate(size)
      await target.sync()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
  await unlink(path)
  return 'finished'
}

function unlessMissing(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null
  throw error
}
