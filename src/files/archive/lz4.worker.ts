// One thread that makes LZ4 blocks: each message is the length of the block in the shared input,
// each answer the length of what stands in the output.
import { parentPort, workerData } from 'node:worker_threads'
import { createLz4Encoder, putFramedBlock } from './lz4.ts'

const { input, output } = workerData as { input: SharedArrayBuffer; output: SharedArrayBuffer }
const encode = createLz4Encoder()

parentPort?.on('message', (inputBytes: number) => {
  const source = new Uint8Array(input, 0, inputBytes)
  parentPort?.postMessage(putFramedBlock(encode, source, new Uint8Array(output)))
})
