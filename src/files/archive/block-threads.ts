// Threads that turn one block of bytes into another. Blocks pass through shared memory, so that nothing piles up in the
// heaps on either side.
import { isMemoryShort } from '../../lib/memory/memory-limit.ts'
import { createThreadPool } from '../../programs/thread-pool.ts'
import type { Threads } from '../../programs/threads.ts'

const IDLE_MS = 10_000
const IDLE_WHERE_SHORT_MS = 1_000
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

/**
 * Builds a function that runs blocks of at most `inputBytes` through threads. It starts as many as
 * there are calls at the same time: the caller bounds that.
 */
export function createBlockThreads(
  options: BlockThreadOptions,
): (block: Uint8Array) => Promise<Buffer> {
  const pool = createThreadPool({
    threads: options.threads,
    script: options.script,
    resourceLimits: HEAP_LIMITS,
    idleMs: isMemoryShort() ? IDLE_WHERE_SHORT_MS : IDLE_MS,
    create: () => {
      const input = new SharedArrayBuffer(options.inputBytes)
      const output = new SharedArrayBuffer(options.outputBytes)
      const state = { input: new Uint8Array(input), output: new Uint8Array(output) }
      return { workerData: { input, output }, state }
    },
  })
  return (block) =>
    pool(async (ask, { input, output }) => {
      input.set(block)
      const bytes = Number(await ask(block.length))
      const result = Buffer.allocUnsafeSlow(bytes)
      result.set(output.subarray(0, bytes))
      return result
    })
}
