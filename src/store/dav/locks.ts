// What is locked by clients of WebDAV, by real path, so that people with different trees meet the same lock. In
// memory, and in `<database>.locks` as long as there are any. Nothing is read before it is asked for.
import { hash, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, errnoOf } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import type { Logger } from '../../lib/log.ts'
import { replaceFile } from '../durable-file.ts'

export interface DavLock {
  /** A URI that nobody guesses. */
  token: string
  /** Real path. */
  place: string
  /** Holds for all below as well. */
  isDeep: boolean
  isExclusive: boolean
  userID: number
  /** As the client has said it, as XML. */
  ownerXml: string
  expiresMs: number
}

export const MAX_LOCKS = 10_000
export const MAX_LOCKS_PER_USER = 1_000
/** Changes are written together after so long. */
const REST_MS = 1_000

export interface LockReads {
  /** Those that hold at a place: its own, and deep ones above. */
  holdingAt(place: string): DavLock[]
  /** Those of the very place. */
  at(place: string): DavLock[]
  /** Those of places below one. */
  below(place: string): DavLock[]
}

export interface DavLocks extends LockReads {
  get(token: string): DavLock | undefined
  /** To be awaited before all others. */
  load(): Promise<void>
  /** False where nothing at all is locked. */
  any(): boolean
  /**
   * Adds one unless `demandFree` throws, which asks what is in the way: of two who lock at once, one comes second. Throws
   * `conflict` past a limit.
   */
  add(wanted: Omit<DavLock, 'token'>, demandFree: (locks: LockReads) => void): Promise<DavLock>
  /** Puts its end off; null where it has ended meanwhile. */
  refresh(token: string, expiresMs: number): Promise<DavLock | null>
  remove(token: string): Promise<void>
  /** An entry is gone, with all that it held. */
  gone(place: string): Promise<void>
  /** Writes what has changed. */
  close(): Promise<void>
}

/** Says which lock it is without being its token. */
export function idOfLock({ token }: Pick<DavLock, 'token'>): string {
  return hash('sha256', token).slice(0, 16)
}

/** `database` is the path of the database. */
export function createDavLocks(database: string, log: Pick<Logger, 'error'>): DavLocks {
  const file = `${database}.locks`
  const byPlace = new Map<string, DavLock[]>()
  const byToken = new Map<string, DavLock>()
  let loading: Promise<void> | undefined
  const writing = createWriting(file, database, byToken, log)
  const drop = (lock: DavLock) => {
    byToken.delete(lock.token)
    const left = (byPlace.get(lock.place) ?? []).filter(({ token }) => token !== lock.token)
    if (left.length === 0) byPlace.delete(lock.place)
    else byPlace.set(lock.place, left)
    writing.soon()
  }
  const put = (lock: DavLock) => {
    const others = (byPlace.get(lock.place) ?? []).filter(({ token }) => token !== lock.token)
    byToken.set(lock.token, lock)
    byPlace.set(lock.place, [...others, lock])
  }
  const live = (locks: readonly DavLock[]) => {
    const nowMs = Date.now()
    return locks.filter((lock) => {
      if (lock.expiresMs > nowMs) return true
      drop(lock)
      return false
    })
  }
  const at = (place: string) => live(byPlace.get(place) ?? [])
  const reads: LockReads = {
    at,
    holdingAt: (place) => holdingAt(at, place),
    below: (place) =>
      live(
        [...byToken.values()].filter((lock) => lock.place !== place && contains(place, lock.place)),
      ),
  }
  return {
    ...reads,
    get: (token) => byToken.get(token),
    load: () => {
      loading ??= read(file, log).then((locks) => locks.forEach(put))
      return loading
    },
    any: () => byToken.size > 0,
    add: async (wanted, demandFree) => {
      demandFree(reads)
      if (byToken.size >= MAX_LOCKS) live([...byToken.values()])
      const own = [...byToken.values()].filter(({ userID }) => userID === wanted.userID)
      if (byToken.size >= MAX_LOCKS || live(own).length >= MAX_LOCKS_PER_USER) throw tooMany()
      const lock = { ...wanted, token: newToken() }
      put(lock)
      writing.soon()
      return lock
    },
    refresh: async (token, expiresMs) => {
      const lock = byToken.get(token)
      if (!lock) return null
      const fresh = { ...lock, expiresMs }
      put(fresh)
      writing.soon()
      return fresh
    },
    remove: async (token) => {
      const lock = byToken.get(token)
      if (lock) drop(lock)
    },
    gone: async (place) => {
      if (byToken.size === 0) return
      for (const lock of [...byToken.values()]) if (contains(place, lock.place)) drop(lock)
    },
    close: writing.close,
  }
}

/** Locks of a place, and deep ones above it. */
export function holdingAt(at: LockReads['at'], place: string): DavLock[] {
  const holding = [...at(place)]
  for (let up = dirname(place), last = place; up !== last; last = up, up = dirname(up))
    holding.push(...at(up).filter(({ isDeep }) => isDeep))
  return holding
}

export function newToken(): string {
  return `urn:uuid:${randomUUID()}`
}

export function tooMany(): AppError {
  return new AppError('conflict', 'There are too many locks.', { status: 507, expose: true })
}

function createWriting(
  file: string,
  database: string,
  locks: ReadonlyMap<string, DavLock>,
  log: Pick<Logger, 'error'>,
) {
  let timer: NodeJS.Timeout | undefined
  let hasFile = false
  let last: Promise<void> = Promise.resolve()
  const writeAll = async () => {
    // One that came and went at once leaves no trace.
    if (locks.size === 0) return rm(file, { force: true })
    hasFile = true
    const text = JSON.stringify([...locks.values()])
    await replaceFile(file, text, { like: database, keepsPrevious: false })
  }
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    last = last
      .then(writeAll)
      .catch((error: Error) => log.error(`locks cannot be written: ${error.message}`))
    return last
  }
  return {
    soon: () => {
      timer ??= setTimeout(() => void write(), REST_MS).unref()
    },
    close: () => (timer || hasFile ? write() : last),
  }
}

// A file that cannot be read locks nothing: else nothing could be changed.
async function read(file: string, log: Pick<Logger, 'error'>): Promise<DavLock[]> {
  try {
    const locks: unknown = JSON.parse(await readFile(file, 'utf8'))
    const nowMs = Date.now()
    if (!Array.isArray(locks)) return []
    return (locks as DavLock[]).filter(
      ({ token, place, expiresMs }) => token && place && expiresMs > nowMs,
    )
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && !(error instanceof SyntaxError))
      log.error(`locks cannot be read: ${(error as Error).message}`)
    return []
  }
}
