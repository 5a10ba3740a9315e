// What stands in a zip at its entries.
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import type { ErrorCode } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import { giveBack } from '../transfer/give-back.ts'
import { decoded } from './decompress.ts'
import type { Output } from './output.ts'
import { type ArchiveFile, createWindow, pieces, WINDOW_BYTES } from './source.ts'
import { LOCAL_BYTES, STORED, type ZipEntry } from './zip-directory.ts'

/** See extract.ts; what is more is not even listed. */
export const MAX_ENTRIES = 1_000_000
/** Up to this size a file is unpacked in one piece. */
const WHOLE_BYTES = WINDOW_BYTES
const CHUNK_BYTES = 256 * 1024
const S_IFMT = 0o170000
const S_IFLNK = 0o120000
const S_IFREG = 0o100000

export interface Zip {
  file: ArchiveFile
  windowAt: ReturnType<typeof createWindow>
}

export function openZip(file: ArchiveFile): Zip {
  return { file, windowAt: createWindow(file) }
}

export function damaged(what: string): AppError {
  return new AppError('damaged', `zip: ${what}`)
}

/** Where entries stand. */
export interface Ranges {
  /** Throws `too_large` for more than may be. */
  add(entry: Pick<ZipEntry, 'at' | 'bytes'>): void
  /** Throws `damaged` for entries that share bytes, as those of a bomb do. */
  requireApart(): void
}

export function createRanges(): Ranges {
  let starts = new Float64Array(1024)
  let ends = new Float64Array(1024)
  let count = 0
  return {
    add: ({ at, bytes }) => {
      if (count >= MAX_ENTRIES)
        throw new AppError('too_large', `zip: more than ${MAX_ENTRIES} entries`)
      if (count === starts.length) {
        starts = grown(starts)
        ends = grown(ends)
      }
      starts[count] = at
      ends[count] = at + bytes
      count++
    },
    requireApart: () => {
      const [sortedStarts, sortedEnds] = [starts, ends].map((all) => all.subarray(0, count).sort())
      // Sorted by themselves they still belong together where nothing overlaps.
      for (let i = 1; i < count; i++)
        if ((sortedStarts?.[i] ?? 0) < (sortedEnds?.[i - 1] ?? 0)) throw damaged('entries overlap')
    },
  }
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2)
  larger.set(array)
  return larger
}

/** Tells of an entry and what is in it; `unpack`: in another way than by zlib. Throws `invalid_password`. */
export async function tell(
  zip: Zip,
  output: Output,
  entry: ZipEntry,
  unpack: (() => Promise<void>) | null = null,
): Promise<void> {
  const { name, isFolder, unixMode, mtimeMs, sizeBytes } = entry
  const type = unixMode & S_IFMT
  const isFile = !isFolder && (type === 0 || type === S_IFREG)
  const kind = isFolder ? 'dir' : type === S_IFLNK ? 'link' : isFile ? 'file' : 'other'
  output.entry({
    name: name.replaceAll('\\', '/'),
    kind,
    mode: (unixMode & 0o777) === 0 ? null : unixMode,
    mtimeMs,
    sizeBytes,
  })
  if (kind !== 'file') return
  try {
    if (unpack) await unpack()
    else if (isSmall(entry)) unpackWhole(zip, output, entry)
    else await unpackInPieces(zip, output, entry)
    output.end()
  } catch (error) {
    output.end(codeOf(error))
    // Of all the same is to be expected.
    if (codeOf(error) === 'invalid_password')
      throw new AppError('invalid_password', (error as Error).message)
  }
  zip.file.onRead(entry.at + entry.packedBytes)
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof AppError) return error.code
  const text = (error as Error).message
  if (/encrypted entry|password/i.test(text)) return 'invalid_password'
  return /not supported|split/i.test(text) ? 'unsupported' : 'damaged'
}

function isSmall({ packedBytes, sizeBytes }: ZipEntry): boolean {
  return packedBytes <= WHOLE_BYTES && sizeBytes <= WHOLE_BYTES
}

function unpackWhole(zip: Zip, output: Output, entry: ZipEntry): void {
  const { sizeBytes, packedBytes, method, sum } = entry
  const packed = zip.windowAt(contentAt(zip, entry), packedBytes)
  // In one piece of its size, with room by which its end is seen.
  const chunkSize = Math.max(64, sizeBytes + 1)
  const content =
    method === STORED ? packed : inflateRawSync(packed, { chunkSize, maxOutputLength: chunkSize })
  if (content.length > sizeBytes) throw damaged('more than it says')
  output.data(content)
  if (content.length !== sizeBytes || crc32(content) !== sum) throw damaged('not what it says')
}

async function unpackInPieces(zip: Zip, output: Output, entry: ZipEntry): Promise<void> {
  const { sizeBytes, packedBytes, method, sum } = entry
  const from = contentAt(zip, entry)
  const packed = pieces(zip.file, from, from + packedBytes)
  let seen = 0
  let bytes = 0
  const pass = (piece: Buffer) => {
    bytes += piece.length
    if (bytes > sizeBytes) throw damaged('more than it says')
    seen = crc32(piece, seen)
    output.data(piece)
  }
  if (method === STORED) {
    for await (const piece of packed) {
      pass(piece)
      giveBack([piece])
    }
  } else {
    const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES })
    for await (const piece of decoded(packed, inflate)) pass(piece)
  }
  if (bytes !== sizeBytes || seen !== sum) throw damaged('not what it says')
}

/** Where the content of an entry begins. */
function contentAt({ file, windowAt }: Zip, { at, packedBytes }: ZipEntry): number {
  const header = windowAt(at, LOCAL_BYTES)
  if (header.length < LOCAL_BYTES || header.toString('latin1', 0, 4) !== 'PK\x03\x04')
    throw damaged('an entry is not where it should be')
  const from = at + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (from + packedBytes > file.sizeBytes) throw damaged('it breaks off')
  return from
}
