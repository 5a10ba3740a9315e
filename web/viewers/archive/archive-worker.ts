// 7z, rar and tar in less common wrappings, through libarchive compiled to WebAssembly. It runs in a
// worker that is ended when it does not answer, so that a hostile archive wastes a thread at worst.
//
// The library's own front end is left out: it builds an object from the paths in the archive, and a
// folder named `__proto__` would change every object of the page. Its worker is asked directly.

import { proxy, type Remote, wrap } from 'comlink'
import meta from 'libarchive.js/package.json' with { type: 'json' }
import { boot } from '../../lib/boot.ts'
import { type ArchiveFile, type ArchiveItem, archiveOf, cleanPath } from './archive-item.ts'
import { ZipError } from './zip-reader.ts'

const LIST_PATIENCE_MS = 20_000
const READ_PATIENCE_MS = 60_000

interface ListedFile {
  type: string
  path: string
  size: number
}

interface LibraryWorker {
  open(file: Blob, done: () => void): void
  hasEncryptedData(): boolean | null
  listFiles(): ListedFile[]
  extractSingleFile(path: string): { fileData: ArrayBuffer }
}

type LibraryClass = new (ready: () => void) => LibraryWorker

/** @throws ZipError */
export async function openByLibrary(
  bytes: ArrayBuffer,
  signal: AbortSignal,
  maxEntries: number,
): Promise<ArchiveFile> {
  const url = `${boot.StaticURL}/libarchive-${meta.version}/worker-bundle.js`
  const worker = new Worker(url, { type: 'module' })
  signal.addEventListener('abort', () => worker.terminate(), { once: true })

  /** A worker that was ended answers nothing: whoever waits must hear of it from here. */
  async function patiently<T>(work: Promise<T>, patienceMs: number): Promise<T> {
    signal.throwIfAborted()
    const ended = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      worker.terminate()
      ended.reject(new ZipError('too_large'))
    }, patienceMs)
    const fail = () => ended.reject(new ZipError('damaged'))
    const leave = () => ended.reject(signal.reason)
    worker.addEventListener('error', fail)
    signal.addEventListener('abort', leave)
    try {
      return await Promise.race([work, ended.promise])
    } catch (error) {
      throw error instanceof ZipError || signal.aborted ? error : new ZipError('damaged')
    } finally {
      clearTimeout(timer)
      worker.removeEventListener('error', fail)
      signal.removeEventListener('abort', leave)
    }
  }

  const library = await patiently(start(worker, bytes), LIST_PATIENCE_MS)
  const listed = await patiently(library.listFiles(), LIST_PATIENCE_MS)
  const locked = await patiently(library.hasEncryptedData(), LIST_PATIENCE_MS)
  if (listed.length === 0) throw new ZipError(locked ? 'encrypted' : 'damaged')
  const inner = new Map<ArchiveItem, string>()
  for (const { type, path, size } of listed.slice(0, maxEntries)) {
    const item: ArchiveItem = {
      path: cleanPath(path),
      isDir: type === 'DIR',
      // The worker gives 32 bits with a sign, which would make 3 GiB a negative size.
      sizeBytes: Number(size) >>> 0,
      // The worker cuts times off to 32 bits of nanoseconds.
      modified: null,
      encrypted: locked === true,
    }
    inner.set(item, path)
  }
  return archiveOf(inner, listed.length > maxEntries, async (path) => {
    const { fileData } = await patiently(library.extractSingleFile(path), READ_PATIENCE_MS)
    return new Uint8Array(fileData)
  })
}

async function start(worker: Worker, bytes: ArrayBuffer): Promise<Remote<LibraryWorker>> {
  const Library = wrap<LibraryClass>(worker)
  const ready = Promise.withResolvers<void>()
  const library = await new Library(proxy(() => ready.resolve()))
  await ready.promise
  const opened = Promise.withResolvers<void>()
  library
    .open(
      new Blob([bytes]),
      proxy(() => opened.resolve()),
    )
    .catch(opened.reject)
  await opened.promise
  return library
}
