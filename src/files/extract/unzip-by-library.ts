// Zips that zip.js reads: with encryption, deflate64, old names, or a directory that is not where it should be.
import { configure, type Entry, type FileEntry, Reader, ZipReader } from '@zip.js/zip.js'
import type { Output } from './output.ts'
import { type ArchiveFile, bytesAt } from './source.ts'
import type { DecoderTask } from './wire.ts'
import { createRanges, damaged, openZip, tell } from './zip-content.ts'
import { DEFLATED, LOCAL_BYTES, STORED, textOf, type ZipEntry } from './zip-directory.ts'

/** Of more entries than that the directory is read again. */
const MAX_KEPT = 50_000

/** Tells of all entries. Throws `damaged`, `too_large`, `invalid_password`, `unsupported`. */
export async function readByZipLibrary(
  file: ArchiveFile,
  output: Output,
  { encoding, password }: Pick<DecoderTask, 'encoding' | 'password'>,
): Promise<void> {
  configure({ useWebWorkers: false })
  const zip = new ZipReader(readerOf(file), {
    strictness: 'tolerant',
    filenameValidation: 'tolerant',
    checkOverlappingEntry: true,
    checkCrc32: true,
    checkSignature: true,
    ...(password !== null && { password }),
  })
  // Without a text it is taken for the code page of DOS.
  const decodeText = (bytes: Uint8Array) => textOf(bytes, encoding) ?? undefined
  const entries = () => zip.getEntriesGenerator({ decodeText })
  const kept = await requireApart(entries())
  const opened = openZip(file)
  const tellOf = ({ entry, other }: Found) =>
    tell(opened, output, entry, other && (() => unpackOther(output, other)))
  if (kept) for (const found of kept) await tellOf(found)
  else for await (const entry of entries()) await tellOf(foundOf(entry))
  await zip.close()
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

interface Found {
  entry: ZipEntry
  /** What zlib does not read; null where it does. */
  other: FileEntry | null
}

function foundOf(entry: Entry): Found {
  const { filename: name, uncompressedSize, compressedSize, compressionMethod } = entry
  const isPlain =
    !entry.encrypted && (compressionMethod === STORED || compressionMethod === DEFLATED)
  return {
    entry: {
      name,
      isFolder: entry.directory,
      unixMode: entry.unixMode ?? 0,
      mtimeMs: entry.lastModDate.getTime() || 0,
      sizeBytes: uncompressedSize,
      packedBytes: compressedSize,
      method: compressionMethod,
      sum: entry.directory ? 0 : crcOf(entry),
      at: entry.offset,
      bytes: LOCAL_BYTES + entry.rawFilename.length + compressedSize,
    },
    other: entry.directory || isPlain ? null : entry,
  }
}

function crcOf({ crc32, signature }: FileEntry): number {
  return (crc32 ?? signature ?? 0) >>> 0
}

/** Gives all entries, or null where they are so many that finding them again takes less than the memory for them. */
async function requireApart(entries: AsyncIterable<Entry>): Promise<Found[] | null> {
  let kept: Found[] | null = []
  let count = 0
  const ranges = createRanges()
  for await (const each of entries) {
    const found = foundOf(each)
    ranges.add(found.entry)
    if (++count > MAX_KEPT) kept = null
    else kept?.push(found)
  }
  ranges.requireApart()
  return kept
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
