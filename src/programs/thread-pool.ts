// Threads of one script that are asked one thing at a time, started on demand and ended when nobody has needed them for a
// while.
import type { ResourceLimits, Worker } from 'node:worker_threads'
import { createGate } from '../lib/gate.ts'
import type { Threads } from './threads.ts'

const HEAP_LIMITS = { maxOldGenerationSizeMb: 64 }
const IDLE_MS = 2_000

interface ThreadPoolOptions<State> {
  threads: Threads
  /** What a thread runs: it answers each message with one. */
  script: URL
  resourceLimits: ResourceLimits
  /** A thread costs memory, so it ends when it has been idle for this long. */
  idleMs: number
  /** What a new thread finds as its workerData, and what this side keeps beside it. */
  create(): { workerData?: unknown; state: State }
}

interface PooledThread<State> {
  worker: Worker
  state: State
  idleTimer: NodeJS.Timeout | undefined
}

/** Lends a thread for some work, which may ask it again and again. A thread that fails is ended, and the work rejects. */
export type ThreadPool<State> = <T>(
  work: (ask: (message: unknown) => Promise<unknown>, state: State) => Promise<T>,
) => Promise<T>

/** Makes a pool of as many threads as there is work at a time: the caller bounds that. */
export function createThreadPool<State>(options: ThreadPoolOptions<State>): ThreadPool<State> {
  const { threads, script, resourceLimits, idleMs } = options
  const idle: PooledThread<State>[] = []

  const start = (): PooledThread<State> => {
    const { workerData, state } = options.create()
    const worker = threads.start(script, { workerData, resourceLimits })
    return { worker, state, idleTimer: undefined }
  }
  const park = (thread: PooledThread<State>) => {
    thread.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(thread), 1)
      void thread.worker.terminate()
    }, idleMs)
    thread.idleTimer.unref()
    idle.push(thread)
  }
  return async (work) => {
    const thread = idle.pop() ?? start()
    clearTimeout(thread.idleTimer)
    try {
      const result = await work((message) => ask(thread.worker, message), thread.state)
      park(thread)
      return result
    } catch (error) {
      await thread.worker.terminate()
      throw error
    }
  }
}

/**
 * Makes the function that asks threads which keep nothing from one message to the next: `limit` at a time, for all who ask.
 * Rejects where a thread fails.
 */
export function createAskedThreads({
  limit,
  ...of
}: Pick<ThreadPoolOptions<null>, 'threads' | 'script'> & { limit: number }): (
  message: unknown,
) => Promise<unknown> {
  const create = () => ({ state: null })
  const pool = createThreadPool({ ...of, resourceLimits: HEAP_LIMITS, idleMs: IDLE_MS, create })
  const inTurn = createGate(limit)
  return (message) => inTurn(() => pool((ask) => ask(message)))
}

function ask(worker: Worker, message: unknown): Promise<unknown> {
  worker.ref()
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      worker.unref()
    }
    const onMessage = (answer: unknown) => {
      settle()
      resolve(answer)
    }
    const onError = (error: Error) => {
      settle()
      reject(error)
    }
    const onExit = (code: number) => onError(new Error(`the thread ended with ${code}`))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(message)
  })
}
