// The bytes of archived files, opened a few ahead, so that a tree of small files is not read at the
// pace of one disk round trip after the other. Small files are read whole and closed at once: size
// and checksum are known before the header is written. Large ones go through two buffers, one being
// read while the other is being written.

import type { OpenFile } from '../place/scope.ts'
import { readFully } from '../volume/read-handle.ts'
import type { ByteSink } from './byte-sink.ts'
import type { ArchiveEntry, FileEntry, FolderEntry } from './entries.ts'

/** Files opened at the same time, the one being written included. */
const OPEN_FILES = 4
/** Up to this size a file is read whole; each of OPEN_FILES has such a buffer, copying has two. */
const BUFFER_BYTES = 256 * 1024

export type Content =
  | { whole: Buffer; sizeBytes: number }
  | {
      whole: null
      sizeBytes: number
      /**
       * Writes exactly the bytes from `start` (0) to before `end` (`sizeBytes`); throws when the file has
       * become shorter meanwhile.
       */
      copyTo(sink: ByteSink, start?: number, end?: number): Promise<void>
    }

interface ReadyFile {
  kind: 'file'
  name: string
  mode: number
  mtimeMs: number
  content: Content
}

/**
 * Yields folders as they are and files ready to be written; what cannot be opened is left out. A
 * content is valid until the next entry is asked for. Closes every file, also when left early.
 */
export async function* readAhead(
  entries: AsyncIterable<ArchiveEntry>,
  signal: AbortSignal,
): AsyncGenerator<FolderEntry | ReadyFile, void> {
  const source = entries[Symbol.asyncIterator]()
  const wholes = Array.from({ length: OPEN_FILES }, () => Buffer.allocUnsafeSlow(BUFFER_BYTES))
  const queue: Pending[] = []
  let buffers: [Buffer, Buffer] | null = null
  let more = true
  const advance = async () => {
    const next = await source.next()
    if (next.done) more = false
    else queue.push(next.value.kind === 'dir' ? ready(next.value) : prepare(next.value, wholes))
  }
  try {
    for (;;) {
      while (more && queue.length < OPEN_FILES) await advance()
      signal.throwIfAborted()
      const [first] = queue
      if (!first) return
      const opened = await first.opened
      if (opened && 'handle' in opened) {
        buffers ??= [Buffer.allocUnsafeSlow(BUFFER_BYTES), Buffer.allocUnsafeSlow(BUFFER_BYTES)]
        yield streamed(opened, first, buffers, signal)
      } else if (opened) yield opened
      // Only now: the buffer of this entry goes to the one that takes its place.
      queue.shift()
      await first.close()
    }
  } finally {
    for (const pending of queue) await pending.close()
    await source.return?.()
  }
}

interface Pending {
  name: string
  verify?: FileEntry['verify']
  /** Null when there is nothing to archive. */
  opened: Promise<FolderEntry | ReadyFile | OpenFile | null>
  close(): Promise<void>
}

function ready(entry: FolderEntry): Pending {
  return { name: entry.name, opened: Promise.resolve(entry), close: async () => {} }
}

function prepare(entry: FileEntry, wholes: Buffer[]): Pending {
  let buffer: Buffer | undefined
  const open = async () => {
    const file = await entry.open()
    if (!file || file.sizeBytes > BUFFER_BYTES) return file
    try {
      buffer = wholes.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
      return await wholeFile(entry, file, buffer)
    } finally {
      await file.handle.close()
    }
  }
  const opened = open()
  // Awaited in order; a failure meanwhile must not count as unhandled.
  opened.catch(() => {})
  return {
    name: entry.name,
    ...(entry.verify && { verify: entry.verify }),
    opened,
    close: async () => {
      const result = await opened.catch(() => null)
      if (result && 'handle' in result) await result.handle.close()
      if (buffer) wholes.push(buffer)
    },
  }
}

async function wholeFile(
  { name, verify }: FileEntry,
  file: OpenFile,
  buffer: Buffer,
): Promise<ReadyFile> {
  const sizeBytes = await readFully(file.handle, buffer, 0, file.sizeBytes)
  await verify?.(file)
  const content = { whole: buffer.subarray(0, sizeBytes), sizeBytes }
  return { kind: 'file', name, mode: file.mode, mtimeMs: file.mtimeMs, content }
}

function streamed(
  file: OpenFile,
  { name, verify }: Pending,
  buffers: readonly [Buffer, Buffer],
  signal: AbortSignal,
): ReadyFile {
  const copyTo = async (sink: ByteSink, start = 0, end = file.sizeBytes) => {
    await copy(file, { start, end }, sink, buffers, signal)
    await verify?.(file)
  }
  const content = { whole: null, sizeBytes: file.sizeBytes, copyTo }
  return { kind: 'file', name, mode: file.mode, mtimeMs: file.mtimeMs, content }
}

async function copy(
  file: OpenFile,
  { start, end }: { start: number; end: number },
  sink: ByteSink,
  buffers: readonly [Buffer, Buffer],
  signal: AbortSignal,
): Promise<void> {
  let [full, free] = buffers
  let position = start
  let bytes = await readFully(file.handle, full, start, Math.min(BUFFER_BYTES, end - start))
  while (position < end) {
    signal.throwIfAborted()
    if (bytes === 0) throw new Error(`${file.vpath} became shorter while it was archived`)
    const written = sink.write(full.subarray(0, bytes))
    position += bytes
    const left = Math.min(BUFFER_BYTES, end - position)
    // Both are awaited, also when one fails: the buffers must be idle before they are used again.
    const [sent, read] = await Promise.allSettled([
      written,
      readFully(file.handle, free, position, left),
    ])
    if (sent.status === 'rejected') throw sent.reason
    if (read.status === 'rejected') throw read.reason
    bytes = read.value
    ;[full, free] = [free, full]
  }
}
