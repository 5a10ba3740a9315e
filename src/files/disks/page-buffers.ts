// Buffers that begin on a page of memory, as O_DIRECT of open(2) asks for.

/** Enough for a spinning disk to write for longer than it seeks. */
const BUFFER_BYTES = 2 * 1024 * 1024
/** The disk has its next piece before who waits for the last one is told. */
const BUFFERS = 4
const WASM_PAGE_BYTES = 64 * 1024

export interface PageBuffers {
  /** Null where the process may not have the addresses. */
  take(): readonly Buffer[] | null
  /** The next one to take some gets these, unless their memory was wanted meanwhile. */
  give(buffers: readonly Buffer[]): void
}

export function createPageBuffers(): PageBuffers {
  let last: WeakRef<readonly Buffer[]> | null = null
  return {
    take: () => {
      const kept = last?.deref()
      last = null
      return kept ?? makeBuffers()
    },
    give: (buffers) => {
      last = new WeakRef(buffers)
    },
  }
}

// Node has no other memory of which it is known where it begins.
function makeBuffers(): Buffer[] | null {
  const pages = (BUFFERS * BUFFER_BYTES) / WASM_PAGE_BYTES
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages })
    return Array.from({ length: BUFFERS }, (_, i) =>
      Buffer.from(buffer, i * BUFFER_BYTES, BUFFER_BYTES),
    )
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
