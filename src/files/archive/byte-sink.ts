// Pushing bytes with back-pressure. Streams that make many small pieces (archives) write into a
// sink instead of a Node stream, so that buffers can be reused and nothing piles up.

export interface ByteSink {
  /** The caller may reuse the memory of `chunk` once the promise has settled. */
  write(chunk: Uint8Array): Promise<void>
}

/** A sink with an end: what it holds back or has to append comes out in `end`, once. */
export interface FinishingSink extends ByteSink {
  end(): Promise<void>
}

/** Pieces below this many bytes are gathered; larger ones pass through. */
const SMALL_BYTES = 32 * 1024
const BATCH_BYTES = 128 * 1024

/**
 * Gathers small writes into larger ones. One batch is filled while the other is on its way, so a
 * failure of the target shows at the next write or at `end`, which writes the rest.
 */
export function createBatchingSink(target: ByteSink): FinishingSink {
  let filling = Buffer.allocUnsafeSlow(BATCH_BYTES)
  let spare = Buffer.allocUnsafeSlow(BATCH_BYTES)
  let used = 0
  let sending: Promise<void> = Promise.resolve()

  const flush = async () => {
    if (used === 0) return
    const full = filling
    const bytes = used
    await sending
    used = 0
    filling = spare
    spare = full
    sending = target.write(full.subarray(0, bytes))
    // Seen at the next await of `sending`; until then it must not count as unhandled.
    sending.catch(() => {})
  }

  return {
    write: async (chunk) => {
      if (chunk.length >= SMALL_BYTES) {
        await flush()
        await sending
        return target.write(chunk)
      }
      if (used + chunk.length > BATCH_BYTES) await flush()
      filling.set(chunk, used)
      used += chunk.length
    },
    end: async () => {
      await flush()
      await sending
    },
  }
}
