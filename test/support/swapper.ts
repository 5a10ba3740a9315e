// A local process that keeps exchanging two names, as fast as the system lets it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { withDeadline } from './deadline.ts'
import { hasFiles } from './programs.ts'

// renameat2(2) with RENAME_EXCHANGE: both names are always there, which no two renames achieve.
const SCRIPT = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = (name.encode() for name in sys.argv[1:3])
def swap():
    if libc.renameat2(-100, a, -100, b, 2) != 0: raise OSError(ctypes.get_errno(), 'renameat2')
swap(); swap()
print('going', flush=True)
while True: swap()
`

/** Swapping needs the exchange of Linux, and Python to call it. */
export const CAN_SWAP =
  process.platform === 'linux' && hasFiles('links swapped in', ['/usr/bin/python3'], 'python3')

/** Exchanges the names until disposed; has begun when this resolves. */
export async function keepExchanging(a: string, b: string): Promise<AsyncDisposable> {
  const child = spawn('/usr/bin/python3', ['-c', SCRIPT, a, b], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await withDeadline('the first exchange', 60_000, once(child.stdout, 'data'))
  return { [Symbol.asyncDispose]: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error('the exchange had ended before')
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
