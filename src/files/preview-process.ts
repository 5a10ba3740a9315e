// The server's side of the preview process: starts it on demand, feeds it a bounded number of jobs,
// lets it go when idle, and survives its crashes.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { killGroup } from '../kill-group.ts'
import {
  createFrameReader,
  encodeFrame,
  PreviewError,
  type PreviewJob,
  type PreviewReply,
} from './preview-protocol.ts'

/** The process holds some 80 MB; without work for this long it ends. */
const IDLE_MS = 30_000
/** Longer than the time limits of the decoders; a process that misses it is stuck. */
const JOB_MS = 45_000
/** Most pictures are made in less; ending the process for them would cost more than it saves. */
const LEAVE_MS = 1_000
/** A crash may be somebody else's fault once. */
const MAX_ATTEMPTS = 2
const MAX_QUEUE = 2000

export type JobRequest = Omit<PreviewJob, 'id'>

export interface JobResult {
  reply: PreviewReply
  bytes: Buffer
}

export interface PreviewProcess {
  /**
   * Runs a job; rejects with PreviewError. An abort takes it out of the queue, and ends the process
   * when all that it still works on after LEAVE_MS has been given up.
   */
  run(request: JobRequest, signal: AbortSignal): Promise<JobResult>
  close(): void
}

interface Task {
  request: JobRequest
  attempts: number
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
  /** Its client has gone. */
  left: boolean
  /** Its time is over. */
  late: boolean
  timer?: NodeJS.Timeout
}

/**
 * `concurrency`: jobs in the process at the same time, at least 1. A job that takes longer than
 * `jobMs` ends the process. It is rejected with `too_slow` when it was the only one there; several
 * are done again, like after a crash.
 */
export function createPreviewProcess(concurrency: number, jobMs = JOB_MS): PreviewProcess {
  const queue: Task[] = []
  const running = new Map<number, Task>()
  let child: ChildProcess | null = null
  let idle: NodeJS.Timeout | undefined
  let leaving: NodeJS.Timeout | undefined
  let lastId = 0
  let closed = false

  const settle = (id: number): Task | undefined => {
    const task = running.get(id)
    clearTimeout(task?.timer)
    running.delete(id)
    return task
  }

  const onReply = (reply: PreviewReply, bytes: Buffer): void => {
    const task = settle(reply.id)
    endIfLeft()
    if (reply.failure) task?.reject(new PreviewError(reply.failure, reply.message ?? ''))
    else task?.resolve({ reply, bytes })
    pump()
  }

  const onExit = (which: ChildProcess): void => {
    if (child !== which) return
    child = null
    // Its number may be that of another process by the time the timer ends.
    stay()
    const tasks = [...running.values()]
    for (const id of [...running.keys()]) settle(id)
    for (const task of tasks) {
      if (task.left) continue
      // Of several it is not known which one kept the others waiting.
      if (task.late && tasks.length === 1)
        task.reject(new PreviewError('too_slow', `not made within ${jobMs / 1000} seconds`))
      else if (task.attempts < MAX_ATTEMPTS && !closed) queue.unshift(task)
      else task.reject(new PreviewError('undecodable', 'the preview process ended'))
    }
    pump()
  }

  const start = (): ChildProcess => {
    const [command, ...args] = previewCommand()
    const started = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...bareEnvironment(), UV_THREADPOOL_SIZE: String(Math.max(4, concurrency)) },
      // An own group, so that a running ffmpeg ends with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const read = createFrameReader<PreviewReply>()
    started.stdout?.on('data', (chunk: Buffer) => {
      try {
        for (const { head, body } of read(chunk)) onReply(head, body)
      } catch {
        killGroup(started, 'SIGKILL')
      }
    })
    // A write to a process that just ended; its exit tells the rest.
    started.stdin?.on('error', () => {})
    started.on('error', () => onExit(started))
    started.on('exit', () => onExit(started))
    // The server must be able to end while a preview process idles.
    started.unref()
    return started
  }

  const pump = (): void => {
    clearTimeout(idle)
    while (running.size < concurrency) {
      const task = queue.shift()
      if (!task) break
      child ??= start()
      const current = child
      lastId += 1
      task.attempts += 1
      task.timer = setTimeout(() => {
        task.late = true
        killGroup(current, 'SIGKILL')
      }, jobMs)
      running.set(lastId, task)
      current.stdin?.write(encodeFrame({ ...task.request, id: lastId }))
      endIfLeft()
    }
    if (running.size === 0 && child) idle = setTimeout(() => child?.stdin?.end(), IDLE_MS).unref()
  }

  // Decoders cannot be interrupted, so the process goes; not while somebody waits for its work.
  const endIfLeft = (): void => {
    const given = [...running.values()]
    if (!child || given.length === 0 || !given.every(({ left }) => left)) {
      stay()
      return
    }
    const current = child
    // From the moment it was left: others who come and go do not put it off.
    leaving ??= setTimeout(() => killGroup(current, 'SIGKILL'), LEAVE_MS).unref()
  }

  const stay = (): void => {
    clearTimeout(leaving)
    leaving = undefined
  }

  return {
    run(request, signal) {
      if (closed) return Promise.reject(new PreviewError('unsupported', 'shutting down'))
      if (signal.aborted) return Promise.reject(signal.reason)
      if (queue.length >= MAX_QUEUE) {
        return Promise.reject(new PreviewError('unsupported', 'too many previews are waiting'))
      }
      return new Promise<JobResult>((resolve, reject) => {
        const task: Task = { request, attempts: 0, left: false, late: false, resolve, reject }
        const onAbort = (): void => {
          const at = queue.indexOf(task)
          if (at >= 0) queue.splice(at, 1)
          task.left = true
          endIfLeft()
          reject(signal.reason)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        const done = (): void => signal.removeEventListener('abort', onAbort)
        task.resolve = (result) => {
          done()
          resolve(result)
        }
        task.reject = (error) => {
          done()
          reject(error)
        }
        queue.push(task)
        pump()
      })
    },
    close() {
      closed = true
      clearTimeout(idle)
      stay()
      for (const task of queue.splice(0))
        task.reject(new PreviewError('unsupported', 'shutting down'))
      if (child) killGroup(child, 'SIGKILL')
    },
  }
}

/** The executable again with a hidden word, or Node with the file of the process. */
function previewCommand(): [string, ...string[]] {
  if ('pkg' in process) return [process.execPath, '__preview-worker']
  const file: string | URL = new URL('./preview.worker.ts', import.meta.url)
  return [process.execPath, typeof file === 'string' ? file : fileURLToPath(file)]
}

const KEPT = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'LANG', 'SystemRoot', 'LOCALAPPDATA']
const KEPT_PREFIXES = ['XDG_', 'FILEBROWSER_NATIVE']

/** Only what loading needs: no passwords and secrets from the server's environment. */
function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => KEPT.includes(name) || KEPT_PREFIXES.some((prefix) => name.startsWith(prefix)),
    ),
  )
}
