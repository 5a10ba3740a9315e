// What the decoder process has found, on its way to the server.
import type { ErrorCode } from '../../api-types.ts'
import { type ArchivedEntry, encodeHead, type Head } from './wire.ts'

/** Up to this size a file is sent in one piece. */
const WHOLE_BYTES = 64 * 1024
const PIECE_BYTES = 256 * 1024
/** What is small is sent together. */
const TOGETHER_BYTES = 128 * 1024

/** Told in the order of the archive. */
export interface Output {
  /** A file is followed by its data and an end. */
  entry(entry: ArchivedEntry): void
  /** The memory is the caller's again afterwards. */
  data(bytes: Uint8Array): void
  /** With a code the content is not what it should be. */
  end(failure?: ErrorCode | null): void
  /** So many bytes of the archive are read. */
  read(bytes: number): void
  /** The same, told at once: while nothing else comes. */
  passed(bytes: number): void
  over(failure: ErrorCode | null, message?: string): void
}

/** `write` waits until all is written. */
export function createOutput(write: (buffers: readonly Uint8Array[]) => void): Output {
  const together = Buffer.allocUnsafeSlow(TOGETHER_BYTES)
  let togetherBytes = 0
  let soon: NodeJS.Immediate | undefined
  /** The file that may come whole, and its content. */
  let waiting: ArchivedEntry | null = null
  const content = Buffer.allocUnsafeSlow(WHOLE_BYTES)
  let contentBytes = 0
  let readBytes = 0
  let toldBytes = 0
  const release = () => {
    clearImmediate(soon)
    soon = undefined
    if (togetherBytes > 0) write([together.subarray(0, togetherBytes)])
    togetherBytes = 0
  }
  const send = (head: Head, body: Uint8Array) => {
    const begun = encodeHead(head, body.length)
    const bytes = begun.length + body.length
    if (togetherBytes + bytes > TOGETHER_BYTES) release()
    if (bytes > TOGETHER_BYTES) write([begun, body])
    else {
      together.set(begun, togetherBytes)
      together.set(body, togetherBytes + begun.length)
      togetherBytes += bytes
      soon ??= setImmediate(release)
    }
    if (readBytes - toldBytes < PIECE_BYTES) return
    toldBytes = readBytes
    send({ read: readBytes }, NOTHING)
  }
  const begin = () => {
    if (!waiting) return
    send({ entry: waiting, whole: false }, NOTHING)
    send({ data: true }, content.subarray(0, contentBytes))
    waiting = null
  }
  const piece = (bytes: Uint8Array) => {
    if (waiting && contentBytes + bytes.length <= WHOLE_BYTES) {
      content.set(bytes, contentBytes)
      contentBytes += bytes.length
      return
    }
    begin()
    send({ data: true }, bytes)
  }
  return {
    read: (bytes) => {
      readBytes = bytes
    },
    passed: (bytes) => {
      readBytes = bytes
      toldBytes = bytes
      send({ read: bytes }, NOTHING)
    },
    entry: (entry) => {
      if (entry.kind !== 'file') return send({ entry, whole: true }, NOTHING)
      waiting = entry
      contentBytes = 0
    },
    data: (bytes) => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        piece(bytes.subarray(at, at + PIECE_BYTES))
    },
    end: (failure = null) => {
      if (waiting && failure === null) {
        send({ entry: waiting, whole: true }, content.subarray(0, contentBytes))
        waiting = null
        return
      }
      begin()
      send({ end: failure }, NOTHING)
    },
    over: (failure, message) => {
      begin()
      send({ read: readBytes }, NOTHING)
      send({ over: failure, ...(message !== undefined && { message }) }, NOTHING)
      release()
    },
  }
}

const NOTHING = new Uint8Array(0)
