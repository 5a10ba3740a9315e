// How calls reach one file system. A local one is asked directly as long as it is quick. One that may
// stop answering (network, user space, unknown) is asked through the thread pool only, by few calls
// at a time, so that it never takes all threads; when it is silent its calls are refused.
import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { createRecent } from '../../lib/memo.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { createFolderSyncs } from './folder-syncs.ts'
import { createPageBuffers, type PageBuffers } from './page-buffers.ts'

export interface Device {
  /** `foreign` may stop answering; `kernel` is what the kernel makes up. */
  readonly kind: 'local' | 'kernel' | 'foreign'
  /** There is no disk to wait for, and nothing to sync. */
  readonly isMemory: boolean
  /** To write large files with past the kernel's memory; null where that cannot be, or is of no use. */
  readonly pages: PageBuffers | null
  /** Calls may be made on the event loop, by `direct`. */
  readonly isDirect: boolean
  /** Makes a call on the event loop and measures it: slow ones end isDirect for a while. */
  direct<T>(call: () => T): T
  /** Notes that the beginning of the file with this inode was read. */
  noteRead(ino: bigint): void
  /** True when that was a moment ago: the kernel has it in memory, and it may be read by `direct`. */
  wasRead(ino: bigint): boolean
  /** Notes the sum of a file that was written, with its time; see disks/content-sum.ts. */
  noteSum(ino: bigint, mtimeNs: bigint, sum: number): void
  /** Null where it is not known, or of another time. */
  sumOf(ino: bigint, mtimeNs: bigint): number | null
  /** Counts a call that was made on the event loop in another way. */
  measure(ms: number): void
  /**
   * Makes a call that changes nothing. Rejects with EHOSTDOWN when the file system does not answer;
   * should the call end later, `discard` is given what it opened.
   */
  query<T>(call: () => Promise<T>, discard?: (late: T) => void): Promise<T>
  /**
   * Makes a call that the caller must see end, since it changes something or works on memory or a
   * descriptor of the caller's. Rejects with EHOSTDOWN before it began, never afterwards.
   */
  run<T>(call: () => Promise<T>): Promise<T>
  /** Makes a call that may wait but has to be made: closing. */
  release(call: () => Promise<void>): Promise<void>
  /** Waits until what was written to an open file is on the disk. */
  syncFile(fd: number): Promise<void>
  /** Waits until the names in an open folder are on the disk, see lib/sync-folder.ts. */
  syncFolder(ref: string): Promise<void>
}

/** The time after which a call is slow, and the device is asked whether it answers at all. */
const PATIENCE_MS = 600
/**
 * SAMPLE direct calls that took this long on average end isDirect. On a busy machine a thread waits for its turn as long
 * as for a disk, so one call alone says nothing: the longest does not count.
 */
const SLOW_AVERAGE_MS = 4
const SAMPLE = 16
/** How long a slow local disk is asked through the pool. */
const SLOW_FOR_MS = 2_000

/** How long a file that was read counts as being in the kernel's memory, and how many are noted. */
const READ_MS = 1_000
const MAX_READ_FILES = 1_000
/** Files that were written of which the sum is noted. */
const MAX_SUMS = 4_000

const call = <T>(made: () => T): T => made()

const syncFile = promisify(fsync)
const NOTHING_TO_SYNC = { syncFile: async () => {}, syncFolder: async () => {} }

/**
 * A file system of this machine's own: never refused, direct while it is quick. With `isMemory` there is
 * no disk to wait for (tmpfs): always direct, never synced. `takesPages`: large files may be written past the kernel's memory.
 */
export function createLocalDevice({ isMemory = false, takesPages = false } = {}): Device {
  let slowUntilMs = 0
  let sampled = 0
  let sampleMs = 0
  let longestMs = 0
  const readUntilMs = createRecent<bigint, number>(MAX_READ_FILES)
  const sums = createRecent<bigint, { mtimeNs: bigint; sum: number }>(MAX_SUMS)
  const measure = (ms: number) => {
    // In memory a slow call is one that has waited for a processor.
    if (isMemory) return
    sampleMs += ms
    sampled++
    if (ms > longestMs) longestMs = ms
    const isSlow = sampleMs - longestMs > SAMPLE * SLOW_AVERAGE_MS
    if (isSlow) slowUntilMs = performance.now() + SLOW_FOR_MS
    if (sampled === SAMPLE || isSlow) sampled = sampleMs = longestMs = 0
  }
  return {
    kind: 'local',
    isMemory,
    pages: takesPages ? createPageBuffers() : null,
    get isDirect() {
      return slowUntilMs === 0 || performance.now() > slowUntilMs
    },
    direct: (made) => {
      const startedAt = performance.now()
      try {
        return made()
      } finally {
        measure(performance.now() - startedAt)
      }
    },
    noteRead: (ino) => readUntilMs.set(ino, performance.now() + READ_MS),
    wasRead: (ino) => (readUntilMs.get(ino) ?? 0) > performance.now(),
    noteSum: (ino, mtimeNs, sum) => sums.set(ino, { mtimeNs, sum }),
    sumOf: (ino, mtimeNs) => {
      const known = sums.get(ino)
      return known?.mtimeNs === mtimeNs ? known.sum : null
    },
    measure,
    query: call,
    run: call,
    release: call,
    syncFile,
    syncFolder: createFolderSyncs((ref) => syncFolder(ref, true)),
    ...(isMemory && NOTHING_TO_SYNC),
  }
}

