// Entries of a zip: ZIP64, deflate64 and encryption by zip.js; what is plain, by zlib.
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { configure, type Entry, type FileEntry, Reader, ZipReader } from '@zip.js/zip.js'
import type { ErrorCode } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import { giveBack } from '../transfer/give-back.ts'
import { decoded } from './decompress.ts'
import type { Output } from './output.ts'
import { type ArchiveFile, bytesAt, createWindow, pieces, WINDOW_BYTES } from './source.ts'
import type { DecoderTask } from './wire.ts'

/** See extract.ts; what is more is not even listed. */
const MAX_ENTRIES = 1_000_000
const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024
/** Of more entries than that the directory is read again. */
const MAX_KEPT = 50_000
const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535
const LOCAL_BYTES = 30
/** Up to this size a file is unpacked in one piece. */
const WHOLE_BYTES = WINDOW_BYTES
const CHUNK_BYTES = 256 * 1024
const STORED = 0
const DEFLATED = 8
const S_IFMT = 0o170000
const S_IFLNK = 0o120000
const S_IFREG = 0o100000

/** Tells of all entries. Throws `damaged`, `too_large`, `invalid_password`, `unsupported`. */
export async function readZip(
  file: ArchiveFile,
  output: Output,
  { encoding, password }: Pick<DecoderTask, 'encoding' | 'password'>,
): Promise<void> {
  await requireReadable(file)
  configure({ useWebWorkers: false })
  const zip = new ZipReader(readerOf(file), {
    strictness: 'tolerant',
    filenameValidation: 'tolerant',
    checkOverlappingEntry: true,
    checkCrc32: true,
    checkSignature: true,
    ...(password !== null && { password }),
  })
  const decodeText = (bytes: Uint8Array) => textOf(bytes, encoding)
  const entries = () => zip.getEntriesGenerator({ decodeText })
  const kept = await requireApart(entries())
  const archive = { file, windowAt: createWindow(file) }
  if (kept) for (const found of kept) await tell(archive, output, found)
  else for await (const entry of entries()) await tell(archive, output, foundOf(entry))
  await zip.close()
}

function damaged(what: string): AppError {
  return new AppError('damaged', `zip: ${what}`)
}

/** What the library would read into memory as a whole. */
async function requireReadable(file: ArchiveFile): Promise<void> {
  const tailAt = Math.max(0, file.sizeBytes - END_BYTES - MAX_COMMENT_BYTES)
  const tail = await bytesAt(file, tailAt, file.sizeBytes - tailAt)
  const at = tail.lastIndexOf('PK\x05\x06', tail.length - END_BYTES, 'latin1')
  if (at < 0) throw damaged('no directory')
  let count = tail.readUInt16LE(at + 10)
  let bytes = tail.readUInt32LE(at + 12)
  const locator = at >= 20 ? tail.subarray(at - 20, at) : Buffer.alloc(0)
  if (locator.toString('latin1', 0, 4) === 'PK\x06\x07') {
    const end = await bytesAt(file, Number(locator.readBigUInt64LE(8)), 56)
    if (end.length === 56 && end.toString('latin1', 0, 4) === 'PK\x06\x06') {
      count = Math.max(count === 0xffff ? 0 : count, Number(end.readBigUInt64LE(32)))
      bytes = Math.max(bytes === 0xffffffff ? 0 : bytes, Number(end.readBigUInt64LE(40)))
    }
  }
  if (count > MAX_ENTRIES || Math.min(bytes, file.sizeBytes) > MAX_DIRECTORY_BYTES)
    throw new AppError('too_large', `zip: ${count} entries`)
}

function readerOf(file: ArchiveFile): Reader<null> {
  return new (class extends Reader<null> {
    override async init() {
      this.size = file.sizeBytes
    }
    override async readUint8Array(index: number, length: number) {
      return new Uint8Array(await bytesAt(file, index, length))
    }
  })(null)
}

/** UTF-8 where it is that, else as it was asked for; undefined for the code page of DOS. */
function textOf(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return encoding === '' ? undefined : new TextDecoder(encoding).decode(bytes)
  }
}

type Facts =
  | 'filename'
  | 'lastModDate'
  | 'uncompressedSize'
  | 'compressedSize'
  | 'compressionMethod'
  | 'offset'

/** What is needed of an entry. */
interface Found extends Pick<FileEntry, Facts> {
  unixMode: number | undefined
  directory: boolean
  sum: number
  /** What zlib does not read; null where it does. */
  other: FileEntry | null
}

function foundOf(entry: Entry): Found {
  const { filename, unixMode, lastModDate, uncompressedSize, compressedSize } = entry
  const { compressionMethod, encrypted, offset, directory } = entry
  const isPlain = !encrypted && (compressionMethod === STORED || compressionMethod === DEFLATED)
  return {
    ...{ filename, unixMode, lastModDate, uncompressedSize, compressedSize },
    ...{ compressionMethod, offset, directory },
    sum: entry.directory ? 0 : crcOf(entry),
    other: entry.directory || isPlain ? null : entry,
  }
}

