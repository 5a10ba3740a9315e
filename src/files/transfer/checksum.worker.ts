// A thread that hashes what it is sent: each chunk is given back when it is done, and after the last
// one, which is null, the hex digest. It reads no file itself, since nobody could end it on a disk that
// does not answer.
import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'

export interface ChecksumWork {
  algorithm: string
}

export interface Chunk {
  memory: ArrayBuffer
  bytes: number
}

const hash = createHash((workerData as ChecksumWork).algorithm)
parentPort?.on('message', (chunk: Chunk | null) => {
  if (chunk === null) return parentPort?.postMessage(hash.digest('hex'))
  hash.update(new Uint8Array(chunk.memory, 0, chunk.bytes))
  parentPort?.postMessage(chunk.memory, [chunk.memory])
})
