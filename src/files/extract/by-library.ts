// 7z and rar by libarchive as WebAssembly, which has the whole archive in memory and gives files piece by piece.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import meta from 'libarchive.js/package.json' with { type: 'json' }
import load from 'libarchive.js/src/webworker/wasm-gen/libarchive.js'
import { isExecutable, readInside } from '../../inside.ts'
import { AppError } from '../../lib/errors.ts'
import type { Output } from './output.ts'
import { type ArchiveFile, pieces } from './source.ts'
import type { ArchivedEntry } from './wire.ts'

const PIECE_BYTES = 256 * 1024
/** Names come as it has them. */
const LOCALE = 'en_US.UTF-8'
const S_IFMT = 0o170000
const KINDS = new Map<number, ArchivedEntry['kind']>([
  [0o100000, 'file'],
  [0o040000, 'dir'],
  [0o120000, 'link'],
])

type Library = Awaited<ReturnType<typeof load>>

/** Tells of all entries. Throws `encrypted`, `damaged`, `too_large`. */
export async function readByLibrary(file: ArchiveFile, output: Output): Promise<void> {
  const library = await load({ wasmBinary: readLibrary(), print() {}, printErr() {} })
  const layout = layoutOf(library)
  const at = library._malloc(file.sizeBytes)
  if (at === 0) throw new AppError('too_large', 'no memory for the archive')
  let used = 0
  for await (const piece of pieces(file)) {
    library.HEAPU8.set(piece, at + used)
    used += piece.length
  }
  const args = ['number', 'number', 'string', 'string']
  const archive: number = library.cwrap('archive_open', 'number', args)(at, used, null, LOCALE)
  const whyOf = library.cwrap('archive_error_string', 'string', ['number'])
  const nameOf = library.cwrap('archive_entry_pathname', 'string', ['number'])
  for (let count = 0; ; count++) {
    const found = library._get_next_entry(archive)
    const isLocked = library._archive_read_has_encrypted_entries(archive) > 0
    if (isLocked && (found === 0 || library._archive_entry_is_encrypted(found) > 0))
      throw new AppError('encrypted', '7z and rar are unpacked without passwords only')
    if (found === 0) {
      // Its end and a failure look alike.
      const why: string = whyOf(archive)
      if (count === 0 || why !== '') throw new AppError('damaged', why)
      return
    }
    const entry = { name: nameOf(found) as string, ...factsOf(library, layout, found) }
    output.entry(entry)
    if (entry.kind === 'file') tellContent(library, archive, entry.sizeBytes, output)
  }
}

/** Inside of the executable, where the page has it too, beside the bundle, or in the package. */
function readLibrary(): Buffer {
  const inside = isExecutable
    ? readInside(`web/static/libarchive-${meta.version}/libarchive.wasm.br`)
    : null
  if (inside) return brotliDecompressSync(inside)
  const beside = join(import.meta.dirname, 'libarchive.wasm')
  if (existsSync(beside)) return readFileSync(beside)
  return readFileSync(createRequire(import.meta.url).resolve('libarchive.js/dist/libarchive.wasm'))
}

function tellContent(library: Library, archive: number, sizeBytes: number, output: Output): void {
  for (let left = sizeBytes; left > 0; ) {
    const bytes = left < 2 * PIECE_BYTES ? left : PIECE_BYTES
    const marked = markMemory(library, bytes)
    const piece = library._get_filedata(archive, bytes)
    if (piece <= 0 || isMarked(library, marked, piece, bytes)) {
      output.end('damaged')
      return
    }
    output.data(library.HEAPU8.subarray(piece, piece + bytes))
    library._free(piece)
    left -= bytes
  }
  // Sums are compared where it ends.
  const end = sizeBytes > 0 ? library._get_filedata(archive, 1) : 0
  if (end > 0) library._free(end)
  output.end(end < 0 ? 'damaged' : null)
}

const MARK = randomBytes(16)
/** Memory that is free has notes at its ends. */
const MARK_FROM_END = 2 * MARK.length

/** The library does not say when a file is shorter than its size: then the memory stays as it was. */
function markMemory(library: Library, bytes: number): number {
  const at = library._malloc(bytes)
  if (at > 0 && bytes > MARK_FROM_END) library.HEAPU8.set(MARK, at + bytes - MARK_FROM_END)
  library._free(at)
  return at
}

function isMarked(library: Library, marked: number, at: number, bytes: number): boolean {
  if (at !== marked || bytes <= MARK_FROM_END) return false
  const from = at + bytes - MARK_FROM_END
  return MARK.equals(library.HEAPU8.subarray(from, from + MARK.length))
}

/** Where the library keeps what it has no function for, in bytes from the address of an entry. */
interface Layout {
  sizeAt: number
  mtimeAt: number
  modeAt: number
}

const ENTRY_BYTES = 4096

/** Found by asking for the fields of an entry that is made up: each word says where it is. */
function layoutOf(library: Library): Layout {
  const entry = library._malloc(ENTRY_BYTES)
  const memory = new DataView(library.HEAPU8.buffer, entry, ENTRY_BYTES)
  for (let at = 0; at < ENTRY_BYTES; at += 4) memory.setUint32(at, at, true)
  const sizeAt = library._archive_entry_size(entry)
  // `int64_t aest_mtime; uint32_t aest_mtime_nsec`
  const mtimeAt = library._archive_entry_mtime_nsec(entry) - 8
  let modeAt = -1
  for (let at = 0; at < ENTRY_BYTES && modeAt < 0; at += 4) {
    for (let other = 0; other < ENTRY_BYTES; other += 4) memory.setUint32(other, 0, true)
    memory.setUint32(at, 0o100000, true)
    if (library._archive_entry_filetype(entry) === 0o100000) modeAt = at
  }
  library._free(entry)
  if (!(sizeAt > 0 && mtimeAt > 0 && modeAt > 0)) throw new Error('libarchive is another one')
  return { sizeAt, mtimeAt, modeAt }
}

function factsOf(
  library: Library,
  { sizeAt, mtimeAt, modeAt }: Layout,
  entry: number,
): Omit<ArchivedEntry, 'name'> {
  const memory = new DataView(library.HEAPU8.buffer, entry)
  const mode = memory.getUint32(modeAt, true)
  const sizeBytes = Number(memory.getBigInt64(sizeAt, true))
  return {
    kind: KINDS.get(mode & S_IFMT) ?? 'other',
    mode: (mode & 0o777) === 0 ? null : mode,
    mtimeMs: Number(memory.getBigInt64(mtimeAt, true)) * 1000,
    sizeBytes: Math.max(0, sizeBytes),
  }
}
