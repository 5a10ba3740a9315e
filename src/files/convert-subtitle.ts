// Subtitles as WebVTT without holding up the server: a large file takes a thread of its own.
import { Worker } from 'node:worker_threads'
import { createGate } from '../gate.ts'
import { type SubtitleFormat, toWebVtt } from './subtitle.ts'
import type { SubtitleWork } from './subtitle.worker.ts'

/** Converted in less time than a thread takes to start; a film's own subtitles are smaller. */
const SMALL_BYTES = 128 * 1024
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512 }
const inTurn = createGate(1)

/** The text of the file as WebVTT. Large files are converted one after the other. */
export async function convertSubtitle(bytes: Uint8Array, format: SubtitleFormat): Promise<string> {
  if (bytes.length <= SMALL_BYTES) return toWebVtt(bytes, format)
  return inTurn(() => convertInThread({ bytes, format }))
}

function convertInThread(workerData: SubtitleWork): Promise<string> {
  const worker = new Worker(new URL('./subtitle.worker.ts', import.meta.url), {
    workerData,
    resourceLimits: HEAP_LIMITS,
  })
  return new Promise((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the converting thread ended without a text')))
  })
}
