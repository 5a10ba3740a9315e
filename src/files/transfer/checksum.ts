// Checksums of files. A small one is hashed at once, a large one in a thread of its own: hashing in
// slices on the main thread would leave no slice to anybody else while gigabytes pass.
import { createHash } from 'node:crypto'
import { fromErrno, isUnreachable } from '../../lib/errors.ts'
import { createGate } from '../../lib/gate.ts'
import type { Threads } from '../../programs/threads.ts'
import type { OpenFile } from '../place/scope.ts'
import type { ChecksumWork, Chunk } from './checksum.worker.ts'

export const CHECKSUM_ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'] as const
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number]

/** Hashed in less time than a thread takes to start: two milliseconds of SHA-512. */
const SMALL_BYTES = 1024 * 1024
/** Memory that one call holds at most. */
export const CHECKSUM_BYTES = SMALL_BYTES
const MIN_CHUNK_BYTES = 64 * 1024
/** So many that the thread always has one to go on with: one is read, one hashed, two wait or are on their way. */
const CHUNKS = 4
const CHUNK_BYTES = CHECKSUM_BYTES / CHUNKS
/** Files hashed in threads at the same time, each of another owner. One disk is busy with two. */
const MAX_THREADS = 2
/** The thread gets memory outside of the heap; a nearly full heap would end the whole process. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64 }

export function isChecksumAlgorithm(text: string): text is ChecksumAlgorithm {
  return (CHECKSUM_ALGORITHMS as readonly string[]).includes(text)
}

/** A file that is opened when its turn has come, so that those who wait hold no descriptors. */
export interface FileToHash {
  /** As far as known. */
  sizeBytes: number
  open(): Promise<OpenFile>
}

/**
 * Hex digest of a file. Of large ones `owner` gets one at a time, so nobody keeps all others waiting.
 * `onRead` is told of further bytes. Rejects like `open`, with `unreachable` when the disk falls silent, and after an abort with the
 * signal's reason.
 */
export type Checksum = (
  file: FileToHash,
  algorithm: ChecksumAlgorithm,
  asked: { owner: number; signal: AbortSignal; onRead?: (bytes: number) => void },
) => Promise<string>

/** Makes the function. There is one to a server, as it counts the threads. */
export function createChecksum(threads: Threads): Checksum {
  const inThread = createGate(MAX_THREADS)
  /** Of who hashes or waits. */
  const owners = new Map<number, { inTurn: typeof inThread; calls: number }>()
  return async (file, algorithm, { owner, signal, onRead = () => {} }) => {
    signal.throwIfAborted()
    if (file.sizeBytes <= SMALL_BYTES) {
      const digest = await whileOpen(file, (opened) => hashSmall(opened, algorithm))
      if (digest !== null) onRead(file.sizeBytes)
      if (digest !== null) return digest
    }
    const own = owners.get(owner) ?? { inTurn: createGate(1), calls: 0 }
    owners.set(owner, own)
    own.calls++
    const hash = () =>
      whileOpen(file, (opened) => hashInThread(opened, algorithm, { threads, signal, onRead }))
    try {
      return await own.inTurn(() => inThread(hash, signal), signal)
    } finally {
      if (--own.calls === 0) owners.delete(owner)
    }
  }
}

async function whileOpen<T>(file: FileToHash, work: (opened: OpenFile) => Promise<T>): Promise<T> {
  const opened = await file.open()
  let isSilent = false
  try {
    return await work(opened)
  } catch (error) {
    isSilent = isUnreachable(error)
    throw error
  } finally {
    const closing = opened.handle.close()
    // It ends when the disk answers again.
    if (isSilent) closing.catch(() => {})
    else await closing
  }
}

// To the end, because the size may be wrong by now, and 0 for what the system makes up as it is read.
// Null when there is more than a small file has.
async function hashSmall(file: OpenFile, algorithm: ChecksumAlgorithm): Promise<string | null> {
  const hash = createHash(algorithm)
  const chunk = Buffer.allocUnsafe(Math.min(SMALL_BYTES, Math.max(file.sizeBytes, MIN_CHUNK_BYTES)))
  for (let position = 0; position <= SMALL_BYTES; ) {
    const bytesRead = await readSome(file, chunk, position)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(chunk.subarray(0, bytesRead))
    position += bytesRead
  }
  return null
}

async function readSome(
  { handle, vpath }: OpenFile,
  into: Uint8Array,
  position: number,
): Promise<number> {
  try {
    return (await handle.readOrGiveUp(into, 0, into.length, position)).bytesRead
  } catch (error) {
    throw fromErrno(error, vpath)
  }
}

async function hashInThread(
  file: OpenFile,
  algorithm: ChecksumAlgorithm,
  {
    threads,
    signal,
    onRead,
  }: { threads: Threads; signal: AbortSignal; onRead(bytes: number): void },
): Promise<string> {
  const workerData: ChecksumWork = { algorithm }
  const worker = threads.start(new URL('./checksum.worker.ts', import.meta.url), {
    workerData,
    resourceLimits: HEAP_LIMITS,
  })
  const idle = Array.from({ length: CHUNKS }, () => new ArrayBuffer(CHUNK_BYTES))
  const digest = Promise.withResolvers<string>()
  // A thread may end while nobody waits for it.
  digest.promise.catch(() => {})
  let given = Promise.withResolvers<void>()
  // A piece that is done, or the digest.
  worker.on('message', (value: ArrayBuffer | string) => {
    if (typeof value === 'string') return digest.resolve(value)
    idle.push(value)
    given.resolve()
  })
  worker.on('error', (error) => digest.reject(error))
  worker.on('exit', () => digest.reject(new Error('the hashing thread ended')))
  try {
    for (let position = 0; ; ) {
      const memory = idle.pop()
      if (!memory) {
        given = Promise.withResolvers()
        await Promise.race([given.promise, digest.promise])
        continue
      }
      const bytes = await readSome(file, new Uint8Array(memory), position)
      signal.throwIfAborted()
      if (bytes === 0) break
      position += bytes
      onRead(bytes)
      worker.postMessage({ memory, bytes } satisfies Chunk, [memory])
    }
    worker.postMessage(null)
    return await digest.promise
  } finally {
    await worker.terminate()
  }
}
