// What the decoder process and the server say to each other: frames of a JSON head and bytes.
import type { ErrorCode } from '../../api-types.ts'
import { giveBack } from '../transfer/give-back.ts'

/** What is to be unpacked; the archive itself is descriptor 3. */
export interface DecoderTask {
  /** Of the file, by which formats without a mark are known. */
  name: string
  sizeBytes: number
  /** Of names that say nothing of theirs; empty where it is to be guessed. */
  encoding: string
  password: string | null
  /** The program for what is too large for memory; empty without one. */
  bsdtar: string
  /** No more than this may come out of it. */
  maxBytes: number
}

export interface ArchivedEntry {
  /** As the archive has it, `/` separated. */
  name: string
  kind: 'file' | 'dir' | 'link' | 'hardlink' | 'other'
  /** POSIX st_mode; null where the archive has none. */
  mode: number | null
  /** Milliseconds since the epoch. */
  mtimeMs: number
  /** As the archive claims. */
  sizeBytes: number
  /** What a hard link leads to, a name in the archive. */
  linkTo?: string
}

export type Head =
  /** A further entry. `whole`: its content is in this frame, and no end follows. */
  | { entry: ArchivedEntry; whole: boolean }
  /** Content of the last file. */
  | { data: true }
  /** The end of the last file; with a code its content is not what it should be. */
  | { end: ErrorCode | null }
  /** So many bytes of the archive are read. */
  | { read: number }
  /** The end of the archive; with a code it cannot be read any further. */
  | { over: ErrorCode | null; message?: string }

const LENGTHS_BYTES = 8
const MAX_HEAD_BYTES = 1024 * 1024
const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Most frames are smaller. */
const FIRST_BYTES = 512 * 1024

export function encodeHead(head: Head, bodyBytes: number): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const frame = Buffer.allocUnsafe(LENGTHS_BYTES + text.length)
  frame.writeUInt32LE(text.length, 0)
  frame.writeUInt32LE(bodyBytes, 4)
  frame.set(text, LENGTHS_BYTES)
  return frame
}

/**
 * The frames of a stream, whose chunks must be nobody else's. A body is good until the next frame is asked for. Throws on
 * one that is broken; ends without an error where the stream ends.
 */
export async function* readFrames(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<{ head: Head; body: Buffer }, void> {
  let held = Buffer.allocUnsafe(FIRST_BYTES)
  let start = 0
  let end = 0
  for await (const chunk of source) {
    if (end + chunk.length > held.length) {
      const isTooSmall = end - start + chunk.length > held.length
      const larger = isTooSmall ? Buffer.allocUnsafe(2 * (end - start + chunk.length)) : held
      held.copy(larger, 0, start, end)
      held = larger
      end -= start
      start = 0
    }
    end += chunk.copy(held, end)
    giveBack([chunk])
    while (end - start >= LENGTHS_BYTES) {
      const headBytes = held.readUInt32LE(start)
      const bodyBytes = held.readUInt32LE(start + 4)
      if (headBytes > MAX_HEAD_BYTES || bodyBytes > MAX_BODY_BYTES)
        throw new Error(`a frame of ${headBytes} and ${bodyBytes} bytes`)
      const bodyAt = start + LENGTHS_BYTES + headBytes
      if (end < bodyAt + bodyBytes) break
      const head = JSON.parse(held.toString('utf8', start + LENGTHS_BYTES, bodyAt)) as Head
      start = bodyAt + bodyBytes
      yield { head, body: held.subarray(bodyAt, start) }
    }
  }
}

/** That of `Date`. */
const MAX_TIME_MS = 8.64e15

/** The entry with a time that a disk can have. */
export function timed(entry: ArchivedEntry): ArchivedEntry {
  const mtimeMs = Math.min(Math.max(entry.mtimeMs, -MAX_TIME_MS), MAX_TIME_MS)
  return { ...entry, mtimeMs: Math.round(mtimeMs) }
}
