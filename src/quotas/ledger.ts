// How full each limited folder is: what its files hold, and what is reserved for those on their way. Every
// step is synchronous, so that of many who ask at once none gets what another was given.
import { join, sep } from 'node:path'
import type { Room } from '../files/volume/volume.ts'
import { AppError } from '../lib/errors.ts'

/** A folder of the host, by its real path, and what all files in it may hold together. */
export interface FolderLimit {
  folder: string
  bytes: number
}

/** Where a count under way is, seen from a change: what it has passed it does not see any more. */
export type Progress = 'pending' | 'reading' | 'passed'

/** A count under way of what a folder holds. */
export interface Count {
  progressOf(path: string, isTree: boolean): Progress
  /** To be told of a change that the count does not see; `isSure` is false where nobody can tell. */
  add(bytes: number, isSure: boolean): void
}

export interface Counter {
  folder: string
  limitBytes: number
  /** Sizes of the files in it. */
  usedBytes: number
  reservedBytes: number
  /** False while `usedBytes` is only what is known to have changed, or was known before a crash. */
  isCounted: boolean
  /** Which folder was counted; another one may be at its path. */
  identity: string
  /** When it is to be counted from the disk again. */
  dueMs: number
  count: Count | null
}

/** What is kept free for a file that is on its way. */
export interface Hold {
  /**
   * Reserves so many bytes in all, never fewer than before. Throws `quota_exceeded`, with nothing changed,
   * unless it `isGranted` already.
   */
  raise(bytes: number, options?: { isGranted?: boolean }): void
  /** The file is in place: `bytes` more are used than before, and nothing is reserved any more. */
  settle(bytes: number, seen?: Seen): void
  /** Does nothing after `settle`. */
  release(): void
}

/** Where counts were when a change began; null where none is under way. */
export type Seen = ReadonlyMap<Count, Progress> | null

export interface Ledger {
  readonly counters: ReadonlyMap<string, Counter>
  /** That of a limited folder. */
  counterOf(folder: string): Counter | undefined
  /** Grows with each change of a count. */
  readonly changes: number
  /** What is limited from now on; counts and reservations go on. */
  setLimits(limits: readonly FolderLimit[]): void
  /** Of the limits that hold for what is in a folder the one of which the least is left. */
  room(folder: string): Room | null
  /** The counters of the limited folders that hold a path, the outermost first. */
  above(path: string): Counter[]
  /** True when half of all limits above a path is left after so many bytes more: then nobody misses what is reserved too much. */
  hasPlenty(path: string, bytes: number): boolean
  /**
   * Starts with nothing reserved for what comes to a real path. What comes `from` another one needs no
   * room where that is counted, too.
   */
  hold(path: string, from?: string): Hold
  /** To be asked right before a file or tree is changed; its answer goes to `settle` or `add`. */
  see(path: string, isTree?: boolean): Seen
  /** So many bytes more are used at a path, or fewer; `isTree`: by all below it. */
  add(path: string, bytes: number, options?: Change): void
  /** A folder, with those in it, has another path: their counts go along. */
  move(from: string, to: string): void
}

interface Change {
  seen?: Seen | undefined
  isTree?: boolean
}

interface Held {
  path: string
  from: string | undefined
  bytes: number
  counters: Counter[]
}

