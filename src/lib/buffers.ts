import { freeMemory } from './free-memory.ts'

/** Kept of each size for the next transfers; all is given back when none has run for a while. */
const MAX_KEPT_BYTES = 2 * 1024 * 1024
const IDLE_MS = 5_000

export interface Buffers {
  /** How many transfers use them now. */
  transfers(): number
  begin(): void
  end(): void
  take(sizeBytes: number): Buffer
  give(buffer: Buffer): void
}

/** Buffers that transfers share, one after the other. */
export function createBuffers(): Buffers {
  const pool = new Map<number, Buffer[]>()
  let transfers = 0
  let emptying: NodeJS.Timeout | undefined
  const empty = () => {
    if (transfers > 0) return
    for (const buffers of pool.values()) for (const buffer of buffers) freeMemory(buffer)
    pool.clear()
  }
  return {
    transfers: () => transfers,
    begin: () => void transfers++,
    end: () => {
      transfers--
      if (transfers > 0) return
      emptying ??= setTimeout(empty, IDLE_MS).unref()
      emptying.refresh()
    },
    take: (sizeBytes) => pool.get(sizeBytes)?.pop() ?? Buffer.allocUnsafeSlow(sizeBytes),
    give: (buffer) => {
      const free = pool.get(buffer.length) ?? []
      pool.set(buffer.length, free)
      if (free.length * buffer.length < MAX_KEPT_BYTES) free.push(buffer)
      else freeMemory(buffer)
    },
  }
}
