// A thread that converts one subtitle file, posts the WebVTT text or why there is none, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import type { ErrorCode } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import { type SubtitleFormat, toWebVtt } from './subtitle.ts'

export interface SubtitleWork {
  /** Handed over: its memory goes to the thread. */
  bytes: Uint8Array<ArrayBuffer>
  format: SubtitleFormat
}

/** An error loses its class on the way, so it goes as its parts. */
export type SubtitleAnswer =
  | { bytes: Uint8Array<ArrayBuffer> }
  | { code: ErrorCode; message: string; status: number }

const { bytes, format } = workerData as SubtitleWork
const answer = convert()
parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : [])

function convert(): SubtitleAnswer {
  try {
    return { bytes: new TextEncoder().encode(toWebVtt(bytes, format)) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, status } = error
    return { code, message, status }
  }
}
