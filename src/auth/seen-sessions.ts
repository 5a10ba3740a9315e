// How lately each session was used: known at once, written now and then, which is also when those that have ended go and
// those that nobody uses leave the memory.

import type { Store } from '../store/collection.ts'
import { SESSIONS } from '../store/collections.ts'
import type { Session } from '../store/document.ts'
import { createPins } from '../store/pins.ts'

/** How stale `lastSeenMs` on disk may become; in memory it is exact. */
const FLUSH_MS = 5 * 60_000
/** Sessions in one transaction, so that many stop nobody. */
const FLUSH_AT_A_TIME = 500
/** How long one that nobody uses stays in memory, where that does not hold all of them. */
const HELD_MS = 60 * 60_000
/** What another node has seen lately may not be written yet. */
const SLACK_MS = 2 * FLUSH_MS

export interface SessionLimits {
  idleMs: number
  maxMs: number
}

interface Seen {
  lastSeen(session: Session): number
  isLive(session: Session, nowMs: number): boolean
  /** With the time when it was seen last. */
  current(session: Session): Session
  /** A session is used. */
  mark(id: string, nowMs: number): void
  /** Keeps a session in memory until the result is called. */
  pin(id: string): () => void
  flush(): Promise<void>
}

export function createSeen(store: Store, limits: SessionLimits): Seen {
  const seen = new Map<string, number>()
  const pinned = createPins<string>()
  let flushedAtMs = Date.now()

  const lastSeen = (session: Session) => Math.max(session.lastSeenMs, seen.get(session.id) ?? 0)
  const isLive = (session: Session, nowMs: number) =>
    nowMs - lastSeen(session) < limits.idleMs &&
    nowMs - session.createdMs < limits.maxMs &&
    nowMs < (session.origin?.endsMs ?? Infinity)
  const current = (session: Session): Session => ({ ...session, lastSeenMs: lastSeen(session) })

  const write = async (ids: readonly string[], nowMs: number) => {
    for (let at = 0; at < ids.length; at += FLUSH_AT_A_TIME)
      await store.transaction((tx) => {
        const some = ids.slice(at, at + FLUSH_AT_A_TIME)
        tx.expect(SESSIONS, () => some)
        for (const id of some) {
          const session = tx.get(SESSIONS, id)
          if (!session) continue
          if (isLive(session, nowMs)) tx.replace(SESSIONS, current(session))
          else tx.remove(SESSIONS, id)
        }
      })
  }
  const sweep = async (nowMs: number) => {
    const endedMs = nowMs - limits.idleMs - SLACK_MS
    for (;;) {
      const old = await store.large.older(SESSIONS, endedMs, FLUSH_AT_A_TIME)
      const ended = old.flatMap((session) => (isLive(session, nowMs) ? [] : [session.id]))
      await write(ended, nowMs)
      // Those that were seen lately are no older once that is written.
      if (ended.length < FLUSH_AT_A_TIME) return
    }
  }
  // What a request under way asks for is used at least once a minute, or pinned.
  const isUnused = (id: string, nowMs: number) => {
    const session = store.get(SESSIONS, id)
    return session && !pinned.has(id) && nowMs - lastSeen(session) > HELD_MS
  }
  const flush = async () => {
    const nowMs = Date.now()
    flushedAtMs = nowMs
    // Of several nodes one takes away those that have ended.
    if (store.shared?.nodes.isLeading() ?? true) await sweep(nowMs)
    await write([...seen.keys()], nowMs)
    for (const [id, seenMs] of seen)
      if ((store.get(SESSIONS, id)?.lastSeenMs ?? seenMs) >= seenMs) seen.delete(id)
    const held = store.large.held(SESSIONS)
    store.large.drop(
      SESSIONS,
      held.filter((id) => isUnused(String(id), nowMs)),
    )
  }
  return {
    lastSeen,
    isLive,
    current,
    mark: (id, nowMs) => {
      seen.set(id, nowMs)
      // A failed flush loses only how lately a session was seen; the next one tries again.
      if (nowMs - flushedAtMs > FLUSH_MS) flush().catch(() => {})
    },
    pin: pinned.pin,
    flush,
  }
}
