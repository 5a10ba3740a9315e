// What jobs tell while they run, to who listens: the state of those that have changed, never a queue of states.
import type { Entry } from './entry.ts'

/** Changes of a quarter of a second are told together. */
const TICK_MS = 250
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
  /** Waits until something is not as it was at this id, so long at most. False once nobody listens or the server is about to stop. */
  next(id: string, waitMs: number, signal: AbortSignal): Promise<boolean>
  stop(): void
}

/** Runs no timer while nobody listens, but for the last tick. */
export function createJobEvents(entries: ReadonlyMap<string, Entry>): JobEvents {
  // Numbers of another run of the server say nothing here.
  const run = Date.now().toString(36)
  const shown = new WeakMap<Entry, { facts: string; version: number }>()
  /** The latest is the last; a job that has changed again since is in it more than once. */
  let changes: { at: number; entry: Entry }[] = []
  const listeners = new Set<() => void>()
  let version = 0
  let timer: NodeJS.Timeout | undefined
  let isStopping = false

  const nameOf = (number: number) => `${run}-${number}`
  const isLatest = ({ at, entry }: { at: number; entry: Entry }) =>
    shown.get(entry)?.version === at && entries.get(entry.record.id) === entry
  const look = () => {
    const before = version
    for (const entry of entries.values()) {
      const facts = factsOf(entry)
      if (shown.get(entry)?.facts === facts) continue
      shown.set(entry, { facts, version: ++version })
      changes.push({ at: version, entry })
    }
    if (changes.length > 2 * entries.size + MAX_SURPLUS) changes = changes.filter(isLatest)
    return version > before
  }
  const tick = () => {
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    } else if (look()) for (const wake of [...listeners]) wake()
  }
  return {
    now: () => nameOf(version),
    since(id) {
      // Else the timer has just looked.
      if (timer === undefined) look()
      const [of, number] = id.split('-')
      const seen = of === run ? Number(number) : 0
      const changed: Changed[] = []
      for (let i = changes.length - 1; i >= 0; i--) {
        const change = changes[i]
        if (!change || change.at <= seen) break
        if (isLatest(change)) changed.push({ id: nameOf(change.at), entry: change.entry })
      }
      return changed.reverse()
    },
    async next(id, waitMs, signal) {
      if (isStopping || signal.aborted) return false
      // While the last ones were sent.
      if (id !== nameOf(version)) return true
      timer ??= setInterval(tick, TICK_MS).unref()
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(late)
          signal.removeEventListener('abort', wake)
          listeners.delete(wake)
          resolve()
        }
        const late = setTimeout(wake, waitMs)
        signal.addEventListener('abort', wake)
        listeners.add(wake)
      })
      return !isStopping && !signal.aborted
    },
    stop() {
      isStopping = true
      for (const wake of [...listeners]) wake()
    },
  }
}

/** Another text when there is something to tell. */
function factsOf({ record, meter }: Entry): string {
  const { done, total, current } = meter
  const { state, errorCount, endedMs } = record
  return [state, endedMs, errorCount, done.files, done.bytes, total?.files, current].join()
}
