// The server's side of the decoder process: one for each archive that is being unpacked.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isExecutable } from '../../inside.ts'
import { AppError } from '../../lib/errors.ts'
import { bareEnvironment, endFirst, residentBytes } from '../../programs/decoder-child.ts'
import { findProgram } from '../../programs/find-program.ts'
import { killGroup } from '../../programs/kill-group.ts'
import type { OpenFile } from '../place/scope.ts'
import { type DecoderTask, type Frame, readFrames } from './wire.ts'

/** Nothing takes longer from one piece to the next. */
const SILENT_MS = 60_000
/** With what Node itself takes. An archive that asks for more is refused. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024
const MEMORY_CHECK_MS = 250
/** So much is collected while what came before is worked on. */
const COLLECTED_BYTES = 512 * 1024

/**
 * What is in an archive, as many frames at a time as have come; all of them are to be taken before the next are asked for.
 * Throws what ends it: `damaged`, `unsupported`, `invalid_password`, `too_large` for what takes too much memory, or the
 * signal's reason.
 */
export async function* decode(
  { handle, sizeBytes }: OpenFile,
  task: Omit<DecoderTask, 'sizeBytes'>,
  signal: AbortSignal,
): AsyncGenerator<Iterable<Frame>, void> {
  signal.throwIfAborted()
  const child = start(handle.fd)
  const end = (why: AppError) => {
    failure ??= why
    killGroup(child, 'SIGKILL')
  }
  let failure: AppError | undefined
  const onAbort = () => killGroup(child, 'SIGKILL')
  signal.addEventListener('abort', onAbort)
  const weighing = setInterval(() => void weigh(child, end), MEMORY_CHECK_MS).unref()
  const hasEnded = new Promise<void>((resolve) => {
    child.on('error', () => resolve()).on('close', () => resolve())
  })
  child.stdin?.on('error', () => {})
  child.stdin?.write(`${JSON.stringify({ ...task, sizeBytes })}\n`)
  let isOver = false
  const onOver = () => {
    isOver = true
  }
  try {
    for await (const frames of readFrames(collected(child, end))) yield untilOver(frames, onOver)
  } catch (error) {
    signal.throwIfAborted()
    throw failure ?? (error instanceof AppError ? error : new AppError('damaged', `${error}`))
  } finally {
    clearInterval(weighing)
    signal.removeEventListener('abort', onAbort)
    killGroup(child, 'SIGKILL')
    await hasEnded
  }
  signal.throwIfAborted()
  if (!isOver) throw failure ?? new AppError('damaged', 'the decoder ended')
}

function* untilOver(frames: Iterable<Frame>, onOver: () => void): Generator<Frame, void> {
  const next = frames[Symbol.iterator]()
  for (;;) {
    const frame = nextOf(next)
    if (!frame) return
    if (!('over' in frame.head)) {
      yield frame
      continue
    }
    const { over, message } = frame.head
    onOver()
    if (over !== null) throw new AppError(over, message ?? 'the archive cannot be read')
  }
}

/** A decoder that was taken over may say anything. */
function nextOf(frames: Iterator<Frame>): Frame | undefined {
  try {
    return frames.next().value
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('damaged', `${error}`)
  }
}

/** Its output, all that has come at a time. While that is waited for and nothing comes, it is ended. */
async function* collected(
  { stdout }: ChildProcess,
  end: (why: AppError) => void,
): AsyncGenerator<Buffer[], void> {
  if (!stdout) return
  const late = () => end(new AppError('damaged', 'nothing comes out of it'))
  let chunks: Buffer[] = []
  let bytes = 0
  let isOver = false
  let wake = () => {}
  const onEnd = () => {
    isOver = true
    wake()
  }
  stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= COLLECTED_BYTES) stdout.pause()
    wake()
  })
  stdout.on('error', onEnd).on('end', onEnd).on('close', onEnd)
  try {
    for (;;) {
      if (chunks.length > 0) {
        const come = chunks
        chunks = []
        bytes = 0
        stdout.resume()
        yield come
      } else if (isOver) return
      else {
        const timer = setTimeout(late, SILENT_MS)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        clearTimeout(timer)
      }
    }
  } finally {
    stdout.destroy()
  }
}

async function weigh(child: ChildProcess, end: (why: AppError) => void): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  if ((await residentBytes(child.pid)) > MAX_MEMORY_BYTES)
    end(new AppError('too_large', 'it takes too much memory to unpack'))
}

/** Where that program is; empty for none. Elsewhere than on Linux an open file has no second place to be read from. */
export function bsdtarOf(name: string): Promise<string> {
  return findProgram(process.platform === 'linux' ? name : '')
}

/** The executable again with a hidden word, or Node with the file of the process. */
function start(fd: number): ChildProcess {
  const file: string | URL = new URL('./extract.process.ts', import.meta.url)
  const path = typeof file === 'string' ? file : fileURLToPath(file)
  const started = spawn(process.execPath, [isExecutable ? '__extract-process' : path], {
    stdio: ['pipe', 'pipe', 'ignore', fd],
    env: bareEnvironment(),
    cwd: '/',
    // An own group, as what it may start ends with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  endFirst(started)
  return started
}
