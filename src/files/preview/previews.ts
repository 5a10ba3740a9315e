// Previews of files: which kinds have one, cache first, equal requests made once.

import { contains } from '../../lib/host-path.ts'
import { findProgram } from '../../programs/find-program.ts'
import type { OpenFile } from '../place/scope.ts'
import { createDiskCache, createMemoryCache, type PreviewCache } from './cache.ts'
import {
  type Asker,
  createPreviewProcess,
  type JobRequest,
  type JobResult,
  type PreviewProcess,
  SPARE_PLACES,
} from './process.ts'
import { type PictureEdit, PreviewError, type PreviewSize, type SourceKind } from './protocol.ts'

export interface PreviewOptions {
  /** Empty: a few previews in memory. */
  cacheDir: string
  /** 0 means unlimited. */
  cacheSizeBytes: number
  /** Pictures made at the same time. */
  concurrency: number
  /** Program or path; empty disables previews of videos. */
  ffmpegPath: string
  /** Time for the page of a PDF; PDF_MS unless given. */
  pdfMs?: number
}

export interface PreviewRequest {
  /** Opens the source when no finished preview is at hand; closed here. */
  open: () => Promise<OpenFile>
  mtimeNs: bigint
  ino: bigint
  /** Host path of the file, for the cache and for systems without /proc. */
  realPath: string
  kind: SourceKind
  size: PreviewSize
  /** Only what every browser shows, and never the small picture out of EXIF data. */
  display: boolean
  /** In full width and height; only with `big` and `display`, see `needsRendition`. */
  full: boolean
  /** Whose turn it takes. */
  asker: Asker
}

export interface Preview {
  contentType: string
  bytes: Buffer
}

export interface Previews {
  /**
   * The preview, or `original` when the file itself is to be sent. Rejects with PreviewError, or
   * with the signal's reason; the work goes on while somebody else waits for the same picture. What
   * failed once fails at once until the file changes or the server starts anew.
   */
  get(request: PreviewRequest, signal: AbortSignal): Promise<Preview | 'original'>
  /**
   * The picture in an open file turned or cropped, in its own format. Rejects with PreviewError, or with the
   * signal's reason.
   */
  edit(
    file: OpenFile,
    { realPath, asker, edit }: { realPath: string; asker: Asker; edit: PictureEdit },
    signal: AbortSignal,
  ): Promise<Buffer>
  /**
   * Removes what was made of files that are deleted, moved or replaced, and of all in such folders;
   * host paths. What is being made of them is not kept. Never rejects: it comes after the change.
   */
  forget(realPaths: readonly string[]): Promise<void>
  /** How many are being made or wait for that. */
  waiting(): number
  /** Whether there may be anything to be forgotten. */
  mayHoldAny(): boolean
  /** Full path of ffmpeg, looked for once at the start; empty without it. */
  videoProgram: Promise<string>
  /** Ends the preview processes. */
  close(): void
}

interface Source {
  realPath: string
  /** It was deleted or replaced meanwhile: what is made of it is not kept. */
  isForgotten: boolean
}

interface Pending {
  source: Source
  promise: Promise<Preview | 'original'>
  waiting: number
  abort: AbortController
}

/** Slow machines need some seconds for a scanned poster; nobody waits longer for a small picture. */
const PDF_MS = 15_000
const MAX_FAILED = 10_000
const MIB = 1024 * 1024
/** A preview process has 512 MiB, of which it needs some for itself. */
const MEMORY_BYTES = 410 * MIB
/** Their decoders take much memory, or the only thread of their process. */
const ALONE: SourceKind[] = ['pdf', 'heic', 'bmp']

interface State {
  readonly cache: PreviewCache
  readonly together: PreviewProcess
  /** A page is drawn in one go, however long that takes, and all else in its process has to wait. */
  readonly alone: PreviewProcess
  /** Memory of a job beside others. */
  readonly shareBytes: number
  readonly pdfMs: number
  readonly pending: Map<string, Pending>
  readonly failed: Map<string, PreviewError>
  readonly videoProgram: Promise<string>
}

export function createPreviews(options: PreviewOptions): Previews {
  const { cacheDir, cacheSizeBytes, concurrency, ffmpegPath, pdfMs = PDF_MS } = options
  const state: State = {
    cache: cacheDir ? createDiskCache(cacheDir, cacheSizeBytes) : createMemoryCache(),
    together: createPreviewProcess(concurrency),
    alone: createPreviewProcess(1),
    shareBytes: Math.floor(MEMORY_BYTES / (concurrency + SPARE_PLACES)),
    pdfMs,
    pending: new Map(),
    failed: new Map(),
    videoProgram: findProgram(ffmpegPath),
  }
  const { cache, pending, together, alone, videoProgram } = state
  return {
    get: (request, signal) => get(state, request, signal),
    edit: async (file, { realPath, asker, edit }, signal) => {
      const source = {
        path: sourcePath(file, realPath),
        ino: String(file.ino),
        kind: 'image',
      } as const
      const how = { size: 'big', display: true, full: true, ffmpeg: '' } as const
      const job = { ...source, ...how, memoryBytes: MEMORY_BYTES, edit }
      return (await alone.run(job, signal, { asker })).bytes
    },
    forget: async (realPaths) => {
      for (const realPath of realPaths) {
        for (const { source } of pending.values())
          if (contains(realPath, source.realPath)) source.isForgotten = true
        // A cache that cannot be written costs this, as it costs new previews.
        await cache.forget(realPath).catch(() => {})
      }
    },
    waiting: () => pending.size,
    mayHoldAny: () => pending.size > 0 || cache.mayHoldAny(),
    videoProgram,
    close: () => {
      together.close()
      alone.close()
    },
  }
}

