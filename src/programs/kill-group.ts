// Ending programs that were started as leaders of a group of their own.
import type { ChildProcess } from 'node:child_process'

/** Sends the signal to the process and what it has started; nothing where they have ended. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // ESRCH: the group is gone already.
  }
}
