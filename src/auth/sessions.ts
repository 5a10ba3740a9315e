// Sessions: records that decide whether a token counts. They end at logout, by a click, with the
// user, after idleness and at a set age. They are made and ended in memory first: on a full disk people
// must get in to make room, and what was ended must not live on because that could not be written.
import { randomBytes } from 'node:crypto'
import { AppError } from '../lib/errors.ts'
import type { Change, Store, Transaction } from '../store/collection.ts'
import { identityKey, SESSIONS } from '../store/collections.ts'
import type { Session } from '../store/document.ts'
import { endSessions, findUser } from '../store/users.ts'
import { createSeen, type SessionLimits } from './seen-sessions.ts'

/** More than this push out others, so that logins cannot fill the disk. */
const MAX_PER_USER = 1_000
/** How long a count is believed, and of how many accounts, where nodes share the records. */
const COUNTED_MS = 60_000
/** Of an account that has as many as it may: how many sign-ins a node takes between two counts, and how many more go than must. */
const MIN_ROOM = 8
const SPARE = 100
const MAX_ROOMS = 10_000
/** A script that signs in for each call makes sessions that are seen no longer than this. */
const SHORT_USE_MS = 60_000
const MAX_USER_AGENT = 200

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
  const seen = createSeen(store, limits)
  const { lastSeen, isLive, current } = seen

  // A person's browser outlives the logins of scripts; among equals the longest unseen goes first.
  const isShort = (session: Session) => lastSeen(session) - session.createdMs < SHORT_USE_MS
  const expendableFirst = (a: Session, b: Session) =>
    Number(isShort(b)) - Number(isShort(a)) || lastSeen(a) - lastSeen(b)

  const room = store.shared ? createRoom() : NO_ROOM
  const change = async <T>(apply: Change<T>): Promise<T> => {
    let isDelayed = false
    const value = await store.ahead(apply, (error) => {
      isDelayed = true
      if (!delayed) onDelay(error)
    })
    delayed = isDelayed
    return value
  }
  const currentAmong = (found: readonly Session[]) => {
    const nowMs = Date.now()
    return found.filter((session) => isLive(session, nowMs)).map(current)
  }

  return {
    open: (userID, facts) => {
      const nowMs = Date.now()
      const session = newSession(userID, facts, nowMs)
      const isRoomy = room.takes(userID, nowMs)
      return change((tx) => {
        // Also when it is run again because the account could not be written and is gone.
        tx.fresh(SESSIONS, session.id)
        if (!findUser(tx, userID)) throw new AppError('unauthenticated', `no user ${userID}`)
        if (!isRoomy) {
          const own = tx.find(SESSIONS, 'userID', userID).filter(({ id }) => id !== session.id)
          const live = own.filter((other) => isLive(other, nowMs))
          const excess = live.length + 1 - MAX_PER_USER
          const kept = excess > 0 ? live.sort(expendableFirst).slice(excess + room.spare) : live
          if (kept.length < own.length) {
            const ids = new Set(kept.map(({ id }) => id))
            for (const { id } of own) if (!ids.has(id)) tx.remove(SESSIONS, id)
          }
          room.counted(userID, kept.length, nowMs)
        }
        return tx.get(SESSIONS, session.id) ?? tx.insert(SESSIONS, session)
      })
    },
    use: (id) => {
      const session = store.get(SESSIONS, id)
      const nowMs = Date.now()
      if (!session || !isLive(session, nowMs)) return null
      seen.mark(id, nowMs)
      return session
    },
    load: async (id) => void (await store.large.load(SESSIONS, id)),
    pin: seen.pin,
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
    flush: seen.flush,
  }
}

/** For how many sign-ins of an account its sessions need not be read again. */
interface Room {
  /** So many more than needed are pushed out, so that the next ones find some. */
  readonly spare: number
  takes(userID: number, nowMs: number): boolean
  counted(userID: number, sessions: number, nowMs: number): void
}

/** In memory they are at hand. */
const NO_ROOM: Room = { spare: 0, takes: () => false, counted: () => {} }

/** Other nodes let people in as well: a part of what is free, for a while. */
function createRoom(): Room {
  const rooms = new Map<number, { left: number; untilMs: number }>()
  return {
    spare: SPARE,
    takes: (userID, nowMs) => {
      const room = rooms.get(userID)
      if (!room || nowMs >= room.untilMs || room.left <= 0) return false
      room.left--
      return true
    },
    counted: (userID, sessions, nowMs) => {
      if (rooms.size >= MAX_ROOMS) rooms.clear()
      const left = Math.max(MIN_ROOM, Math.floor((MAX_PER_USER - sessions) / 4))
      rooms.set(userID, { left, untilMs: nowMs + COUNTED_MS })
    },
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
