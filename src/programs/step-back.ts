// For threads that nobody waits for.
import { getPriority, constants as osConstants, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL } = osConstants.priority

/**
 * Lets everybody else have the processor first. On Linux the call means the thread that makes it; elsewhere it would mean
 * the process, and nothing is done.
 */
export function stepBack(): void {
  if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL)
    setPriority(PRIORITY_BELOW_NORMAL)
}
