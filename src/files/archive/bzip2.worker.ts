// One thread that compresses with libbzip2 built as WebAssembly: each message is the length of the
// block in the shared input, each answer the length of the complete .bz2 stream in the output.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

interface Library {
  memory: WebAssembly.Memory
  malloc(bytes: number): number
  BZ2_bzBuffToBuffCompress(
    target: number,
    targetBytesAt: number,
    source: number,
    sourceBytes: number,
    blockSize100k: number,
    verbosity: number,
    workFactor: number,
  ): number
  __wasm_call_ctors(): void
}

const BLOCK_SIZE_100K = 9
const DEFAULT_WORK_FACTOR = 30

const { input, output } = workerData as { input: SharedArrayBuffer; output: SharedArrayBuffer }
const library = loadLibrary()
const source = library.malloc(input.byteLength)
const target = library.malloc(output.byteLength)
const targetBytesAt = library.malloc(4)

parentPort?.on('message', (inputBytes: number) => {
  new Uint8Array(library.memory.buffer).set(new Uint8Array(input, 0, inputBytes), source)
  new DataView(library.memory.buffer).setUint32(targetBytesAt, output.byteLength, true)
  const code = library.BZ2_bzBuffToBuffCompress(
    target,
    targetBytesAt,
    source,
    inputBytes,
    BLOCK_SIZE_100K,
    0,
    DEFAULT_WORK_FACTOR,
  )
  if (code !== 0) throw new Error(`libbzip2 failed with ${code}`)
  const outputBytes = new DataView(library.memory.buffer).getUint32(targetBytesAt, true)
  new Uint8Array(output).set(new Uint8Array(library.memory.buffer, target, outputBytes))
  parentPort?.postMessage(outputBytes)
})

// The module was linked by emscripten and wants a little of its runtime; nothing is ever printed.
function loadLibrary(): Library {
  const file = createRequire(import.meta.url).resolve('bzip2-wasm/bzip2-1.0.8/bzip2.wasm')
  const module = new WebAssembly.Module(new Uint8Array(readFileSync(file)))
  const grow = (bytes: number): number => {
    const missing = bytes - memory.buffer.byteLength
    memory.grow(Math.ceil(missing / 65536))
    return 1
  }
  const instance = new WebAssembly.Instance(module, {
    env: {
      exit: (code: number) => {
        throw new Error(`libbzip2 ended with ${code}`)
      },
      emscripten_memcpy_big: (to: number, from: number, bytes: number) => {
        new Uint8Array(memory.buffer).copyWithin(to, from, from + bytes)
      },
      emscripten_resize_heap: grow,
    },
    wasi_snapshot_preview1: { fd_close: () => 0, fd_write: () => 0, fd_seek: () => 0 },
  })
  const exports = instance.exports as unknown as Library
  const memory = exports.memory
  exports.__wasm_call_ctors()
  return exports
}
