// The parts of a file that a client sends one by one, in one hidden file, in the order in which they come: each
// behind a head that is marked when the part is whole, so a crash leaves a part or nothing of it. Its sum tells after
// a power cut.
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import type { TempFile } from '../volume/temp-file.ts'
import { receive } from './receive.ts'

/** magic (4), 1 when whole (1), length of the name (1), 2 unused, CRC-32 (4), length (8), name (36), when it was whole (8). */
const HEAD_BYTES = 64
const MAGIC = 'fbp1'
const NAME_AT = 20
const TIME_AT = 56
const READ_BYTES = 1024 * 1024

export interface Part {
  name: string
  /** Where its bytes begin in the file. */
  offsetBytes: number
  sizeBytes: number
  /** CRC-32. */
  sum: number
  /** When it was whole, by the clock of the node that has received it. */
  atMs: number
}

export interface Parts {
  /** Those that are whole; of one that came twice the later. */
  readonly byName: Map<string, Part>
  /** Where the next one goes. */
  endBytes: number
  /** Up to here all that was read is whole. */
  wholeBytes: number
  /** Heads are written one after the other, so that none lies behind a gap. */
  last: Promise<unknown>
}

/** A file whose parts are coming. */
export interface Collection {
  /** An entry beside which the parts are. */
  beside: VPath
  tempName: string
  parts: Parts
  /** Of files of other nodes that share the records, by their names. */
  others: Map<string, Parts>
  isBeingJoined: boolean
}

/** Those that were met since the start of the server, by the name of their file. */
export type Collections = Map<string, Promise<Collection>>

export function createCollections(): Collections {
  return new Map()
}

/** What a new file holds. */
export function noParts(): Parts {
  return { byName: new Map(), endBytes: 0, wholeBytes: 0, last: Promise.resolve() }
}

/** Reads what a file holds that another run of the server has written; what was whole in `parts` is not read again. */
export async function readParts(
  file: Pick<TempFile, 'read'>,
  parts: Parts = noParts(),
): Promise<Parts> {
  const head = Buffer.alloc(HEAD_BYTES)
  // Of this reading alone: others may read on in the same parts meanwhile.
  let endBytes = parts.wholeBytes
  let isWhole = true
  while ((await file.read(head, endBytes)) === HEAD_BYTES) {
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) break
    const offsetBytes = endBytes + HEAD_BYTES
    const sizeBytes = Number(head.readBigUInt64LE(12))
    const name = head.toString('latin1', NAME_AT, NAME_AT + head.readUInt8(5))
    const [sum, atMs] = [head.readUInt32LE(8), head.readDoubleLE(TIME_AT)]
    const part = { name, offsetBytes, sizeBytes, sum, atMs }
    isWhole &&= head.readUInt8(4) === 1
    if (head.readUInt8(4) === 1) parts.byName.set(name, part)
    endBytes = offsetBytes + sizeBytes
    if (isWhole) parts.wholeBytes = Math.max(parts.wholeBytes, endBytes)
  }
  parts.endBytes = Math.max(parts.endBytes, endBytes)
  return parts
}

function writeHead({ name, sizeBytes, sum, atMs }: Part, isWhole: boolean): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(MAGIC, 'latin1')
  head.writeUInt8(isWhole ? 1 : 0, 4)
  head.writeUInt8(name.length, 5)
  head.writeUInt32LE(sum, 8)
  head.writeBigUInt64LE(BigInt(sizeBytes), 12)
  head.write(name, NAME_AT, 'latin1')
  head.writeDoubleLE(atMs, TIME_AT)
  return head
}

/**
 * Adds a part of so many bytes, which takes the place of one of the same name (ASCII, up to 36 characters) once it
 * is whole. Several may come at the same time. What breaks off rejects, and is no part.
 */
export async function addPart(
  file: Pick<TempFile, 'write'>,
  parts: Parts,
  { name, sizeBytes }: Pick<Part, 'name' | 'sizeBytes'>,
  { stream, signal }: { stream: Readable; signal: AbortSignal | undefined },
): Promise<void> {
  const part = { name, sizeBytes, offsetBytes: 0, sum: 0, atMs: 0 }
  const begin = async () => {
    await file.write([writeHead(part, false)], parts.endBytes, { direct: false })
    part.offsetBytes = parts.endBytes + HEAD_BYTES
    parts.endBytes = part.offsetBytes + sizeBytes
  }
  const begun = parts.last.then(begin, begin)
  parts.last = begun
  await begun
  const into: Pick<TempFile, 'write'> = {
    write: async (buffers, position, how) => {
      for (const buffer of buffers) part.sum = crc32(buffer, part.sum)
      await file.write(buffers, position, how)
    },
  }
  const position = part.offsetBytes
  const received = await receive(stream, into, { position, maxBytes: sizeBytes, signal })
  if (received.sizeBytes !== sizeBytes) throw badRequest('the part is not as long as announced')
  part.atMs = Date.now()
  await file.write([writeHead(part, true)], position - HEAD_BYTES, { direct: false })
  parts.byName.set(name, part)
}

/** A part, and the file that it is in. */
export interface Piece {
  part: Part
  file: Pick<TempFile, 'read'>
}

/** The bytes of parts, one after the other. Fails with `conflict` where the disk does not have them as they came. */
export function bytesOf(pieces: readonly Piece[]): Readable {
  return Readable.from(readAll(pieces), { objectMode: false, highWaterMark: READ_BYTES })
}

async function* readAll(pieces: readonly Piece[]) {
  for (const { part, file } of pieces) {
    const { name, offsetBytes, sizeBytes, sum } = part
    let seen = 0
    for (let done = 0; done < sizeBytes; ) {
      // Of its own: who receives it gives its memory back.
      const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, sizeBytes - done))
      const bytes = await file.read(buffer, offsetBytes + done)
      if (bytes === 0) break
      const chunk = bytes === buffer.length ? buffer : Buffer.from(buffer.subarray(0, bytes))
      seen = crc32(chunk, seen)
      done += bytes
      yield chunk
    }
    if (seen !== sum) throw new AppError('conflict', `part ${name} is damaged`, { expose: true })
  }
}
