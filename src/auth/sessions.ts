// Sessions: records that decide whether a token counts. They end at logout, by a click, with the
// user, after idleness and at a set age. They are made and ended in memory first: on a full disk people
// must get in to make room, and what was ended must not live on because that could not be written.
import { randomBytes } from 'node:crypto'
import { AppError } from '../lib/errors.ts'
import type { Change, Store, Transaction } from '../store/collection.ts'
import { identityKey, SESSIONS } from '../store/collections.ts'
import type { Session } from '../store/document.ts'
import { endSessions, findUser } from '../store/users.ts'

/** How stale `lastSeenMs` on disk may become; in memory it is exact. */
const FLUSH_MS = 5 * 60_000
/** Sessions in one transaction, so that many stop nobody. */
const FLUSH_AT_A_TIME = 500
/** How long one that nobody uses stays in memory, where that does not hold all of them. */
const HELD_MS = 60 * 60_000
/** More than this push out others, so that logins cannot fill the disk. */
const MAX_PER_USER = 1_000
/** A script that signs in for each call makes sessions that are seen no longer than this. */
const SHORT_USE_MS = 60_000
const MAX_USER_AGENT = 200

interface SessionLimits {
  idleMs: number
  maxMs: number
}

type SignInFacts = Pick<Session, 'remember' | 'address' | 'userAgent' | 'origin'>

/** Who has signed out at a provider; what is null does not matter. */
interface EndedOrigin {
  issuer: string
  subject: string | null
  sid: string | null
}

export interface Sessions {
  open(userID: number, facts: SignInFacts): Promise<Session>
  /** To be awaited before `use`, by whoever has not been given the session just now. */
  load(id: string): Promise<void>
  /** The live session, or null when it has ended. Marks it as seen: one that is not for an hour has to be loaded again. */
  use(id: string): Session | null
  /** Keeps a session loaded until the result is called. */
  pin(id: string): () => void
  /** The live session, without marking it. */
  find(id: string): Promise<Session | undefined>
  list(userID: number | 'all'): Promise<Session[]>
  end(id: string): Promise<boolean>
  /** Ends a user's sessions except `keep`. */
  endAll(userID: number, keep?: string): Promise<void>
  /** Ends those that somebody opened at a provider: of one session there, or all. Gives whose they were. */
  endOrigin(from: EndedOrigin): Promise<number[]>
  /** Writes what was seen lately; call at shutdown. */
  flush(): Promise<void>
}

