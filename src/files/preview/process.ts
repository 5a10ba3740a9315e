// The server's side of the preview process: starts it on demand, feeds it a bounded number of jobs,
// lets it go when idle, and survives its crashes. Who asks takes turns with all others who do.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isExecutable } from '../../inside.ts'
import { isMemoryShort } from '../../lib/memory/memory-limit.ts'
import { bareEnvironment, endFirst, residentBytes } from '../../programs/decoder-child.ts'
import { killGroup } from '../../programs/kill-group.ts'
import {
  createFrameReader,
  encodeFrame,
  PreviewError,
  type PreviewJob,
  type PreviewReply,
} from './protocol.ts'

/** The process holds some 80 MB; without work for this long it ends. */
const IDLE_MS = 30_000
const IDLE_WHERE_SHORT_MS = 2_000
/** Longer than the time limits of the decoders; a process that misses it is stuck. */
const JOB_MS = 45_000
/** Most pictures are made in less; ending the process for them would cost more than it saves. */
const LEAVE_MS = 1_000
/** A crash may be somebody else's fault once. */
const MAX_ATTEMPTS = 2
const MAX_QUEUE = 2000
/** Of one asker: more than any page shows at a time. */
const MAX_WAITING = 500
/** Jobs say what they take before they take it; this ends a process whose file lied. */
const MAX_PROCESS_BYTES = 512 * 1024 * 1024
const MEMORY_CHECK_MS = 100
/** See `nextTask`. */
export const SPARE_PLACES = 1

export type JobRequest = Omit<PreviewJob, 'id'>

/** Who waits for a picture: an account, or all visitors of a share. */
export interface Asker {
  name: string
  isVisitor: boolean
}

export interface JobResult {
  reply: PreviewReply
  bytes: Buffer
}

export interface PreviewProcess {
  /**
   * Runs a job; rejects with PreviewError. An abort takes it out of the queue, and ends the process
   * when all that it still works on after LEAVE_MS has been given up. Askers take turns, and one place
   * more is kept for people who are signed in and have none.
   */
  run(request: JobRequest, signal: AbortSignal, limits: JobLimits): Promise<JobResult>
  close(): void
}

interface JobLimits {
  asker: Asker
  /** A job that takes longer ends the process; JOB_MS unless given. */
  timeoutMs?: number
}

interface Task {
  request: JobRequest
  asker: Asker
  timeoutMs: number
  attempts: number
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
  /** Its client has gone. */
  left: boolean
  /** Its time is over, or it took too much. */
  ended: 'too_slow' | 'too_large' | null
  timer?: NodeJS.Timeout
}

/**
 * `concurrency`: jobs in the process at the same time, at least 1. A job that takes too long ends the
 * process. It is rejected with `too_slow` when it was the only one there; several are done again,
 * like after a crash. The same holds for memory, where the system tells how much it is.
 */
export function createPreviewProcess(concurrency: number): PreviewProcess {
  const state: State = {
    concurrency,
    queue: [],
    running: new Map(),
    turns: new Map(),
    child: null,
    lastId: 0,
    isClosed: false,
  }
  return {
    run: (request, signal, limits) => enqueue(state, request, signal, limits),
    close: () => {
      state.isClosed = true
      clearTimeout(state.idle)
      clearInterval(state.weighing)
      stay(state)
      for (const task of state.queue.splice(0)) task.reject(shuttingDown())
      if (state.child) killGroup(state.child, 'SIGKILL')
    },
  }
}

interface State {
  readonly concurrency: number
  readonly queue: Task[]
  readonly running: Map<number, Task>
  /** When an asker had the last turn, by a count; only of those who wait or run. */
  readonly turns: Map<string, number>
  child: ChildProcess | null
  lastId: number
  isClosed: boolean
  idle?: NodeJS.Timeout | undefined
  leaving?: NodeJS.Timeout | undefined
  weighing?: NodeJS.Timeout | undefined
}

