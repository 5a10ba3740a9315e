// Answers on their way to clients that may not read them: each holds memory for as long as it likes,
// compressed archives the most. What all of them may hold is bounded, and what one visitor, one share
// and one account may. Where there is no room, the one whose client has taken nothing for longest gives
// way; while all go on the newcomer waits for a moment and is then asked to come later.
import { createMiddleware } from 'hono/factory'
import { networkOf } from '../auth/address.ts'
import { AppError } from '../lib/errors.ts'
import { clientAddress } from './client-address.ts'
import type { Ctx, Deps, Env } from './env.ts'

const MIB = 1024 * 1024

export interface TransferLimits {
  /** Bytes of memory that all answers may hold together. */
  all: number
  /** All those to visitors without an account. */
  visitors: number
  share: number
  visitor: number
  user: number
}

const LIMITS: TransferLimits = {
  all: 96 * MIB,
  visitors: 26 * MIB,
  share: 22 * MIB,
  visitor: 18 * MIB,
  user: 64 * MIB,
}

/** A client that has taken nothing for this long gives way to one that is refused otherwise. */
export const STALLED_MS = 30_000
const LOOK_MS = 5_000
/** How long a newcomer waits for room. */
const WAIT_MS = 10_000
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 10

export type TransferKind = keyof TransferLimits

export interface Transfer {
  /** Whom its memory is counted for: a name for each kind of limit, such as `share` and its hash. */
  owners: ReadonlyMap<TransferKind, string>
  bytes: number
  /** How much has been sent by now, in whatever unit: it changes when the client takes something. */
  sent(): number
  /** Ends the answer at once. */
  giveWay(): void
}

export interface Transfers {
  /**
   * Admits an answer, when there is room; the result is to be called when it is over. Rejects with
   * `too_many_requests` (details.retryAfterSeconds) where none came free, and with the reason of
   * `signal`.
   */
  begin(transfer: Transfer, signal: AbortSignal): Promise<() => void>
  close(): void
}

interface Entry extends Transfer {
  seen: number
  movedAtMs: number
}

interface Waiter {
  transfer: Transfer
  admit(): void
}

/** `now` gives milliseconds of a clock that is never set back; `waitMs` is how long newcomers wait. */
export function createTransfers(
  limits: TransferLimits = LIMITS,
  now: () => number = () => performance.now(),
  waitMs: number = WAIT_MS,
): Transfers {
  const entries = new Set<Entry>()
  const waiting: Waiter[] = []
  const held = new Map<string, number>()
  let looking: NodeJS.Timeout | undefined

  const add = ({ owners }: Transfer, bytes: number) => {
    for (const name of owners.values()) {
      const left = (held.get(name) ?? 0) + bytes
      if (left > 0) held.set(name, left)
      else held.delete(name)
    }
  }
  const remove = (entry: Entry) => {
    if (!entries.delete(entry)) return
    add(entry, -entry.bytes)
    if (entries.size > 0) return
    clearInterval(looking)
    looking = undefined
  }
  const look = () => {
    for (const entry of entries) {
      const sent = entry.sent()
      if (sent !== entry.seen) entry.movedAtMs = now()
      entry.seen = sent
    }
  }
  const longestStalled = (kind: TransferKind, name: string): Entry | undefined => {
    let found: Entry | undefined
    for (const entry of entries) {
      if (entry.owners.get(kind) !== name || now() - entry.movedAtMs < STALLED_MS) continue
      if (!found || entry.movedAtMs < found.movedAtMs) found = entry
    }
    return found
  }
  // False when there is none. What is larger than a limit alone gets in while nothing else is there.
  const makeRoom = ({ owners, bytes }: Transfer): boolean => {
    for (const [kind, name] of owners)
      while (held.has(name) && (held.get(name) ?? 0) + bytes > limits[kind]) {
        look()
        const stalled = longestStalled(kind, name)
        if (!stalled) return false
        remove(stalled)
        stalled.giveWay()
      }
    return true
  }
  const callWaiting = () => {
    for (const waiter of [...waiting]) if (makeRoom(waiter.transfer)) waiter.admit()
  }
  const enter = (transfer: Transfer) => {
    const entry: Entry = { ...transfer, seen: transfer.sent(), movedAtMs: now() }
    entries.add(entry)
    add(entry, entry.bytes)
    looking ??= setInterval(() => {
      look()
      callWaiting()
    }, LOOK_MS).unref()
    return () => {
      remove(entry)
      callWaiting()
    }
  }
  const waitForRoom = (transfer: Transfer, signal: AbortSignal) =>
    new Promise<() => void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(waiter), 1)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter = {
        transfer,
        admit: () => {
          leave()
          resolve(enter(transfer))
        },
      }
      const onAbort = () => {
        leave()
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        leave()
        reject(noRoom())
      }, waitMs)
      waiting.push(waiter)
      signal.addEventListener('abort', onAbort)
    })

  return {
    begin: async (transfer, signal) => {
      signal.throwIfAborted()
      if (makeRoom(transfer)) return enter(transfer)
      if (waiting.length >= MAX_WAITING) throw noRoom()
      return waitForRoom(transfer, signal)
    },
    close: () => clearInterval(looking),
  }
}

function noRoom(): AppError {
  return new AppError('too_many_requests', 'too much is on its way', {
    details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  })
}

/**
 * Gives handlers `admit`: called with the memory an answer will hold at most, it counts that until the
 * answer is over, or rejects with `too_many_requests`.
 */
export function admission(deps: Deps) {
  return createMiddleware<Env>(async function admission(c, next) {
    c.set('admit', async (bytes) => {
      const { outgoing } = c.env
      const transfer: Transfer = {
        owners: ownersOf(c, deps),
        bytes,
        sent: () => outgoing.socket?.bytesWritten ?? 0,
        giveWay: () => outgoing.destroy(),
      }
      const end = await deps.transfers.begin(transfer, c.req.raw.signal)
      if (outgoing.destroyed) end()
      else outgoing.once('close', end)
    })
    await next()
  })
}

function ownersOf(c: Ctx, deps: Deps): Map<TransferKind, string> {
  const owners = new Map<TransferKind, string>()
  const user = c.get('user')
  if (user) owners.set('user', `the user ${user.id}`)
  else {
    const { key, vpath } = c.env.target
    if (key.startsWith('/api/public/')) owners.set('share', `the share ${vpath.split('/')[1]}`)
    owners.set('visitor', networkOf(clientAddress(c, deps)) || 'visitors')
    owners.set('visitors', 'all visitors')
  }
  return owners.set('all', 'all')
}
