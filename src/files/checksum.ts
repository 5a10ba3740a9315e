// Checksums of files. A small one is hashed at once, a large one in a thread of its own: hashing in
// slices on the main thread would leave no slice to anybody else while gigabytes pass.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { ChecksumWork } from './checksum.worker.ts'
import type { OpenFile } from './scope.ts'

export const CHECKSUM_ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'] as const
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number]

/** Hashed in less time than a thread takes to start: two milliseconds of SHA-512. */
const SMALL_BYTES = 1024 * 1024
/** Files hashed in threads at the same time; others wait. One disk is busy with two. */
const MAX_THREADS = 2
/** The thread reads into one buffer and needs next to no heap. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 }

export function isChecksumAlgorithm(text: string): text is ChecksumAlgorithm {
  return (CHECKSUM_ALGORITHMS as readonly string[]).includes(text)
}

/**
 * Hex digest of an open file. Does not close it. An abort ends the work and rejects with the
 * signal's reason once nothing reads the file any more, so that the caller may close it then.
 */
export async function checksum(
  file: OpenFile,
  algorithm: ChecksumAlgorithm,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted()
  if (file.sizeBytes <= SMALL_BYTES) return hashSmall(file, algorithm)
  const leave = await enter(signal)
  try {
    signal.throwIfAborted()
    return await hashInThread(file, algorithm, signal)
  } finally {
    leave()
  }
}

async function hashSmall(file: OpenFile, algorithm: ChecksumAlgorithm): Promise<string> {
  const bytes = Buffer.allocUnsafe(file.sizeBytes)
  const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, 0)
  return createHash(algorithm).update(bytes.subarray(0, bytesRead)).digest('hex')
}

async function hashInThread(
  file: OpenFile,
  algorithm: ChecksumAlgorithm,
  signal: AbortSignal,
): Promise<string> {
  const workerData: ChecksumWork = { fd: file.handle.fd, algorithm }
  const worker = new Worker(new URL('./checksum.worker.ts', import.meta.url), {
    workerData,
    resourceLimits: HEAP_LIMITS,
  })
  const onAbort = () => void worker.terminate()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    let digest = ''
    worker.on('message', (text: string) => {
      digest = text
    })
    // Also after an abort: the descriptor is free to be closed only when the thread is gone.
    await new Promise<void>((resolve, reject) => {
      worker.on('error', reject)
      worker.on('exit', () => resolve())
    })
    signal.throwIfAborted()
    if (digest === '') throw new Error('the hashing thread ended without a digest')
    return digest
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

let threads = 0
const waiting: (() => void)[] = []

/** Waits for a free thread; the result gives it back. */
async function enter(signal: AbortSignal): Promise<() => void> {
  if (threads >= MAX_THREADS) await turn(signal)
  else threads += 1
  return () => {
    const next = waiting.shift()
    // The place goes from hand to hand, so nobody who comes later can take it in between.
    if (next) next()
    else threads -= 1
  }
}

function turn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const proceed = () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    const onAbort = () => {
      waiting.splice(waiting.indexOf(proceed), 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    waiting.push(proceed)
  })
}