async function enqueue(
  state: State,
  request: JobRequest,
  signal: AbortSignal,
  { asker, timeoutMs = JOB_MS }: JobLimits,
): Promise<JobResult> {
  const { queue } = state
  if (state.isClosed) throw shuttingDown()
  signal.throwIfAborted()
  const own = queue.filter((task) => task.asker.name === asker.name)
  if (queue.length >= MAX_QUEUE || own.length >= MAX_WAITING)
    throw new PreviewError('unavailable', 'too many previews are waiting')
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
  const progress = { attempts: 0, left: false, ended: null }
  const task: Task = { request, asker, timeoutMs, ...progress, resolve, reject }
  const onAbort = (): void => {
    const at = queue.indexOf(task)
    if (at >= 0) queue.splice(at, 1)
    task.left = true
    endIfLeft(state)
    reject(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  queue.push(task)
  pump(state)
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

function settle({ running }: State, id: number): Task | undefined {
  const task = running.get(id)
  clearTimeout(task?.timer)
  running.delete(id)
  return task
}

function onReply(state: State, reply: PreviewReply, bytes: Buffer): void {
  const task = settle(state, reply.id)
  endIfLeft(state)
  if (reply.failure) task?.reject(new PreviewError(reply.failure, reply.message ?? ''))
  else task?.resolve({ reply, bytes })
  pump(state)
}

function onExit(state: State, which: ChildProcess): void {
  if (state.child !== which) return
  state.child = null
  // Its number may be that of another process by the time the timer ends.
  stay(state)
  const { isClosed } = state
  const tasks = [...state.running.values()]
  for (const id of [...state.running.keys()]) settle(state, id)
  for (const task of tasks) {
    if (task.left) continue
    // Of several it is not known which one kept the others waiting.
    if (task.ended && tasks.length === 1)
      task.reject(new PreviewError(task.ended, ENDED[task.ended](task)))
    else if (task.attempts < MAX_ATTEMPTS && !isClosed) state.queue.unshift(task)
    else {
      // What was there with others may not have been the one that crashed.
      const failure = tasks.length === 1 && !isClosed ? 'undecodable' : 'unavailable'
      task.reject(new PreviewError(failure, 'the preview process ended'))
    }
  }
  pump(state)
}

function start(state: State): ChildProcess {
  const [command, ...args] = previewCommand()
  const started = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...bareEnvironment(),
      UV_THREADPOOL_SIZE: String(Math.max(4, state.concurrency + SPARE_PLACES)),
    },
    // An own group, so that a running ffmpeg ends with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  endFirst(started)
  const read = createFrameReader<PreviewReply>()
  started.stdout?.on('data', (chunk: Buffer) => {
    try {
      for (const { head, body } of read(chunk)) onReply(state, head, body)
    } catch {
      killGroup(started, 'SIGKILL')
    }
  })
  // A write to a process that just ended; its exit tells the rest.
  started.stdin?.on('error', () => {})
  started.on('error', () => onExit(state, started))
  started.on('exit', () => onExit(state, started))
  // The server must be able to end while a preview process idles.
  started.unref()
  return started
}

// Gives the process what it has places for, and watches it as long as it works.
function pump(state: State): void {
  const { queue, running, turns } = state
  clearTimeout(state.idle)
  while (running.size < state.concurrency + SPARE_PLACES) {
    const task = nextTask(state)
    // What was there at a crash runs alone the second time, so that only one can be to blame.
    const isSecond = [...running.values()].some(({ attempts }) => attempts > 1)
    if (!task || isSecond || (task.attempts > 0 && running.size > 0)) break
    queue.splice(queue.indexOf(task), 1)
    state.child ??= start(state)
    const { child } = state
    state.lastId += 1
    turns.set(task.asker.name, state.lastId)
    task.attempts += 1
    task.timer = setTimeout(() => {
      task.ended = 'too_slow'
      killGroup(child, 'SIGKILL')
    }, task.timeoutMs)
    running.set(state.lastId, task)
    child.stdin?.write(encodeFrame({ ...task.request, id: state.lastId }))
    endIfLeft(state)
  }
  if (running.size > 0) {
    state.weighing ??= setInterval(() => void weigh(state), MEMORY_CHECK_MS).unref()
    return
  }
  clearInterval(state.weighing)
  state.weighing = undefined
  if (queue.length === 0) turns.clear()
  if (!state.child) return
  const idleMs = isMemoryShort() ? IDLE_WHERE_SHORT_MS : IDLE_MS
  state.idle = setTimeout(() => state.child?.stdin?.end(), idleMs).unref()
}

/**
 * Of those who wait: who has the fewest places, and had the last turn longest ago. Beyond
 * `concurrency` there is a place for people who are signed in and have none: what runs may take
 * half a minute.
 */
function nextTask({ concurrency, queue, running, turns }: State): Task | undefined {
  const places = new Map<string, number>()
  for (const { asker } of running.values())
    places.set(asker.name, (places.get(asker.name) ?? 0) + 1)
  const placesOf = ({ asker }: Task) => places.get(asker.name) ?? 0
  const turnOf = ({ asker }: Task) => turns.get(asker.name) ?? 0
  const isFull = running.size >= concurrency
  let next: Task | undefined
  for (const task of queue) {
    if (isFull && (task.asker.isVisitor || placesOf(task) > 0)) continue
    const before = next && (placesOf(task) - placesOf(next) || turnOf(task) - turnOf(next))
    if (before === undefined || before < 0) next = task
  }
  return next
}

async function weigh(state: State): Promise<void> {
  const { child } = state
  if (!child?.pid || (await residentBytes(child.pid)) <= MAX_PROCESS_BYTES) return
  if (state.child !== child) return
  for (const task of state.running.values()) task.ended ??= 'too_large'
  killGroup(child, 'SIGKILL')
}

// Decoders cannot be interrupted, so the process goes; not while somebody waits for its work.
function endIfLeft(state: State): void {
  const { child } = state
  const given = [...state.running.values()]
  if (!child || given.length === 0 || !given.every(({ left }) => left)) {
    stay(state)
    return
  }
  // From the moment it was left: others who come and go do not put it off.
  state.leaving ??= setTimeout(() => killGroup(child, 'SIGKILL'), LEAVE_MS).unref()
}

function stay(state: State): void {
  clearTimeout(state.leaving)
  state.leaving = undefined
}

function shuttingDown(): PreviewError {
  return new PreviewError('unavailable', 'shutting down')
}

const ENDED = {
  too_slow: ({ timeoutMs }: Task) => `not made within ${timeoutMs / 1000} seconds`,
  too_large: () => `more than ${MAX_PROCESS_BYTES / 1024 / 1024} MB of memory`,
}

/** The executable again with a hidden word, or Node with the file of the process. */
function previewCommand(): [string, ...string[]] {
  if (isExecutable) return [process.execPath, '__preview-process']
  const file: string | URL = new URL('./preview.process.ts', import.meta.url)
  return [process.execPath, typeof file === 'string' ? file : fileURLToPath(file)]
}
