// One thread that deflates blocks: each message is the length of the block in the shared input,
// each answer the length of what stands in the output.
import { parentPort, workerData } from 'node:worker_threads'
import { constants, deflateRawSync } from 'node:zlib'
import { freeMemory } from '../../lib/free-memory.ts'
import { deflatedBytes, isCompressible } from './deflated-block.ts'

const { input, output } = workerData as { input: SharedArrayBuffer; output: SharedArrayBuffer }
/** As zip and gzip without another word. */
const LEVEL = 6

parentPort?.on('message', (inputBytes: number) => {
  const block = new Uint8Array(input, 0, inputBytes)
  const packed = deflateRawSync(block, {
    level: isCompressible(block) ? LEVEL : 0,
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: deflatedBytes(inputBytes),
  })
  const { length } = packed
  new Uint8Array(output).set(packed)
  freeMemory(packed)
  parentPort?.postMessage(length)
})
