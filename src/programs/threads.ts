// Threads that are under way. `process.exit` of a process that has some may wait for them for ever, so whoever stops the
// server ends them first.
import { basename } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { isExecutable, readInside } from '../inside.ts'
import { AppError } from '../lib/errors.ts'

export interface Threads {
  /** Starts one. Throws `unreachable` once they are closed. */
  start(script: URL, options: WorkerOptions): Worker
  /** Ends all of them, whatever they do, and lets no others start. */
  close(): Promise<void>
  isClosed(): boolean
  /** How many there are now. */
  count(): number
}

export function createThreads(): Threads {
  const open = new Set<Worker>()
  let isClosed = false
  return {
    start(script, options) {
      if (isClosed) throw new AppError('unreachable', 'the server stops')
      const worker = startThread(script, options)
      open.add(worker)
      worker.once('exit', () => open.delete(worker))
      return worker
    },
    async close() {
      isClosed = true
      await Promise.all([...open].map((worker) => worker.terminate()))
    },
    isClosed: () => isClosed,
    count: () => open.size,
  }
}

/** The bundle has the name of a built file in place of an address: inside of the executable it has none. */
function startThread(script: URL | string, options: WorkerOptions): Worker {
  if (!isExecutable || typeof script !== 'string') return new Worker(script, options)
  const boot = readInside('server/boot.cjs')?.toString('latin1')
  const code = `const thread = ${JSON.stringify(basename(script))};${boot}`
  return new Worker(code, { ...options, eval: true })
}
