// What the server and its preview process say to each other: frames of a JSON head and raw bytes.

export type PreviewSize = 'thumb' | 'big'

/** How the source is read: by sharp, or by a decoder of its own. */
export type SourceKind = 'image' | 'bmp' | 'heic' | 'raw' | 'pdf' | 'video'

/** A picture that is to be saved turned or cropped. */
export interface PictureEdit {
  /** Clockwise. */
  quarterTurns: number
  /** Of the picture as it is shown after that, in pixels; null: all of it. */
  crop: { left: number; top: number; width: number; height: number } | null
}

export interface PreviewJob {
  id: number
  /** Host path, or an open descriptor of the server by its `/proc` name. */
  path: string
  /** Inode that the path must lead to, decimal; what is opened is compared with it. */
  ino: string
  kind: SourceKind
  size: PreviewSize
  /** Answer with something every browser shows, never with a small picture out of the EXIF data. */
  display: boolean
  /** `big` without a limit of its sides: a JPEG of the original's width and height. */
  full: boolean
  /** Program for frames of videos. */
  ffmpeg: string
  /** What its pixels may take at most; more is `too_heavy`. */
  memoryBytes: number
  /** Makes the changed picture in its own format instead of a preview. */
  edit?: PictureEdit
}

/**
 * What is wrong with a file. `too_large`: more pixels a side than allowed, or more memory than there
 * is; `too_heavy`: more memory than this job has; `undecodable`: damaged or not what it claims;
 * `too_slow`: not made within the time of the process. `unavailable`: nothing is known to be wrong
 * with it; another time it may be made.
 */
type PreviewFailure =
  | 'too_large'
  | 'too_heavy'
  | 'undecodable'
  | 'unsupported'
  | 'too_slow'
  | 'unavailable'

export interface PreviewReply {
  id: number
  /** The file itself is the preview: it fits already. */
  original?: boolean
  contentType?: string
  failure?: PreviewFailure
  /** For the log. */
  message?: string
}

/** Raw pixels from a decoder of our own. */
export interface Pixels {
  data: Uint8Array
  width: number
  height: number
  channels: 3 | 4
}

/** Why there is no preview; crosses from the preview process as its code and message. */
export class PreviewError extends Error {
  readonly failure: PreviewFailure
  constructor(failure: PreviewFailure, message: string) {
    super(message)
    this.name = 'PreviewError'
    this.failure = failure
  }
}

export interface Frame<Head> {
  head: Head
  body: Buffer
}

const LENGTHS_BYTES = 8
/** No head and no picture of ours is larger; anything else is a broken stream. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024
/** Leaves room for the head. */
export const MAX_BODY_BYTES = MAX_FRAME_BYTES - 64 * 1024

export function encodeFrame(
  head: PreviewJob | PreviewReply,
  body: Uint8Array = new Uint8Array(),
): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const lengths = Buffer.alloc(LENGTHS_BYTES)
  lengths.writeUInt32LE(text.length, 0)
  lengths.writeUInt32LE(body.length, 4)
  return Buffer.concat([lengths, text, body])
}

/** Takes chunks as they come and gives the frames that are complete. Throws on a broken stream. */
export function createFrameReader<Head>(): (chunk: Buffer) => Frame<Head>[] {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const frames: Frame<Head>[] = []
    while (rest.length >= LENGTHS_BYTES) {
      const headBytes = rest.readUInt32LE(0)
      const bodyBytes = rest.readUInt32LE(4)
      const end = LENGTHS_BYTES + headBytes + bodyBytes
      if (end > MAX_FRAME_BYTES) throw new Error(`a frame of ${end} bytes`)
      if (rest.length < end) break
      const head = JSON.parse(
        rest.toString('utf8', LENGTHS_BYTES, LENGTHS_BYTES + headBytes),
      ) as Head
      frames.push({ head, body: Buffer.from(rest.subarray(LENGTHS_BYTES + headBytes, end)) })
      rest = rest.subarray(end)
    }
    return frames
  }
}
