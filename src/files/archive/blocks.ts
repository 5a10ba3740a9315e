// Compression in independent blocks: several are compressed at once, the results leave in order.
// Memory is bounded by the blocks in flight, whatever the length of the stream.
import { availableParallelism } from 'node:os'
import type { Gate } from '../../lib/gate.ts'
import { freeMemory } from '../../lib/memory/free-memory.ts'
import { roomFor } from '../../lib/memory/memory-limit.ts'
import type { ByteSink, FinishingSink } from './byte-sink.ts'

export interface BlockCodec {
  /** Bytes of input per block. */
  blockBytes: number
  /**
   * Compresses one block on another thread. The result must stand on its own when written after
   * the results of the blocks before it, and depend on nothing but the block.
   */
  compress(block: Buffer): Promise<Uint8Array>
  /** Sees each block once, in order, before it is compressed: for checksums over the whole. */
  observe?(block: Buffer): void
  /** Written before the first block and after the last. */
  head?(): Uint8Array
  tail?(): Uint8Array
}

/** A block, what becomes of it, and what a compression works with. */
const JOB_BYTES = 4 * 1024 * 1024
/**
 * Jobs that all archives together run at a time. They live on libuv's thread pool (except bzip2),
 * which also serves every file operation: two threads stay free for those.
 */
const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4
export const MAX_JOBS = Math.max(
  1,
  Math.min(availableParallelism(), POOL_THREADS - 2, roomFor(JOB_BYTES)),
)

/**
 * A sink that cuts what it is given into blocks and writes them compressed to `target`. After a
 * failure, here or in the target, every further call fails. `destroy` gives up: jobs already running end
 * by themselves, the others do not begin. `inTurn` lets MAX_JOBS run at a time.
 */
export function createBlockCompressor(
  codec: BlockCodec,
  target: ByteSink,
  inTurn: Gate,
): FinishingSink & { destroy(): void } {
  const free: Buffer[] = []
  const queue: Job[] = []
  let block: Buffer = Buffer.allocUnsafeSlow(codec.blockBytes)
  let used = 0
  let started = false
  let previous: Job | null = null
  let isGivenUp = false

  const release = async (job: Job) => {
    if (--job.holders > 0) return
    free.push(job.block)
    freeMemory(await job.output)
  }

  const writeOldest = async () => {
    const oldest = queue.shift()
    if (!oldest) return
    await target.write(await oldest.output)
    await release(oldest)
  }

  const dispatch = async () => {
    if (!started) {
      started = true
      if (codec.head) await target.write(codec.head())
    }
    // One more than may run: its input is ready when a thread comes free.
    while (queue.length > MAX_JOBS) await writeOldest()
    const input = block.subarray(0, used)
    used = 0
    codec.observe?.(input)
    // Long runs of equal blocks are common (sparse files, disk images): compress them once.
    if (previous?.input.equals(input)) {
      previous.holders++
      queue.push(previous)
      return
    }
    const output = inTurn(() => {
      // Jobs of those who have left would keep others waiting.
      if (isGivenUp) throw new Error('the archive was given up')
      return codec.compress(input)
    })
    // Awaited in order; a failure meanwhile must not count as unhandled.
    output.catch(() => {})
    if (previous) await release(previous)
    previous = { block, input, output, holders: 2 }
    queue.push(previous)
    block = free.pop() ?? Buffer.allocUnsafeSlow(codec.blockBytes)
  }

  return {
    destroy: () => {
      isGivenUp = true
    },
    write: async (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        const bytes = Math.min(chunk.length - at, codec.blockBytes - used)
        block.set(chunk.subarray(at, at + bytes), used)
        used += bytes
        at += bytes
        if (used === codec.blockBytes) await dispatch()
      }
    },
    end: async () => {
      if (used > 0 || !started) await dispatch()
      while (queue.length > 0) await writeOldest()
      if (codec.tail) await target.write(codec.tail())
    },
  }
}

interface Job {
  block: Buffer
  /** The part of `block` that is filled. */
  input: Buffer
  output: Promise<Uint8Array>
  /** Places in the queue, plus one while it is the latest block. */
  holders: number
}
