import { freeMemory } from './memory/free-memory.ts'

/** Kept for the next transfers; all is given back when none has run for a while. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024
const IDLE_MS = 5_000

export interface Buffers {
  /** How many transfers use them now. */
  transfers(): number
  /** Of all that are taken and not given back. */
  takenBytes(): number
  begin(): void
  end(): void
  take(sizeBytes: number): Buffer
  give(buffer: Buffer): void
}

/** Buffers that transfers share, one after the other. */
export function createBuffers(): Buffers {
  const pool = new Map<number, Buffer[]>()
  let transfers = 0
  let takenBytes = 0
  let keptBytes = 0
  let emptying: NodeJS.Timeout | undefined
  const empty = () => {
    if (transfers > 0) return
    for (const buffers of pool.values()) for (const buffer of buffers) freeMemory(buffer)
    pool.clear()
    keptBytes = 0
  }
  return {
    transfers: () => transfers,
    takenBytes: () => takenBytes,
    begin: () => void transfers++,
    end: () => {
      transfers--
      if (transfers > 0) return
      emptying ??= setTimeout(empty, IDLE_MS).unref()
      emptying.refresh()
    },
    take: (sizeBytes) => {
      takenBytes += sizeBytes
      const kept = pool.get(sizeBytes)?.pop()
      if (kept) keptBytes -= sizeBytes
      return kept ?? Buffer.allocUnsafeSlow(sizeBytes)
    },
    give: (buffer) => {
      takenBytes -= buffer.length
      if (keptBytes + buffer.length > MAX_KEPT_BYTES) return freeMemory(buffer)
      keptBytes += buffer.length
      const free = pool.get(buffer.length) ?? []
      pool.set(buffer.length, free)
      free.push(buffer)
    },
  }
}
