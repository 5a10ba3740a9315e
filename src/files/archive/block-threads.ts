// Threads that turn one block of bytes into another, started on demand and ended when idle. Blocks
// pass through shared memory, so that nothing piles up in the heaps on either side.
import type { Worker } from 'node:worker_threads'
import type { Threads } from '../../programs/threads.ts'

/** A thread costs memory, so it goes when nobody has needed it for a while. */
const IDLE_MS = 10_000
/**
 * The work happens outside of the heap; the scripts need next to nothing. A heap that is nearly
 * full ends the whole process or hangs its exit, so there is room to spare.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64 }

interface BlockThreadOptions {
  inputBytes: number
  outputBytes: number
  threads: Threads
  /**
   * What a thread runs. It finds `input` and `output` in its workerData, gets the length of each
   * block as a message, and answers with the length of the result.
   */
  script: URL
}

interface Thread {
  worker: Worker
  input: Uint8Array
  output: Uint8Array
  idleTimer: NodeJS.Timeout | undefined
}

/**
 * Builds a function that runs blocks of at most `inputBytes` through threads. It starts as many as
 * there are calls at the same time: the caller bounds that.
 */
export function createBlockThreads(
  options: BlockThreadOptions,
): (block: Uint8Array) => Promise<Buffer> {
  const idle: Thread[] = []

  const startThread = (): Thread => {
    const input = new SharedArrayBuffer(options.inputBytes)
    const output = new SharedArrayBuffer(options.outputBytes)
    const worker = options.threads.start(options.script, {
      workerData: { input, output },
      resourceLimits: HEAP_LIMITS,
    })
    return {
      worker,
      input: new Uint8Array(input),
      output: new Uint8Array(output),
      idleTimer: undefined,
    }
  }
  const park = (thread: Thread) => {
    thread.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(thread), 1)
      void thread.worker.terminate()
    }, IDLE_MS)
    thread.idleTimer.unref()
    idle.push(thread)
  }

  return async (block) => {
    const thread = idle.pop() ?? startThread()
    clearTimeout(thread.idleTimer)
    try {
      thread.input.set(block)
      const bytes = await ask(thread.worker, block.length)
      const result = Buffer.allocUnsafeSlow(bytes)
      result.set(thread.output.subarray(0, bytes))
      park(thread)
      return result
    } catch (error) {
      await thread.worker.terminate()
      throw error
    }
  }
}

function ask(worker: Worker, inputBytes: number): Promise<number> {
  worker.ref()
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      worker.unref()
    }
    const onMessage = (outputBytes: number) => {
      settle()
      resolve(outputBytes)
    }
    const onError = (error: Error) => {
      settle()
      reject(error)
    }
    const onExit = (code: number) => onError(new Error(`the thread ended with ${code}`))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(inputBytes)
  })
}
