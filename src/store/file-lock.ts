// A lock file between processes, for the milliseconds of one read-modify-write.
import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, stat, unlink, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, errnoOf, unless } from '../lib/errors.ts'
import { writeFailure } from './durable-file.ts'
import { giveTo, ownerFor } from './owner.ts'

/** A holder on another host, or in another container, counts as gone after this long without a sign. */
const FOREIGN_STALE_MS = 10_000
const HEARTBEAT_MS = 2_000
const RETRY_MS = 5
const GIVE_UP_MS = 15_000

/**
 * Runs `fn` while holding the lock file. A lock whose process has died is taken over; waiting ends
 * with AppError `locked` after 15 s.
 */
export async function withFileLock<T>(lockFile: string, fn: () => Promise<T>): Promise<T> {
  const mark = `${process.pid} ${hostname()} ${randomBytes(6).toString('hex')}`
  await acquire(lockFile, mark)
  const heartbeat = setInterval(() => {
    const now = new Date()
    // ENOENT: the lock was just released.
    utimes(lockFile, now, now).catch(() => {})
  }, HEARTBEAT_MS)
  heartbeat.unref()
  try {
    return await fn()
  } finally {
    clearInterval(heartbeat)
    await release(lockFile, mark)
  }
}

async function acquire(lockFile: string, mark: string): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS
  const owner = await ownerFor(dirname(lockFile))
  for (;;) {
    try {
      const handle = await open(lockFile, 'wx', 0o600)
      try {
        // Whoever waits has to read the mark.
        await giveTo(owner, handle)
        await handle.writeFile(mark)
      } catch (error) {
        // On a full disk the file may be empty; without a mark others would wait long.
        await unlink(lockFile).catch(() => {})
        throw error
      } finally {
        await handle.close()
      }
      return
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw writeFailure(lockFile, error)
    }
    await takeOverIfStale(lockFile)
    if (Date.now() > deadline)
      throw new AppError('locked', `another process keeps ${lockFile}; remove it if none runs`)
    await delay(RETRY_MS + Math.random() * RETRY_MS)
  }
}

async function release(lockFile: string, mark: string): Promise<void> {
  try {
    if ((await readFile(lockFile, 'utf8')) === mark) await unlink(lockFile)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

async function takeOverIfStale(lockFile: string): Promise<void> {
  let seen: string
  let ageMs: number
  try {
    seen = await readFile(lockFile, 'utf8')
    ageMs = Date.now() - (await stat(lockFile)).mtimeMs
  } catch (error) {
    // Root makes a lock and then gives it to us: until then it cannot be read.
    if (['ENOENT', 'EACCES'].includes(errnoOf(error))) return
    throw error
  }
  if (!isStale(seen, ageMs)) return
  const aside = `${lockFile}.${randomBytes(6).toString('hex')}`
  if ((await rename(lockFile, aside).catch(unless('ENOENT'))) === null) return
  // Between reading and renaming another waiter may have taken over: then this is its live lock.
  if ((await readFile(aside, 'utf8')) !== seen) await link(aside, lockFile).catch(() => {})
  await unlink(aside)
}

function isStale(mark: string, ageMs: number): boolean {
  const [pid, host] = mark.split(' ')
  // A mark not yet written belongs to a holder between open and write.
  if (!pid || !host) return ageMs > FOREIGN_STALE_MS
  if (host !== hostname()) return ageMs > FOREIGN_STALE_MS
  try {
    process.kill(Number(pid), 0)
    return ageMs > FOREIGN_STALE_MS
  } catch (error) {
    return errnoOf(error) === 'ESRCH'
  }
}
