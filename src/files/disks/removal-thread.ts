// Much is removed by a thread: on the event loop it would take turns with all else. It starts when more is removed than
// it takes to start it, and ends when there is no more.
import type { Worker } from 'node:worker_threads'
import type { Threads } from '../../programs/threads.ts'
import type { RemovalWork } from './removal.worker.ts'

/** Removed on the event loop in some ten milliseconds. */
export const MANY_NAMES = 2_000
/** What was removed longer ago does not count. */
const RECENT_MS = 1_000
const IDLE_MS = 2_000
/** Handing over more names at a time would keep the event loop. */
const NAMES_AT_ONCE = 5_000
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64 }

export interface RemovalThread {
  /**
   * To be told of what is to be removed: true when there is so much of it that the thread is quicker, even where it has to
   * start first, and it is free.
   */
  wants(names: number): boolean
  /**
   * Removes files, or folders with all they hold, in the open folder at `ref` (`/proc/self/fd/N`), from the first one on;
   * none of it may fall silent or be a mount. To be called when `wants` has said so. Gives how many are gone: the next one is the caller's, whatever stands
   * against it. An abort leaves what was not reached yet, and is the caller's to notice.
   */
  remove(work: RemovalWork, signal: AbortSignal): Promise<number>
}

/** Starts nothing before it is asked. */
export function createRemovalThread(threads: Threads): RemovalThread {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  let recent = 0
  let countedAtMs = 0
  let worker: Worker | null = null
  let isStarted = false
  let isBusy = false
  let timer: NodeJS.Timeout | undefined

  const count = (names: number) => {
    const now = performance.now()
    if (now - countedAtMs > RECENT_MS) recent = 0
    countedAtMs = now
    recent += names
  }
  const endLater = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      void worker?.terminate()
      worker = null
    }, IDLE_MS).unref()
  }
  const start = () => {
    const started = threads.start(new URL('./removal.worker.ts', import.meta.url), {
      workerData: { stop },
      resourceLimits: HEAP_LIMITS,
    })
    const forget = () => {
      if (worker === started) worker = null
    }
    isStarted = false
    started.on('online', () => {
      isStarted = true
    })
    started.on('error', forget).on('exit', forget).unref()
    worker = started
    endLater()
  }
  const ask = async (work: RemovalWork, signal: AbortSignal): Promise<number> => {
    const own = worker
    if (!own) return 0
    const { promise, resolve } = Promise.withResolvers<number>()
    const onAbort = () => void Atomics.store(stop, 0, 1)
    // Whatever has ended it, what is left is the caller's.
    const onExit = () => resolve(0)
    own.on('message', resolve).on('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    Atomics.store(stop, 0, signal.aborted ? 1 : 0)
    own.ref()
    try {
      own.postMessage(work)
      return await promise
    } finally {
      own.off('message', resolve).off('exit', onExit).unref()
      signal.removeEventListener('abort', onAbort)
    }
  }
  return {
    wants: (names) => {
      count(names)
      if (recent < MANY_NAMES || isBusy || threads.isClosed()) return false
      if (!worker) start()
      return isStarted || names >= MANY_NAMES
    },
    remove: async ({ ref, names, areFolders }, signal) => {
      isBusy = true
      clearTimeout(timer)
      let gone = 0
      try {
        while (gone < names.length && !signal.aborted) {
          const part = names.slice(gone, gone + NAMES_AT_ONCE)
          const done = await ask({ ref, names: part, areFolders }, signal)
          count(done)
          gone += done
          if (done < part.length) break
        }
        return gone
      } finally {
        isBusy = false
        endLater()
      }
    },
  }
}
