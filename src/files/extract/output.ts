// What the decoder process has found, on its way to the server.
import type { Writable } from 'node:stream'
import type { ErrorCode } from '../../api-types.ts'
import { type ArchivedEntry, encodeHead, type Head } from './wire.ts'

/** Up to this size a file is sent in one piece. */
const WHOLE_BYTES = 64 * 1024
const PIECE_BYTES = 256 * 1024
/** Small frames are sent together. */
const TOGETHER_BYTES = 64 * 1024

/** Told in the order of the archive; each call is waited for. */
export interface Output {
  /** A file is followed by its data and an end. */
  entry(entry: ArchivedEntry): Promise<void>
  /** `isFresh`: nobody else uses the memory later. */
  data(bytes: Uint8Array, isFresh?: boolean): Promise<void>
  /** With a code the content is not what it should be. */
  end(failure?: ErrorCode | null): Promise<void>
  /** So many bytes of the archive are read. */
  read(bytes: number): void
  /** The same, told at once: while nothing else comes. */
  passed(bytes: number): void
  over(failure: ErrorCode | null, message?: string): Promise<void>
}

export function createOutput(stream: Writable): Output {
  let waiting: { entry: ArchivedEntry; parts: Uint8Array[]; bytes: number } | null = null
  let readBytes = 0
  let toldBytes = 0
  let soon: NodeJS.Immediate | undefined
  const release = () => {
    clearImmediate(soon)
    soon = undefined
    stream.uncork()
  }
  const send = async (head: Head, ...body: readonly Uint8Array[]) => {
    const bytes = body.reduce((sum, { length }) => sum + length, 0)
    if (soon === undefined) {
      stream.cork()
      soon = setImmediate(release)
    }
    stream.write(encodeHead(head, bytes))
    for (const part of body) if (part.length > 0) stream.write(part)
    if (stream.writableLength >= TOGETHER_BYTES) {
      release()
      if (stream.writableNeedDrain) await new Promise((resolve) => stream.once('drain', resolve))
    }
    if (readBytes - toldBytes < PIECE_BYTES) return
    toldBytes = readBytes
    await send({ read: readBytes })
  }
  const begin = async () => {
    if (!waiting) return
    const { entry, parts } = waiting
    waiting = null
    await send({ entry, whole: false })
    await send({ data: true }, ...parts)
  }
  const piece = async (bytes: Uint8Array, isFresh: boolean) => {
    const part = isFresh ? bytes : Buffer.from(bytes)
    if (!waiting) return send({ data: true }, part)
    waiting.parts.push(part)
    waiting.bytes += part.length
    if (waiting.bytes > WHOLE_BYTES) await begin()
  }
  return {
    read: (bytes) => {
      readBytes = bytes
    },
    passed: (bytes) => {
      readBytes = bytes
      toldBytes = bytes
      void send({ read: bytes })
    },
    entry: async (entry) => {
      if (entry.kind === 'file') waiting = { entry, parts: [], bytes: 0 }
      else await send({ entry, whole: true })
    },
    data: async (bytes, isFresh = false) => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        await piece(bytes.subarray(at, at + PIECE_BYTES), isFresh)
    },
    end: async (failure = null) => {
      if (waiting && failure === null) {
        const { entry, parts } = waiting
        waiting = null
        return send({ entry, whole: true }, ...parts)
      }
      await begin()
      await send({ end: failure })
    },
    over: async (failure, message) => {
      await begin()
      await send({ read: readBytes })
      await send({ over: failure, ...(message !== undefined && { message }) })
    },
  }
}
