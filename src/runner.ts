// Running a program: an argv, never a line; an explicit environment; bounded output and time; the
// whole process group ends with an abort. Event hooks, sign-in hooks and the shell panel use it.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** After the polite signal a group has this long before it is killed. */
export const KILL_DELAY_MS = 3_000

export interface RunOptions {
  cwd?: string
  /** Added to the fixed list of inherited variables. */
  env?: Record<string, string>
  stdin?: string
  timeoutMs: number
  /** Output past this many bytes ends the program. */
  maxOutputBytes: number
  signal?: AbortSignal
  onStdout?: (chunk: Buffer) => void
  onStderr?: (chunk: Buffer) => void
}

export interface RunResult {
  /** Exit status; null when a signal ended the program. */
  exitCode: number | null
  /** Why the program was ended from here, if it was. */
  ended: 'timeout' | 'output' | 'abort' | null
}

/** Inherited by programs; everything else of the server's environment, secrets included, is not. */
const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'SystemRoot',
  'PATHEXT',
  'COMSPEC',
]

/** Rejects when the program cannot be started; any exit is a result. */
export function run(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = argv
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...inheritedEnv(), ...options.env },
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // An own group, so that children of the program end with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let ended: RunResult['ended'] = null
    let outputBytes = 0
    let killTimer: NodeJS.Timeout | undefined

    const end = (reason: NonNullable<RunResult['ended']>) => {
      if (ended) return
      ended = reason
      killGroup(child, 'SIGTERM')
      killTimer = setTimeout(() => killGroup(child, 'SIGKILL'), KILL_DELAY_MS)
    }
    const count = (stream: Readable | null, sink: ((chunk: Buffer) => void) | undefined) => {
      stream?.on('data', (chunk: Buffer) => {
        if (ended) return
        outputBytes += chunk.length
        if (outputBytes > options.maxOutputBytes) end('output')
        else sink?.(chunk)
      })
    }
    const timer = setTimeout(() => end('timeout'), options.timeoutMs)
    const onAbort = () => end('abort')
    const release = () => {
      clearTimeout(timer)
      clearTimeout(killTimer)
      options.signal?.removeEventListener('abort', onAbort)
    }

    count(child.stdout, options.onStdout)
    count(child.stderr, options.onStderr)
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('close', (exitCode) => {
      // What the program left running in its group must not outlive an aborted run.
      if (ended) killGroup(child, 'SIGKILL')
      release()
      resolve({ exitCode, ended })
    })
    // A program that does not read its input breaks the pipe; that is its choice.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.stdin)
    if (options.signal?.aborted) onAbort()
    else options.signal?.addEventListener('abort', onAbort)
  })
}

function inheritedEnv(): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of INHERITED) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return env
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // ESRCH: the group is gone already.
  }
}
