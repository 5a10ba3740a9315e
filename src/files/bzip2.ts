// bzip2 on worker threads of its own, started on demand and ended when idle.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** Just under the 900 kB that one bzip2 block holds, so that a stream is exactly one block. */
export const BZIP2_BLOCK_BYTES = 899_000
/** The library asks for room for 1 % more than the input plus 600 bytes. */
const OUTPUT_BYTES = Math.ceil(BZIP2_BLOCK_BYTES * 1.01) + 600
/** A worker holds about 20 MB, so it goes when nobody has needed it for a while. */
const IDLE_MS = 10_000
/** The work happens in WebAssembly memory; the script itself needs next to nothing. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 }

interface Thread {
  worker: Worker
  input: Uint8Array
  output: Uint8Array
  idleTimer: NodeJS.Timeout | undefined
}

const idle: Thread[] = []
let compiled: Promise<WebAssembly.Module> | undefined

/**
 * Compresses `block` (at most BZIP2_BLOCK_BYTES) into a complete .bz2 stream. Starts as many threads
 * as there are calls at the same time: the caller bounds that.
 */
export async function compressBzip2(block: Uint8Array): Promise<Uint8Array> {
  const thread = idle.pop() ?? (await startThread())
  clearTimeout(thread.idleTimer)
  try {
    thread.input.set(block)
    const outputBytes = await ask(thread.worker, block.length)
    const result = Buffer.from(thread.output.subarray(0, outputBytes))
    park(thread)
    return result
  } catch (error) {
    await thread.worker.terminate()
    throw error
  }
}

async function startThread(): Promise<Thread> {
  compiled ??= loadModule()
  const module = await compiled
  const input = new SharedArrayBuffer(BZIP2_BLOCK_BYTES)
  const output = new SharedArrayBuffer(OUTPUT_BYTES)
  const worker = new Worker(new URL('./bzip2.worker.ts', import.meta.url), {
    workerData: { module, input, output },
    resourceLimits: HEAP_LIMITS,
  })
  return {
    worker,
    input: new Uint8Array(input),
    output: new Uint8Array(output),
    idleTimer: undefined,
  }
}

async function loadModule(): Promise<WebAssembly.Module> {
  const require = createRequire(import.meta.url)
  const file = require.resolve('bzip2-wasm/bzip2-1.0.8/bzip2.wasm')
  return WebAssembly.compile(new Uint8Array(await readFile(file)))
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
    const onExit = (code: number) => onError(new Error(`the bzip2 thread ended with ${code}`))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(inputBytes)
  })
}

function park(thread: Thread): void {
  thread.idleTimer = setTimeout(() => {
    idle.splice(idle.indexOf(thread), 1)
    void thread.worker.terminate()
  }, IDLE_MS)
  thread.idleTimer.unref()
  idle.push(thread)
}