/** Kernel file systems such as /proc: always answer, never cached as a disk. */
export function createKernelDevice(): Device {
  return {
    kind: 'kernel',
    isMemory: false,
    pages: null,
    isDirect: false,
    direct: call,
    noteRead: () => {},
    wasRead: () => false,
    noteSum: () => {},
    sumOf: () => null,
    measure: () => {},
    query: call,
    run: call,
    release: call,
    syncFile,
    syncFolder,
  }
}

/** Calls in flight on all devices together that may stop answering. */
export interface InFlight {
  calls: number
  readonly maxCalls: number
}

interface Waiter {
  go: () => void
  /** Null for what has to be made. */
  refuse: ((error: Error) => void) | null
}

/**
 * A file system that may stop answering. `probe` asks it something that it cannot answer from the
 * kernel's memory; how it ends does not matter. At most `maxCalls` are in flight, and the probe.
 */
export function createForeignDevice(
  probe: () => Promise<unknown>,
  limits: { inFlight: InFlight; maxCalls: number },
): Device {
  const waiting = new Set<Waiter>()
  const health = createHealth(probe, () => {
    for (const waiter of waiting) {
      if (!waiter.refuse) continue
      waiting.delete(waiter)
      waiter.refuse(unreachable())
    }
  })
  const { enter, leave } = createPlaces(waiting, health, limits)
  const query: Device['query'] = async (made, discard) => {
    await enter(true)
    return new Promise((resolve, reject) => {
      let state: 'under way' | 'given up' | 'ended' = 'under way'
      let timer: NodeJS.Timeout | undefined
      const check = async () => {
        const does = await health.answers()
        if (state === 'ended') return
        if (does) timer = setTimeout(check, PATIENCE_MS)
        else {
          state = 'given up'
          reject(unreachable())
        }
      }
      const end = () => {
        const wasGivenUp = state === 'given up'
        state = 'ended'
        clearTimeout(timer)
        leave()
        return wasGivenUp
      }
      timer = setTimeout(check, PATIENCE_MS)
      made().then(
        (value) => {
          if (end()) discard?.(value)
          else resolve(value)
        },
        (error) => {
          end()
          reject(error)
        },
      )
    })
  }
  const within = async <T>(mayRefuse: boolean, made: () => Promise<T>): Promise<T> => {
    await enter(mayRefuse)
    const slow = setTimeout(() => void health.answers(), PATIENCE_MS)
    try {
      return await made()
    } finally {
      clearTimeout(slow)
      leave()
    }
  }
  return {
    ...createKernelDevice(),
    kind: 'foreign',
    query,
    run: (made) => within(true, made),
    release: (made) => within(false, made),
    syncFile: (fd) => within(true, () => syncFile(fd)),
    syncFolder: (ref) => within(true, () => syncFolder(ref)),
  }
}

interface Health {
  isSilent: boolean
  /** Asks the file system, once at a time; false when it does not answer in time. */
  answers(): Promise<boolean>
}

function createHealth(probe: () => Promise<unknown>, onSilent: () => void): Health {
  let probing: Promise<boolean> | null = null
  const health: Health = {
    isSilent: false,
    answers: () => {
      if (health.isSilent) return Promise.resolve(false)
      probing ??= new Promise((resolve) => {
        const timer = setTimeout(() => {
          health.isSilent = true
          onSilent()
          resolve(false)
        }, PATIENCE_MS)
        const answered = () => {
          clearTimeout(timer)
          probing = null
          health.isSilent = false
          resolve(true)
        }
        probe().then(answered, answered)
      })
      return probing
    },
  }
  return health
}

/** The places for calls: `enter` waits for one, or is refused where the file system is silent. */
function createPlaces(
  waiting: Set<Waiter>,
  health: Health,
  { inFlight, maxCalls }: { inFlight: InFlight; maxCalls: number },
): { enter(mayRefuse: boolean): Promise<void>; leave(): void } {
  let calls = 0
  let isWatching = false
  // Whoever waits for a place learns that the device went silent meanwhile.
  const watchWaiting = () => {
    if (isWatching) return
    isWatching = true
    const check = async () => {
      await health.answers()
      isWatching = false
      if (waiting.size > 0) watchWaiting()
    }
    setTimeout(check, PATIENCE_MS).unref()
  }
  return {
    enter: async (mayRefuse) => {
      if (mayRefuse && health.isSilent) throw unreachable()
      const hasPlace = inFlight.calls < inFlight.maxCalls || (calls === 0 && !mayRefuse)
      if (calls < maxCalls && hasPlace) {
        calls++
        inFlight.calls++
        return
      }
      // Others have all places, and no end of a call of this device's own would make room.
      if (calls === 0 && mayRefuse) throw unreachable()
      watchWaiting()
      await new Promise<void>((go, refuse) =>
        waiting.add({ go, refuse: mayRefuse ? refuse : null }),
      )
    },
    leave: () => {
      const [next] = waiting
      if (next) {
        // It inherits the place.
        waiting.delete(next)
        next.go()
        return
      }
      calls--
      inFlight.calls--
    },
  }
}

// In the system's own words, so that it reads like a mount whose server has died.
function unreachable(): Error {
  return Object.assign(new Error('EHOSTDOWN: the disk does not answer'), { code: 'EHOSTDOWN' })
}
