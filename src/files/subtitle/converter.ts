// Subtitles as WebVTT without holding up the server or filling its memory: a large file takes a
// thread of its own, waits for its turn before it is read, and its text counts until it was sent.
import { AppError } from '../../lib/errors.ts'
import { createGate } from '../../lib/gate.ts'
import type { Threads } from '../../programs/threads.ts'
import { type SubtitleFormat, toWebVtt } from './subtitle.ts'
import type { SubtitleAnswer, SubtitleWork } from './subtitle.worker.ts'

/** Converted in less time than a thread takes to start; a film's own subtitles are smaller. */
const SMALL_BYTES = 128 * 1024
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512 }
const MAX_WAITING = 50
/** Large texts that are being sent; more is converted when there is room again. */
const MAX_SENDING_BYTES = 48 * 1024 * 1024

interface SubtitleSource {
  sizeBytes: number
  /** The whole file, in memory of its own. Called when it is its turn. */
  read(): Promise<Uint8Array<ArrayBuffer>>
  format: SubtitleFormat
}

export interface SubtitleText {
  bytes: Uint8Array
  /** True for one of those that count until `release`. */
  isLarge: boolean
  /** To be called once the text is sent, or will not be. */
  release(): void
}

interface SubtitleConverter {
  /**
   * The file as WebVTT, UTF-8. Large ones are converted one after the other; whoever leaves is
   * dropped. Throws `too_many_requests` when many wait already, `unsupported` for a file without
   * cues, `too_large` for one that takes too much memory.
   */
  convert(source: SubtitleSource, signal: AbortSignal): Promise<SubtitleText>
}

export function createSubtitleConverter(threads: Threads): SubtitleConverter {
  const inTurn = createGate(1, MAX_WAITING)
  let sendingBytes = 0
  let onRoom: (() => void) | undefined

  // Asked by the one whose turn it is, so there is one at most who waits.
  const waitForRoom = async (signal: AbortSignal) => {
    while (sendingBytes >= MAX_SENDING_BYTES) {
      const { promise, resolve } = Promise.withResolvers<void>()
      onRoom = resolve
      signal.addEventListener('abort', resolve as () => void, { once: true })
      await promise
      signal.removeEventListener('abort', resolve as () => void)
      signal.throwIfAborted()
    }
  }
  const hold = (bytes: Uint8Array): SubtitleText => {
    sendingBytes += bytes.length
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      sendingBytes -= bytes.length
      onRoom?.()
    }
    return { bytes, isLarge: true, release }
  }
  return {
    convert: async (source, signal) => {
      if (source.sizeBytes <= SMALL_BYTES) {
        const bytes = Buffer.from(toWebVtt(await source.read(), source.format))
        return { bytes, isLarge: false, release: () => {} }
      }
      return inTurn(async () => {
        await waitForRoom(signal)
        const bytes = await source.read()
        return hold(await convertInThread(threads, { bytes, format: source.format }, signal))
      }, signal)
    },
  }
}

function convertInThread(
  threads: Threads,
  workerData: SubtitleWork,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted()
  const worker = threads.start(new URL('./subtitle.worker.ts', import.meta.url), {
    workerData,
    transferList: [workerData.bytes.buffer],
    resourceLimits: HEAP_LIMITS,
  })
  return new Promise<Uint8Array>((resolve, reject) => {
    const leave = () => {
      reject(signal.reason)
      void worker.terminate()
    }
    signal.addEventListener('abort', leave, { once: true })
    worker.on('message', (answer: SubtitleAnswer) => {
      if ('bytes' in answer) resolve(answer.bytes)
      else reject(new AppError(answer.code, answer.message, { status: answer.status }))
    })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isFull ? new AppError('too_large', 'the subtitles take too much memory') : error)
    })
    worker.on('exit', () => {
      signal.removeEventListener('abort', leave)
      reject(new Error('the converting thread ended without a text'))
    })
  })
}
