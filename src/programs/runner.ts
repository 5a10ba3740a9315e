// Running a program: an argv, never a line; an explicit environment; bounded output and time; the
// whole process group ends with an abort. Event hooks, sign-in hooks and the shell panel use it.
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { killGroup } from './kill-group.ts'

/** After the polite signal a group has this long before it is killed. */
export const KILL_DELAY_MS = 3_000
/** What a program wrote is here by then; whatever still holds its output was left behind. */
const EXIT_DRAIN_MS = 200
/** A killed program that has not gone after this long (it hangs in a disk) is given up. */
const GIVE_UP_MS = 1_000

interface RunOptions {
  cwd?: string
  /** Added to the inherited variables. */
  env?: Record<string, string>
  stdin?: string
  /** The program is ended after this long; without it, it may take as long as it likes. */
  timeoutMs?: number
  /** Output past this many bytes ends the program. */
  maxOutputBytes?: number
  /**
   * The run ends with the program itself: what that leaves in the background does not hold it up,
   * lives on, and is still heard.
   */
  untilExit?: boolean
  signal?: AbortSignal | undefined
  onStdout?: (chunk: Buffer) => void
  onStderr?: (chunk: Buffer) => void
}

interface RunResult {
  /** Exit status; null when a signal ended the program or it was given up. */
  exitCode: number | null
  /** Why the program was ended from here, if it was. */
  ended: 'timeout' | 'output' | 'abort' | null
}

/** Inherited by programs; nothing else of the server's environment is, unless it is listed. */
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

/** The programs of one application. */
export interface Programs {
  /** See run; the program also ends with the application. */
  run(argv: readonly string[], options: RunOptions): Promise<RunResult>
  /** Ends all that run and waits until they have, which those that ignore the signal delay a little. */
  close(): Promise<void>
}

/** `inherited`: variables of the server's environment that programs get besides the fixed list. */
export function createPrograms(inherited: readonly string[] = []): Programs {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    run: (argv, options) => {
      if (closing.signal.aborted) return Promise.reject(new Error('the server stops'))
      const signals = options.signal ? [options.signal, closing.signal] : [closing.signal]
      const env = { ...inheritedEnv(inherited), ...options.env }
      const work = run(argv, { ...options, env, signal: AbortSignal.any(signals) })
      running.add(work)
      const forget = () => void running.delete(work)
      work.then(forget, forget)
      return work
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}

/** Rejects when the program cannot be started; any exit is a result. */
function run(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = argv
    const { timeoutMs, maxOutputBytes } = options
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // An own group, so that children of the program end with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let ended: RunResult['ended'] = null
    let outputBytes = 0
    let killTimer: NodeJS.Timeout | undefined
    let drainTimer: NodeJS.Timeout | undefined

    const end = (reason: NonNullable<RunResult['ended']>) => {
      if (ended) return
      ended = reason
      killGroup(child, 'SIGTERM')
      killTimer = setTimeout(kill, KILL_DELAY_MS)
    }
    const kill = () => {
      killGroup(child, 'SIGKILL')
      // What left the group may hold the other ends for as long as it likes.
      child.stdout?.destroy()
      child.stderr?.destroy()
      killTimer = setTimeout(() => finish(null), GIVE_UP_MS)
    }
    const finish = (exitCode: number | null) => {
      release()
      resolve({ exitCode, ended })
    }
    const count = (stream: Readable | null, sink: ((chunk: Buffer) => void) | undefined) => {
      stream?.on('data', (chunk: Buffer) => {
        if (ended) return
        outputBytes += chunk.length
        if (maxOutputBytes !== undefined && outputBytes > maxOutputBytes) end('output')
        else sink?.(chunk)
      })
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('timeout'), timeoutMs)
    const onAbort = () => end('abort')
    const release = () => {
      clearTimeout(timer)
      clearTimeout(killTimer)
      clearTimeout(drainTimer)
      options.signal?.removeEventListener('abort', onAbort)
    }

    count(child.stdout, options.onStdout)
    count(child.stderr, options.onStderr)
    child.once('error', (error) => {
      release()
      reject(error)
    })
    if (options.untilExit)
      child.once('exit', (exitCode) => {
        drainTimer = setTimeout(() => {
          // What it left must not keep the server from ending.
          for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.unref()
          finish(exitCode)
        }, EXIT_DRAIN_MS)
      })
    child.once('close', (exitCode) => {
      // What the program left running in its group must not outlive an aborted run.
      if (ended) killGroup(child, 'SIGKILL')
      finish(exitCode)
    })
    // EPIPE: the program does not read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.stdin)
    if (options.signal?.aborted) onAbort()
    else options.signal?.addEventListener('abort', onAbort)
  })
}

function inheritedEnv(more: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of [...INHERITED, ...more]) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return env
}
