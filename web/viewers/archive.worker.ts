// 7z, rar and tar in less common wrappings, through libarchive compiled to WebAssembly. It runs in
// this worker so that a hostile archive can at worst waste a thread that is ended after a while.

import libarchive from 'libarchive-wasm/dist/libarchive.js'
import wasmBinary from 'libarchive-wasm/dist/libarchive.wasm'
import { wrapLibarchiveWasm } from 'libarchive-wasm/dist/wrapLibarchiveWasm.js'
import type { ArchiveReply, ArchiveRequest, WorkerItem } from './archive-message.ts'

type Library = ReturnType<typeof wrapLibarchiveWasm>

const DIRECTORY = 0o040000
const TYPE_MASK = 0o170000
const CHUNK_BYTES = 256 * 1024

let library: Library | null = null
let pointer = 0
let length = 0

addEventListener('message', (event: MessageEvent<ArchiveRequest>) => {
  void answer(event.data).then(
    (reply) => postMessage(reply, { transfer: reply.kind === 'bytes' ? [reply.bytes] : [] }),
    (error) => postMessage({ kind: 'failed', reason: reasonOf(error) } satisfies ArchiveReply),
  )
})

class TooLarge extends Error {}

function reasonOf(error: unknown) {
  if (error instanceof TooLarge) return 'too_large'
  return /encrypt|passphrase|password/i.test(String(error)) ? 'encrypted' : 'damaged'
}

async function answer(request: ArchiveRequest): Promise<ArchiveReply> {
  if (request.kind === 'open') {
    library = wrapLibarchiveWasm(await libarchive({ wasmBinary }))
    length = request.bytes.byteLength
    pointer = library.module._malloc(length)
    if (pointer === 0) throw new TooLarge()
    library.module.HEAPU8.set(new Uint8Array(request.bytes), pointer)
    return list(library, request.maxEntries)
  }
  if (!library) throw new Error('no archive is open')
  return { kind: 'bytes', bytes: readEntry(library, request.index, request.maxBytes) }
}

function list(library: Library, maxEntries: number): ArchiveReply {
  const archive = library.read_new_memory(pointer, length, '')
  const items: WorkerItem[] = []
  try {
    for (;;) {
      const entry = library.read_next_entry(archive)
      if (entry === 0) break
      if (items.length >= maxEntries) return { kind: 'list', items, truncated: true }
      const seconds = library.entry_mtime(entry)
      items.push({
        path: library.entry_pathname(entry) ?? '',
        isDir: (library.entry_filetype(entry) & TYPE_MASK) === DIRECTORY,
        sizeBytes: library.entry_size(entry),
        modifiedMs: seconds > 0 ? seconds * 1000 : null,
        encrypted: library.entry_is_encrypted(entry) > 0,
      })
    }
    if (items.length === 0 && library.error_string(archive))
      throw new Error(library.error_string(archive))
    return { kind: 'list', items, truncated: false }
  } finally {
    library.read_free(archive)
  }
}

function readEntry(library: Library, index: number, maxBytes: number): ArrayBuffer {
  const archive = library.read_new_memory(pointer, length, '')
  const buffer = library.module._malloc(CHUNK_BYTES)
  try {
    for (let skipped = 0; skipped <= index; skipped++) {
      if (library.read_next_entry(archive) === 0) throw new Error('the archive ends early')
    }
    const chunks: Uint8Array<ArrayBuffer>[] = []
    let size = 0
    for (;;) {
      const got = library.read_data(archive, buffer, CHUNK_BYTES)
      if (got === 0) break
      size += got
      if (size > maxBytes) throw new TooLarge()
      chunks.push(library.module.HEAPU8.slice(buffer, buffer + got))
    }
    const whole = new Uint8Array(size)
    let at = 0
    for (const chunk of chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return whole.buffer
  } finally {
    library.module._free(buffer)
    library.read_free(archive)
  }
}
