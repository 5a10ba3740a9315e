// A thread that converts one subtitle file, posts the WebVTT text and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { type SubtitleFormat, toWebVtt } from './subtitle.ts'

export interface SubtitleWork {
  bytes: Uint8Array
  format: SubtitleFormat
}

const { bytes, format } = workerData as SubtitleWork
parentPort?.postMessage(toWebVtt(bytes, format))
