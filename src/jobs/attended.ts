// Work that a request waits for, as those of other clients of File Browser do: it begins at once and answers when it is
// over. What takes long becomes a job like others, which goes on without its client.
import { AppError } from '../lib/errors.ts'
import { type Attended, type Entry, waitForEnd } from './entry.ts'
import { isEnded } from './record.ts'

/** What is over sooner is no job that anybody could look at. */
const SHOW_AFTER_MS = 500
/** As long as a timer can. */
const FOREVER_MS = 2 ** 31 - 1

export interface Asking {
  /** Throws what the request would be refused with now. */
  demand(): void
  /** Of the client. */
  signal: AbortSignal
}

/**
 * Makes a job one that is attended. `keep` makes it one like others, and calls `release` before its record is kept: that
 * resolves when its manifest, held until then, is written.
 */
export function attend(
  entry: Entry,
  asking: Asking,
  keep: (release: () => Promise<void>) => Promise<void>,
): Attended {
  const shown = Promise.withResolvers<void>()
  let showing: Promise<void> | null = null
  const release = async () => {
    shown.resolve()
    await shown.promise
    await entry.manifest?.flush()
  }
  const begin = async () => {
    attended.isShown = true
    await keep(release)
  }
  const attended: Attended = {
    demand: asking.demand,
    isWaitedFor: () => !asking.signal.aborted,
    isShown: false,
    shown: shown.promise,
    show() {
      if (!isEnded(entry.record)) showing ??= begin()
      return showing ?? Promise.resolve()
    },
  }
  entry.attended = attended
  return attended
}

/**
 * Waits until the work is over, also while it is paused, unless its client has gone. Throws what it has failed with,
 * `conflict` where somebody has cancelled it, and `unreachable` where the server stops first.
 */
export async function attendedEnd(entry: Entry, attended: Attended, signal: AbortSignal) {
  const timer = setTimeout(() => void attended.show(), SHOW_AFTER_MS).unref()
  try {
    await entry.running
    if (entry.record.state === 'paused') await waitForEnd(entry, FOREVER_MS, signal)
  } finally {
    clearTimeout(timer)
  }
  const { record, outcome } = entry
  if (!isEnded(record)) throw new AppError('unreachable', 'the work goes on without its client')
  if (record.state === 'cancelled') throw new AppError('conflict', 'the work was cancelled')
  if (record.state === 'failed') throw outcome.error ?? new AppError('internal', 'a job failed')
  return outcome
}