async function get(
  state: State,
  request: PreviewRequest,
  signal: AbortSignal,
): Promise<Preview | 'original'> {
  signal.throwIfAborted()
  const { pending, failed } = state
  const { realPath, mtimeNs, ino } = request
  const name = `${variantOf(request)}:${mtimeNs}:${ino}:${realPath}`
  // Who comes second would wait for the turn of who came first.
  const entryName = `${request.asker.name}:${name}`
  const shared = pending.get(entryName)
  // Work whose last client has just left is given up; nobody may join it any more.
  if (shared && !shared.abort.signal.aborted) return waitFor(shared, signal)
  const failure = failed.get(name)
  if (failure) throw failure
  const abort = new AbortController()
  const source = { realPath, isForgotten: false }
  const promise = make(state, request, source, abort.signal)
    .catch((error: unknown) => {
      if (error instanceof PreviewError) rememberFailure(failed, name, error)
      throw error
    })
    .finally(() => {
      if (pending.get(entryName) === entry) pending.delete(entryName)
    })
  const entry: Pending = { source, promise, waiting: 0, abort }
  pending.set(entryName, entry)
  // Everybody may have left when it fails.
  promise.catch(() => {})
  return waitFor(entry, signal)
}

async function make(
  state: State,
  request: PreviewRequest,
  source: Source,
  signal: AbortSignal,
): Promise<Preview | 'original'> {
  const { cache } = state
  const { realPath, mtimeNs, kind, size, display, full } = request
  const variant = variantOf(request)
  const known = await cache.get({ realPath, mtimeMs: Number(mtimeNs / 1_000_000n), variant })
  if (known) return known
  const program = kind === 'video' ? await state.videoProgram : ''
  if (kind === 'video' && !program) throw new PreviewError('unavailable', 'ffmpeg was not found')
  const file = await request.open()
  try {
    const path = sourcePath(file, realPath)
    const job = { path, ino: String(file.ino), kind, size, display, full, ffmpeg: program }
    const { reply, bytes } = await decode(state, job, request.asker, signal)
    if (reply.original) return 'original'
    const preview = { contentType: reply.contentType ?? 'image/jpeg', bytes }
    const mtimeMs = Number(file.mtimeNs / 1_000_000n)
    if (!source.isForgotten) await cache.put({ realPath, mtimeMs, variant }, preview)
    // As it may have become while it was written.
    if (source.isForgotten) await cache.forget(realPath)
    return preview
  } finally {
    await file.handle.close()
  }
}

async function decode(
  { together, alone, shareBytes, pdfMs }: State,
  job: Omit<JobRequest, 'memoryBytes'>,
  asker: Asker,
  signal: AbortSignal,
): Promise<JobResult> {
  if (!ALONE.includes(job.kind)) {
    const own = { ...job, memoryBytes: shareBytes }
    const done = await together.run(own, signal, { asker }).catch((error: unknown) => {
      if (error instanceof PreviewError && error.failure === 'too_heavy') return null
      throw error
    })
    if (done) return done
  }
  const limits = job.kind === 'pdf' ? { asker, timeoutMs: pdfMs } : { asker }
  return alone.run({ ...job, memoryBytes: MEMORY_BYTES }, signal, limits)
}

function rememberFailure(failed: State['failed'], name: string, error: PreviewError): void {
  if (error.failure === 'unavailable') return
  const [oldest = ''] = failed.keys()
  if (failed.size >= MAX_FAILED) failed.delete(oldest)
  failed.set(name, new PreviewError(error.failure, `${error.message}, as before`))
}

function variantOf({ size, display, full }: PreviewRequest): string {
  if (full) return `${size}-full`
  return display ? `${size}-display` : size
}

/** Waits for shared work; the last one to leave cancels it. */
async function waitFor(entry: Pending, signal: AbortSignal): Promise<Preview | 'original'> {
  entry.waiting += 1
  let onAbort: (() => void) | undefined
  const left = new Promise<never>((_, reject) => {
    onAbort = () => {
      // Counted here and not when the wait is over: several may leave at the same moment.
      entry.waiting -= 1
      if (entry.waiting === 0) entry.abort.abort(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([entry.promise, left])
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort)
  }
}

const EXTENSIONS: Partial<Record<SourceKind, string>> = {
  image: 'jpg jpeg jpe jfif png gif tif tiff webp avif',
  bmp: 'bmp',
  heic: 'heic heif hif',
  raw: 'cr2 cr3 nef arw dng raf orf',
  pdf: 'pdf',
}

const KINDS: ReadonlyMap<string, SourceKind> = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as SourceKind]),
  ),
)

/** How a file is previewed, by extension (lower case, no dot) and content type; null: not at all. */
export function previewKind(extension: string, contentType: string): SourceKind | null {
  return KINDS.get(extension) ?? (contentType.startsWith('video/') ? 'video' : null)
}

/** Whether browsers show such a file by a picture made of it only; `extension` in lower case, no dot. */
export function needsRendition(extension: string): boolean {
  const kind = KINDS.get(extension)
  return kind === 'heic' || kind === 'raw' || extension === 'tif' || extension === 'tiff'
}

/** The open file itself where it has a name: nothing can be put in its place meanwhile. */
function sourcePath({ handle }: OpenFile, realPath: string): string {
  return process.platform === 'linux' ? `/proc/${process.pid}/fd/${handle.fd}` : realPath
}
