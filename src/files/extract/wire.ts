// What the decoder process and the server say to each other: frames of a JSON head and bytes.
import type { ErrorCode } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
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

export function encodeHead(head: Head, bodyBytes: number): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const frame = Buffer.allocUnsafe(LENGTHS_BYTES + text.length)
  frame.writeUInt32LE(text.length, 0)
  frame.writeUInt32LE(bodyBytes, 4)
  frame.set(text, LENGTHS_BYTES)
  return frame
}

export interface Frame {
  head: Head
  /** Its content in pieces: of `data` as much as has come, else all of it. */
  body: readonly Buffer[]
}

/**
 * The frames of a stream that comes several chunks at a time, which must be nobody else's. Frames are read as they are asked
 * for, and are good until the next ones are. Throws `damaged` on one that is broken; ends without an error where the stream ends.
 */
export async function* readFrames(
  source: AsyncIterable<readonly Buffer[]>,
): AsyncGenerator<Iterable<Frame>, void> {
  /** The beginning of a frame. */
  let begun: Buffer = Buffer.alloc(0)
  /** Of the content of the last frame, still to come. */
  let missingBytes = 0
  for await (const chunks of source) {
    const cursor = createCursor(begun.length > 0 ? [begun, ...chunks] : chunks)
    const frames = function* (): Generator<Frame, void> {
      while (missingBytes > 0 && cursor.leftBytes() > 0) {
        const body = cursor.take(Math.min(missingBytes, cursor.leftBytes()))
        missingBytes -= bytesOf(body)
        yield { head: { data: true }, body }
      }
      for (;;) {
        const frame = nextFrame(cursor)
        if (!frame) return
        missingBytes = frame.missingBytes
        yield frame
      }
    }
    yield frames()
    begun = Buffer.concat(cursor.take(cursor.leftBytes()))
    giveBack(chunks)
  }
}

/** Null where it has not come, which leaves the cursor where it is. */
function nextFrame(cursor: Cursor): (Frame & { missingBytes: number }) | null {
  const lengths = cursor.peek(0, LENGTHS_BYTES)
  if (!lengths) return null
  const headBytes = lengths.readUInt32LE(0)
  const bodyBytes = lengths.readUInt32LE(4)
  if (headBytes > MAX_HEAD_BYTES || bodyBytes > MAX_BODY_BYTES)
    throw new AppError('damaged', `a frame of ${headBytes} and ${bodyBytes} bytes`)
  const text = cursor.peek(LENGTHS_BYTES, headBytes)
  if (!text) return null
  const head = JSON.parse(text.toString('utf8')) as Head
  const hasBytes = cursor.leftBytes() - LENGTHS_BYTES - headBytes
  const comesLater = Math.max(0, bodyBytes - hasBytes)
  if (comesLater > 0 && !('data' in head)) return null
  cursor.take(LENGTHS_BYTES + headBytes)
  return { head, body: cursor.take(bodyBytes - comesLater), missingBytes: comesLater }
}

/** A place in chunks that follow each other. */
interface Cursor {
  leftBytes(): number
  /** So many bytes from so far on, in one piece; null where there are fewer. */
  peek(fromBytes: number, bytes: number): Buffer | null
  /** Goes on by so many bytes. */
  take(bytes: number): Buffer[]
}

function createCursor(chunks: readonly Buffer[]): Cursor {
  let left = bytesOf(chunks)
  let chunk = 0
  let at = 0
  const piecesFrom = (from: number, bytes: number) => {
    const found: Buffer[] = []
    let [i, start, rest] = [chunk, at + from, bytes]
    while (rest > 0) {
      const { length } = chunks[i] as Buffer
      if (start < length) {
        const piece = (chunks[i] as Buffer).subarray(start, start + rest)
        found.push(piece)
        rest -= piece.length
        start += piece.length
      }
      if (start >= length) {
        i++
        start -= length
      }
    }
    return { found, i, start }
  }
  return {
    leftBytes: () => left,
    peek: (from, bytes) => {
      if (from + bytes > left) return null
      const { found } = piecesFrom(from, bytes)
      return found.length === 1 ? (found[0] as Buffer) : Buffer.concat(found)
    },
    take: (bytes) => {
      const { found, i, start } = piecesFrom(0, bytes)
      left -= bytes
      chunk = i
      at = start
      return found
    },
  }
}

function bytesOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0)
}

/** That of `Date`. */
const MAX_TIME_MS = 8.64e15

/** The entry with a time that a disk can have. */
export function timed(entry: ArchivedEntry): ArchivedEntry {
  const mtimeMs = Math.min(Math.max(entry.mtimeMs, -MAX_TIME_MS), MAX_TIME_MS)
  return { ...entry, mtimeMs: Math.round(mtimeMs) }
}
