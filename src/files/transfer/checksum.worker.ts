// A thread that hashes one file, posts the hex digest and ends. The descriptor belongs to the
// server, which keeps it open until this thread is gone.
import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

export interface ChecksumWork {
  fd: number
  algorithm: string
}

const CHUNK_BYTES = 1024 * 1024

const { fd, algorithm } = workerData as ChecksumWork
const hash = createHash(algorithm)
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
let position = 0
for (;;) {
  const bytesRead = readSync(fd, chunk, 0, CHUNK_BYTES, position)
  if (bytesRead === 0) break
  hash.update(chunk.subarray(0, bytesRead))
  position += bytesRead
}
parentPort?.postMessage(hash.digest('hex'))
