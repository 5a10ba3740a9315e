// One door to archives of every kind: what is inside, and the bytes of one entry. Everything happens
// in the browser, in ranges or streams where the format allows it, and always within limits, so that
// the server spends nothing on a bomb.

import type { FileEntry } from '../../../src/api-types.ts'
import { ApiError } from '../../api/client.ts'
import { OneVersion } from '../../api/content.ts'
import { startsWith } from '../../text/decode.ts'
import type { FileSource } from '../frame/source.ts'
import { type ArchiveFile, type ArchiveItem, archiveOf, cleanPath } from './archive-item.ts'
import { openByLibrary } from './archive-worker.ts'
import {
  type ReadAhead,
  readAheadOfRange,
  readAheadOfStream,
  type TarEntry,
  walkTar,
} from './tar-reader.ts'
import { listZip, type ReadRange, readZipEntry, ZipError } from './zip-reader.ts'

const MAX_ENTRIES = 50_000
/** What follows "PK": an entry, the end of an empty archive, and the marks of spanned ones. */
const ZIP_HEADS = [
  [3, 4],
  [5, 6],
  [7, 8],
  [0x30, 0x30],
]
/** Read through to list or reach an entry of a compressed tar. */
const MAX_UNPACKED_BYTES = 4 * 1024 ** 3
/** Held in the memory of the library's worker. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024

/**
 * What is read of it later, too, is of the file as it was at first.
 *
 * @throws ZipError when the archive cannot be read; ApiError when the file cannot.
 */
export async function openArchive(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<ArchiveFile> {
  const version = new OneVersion()
  const read: ReadRange = (start, end) => source.readRange(entry, start, end, signal, version)
  const head = new Uint8Array(await read(0, 512))
  const sizeBytes = version.sizeBytes ?? entry.size
  // "PK" alone begins a tar, too, whose first file is a PKGBUILD.
  if (ZIP_HEADS.some((next) => startsWith(head, [0x50, 0x4b, ...next])))
    return openZip(read, sizeBytes)
  if (startsWith(head, [0x1f, 0x8b])) {
    return openTarStream(() => source.readStream(entry, signal, version), signal)
  }
  if (new TextDecoder().decode(head.subarray(257, 262)) === 'ustar') return openTar(read, sizeBytes)
  if (sizeBytes > MAX_WHOLE_BYTES) throw new ZipError('too_large')
  const whole = await source.readAll(entry, MAX_WHOLE_BYTES, signal, version)
  return openByLibrary(whole, signal, MAX_ENTRIES)
}

async function openZip(read: ReadRange, fileBytes: number): Promise<ArchiveFile> {
  const { entries, truncated } = await listZip(read, fileBytes, MAX_ENTRIES)
  const places = new Map(
    entries.map((part) => {
      const { name, isDir, sizeBytes, modified, encrypted } = part
      return [{ path: cleanPath(name), isDir, sizeBytes, modified, encrypted }, part]
    }),
  )
  return archiveOf(places, truncated, (part, maxBytes) => readZipEntry(read, part, maxBytes))
}

/** The entries of a tar up to its end, or up to where reading it fails. */
class TarList {
  readonly #places = new Map<ArchiveItem, TarEntry>()
  /** Links and the like, which have no content to look at. */
  #hasOthers = false
  truncated = false

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  async fill(read: ReadAhead): Promise<void> {
    for await (const part of walkTar(read)) {
      if (this.#places.size >= MAX_ENTRIES) {
        this.truncated = true
        return
      }
      if (part.kind === 'other') this.#hasOthers = true
      else this.#places.set(fromTar(part), part)
    }
  }

  /** @throws ZipError when nothing was found. */
  archive(read: (part: TarEntry) => Promise<Uint8Array<ArrayBuffer>>): ArchiveFile {
    if (this.isEmpty && !this.#hasOthers) {
      throw new ZipError(this.truncated ? 'too_large' : 'damaged')
    }
    return archiveOf(this.#places, this.truncated || this.#hasOthers, read)
  }
}

function fromTar(part: TarEntry): ArchiveItem {
  return {
    path: cleanPath(part.name),
    isDir: part.kind === 'dir',
    sizeBytes: part.sizeBytes,
    modified: Number.isNaN(part.modified.getTime()) ? null : part.modified,
    encrypted: false,
  }
}

async function openTar(read: ReadRange, fileBytes: number): Promise<ArchiveFile> {
  const list = new TarList()
  await list.fill(readAheadOfRange(read, fileBytes))
  return list.archive(
    async ({ dataAt, sizeBytes }) => new Uint8Array(await read(dataAt, dataAt + sizeBytes)),
  )
}

async function openTarStream(
  readStream: () => Promise<ReadableStream<Uint8Array>>,
  signal: AbortSignal,
): Promise<ArchiveFile> {
  const open = async () => {
    const packed = await readStream()
    const plain = packed.pipeThrough(
      new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>,
    )
    return readAheadOfStream(plain, MAX_UNPACKED_BYTES)
  }
  const list = new TarList()
  const first = await open()
  try {
    await list.fill(first.read)
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error
    // Cut off or too much: what was found so far is worth showing.
    if (list.isEmpty && !(error instanceof ZipError)) {
      throw new ZipError('damaged')
    }
    list.truncated = true
  } finally {
    await first.cancel()
  }
  return list.archive(readInPasses(open))
}

interface Unpacked {
  read: ReadAhead
  cancel(): Promise<void>
}

interface Wanted {
  part: TarEntry
  resolve(bytes: Uint8Array<ArrayBuffer>): void
  reject(reason: unknown): void
}

/** `open` begins to read the unpacked archive anew; the function returned reads one entry of it. */
function readInPasses(open: () => Promise<Unpacked>) {
  let waiting: Wanted[] = []
  let running = false

  async function run() {
    while (waiting.length > 0) {
      const pass = waiting.sort((a, b) => a.part.dataAt - b.part.dataAt)
      waiting = []
      await readPass(pass)
    }
    running = false
  }
  /** Never rejects: each of `pass` hears for itself. */
  async function readPass(pass: readonly Wanted[]) {
    let unpacked: Unpacked | null = null
    try {
      unpacked = await open()
      let last: { part: TarEntry; bytes: Uint8Array } | null = null
      for (const { part, resolve } of pass) {
        // A stream does not go back for what is wanted twice.
        const bytes: Uint8Array =
          last?.part === part ? last.bytes : await unpacked.read(part.dataAt, part.sizeBytes)
        last = { part, bytes }
        resolve(new Uint8Array(bytes))
      }
    } catch (error) {
      for (const { reject } of pass) reject(error)
    } finally {
      await unpacked?.cancel()
    }
  }
  return (part: TarEntry): Promise<Uint8Array<ArrayBuffer>> =>
    new Promise((resolve, reject) => {
      waiting.push({ part, resolve, reject })
      if (running) return
      running = true
      queueMicrotask(() => void run())
    })
}
