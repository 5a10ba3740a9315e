// bzip2 on threads of its own: the library is WebAssembly and would hold up the main thread.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { createBlockThreads } from './block-threads.ts'

/** Just under the 900 kB that one bzip2 block holds, so that a stream is exactly one block. */
export const BZIP2_BLOCK_BYTES = 899_000

let compiled: Promise<WebAssembly.Module> | undefined

/** Compresses a block of at most BZIP2_BLOCK_BYTES into a complete .bz2 stream. */
export const compressBzip2 = createBlockThreads({
  inputBytes: BZIP2_BLOCK_BYTES,
  // The library asks for room for 1 % more than the input plus 600 bytes.
  outputBytes: Math.ceil(BZIP2_BLOCK_BYTES * 1.01) + 600,
  start: async (options) => {
    compiled ??= loadModule()
    const workerData = { ...options.workerData, module: await compiled }
    return new Worker(new URL('./bzip2.worker.ts', import.meta.url), { ...options, workerData })
  },
})

async function loadModule(): Promise<WebAssembly.Module> {
  const require = createRequire(import.meta.url)
  const file = require.resolve('bzip2-wasm/bzip2-1.0.8/bzip2.wasm')
  return WebAssembly.compile(new Uint8Array(await readFile(file)))
}
