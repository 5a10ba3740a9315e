// Sessions: records that decide whether a token counts. They end at logout, by a click, with the
// user, after idleness and at a set age. They are made and ended in memory first: on a full disk people
// must get in to make room, and what was ended must not live on because that could not be written.
import { randomBytes } from 'node:crypto'
import type { Document, Session } from '../store/document.ts'
import type { Change, Store } from '../store/store.ts'

/** How stale `lastSeenMs` on disk may become; in memory it is exact. */
const FLUSH_MS = 5 * 60_000
/** More than this push out others, so that logins cannot fill the disk. */
const MAX_PER_USER = 1_000
/** A script that signs in for each call makes sessions that are seen no longer than this. */
const SHORT_USE_MS = 60_000
const MAX_USER_AGENT = 200

export interface SessionLimits {
  idleMs: number
  maxMs: number
}

export interface Sessions {
  open(
    userID: number,
    facts: { remember: boolean; address: string; userAgent: string },
  ): Promise<Session>
  /** The live session, or null when it has ended. Marks it as seen. */
  use(id: string): Session | null
  list(userID: number | 'all'): Session[]
  end(id: string): Promise<boolean>
  /** Ends a user's sessions except `keep`. */
  endAll(userID: number, keep?: string): Promise<void>
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
  let byId = new Map<string, Session>()
  let indexed: Session[] | undefined

  const find = (id: string) => {
    const { sessions } = store.read()
    if (sessions !== indexed) {
      indexed = sessions
      byId = new Map(sessions.map((session) => [session.id, session]))
    }
    return byId.get(id)
  }
  const lastSeen = (session: Session) => Math.max(session.lastSeenMs, seen.get(session.id) ?? 0)
  const isLive = (session: Session, nowMs: number) =>
    nowMs - lastSeen(session) < limits.idleMs && nowMs - session.createdMs < limits.maxMs
  // A person's browser outlives the logins of scripts; among equals the longest unseen goes first.
  const isShort = (session: Session) => lastSeen(session) - session.createdMs < SHORT_USE_MS
  const expendableFirst = (a: Session, b: Session) =>
    Number(isShort(b)) - Number(isShort(a)) || lastSeen(a) - lastSeen(b)
  const current = (session: Session): Session => ({ ...session, lastSeenMs: lastSeen(session) })

  const update = async <T>(change: Change<T>): Promise<T> => {
    let isDelayed = false
    const value = await store.updateAhead(change, (error) => {
      isDelayed = true
      if (!delayed) onDelay(error)
    })
    delayed = isDelayed
    return value
  }
  const flush = async () => {
    flushedAtMs = Date.now()
    if (seen.size === 0) return
    const flushed = new Map(seen)
    await store.update((doc) => {
      const sessions = doc.sessions.filter((session) => isLive(session, Date.now())).map(current)
      return [{ ...doc, sessions }, undefined]
    })
    for (const [id, seenMs] of flushed) if (seen.get(id) === seenMs) seen.delete(id)
  }

  return {
    open: (userID, { remember, address, userAgent }) => {
      const nowMs = Date.now()
      const session: Session = {
        id: randomBytes(18).toString('base64url'),
        userID,
        createdMs: nowMs,
        lastSeenMs: nowMs,
        remember,
        address,
        userAgent: userAgent.slice(0, MAX_USER_AGENT),
      }
      return update((doc) => {
        const live = doc.sessions.filter((other) => other.id !== session.id && isLive(other, nowMs))
        const own = live.filter((other) => other.userID === userID)
        const excess = own.length + 1 - MAX_PER_USER
        const dropped = new Set(excess > 0 ? own.sort(expendableFirst).slice(0, excess) : [])
        const sessions = [...live.filter((other) => !dropped.has(other)), session]
        return [{ ...doc, sessions }, session]
      })
    },
    use: (id) => {
      const session = find(id)
      const nowMs = Date.now()
      if (!session || !isLive(session, nowMs)) return null
      seen.set(id, nowMs)
      if (nowMs - flushedAtMs > FLUSH_MS) {
        // A failed flush loses only how lately a session was seen; the next one tries again.
        flush().catch(() => {})
      }
      return session
    },
    list: (userID) => {
      const nowMs = Date.now()
      return store
        .read()
        .sessions.filter((s) => (userID === 'all' || s.userID === userID) && isLive(s, nowMs))
        .map(current)
        .sort((a, b) => b.lastSeenMs - a.lastSeenMs)
    },
    end: (id) =>
      update((doc) => {
        const sessions = doc.sessions.filter((session) => session.id !== id)
        if (sessions.length === doc.sessions.length) return [doc, false]
        return [{ ...doc, sessions }, true]
      }),
    endAll: (userID, keep) => update((doc) => [withoutSessions(doc, userID, keep), undefined]),
    flush,
  }
}

/** The document without a user's sessions except `keep`; for changes that must end them at once. */
export function withoutSessions(doc: Document, userID: number, keep?: string): Document {
  const sessions = doc.sessions.filter(({ id, userID: owner }) => owner !== userID || id === keep)
  return sessions.length === doc.sessions.length ? doc : { ...doc, sessions }
}
