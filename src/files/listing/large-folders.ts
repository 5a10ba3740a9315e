// Large folders are read one after the other: one thread reads them all, so that none is listed later for it, and each
// takes tens of megabytes until it is sorted. Where memory is short, walks over trees take turns for the same reason.
import { createPatientGate, type Gate } from '../../lib/gate.ts'
import { isMemoryShort } from '../../lib/memory/memory-limit.ts'

/** Of a folder itself, where some 20,000 names and more are. */
const LARGE_BYTES = 1024 * 1024
/** A disk or a client that takes longer keeps others waiting no longer. */
const WAIT_MS = 10_000
const WALKS_WHERE_SHORT = 2

/** Reads a folder in its turn, by the size of the folder itself. Rejects like `read`, and with the reason of `signal`. */
export type LargeFolders = <T>(
  folderBytes: number,
  read: () => Promise<T>,
  signal: AbortSignal,
) => Promise<T>

/** Makes the turns. There is one to a server. */
export function createLargeFolders(waitMs = WAIT_MS): LargeFolders {
  const inTurn = createPatientGate(1, waitMs)
  return (folderBytes, read, signal) => (folderBytes < LARGE_BYTES ? read() : inTurn(read, signal))
}

/** Makes the turns of walks, which anybody has at once where there is memory. There is one to a server. */
export function createWalkTurns(isShort = isMemoryShort(), waitMs = WAIT_MS): Gate {
  return isShort ? createPatientGate(WALKS_WHERE_SHORT, waitMs) : (fn) => fn()
}
