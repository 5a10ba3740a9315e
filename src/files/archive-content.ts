// The bytes of one archived file: small ones whole, so that size and checksum are known before the
// header; large ones through two buffers, one being read while the other is being written.
import type { ByteSink } from './byte-sink.ts'
import type { OpenFile } from './scope.ts'

const BUFFER_BYTES = 512 * 1024

export type Content =
  | { whole: Buffer; sizeBytes: number }
  | {
      whole: null
      sizeBytes: number
      /** Writes exactly `sizeBytes`; throws when the file has become shorter meanwhile. */
      copyTo(sink: ByteSink): Promise<void>
    }

/** Reads one file after the other; a content is valid until the next one is asked for. */
export function createContentReader(signal: AbortSignal): (file: OpenFile) => Promise<Content> {
  const buffers: [Buffer, Buffer] = [
    Buffer.allocUnsafeSlow(BUFFER_BYTES),
    Buffer.allocUnsafeSlow(BUFFER_BYTES),
  ]
  return async (file) => {
    if (file.sizeBytes > BUFFER_BYTES) {
      const copyTo = (sink: ByteSink) => copy(file, sink, buffers, signal)
      return { whole: null, sizeBytes: file.sizeBytes, copyTo }
    }
    const bytes = await readFully(file, buffers[0], 0, file.sizeBytes)
    return { whole: buffers[0].subarray(0, bytes), sizeBytes: bytes }
  }
}

async function copy(
  file: OpenFile,
  sink: ByteSink,
  buffers: readonly [Buffer, Buffer],
  signal: AbortSignal,
): Promise<void> {
  let [full, free] = buffers
  let position = 0
  let bytes = await readFully(file, full, 0, BUFFER_BYTES)
  while (position < file.sizeBytes) {
    signal.throwIfAborted()
    if (bytes === 0) throw new Error(`${file.vpath} became shorter while it was archived`)
    const written = sink.write(full.subarray(0, bytes))
    position += bytes
    const left = Math.min(BUFFER_BYTES, file.sizeBytes - position)
    // Both are awaited, also when one fails: the buffers must be idle before they are used again.
    const [sent, read] = await Promise.allSettled([written, readFully(file, free, position, left)])
    if (sent.status === 'rejected') throw sent.reason
    if (read.status === 'rejected') throw read.reason
    bytes = read.value
    ;[full, free] = [free, full]
  }
}

// Short reads are legal; only 0 means the end.
async function readFully(
  file: OpenFile,
  buffer: Buffer,
  position: number,
  bytes: number,
): Promise<number> {
  let done = 0
  while (done < bytes) {
    const { bytesRead } = await file.handle.read(buffer, done, bytes - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return done
}
