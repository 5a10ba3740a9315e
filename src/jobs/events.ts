// What jobs tell while they run, to who listens: the state of those that have changed, never a queue of states.
import type { Entry } from './entry.ts'
import type { JobRecord } from './record.ts'

/** Changes of a quarter of a second are told together; of more to so many listeners each, so that the work stays the same. */
const TICK_MS = 250
const MAX_TICK_MS = 1_000
const LISTENERS_PER_TICK = 50
/** Changes that are remembered though there was a later one. */
const MAX_SURPLUS = 1_000

export interface Changed {
  /** By which who comes back says what it has seen. */
  id: string
  entry: Entry
}

export interface JobEvents {
  /** Those that differ from what an event of this id told, the oldest change first; without an id those that have not changed since long ago as well. */
  since(id: string): Changed[]
  /** The id of now: `since` of it is empty. */
  now(): string
  /** Waits until something of what passes is not as it was at this id, so long at most. False once nobody listens or the server is about to stop. */
  next(id: string, wait: Wait): Promise<boolean>
  stop(): void
}

export interface Wait {
  /** At most. */
  ms: number
  signal: AbortSignal
  test(record: Readonly<JobRecord>): boolean
}

/** Runs no timer while nobody listens, but for the last tick. */
export function createJobEvents(entries: ReadonlyMap<string, Entry>): JobEvents {
  // Numbers of another run of the server say nothing here.
  const run = Date.now().toString(36)
  const shown = new WeakMap<Entry, { facts: string; version: number }>()
  /** The latest is the last; a job that has changed again since is in it more than once. */
  let changes: { at: number; entry: Entry }[] = []
  /** What each waits for. */
  const listeners = new Map<() => void, Wait['test']>()
  let version = 0
  /** Up to which change those who wait have been woken. */
  let woken = 0
  let timer: NodeJS.Timeout | undefined
  let isStopping = false

  const nameOf = (number: number) => `${run}-${number}`
  const isLatest = ({ at, entry }: { at: number; entry: Entry }) =>
    shown.get(entry)?.version === at && entries.get(entry.record.id) === entry
  const look = () => {
    for (const entry of entries.values()) {
      const facts = factsOf(entry)
      if (shown.get(entry)?.facts === facts) continue
      shown.set(entry, { facts, version: ++version })
      changes.push({ at: version, entry })
    }
    if (changes.length > 2 * entries.size + MAX_SURPLUS) changes = changes.filter(isLatest)
  }
  const changedAfter = (seen: number) => {
    const changed: Changed[] = []
    for (let i = changes.length - 1; i >= 0; i--) {
      const change = changes[i]
      if (!change || change.at <= seen) break
      if (isLatest(change)) changed.push({ id: nameOf(change.at), entry: change.entry })
    }
    return changed.reverse()
  }
  const begin = () => {
    const ticks = Math.ceil(listeners.size / LISTENERS_PER_TICK)
    timer = setTimeout(tick, Math.min(MAX_TICK_MS, TICK_MS * Math.max(1, ticks))).unref()
  }
  const tick = () => {
    timer = undefined
    if (listeners.size === 0) return
    look()
    const changed = changedAfter(woken)
    woken = version
    begin()
    for (const [wake, test] of [...listeners])
      if (changed.some(({ entry }) => test(entry.record))) wake()
  }
  return {
    now: () => nameOf(version),
    since(id) {
      // Who comes for the first time is told what is now; others what the timer has found.
      if (timer === undefined || id === '') look()
      if (timer === undefined) woken = version
      const [of, number] = id.split('-')
      return changedAfter(of === run ? Number(number) : 0)
    },
    async next(id, { ms, signal, test }) {
      if (isStopping || signal.aborted) return false
      // While the last ones were sent.
      if (id !== nameOf(version)) return true
      if (timer === undefined) begin()
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(late)
          signal.removeEventListener('abort', wake)
          listeners.delete(wake)
          resolve()
        }
        const late = setTimeout(wake, ms)
        signal.addEventListener('abort', wake)
        listeners.set(wake, test)
      })
      return !isStopping && !signal.aborted
    },
    stop() {
      isStopping = true
      for (const wake of [...listeners.keys()]) wake()
    },
  }
}

/** Another text when there is something to tell. */
function factsOf({ record, meter }: Entry): string {
  const { done, total, current } = meter
  const { state, errorCount, endedMs } = record
  return [state, endedMs, errorCount, done.files, done.bytes, total?.files, current].join()
}