/**
 * Nothing is unpacked twice: entries that share bytes are those of a bomb. Gives all entries, or null where they are so
 * many that finding them again takes less than the memory for them.
 */
async function requireApart(entries: AsyncIterable<Entry>): Promise<Found[] | null> {
  let kept: Found[] | null = []
  let starts = new Float64Array(1024)
  let ends = new Float64Array(1024)
  let count = 0
  for await (const entry of entries) {
    const { offset, rawFilename, compressedSize } = entry
    if (count >= MAX_ENTRIES)
      throw new AppError('too_large', `zip: more than ${MAX_ENTRIES} entries`)
    if (count === starts.length) {
      starts = grown(starts)
      ends = grown(ends)
    }
    starts[count] = offset
    ends[count] = offset + LOCAL_BYTES + rawFilename.length + compressedSize
    count++
    if (count > MAX_KEPT) kept = null
    else kept?.push(foundOf(entry))
  }
  starts = starts.subarray(0, count).sort()
  ends = ends.subarray(0, count).sort()
  // Sorted by themselves they still belong together where nothing overlaps.
  for (let i = 1; i < count; i++)
    if ((starts[i] ?? 0) < (ends[i - 1] ?? 0)) throw damaged('entries overlap')
  return kept
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2)
  larger.set(array)
  return larger
}

interface Archive {
  file: ArchiveFile
  windowAt: ReturnType<typeof createWindow>
}

async function tell(archive: Archive, output: Output, found: Found): Promise<void> {
  const { filename, unixMode, lastModDate, uncompressedSize, directory, other } = found
  const type = (unixMode ?? 0) & S_IFMT
  const isFile = !directory && (type === 0 || type === S_IFREG)
  const kind = directory ? 'dir' : type === S_IFLNK ? 'link' : isFile ? 'file' : 'other'
  output.entry({
    name: filename.replaceAll('\\', '/'),
    kind,
    mode: unixMode === undefined || unixMode === 0 ? null : unixMode,
    mtimeMs: lastModDate.getTime() || 0,
    sizeBytes: uncompressedSize,
  })
  if (kind !== 'file') return
  try {
    if (other) await unpackOther(output, other)
    else await unpackPlain(archive, output, found)
    output.end()
  } catch (error) {
    output.end(codeOf(error))
    // Of all the same is to be expected.
    if (codeOf(error) === 'invalid_password')
      throw new AppError('invalid_password', (error as Error).message)
  }
  archive.file.onRead(found.offset + found.compressedSize)
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof AppError) return error.code
  const text = (error as Error).message
  if (/encrypted entry|password/i.test(text)) return 'invalid_password'
  return /not supported|split/i.test(text) ? 'unsupported' : 'damaged'
}

async function unpackPlain(archive: Archive, output: Output, found: Found): Promise<void> {
  const { file, windowAt } = archive
  const { compressionMethod, offset, compressedSize, uncompressedSize } = found
  const header = windowAt(offset, LOCAL_BYTES)
  if (header.length < LOCAL_BYTES || header.toString('latin1', 0, 4) !== 'PK\x03\x04')
    throw damaged('an entry is not where it should be')
  const from = offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  const to = from + compressedSize
  if (to > file.sizeBytes) throw damaged('it breaks off')
  const isSmall = compressedSize <= WHOLE_BYTES && uncompressedSize <= WHOLE_BYTES
  let sum = 0
  let bytes = 0
  const pass = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > uncompressedSize) throw damaged('more than it says')
    sum = crc32(chunk, sum)
    output.data(chunk)
  }
  if (isSmall) {
    const packed = windowAt(from, compressedSize)
    // In one piece of its size, with room by which its end is seen.
    const chunkSize = Math.max(64, uncompressedSize + 1)
    const options = { chunkSize, maxOutputLength: chunkSize }
    pass(compressionMethod === STORED ? packed : inflateRawSync(packed, options))
  } else if (compressionMethod === STORED) {
    for await (const piece of pieces(file, from, to)) {
      pass(piece)
      giveBack([piece])
    }
  } else {
    const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES })
    for await (const piece of decoded(pieces(file, from, to), inflate)) pass(piece)
  }
  if (bytes !== uncompressedSize || sum !== found.sum) throw damaged('not what it says')
}

function crcOf({ crc32, signature }: FileEntry): number {
  return (crc32 ?? signature ?? 0) >>> 0
}

async function unpackOther(output: Output, entry: FileEntry): Promise<void> {
  let bytes = 0
  const sink = new WritableStream<Uint8Array>({
    write: async (chunk) => {
      bytes += chunk.length
      if (bytes > entry.uncompressedSize) throw damaged('more than it says')
      output.data(chunk)
    },
  })
  await entry.getData(sink)
  if (bytes !== entry.uncompressedSize) throw damaged('not what it says')
}
