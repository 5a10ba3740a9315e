// Large folders are read one after the other: one thread reads them all, so that none is listed later for it, and each
// takes tens of megabytes until it is sorted.
import { createGate } from '../../lib/gate.ts'

/** Of a folder itself, where some 20,000 names and more are. */
const LARGE_BYTES = 1024 * 1024
/** A disk that takes longer keeps others waiting no longer. */
const WAIT_MS = 10_000

/** Reads a folder in its turn, by the size of the folder itself. Rejects like `read`, and with the reason of `signal`. */
export type LargeFolders = <T>(
  folderBytes: number,
  read: () => Promise<T>,
  signal: AbortSignal,
) => Promise<T>

/** Makes the turns. There is one to a server. */
export function createLargeFolders(waitMs = WAIT_MS): LargeFolders {
  const inTurn = createGate(1)
  return async (folderBytes, read, signal) => {
    if (folderBytes < LARGE_BYTES) return read()
    const late = AbortSignal.timeout(waitMs)
    let begun = false
    try {
      return await inTurn(
        () => {
          begun = true
          return read()
        },
        AbortSignal.any([signal, late]),
      )
    } catch (error) {
      if (begun || signal.aborted || !late.aborted) throw error
    }
    return read()
  }
}