/** Makes a ledger without limits. */
export function createLedger(): Ledger {
  let counters = new Map<string, Counter>()
  let changes = 0

  const above = (path: string) => {
    const found: Counter[] = []
    for (let end = path.indexOf(sep); end !== -1; end = path.indexOf(sep, end + 1)) {
      const counter = counters.get(path.slice(0, end))
      if (counter) found.push(counter)
    }
    return found
  }
  const record: Recording = (among, path, bytes, change) => {
    changes++
    for (const counter of among) addTo(counter, path, bytes, change)
  }
  const holds = createHolds(above, record)
  const replace = (next: typeof counters) => {
    counters = next
    changes++
    for (const counter of counters.values()) counter.reservedBytes = 0
    holds.rebind()
  }
  return {
    get counters() {
      return counters
    },
    counterOf: (folder) => counters.get(keyOf(folder)),
    get changes() {
      return changes
    },
    setLimits: (limits) => {
      const next: typeof counters = new Map()
      for (const { folder, bytes } of limits) {
        const key = keyOf(folder)
        const counter = next.get(key) ?? counters.get(key) ?? emptyCounter(folder)
        counter.limitBytes = next.has(key) ? Math.min(counter.limitBytes, bytes) : bytes
        next.set(key, counter)
      }
      replace(next)
    },
    above,
    room: (folder) => {
      const rooms = above(join(folder, 'x')).map(({ limitBytes, usedBytes, reservedBytes }) => ({
        limitBytes,
        usedBytes: usedBytes + reservedBytes,
      }))
      const left = (room: Room) => room.limitBytes - room.usedBytes
      return rooms.sort((a, b) => left(a) - left(b))[0] ?? null
    },
    hasPlenty: (path, bytes) =>
      above(path).every(
        ({ limitBytes, usedBytes, reservedBytes }) =>
          2 * (usedBytes + reservedBytes + bytes) <= limitBytes,
      ),
    hold: holds.hold,
    see: (path, isTree = false) => {
      const counts = above(path).flatMap(({ count }) => count ?? [])
      if (counts.length === 0) return null
      return new Map(counts.map((count) => [count, count.progressOf(path, isTree)]))
    },
    add: (path, bytes, change = {}) => record(above(path), path, bytes, change),
    move: (from, to) => {
      const moved: typeof counters = new Map()
      for (const counter of counters.values()) {
        const { folder } = counter
        if (folder === from || folder.startsWith(from + sep))
          counter.folder = to + folder.slice(from.length)
        moved.set(keyOf(counter.folder), counter)
      }
      replace(moved)
    },
  }
}

type Recording = (among: readonly Counter[], path: string, bytes: number, change: Change) => void

function createHolds(above: Ledger['above'], record: Recording) {
  const holds = new Set<Held>()
  const needing = ({ path, from }: Pick<Held, 'path' | 'from'>) => {
    const left = new Set(from === undefined ? [] : above(from))
    return above(path).filter((counter) => !left.has(counter))
  }
  const release = (held: Held) => {
    if (!holds.delete(held)) return
    for (const counter of held.counters) counter.reservedBytes -= held.bytes
  }
  const hold = (path: string, from?: string): Hold => {
    const held: Held = { path, from, bytes: 0, counters: needing({ path, from }) }
    holds.add(held)
    return {
      raise: (bytes, { isGranted = false } = {}) => {
        const more = bytes - held.bytes
        if (more <= 0) return
        if (!isGranted) for (const counter of held.counters) requireRoom(counter, more)
        held.bytes = bytes
        for (const counter of held.counters) counter.reservedBytes += more
      },
      settle: (bytes, seen) => {
        release(held)
        record(held.counters, path, bytes, { seen })
      },
      release: () => release(held),
    }
  }
  /** Reserves anew in the counters that there are now. */
  const rebind = () => {
    for (const held of holds) {
      held.counters = needing(held)
      for (const counter of held.counters) counter.reservedBytes += held.bytes
    }
  }
  return { hold, rebind }
}

function addTo(
  counter: Counter,
  path: string,
  bytes: number,
  { seen, isTree = false }: Change,
): void {
  counter.usedBytes = Math.max(0, counter.usedBytes + bytes)
  const { count } = counter
  if (!count) return
  const now = count.progressOf(path, isTree)
  const before = seen?.get(count) ?? now
  if (before === 'pending' && now === 'pending') return
  count.add(bytes, before === 'passed' && now === 'passed')
}

// Without the separator at the end of a root, so that `above` finds it.
function keyOf(folder: string): string {
  return folder.endsWith(sep) ? folder.slice(0, -1) : folder
}

function emptyCounter(folder: string): Counter {
  const none = { limitBytes: 0, usedBytes: 0, reservedBytes: 0, identity: '', dueMs: 0 }
  return { folder, ...none, isCounted: false, count: null }
}

function requireRoom({ limitBytes, usedBytes, reservedBytes }: Counter, more: number): void {
  const takenBytes = usedBytes + reservedBytes
  if (takenBytes + more <= limitBytes) return
  const [limit, taken, wanted] = [limitBytes, takenBytes, more].map(formatBytes)
  const message =
    `the folder may hold ${limit} and ${taken} of them are taken, so ${wanted} more do not fit: ` +
    'delete something in it, or ask an administrator for more'
  throw new AppError('quota_exceeded', message, { expose: true })
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** A size as people read it, such as `9.5 GiB`. */
export function formatBytes(bytes: number): string {
  let unit = -1
  let value = bytes
  for (; value >= 1023.95 && unit < UNITS.length - 1; unit++) value /= 1024
  return unit < 0 ? `${bytes} bytes` : `${Number(value.toFixed(1))} ${UNITS[unit]}`
}
