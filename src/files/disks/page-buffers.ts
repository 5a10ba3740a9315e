// Buffers that begin on a page of memory, as O_DIRECT of open(2) asks for.

/** Enough for a spinning disk to write for longer than it seeks. */
const BUFFER_BYTES = 4 * 1024 * 1024
const WASM_PAGE_BYTES = 64 * 1024

export type BufferPair = [Buffer, Buffer]

export interface PageBuffers {
  /** Null where the process may not have the addresses. */
  take(): BufferPair | null
  /** The next one to take a pair gets this one, unless its memory was wanted meanwhile. */
  give(pair: BufferPair): void
}

export function createPageBuffers(): PageBuffers {
  let last: WeakRef<BufferPair> | null = null
  return {
    take: () => {
      const kept = last?.deref()
      last = null
      return kept ?? makePair()
    },
    give: (pair) => {
      last = new WeakRef(pair)
    },
  }
}

// Node has no other memory of which it is known where it begins.
function makePair(): BufferPair | null {
  const pages = (2 * BUFFER_BYTES) / WASM_PAGE_BYTES
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages })
    return [Buffer.from(buffer, 0, BUFFER_BYTES), Buffer.from(buffer, BUFFER_BYTES, BUFFER_BYTES)]
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
