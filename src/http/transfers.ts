// Limits memory of answers in flight, of all, and of one visitor, share or account; the longest-stalled one is
// cut off first. Without one that has stalled, a new answer waits for a moment and is then refused.

import { createAllotment } from '../lib/allotment.ts'
import { type AppError, tooMany } from '../lib/errors.ts'

const MIB = 1024 * 1024

interface TransferLimits {
  /** Bytes of memory that all answers may hold together. */
  all: number
  /** All those to visitors without an account. */
  visitors: number
  share: number
  visitor: number
  user: number
}

export const LIMITS: TransferLimits = {
  all: 96 * MIB,
  visitors: 26 * MIB,
  share: 22 * MIB,
  visitor: 18 * MIB,
  user: 64 * MIB,
}

/** A client that has taken nothing for this long gives way to one that is refused otherwise. */
export const STALLED_MS = 30_000
const PROGRESS_MS = 5_000
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

interface Transfers {
  /**
   * Admits an answer, when there is room; the result is to be called when it is over. Rejects with
   * `too_many_requests` where none came free, and with the reason of
   * `signal`.
   */
  begin(transfer: Transfer, signal: () => AbortSignal): Promise<() => void>
  close(): void
}

interface Entry extends Transfer {
  seen: number
  movedAtMs: number
}

interface Waiter {
  transfer: Transfer
  admit(end: () => void): void
}

/** `now` gives milliseconds of a clock that is never set back; `waitMs` is how long newcomers wait. */
export function createTransfers(
  limits: TransferLimits = LIMITS,
  now: () => number = () => performance.now(),
  waitMs: number = WAIT_MS,
): Transfers {
  const allotment = createAllotment<Entry>((entry) => entry.giveWay())
  const waiting: Waiter[] = []
  let progressTimer: NodeJS.Timeout | undefined

  const noteProgress = () => {
    for (const entry of allotment.takers()) {
      const sent = entry.sent()
      if (sent !== entry.seen) entry.movedAtMs = now()
      entry.seen = sent
    }
  }
  const longestStalled = (entries: readonly Entry[]): Entry | undefined => {
    noteProgress()
    const stalled = entries.filter(({ movedAtMs }) => now() - movedAtMs >= STALLED_MS)
    return stalled.sort((a, b) => a.movedAtMs - b.movedAtMs)[0]
  }
  // Null when there is no room.
  const tryEnter = (transfer: Transfer): (() => void) | null => {
    const { owners, bytes: amount } = transfer
    const entry: Entry = { ...transfer, seen: transfer.sent(), movedAtMs: now() }
    const charges = new Map<string, { amount: number; limit: number }>()
    if (amount > 0)
      for (const [kind, name] of owners) charges.set(name, { amount, limit: limits[kind] })
    allotment.charge(entry, charges)
    if (!allotment.makeRoom(entry, longestStalled)) {
      allotment.release(entry)
      return null
    }
    progressTimer ??= setInterval(watchProgress, PROGRESS_MS).unref()
    return () => {
      allotment.release(entry)
      callWaiting()
    }
  }
  const callWaiting = () => {
    for (const waiter of [...waiting]) {
      const end = tryEnter(waiter.transfer)
      if (end) waiter.admit(end)
    }
  }
  const watchProgress = () => {
    noteProgress()
    callWaiting()
    if (allotment.takers().length === 0) stopWatching()
  }
  const stopWatching = () => {
    clearInterval(progressTimer)
    progressTimer = undefined
  }

  return {
    begin: async (transfer, signal) => {
      const end = tryEnter(transfer)
      if (end) return end
      if (waiting.length >= MAX_WAITING) throw noRoom()
      return waitForRoom(waiting, transfer, waitMs, signal())
    },
    close: stopWatching,
  }
}

/** Resolves like `begin` once it is admitted, within `waitMs`. */
function waitForRoom(
  waiting: Waiter[],
  transfer: Transfer,
  waitMs: number,
  signal: AbortSignal,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const leave = () => {
      waiting.splice(waiting.indexOf(waiter), 1)
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    const refuse = (reason: unknown) => {
      leave()
      reject(reason)
    }
    const admit = (end: () => void) => {
      leave()
      resolve(end)
    }
    const waiter = { transfer, admit }
    const onAbort = () => refuse(signal.reason)
    const timer = setTimeout(() => refuse(noRoom()), waitMs)
    waiting.push(waiter)
    signal.addEventListener('abort', onAbort)
  })
}

function noRoom(): AppError {
  return tooMany('too much is on its way', RETRY_AFTER_SECONDS)
}