/** `onDelay` is told once when changes cannot be written for now, and again after it has worked. */
export function createSessions(
  store: Store,
  limits: SessionLimits,
  onDelay: (error: unknown) => void = () => {},
): Sessions {
  let delayed = false
  const seen = new Map<string, number>()
  let flushedAtMs = Date.now()

  const lastSeen = (session: Session) => Math.max(session.lastSeenMs, seen.get(session.id) ?? 0)
  const isLive = (session: Session, nowMs: number) =>
    nowMs - lastSeen(session) < limits.idleMs &&
    nowMs - session.createdMs < limits.maxMs &&
    nowMs < (session.origin?.endsMs ?? Infinity)
  // A person's browser outlives the logins of scripts; among equals the longest unseen goes first.
  const isShort = (session: Session) => lastSeen(session) - session.createdMs < SHORT_USE_MS
  const expendableFirst = (a: Session, b: Session) =>
    Number(isShort(b)) - Number(isShort(a)) || lastSeen(a) - lastSeen(b)
  const current = (session: Session): Session => ({ ...session, lastSeenMs: lastSeen(session) })

  const change = async <T>(apply: Change<T>): Promise<T> => {
    let isDelayed = false
    const value = await store.ahead(apply, (error) => {
      isDelayed = true
      if (!delayed) onDelay(error)
    })
    delayed = isDelayed
    return value
  }
  const pinned = new Map<string, number>()
  const flush = async () => {
    flushedAtMs = Date.now()
    const ids = [...seen.keys()]
    const endedMs = flushedAtMs - limits.idleMs
    for (;;) {
      const dead = await store.large.older(SESSIONS, endedMs, FLUSH_AT_A_TIME)
      const ended = dead.flatMap((session) => (isLive(session, flushedAtMs) ? [] : [session.id]))
      await write(ended)
      // Those that were seen lately are no older once that is written.
      if (ended.length < FLUSH_AT_A_TIME) break
    }
    await write(ids)
    for (const [id, seenMs] of seen)
      if ((store.get(SESSIONS, id)?.lastSeenMs ?? seenMs) >= seenMs) seen.delete(id)
    store.large.drop(SESSIONS, unused(flushedAtMs))
  }
  const write = async (ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += FLUSH_AT_A_TIME)
      await store.transaction((tx) => {
        const some = ids.slice(at, at + FLUSH_AT_A_TIME)
        tx.expect(SESSIONS, some)
        for (const id of some) {
          const session = tx.get(SESSIONS, id)
          if (!session) continue
          if (isLive(session, flushedAtMs)) tx.replace(SESSIONS, current(session))
          else tx.remove(SESSIONS, id)
        }
      })
  }
  // What a request under way asks for is used at least once a minute, or pinned.
  const unused = (nowMs: number) =>
    store.large.held(SESSIONS).filter((id) => {
      const session = store.get(SESSIONS, id)
      return session && !pinned.has(session.id) && nowMs - lastSeen(session) > HELD_MS
    })
  const currentAmong = (found: readonly Session[]) => {
    const nowMs = Date.now()
    return found.filter((session) => isLive(session, nowMs)).map(current)
  }

  return {
    open: (userID, facts) => {
      const nowMs = Date.now()
      const session = newSession(userID, facts, nowMs)
      return change((tx) => {
        // Also when it is run again because the account could not be written and is gone.
        if (!findUser(tx, userID)) throw new AppError('unauthenticated', `no user ${userID}`)
        const own = tx.find(SESSIONS, 'userID', userID).filter(({ id }) => id !== session.id)
        const live = own.filter((other) => isLive(other, nowMs))
        const excess = live.length + 1 - MAX_PER_USER
        const kept = excess > 0 ? live.sort(expendableFirst).slice(excess) : live
        if (kept.length < own.length) {
          const ids = new Set(kept.map(({ id }) => id))
          for (const { id } of own) if (!ids.has(id)) tx.remove(SESSIONS, id)
        }
        return tx.get(SESSIONS, session.id) ?? tx.insert(SESSIONS, session)
      })
    },
    use: (id) => {
      const session = store.get(SESSIONS, id)
      const nowMs = Date.now()
      if (!session || !isLive(session, nowMs)) return null
      seen.set(id, nowMs)
      if (nowMs - flushedAtMs > FLUSH_MS) {
        // A failed flush loses only how lately a session was seen; the next one tries again.
        flush().catch(() => {})
      }
      return session
    },
    load: async (id) => void (await store.large.load(SESSIONS, id)),
    pin: (id) => {
      pinned.set(id, (pinned.get(id) ?? 0) + 1)
      let isPinned = true
      return () => {
        if (!isPinned) return
        isPinned = false
        const left = (pinned.get(id) ?? 1) - 1
        if (left > 0) pinned.set(id, left)
        else pinned.delete(id)
      }
    },
    find: async (id) => {
      const session = await store.large.load(SESSIONS, id)
      return session && currentAmong([session])[0]
    },
    list: async (userID) => {
      const found: Session[] = []
      if (userID === 'all')
        for await (const piece of store.large.pieces(SESSIONS)) found.push(...currentAmong(piece))
      else found.push(...currentAmong(await store.large.find(SESSIONS, 'userID', userID)))
      return found.sort((a, b) => b.lastSeenMs - a.lastSeenMs)
    },
    end: (id) => change((tx) => tx.remove(SESSIONS, id) !== undefined),
    endAll: (userID, keep) => change((tx) => endSessions(tx, userID, keep)),
    endOrigin: (from) => change((tx) => endOrigin(tx, from)),
    flush,
  }
}

function newSession(userID: number, facts: SignInFacts, nowMs: number): Session {
  return {
    id: randomBytes(18).toString('base64url'),
    userID,
    createdMs: nowMs,
    lastSeenMs: nowMs,
    ...facts,
    userAgent: facts.userAgent.slice(0, MAX_USER_AGENT),
  }
}

function endOrigin(tx: Transaction, { issuer, subject, sid }: EndedOrigin): number[] {
  const own =
    subject === null
      ? tx.find(SESSIONS, 'sid', JSON.stringify([issuer, sid]))
      : tx.find(SESSIONS, 'subject', identityKey({ issuer, subject }))
  const ended = own.filter(({ origin }) => sid === null || origin?.sid === sid)
  for (const { id } of ended) tx.remove(SESSIONS, id)
  return [...new Set(ended.map(({ userID }) => userID))]
}
