// How much memory there is for this process and those that it starts.
import { totalmem } from 'node:os'

const MIB = 1024 * 1024
/** With less, memory counts for more than speed. */
const SHORT_BYTES = 512 * MIB

/** Bytes that its control group has, as `docker run --memory` makes one, else the machine. */
export function memoryLimitBytes(): number {
  // 0 and nearly 2^63 both say that there is no group with a limit.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}

/** True on small machines and in small containers. */
export function isMemoryShort(): boolean {
  return memoryLimitBytes() <= SHORT_BYTES
}

/** How many things of `bytes` each may be there at a time, where all of them may take a tenth of the memory: at least one. */
export function roomFor(bytes: number): number {
  return Math.max(1, Math.floor(memoryLimitBytes() / 10 / bytes))
}
