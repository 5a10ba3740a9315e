// Copying the bytes of one file to a temporary sibling of its target, and that into place.
import { AppError } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import type { FolderReader, Named, OpenFile } from '../place/folder-reader.ts'
import type { Scope } from '../place/scope.ts'
import type { WriteFolder } from '../place/write-folder.ts'
import type { TempFile } from '../volume/temp-file.ts'
import { looksAtTarget, type Settled, settledBy, type Taken } from './course.ts'
import { type Copying, type OpenHidden, openCopy } from './half-copy.ts'

/** Larger files are copied one by one, and only where they fit. */
const CHUNK_BYTES = 1024 * 1024
/** Up to this size a file on a local disk is written without the thread pool, as in receive.ts. */
const SMALL_BYTES = 64 * 1024
/** From this size on a file would push out of the kernel's memory what others read there. */
const HUGE_BYTES = 64 * 1024 * 1024

export interface CopyOptions extends Taken {
  replace: boolean
  signal: AbortSignal
  /** Asked for the room of a large file before its first byte. */
  reserve: (temp: TempFile, sizeBytes: number) => Promise<void>
}

/** Copies one file; links at both ends are followed inside the scope. False when it was left out, see `leaves`. */
export async function copyOneFile(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<boolean> {
  const file = await scope.openRead(source)
  try {
    options.course?.at(source)
    const settled = looksAtTarget(options) && (await settledAt(scope, file, target, options))
    if (settled) {
      options.course?.passed(file.sizeBytes)
      return settled === 'arrived'
    }
    const open: OpenHidden = (how) => scope.openTemp(target, { parents: true, ...how })
    await copyInto(file, target, open, options)
    return true
  } finally {
    await file.handle.close()
  }
}

async function settledAt(
  scope: Scope,
  file: OpenFile,
  target: VPath,
  options: CopyOptions,
): Promise<Settled> {
  using place = await scope.place(target)
  return settledBy(options, file, target, place.stats)
}

/**
 * Copies a regular file from one open folder into another, under its name. Returns the time it had,
 * in nanoseconds; `left` when it was left out, and `link` when a link has its name there, with nothing done:
 * see copyOneFile.
 */
export async function copyFileIn(
  from: FolderReader,
  into: WriteFolder,
  entry: Named,
  options: CopyOptions & { largeFiles: OneByOne; target: VPath },
): Promise<bigint | 'left' | 'link'> {
  const file = await from.openRead(entry, { direct: true })
  const { course, target } = options
  try {
    course?.at(file.vpath)
    const found = looksAtTarget(options) ? await into.stat(entry.name) : null
    const settled = found?.isSymbolicLink() ? null : settledBy(options, file, target, found)
    if (settled) {
      course?.passed(file.sizeBytes)
      return settled === 'arrived' ? file.mtimeNs : settled
    }
    const copy = async () => {
      const open: OpenHidden = (how) => into.openTemp(entry.name, how)
      return (await copyInto(file, target, open, options)) ? file.mtimeNs : 'link'
    }
    return await (file.sizeBytes > CHUNK_BYTES ? options.largeFiles(copy) : copy())
  } finally {
    await file.handle.close()
  }
}

type OneByOne = <T>(work: () => Promise<T>) => Promise<T>

/** Runs what it is given one after the other. */
export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done
    return done
  }
}

/** False where a link is at the target, with nothing done. */
async function copyInto(
  file: OpenFile,
  target: VPath,
  open: OpenHidden,
  options: CopyOptions,
): Promise<boolean> {
  const { course, signal, replace, onMade } = options
  const copying = await openCopy(file, target, open, options)
  if (!copying) return false
  const { temp, startBytes } = copying
  let isKept = false
  try {
    if (file.sizeBytes > CHUNK_BYTES) await options.reserve(temp, file.sizeBytes)
    course?.bytes(startBytes)
    if (startBytes > 0 || !(await isLargeClone(file, temp, options))) {
      await copyBytes(file, temp, options, copying)
      if (course) await requireUnchanged(file)
    }
    await temp.setMode(file.mode)
    const mtimeMs = course && Number(file.mtimeNs) / 1e6
    // A later run knows a file that has come by its time.
    if (mtimeMs !== undefined) await temp.setTime(mtimeMs)
    await copying.end(false)
    const made = await temp.commit({ replace, mtimeMs })
    onMade?.(target, made, file.mtimeNs)
    course?.passed(0)
    return true
  } catch (error) {
    isKept = signal.aborted && course?.goesOn(signal.reason) === true
    throw error
  } finally {
    await copying.end(isKept)
    await (isKept ? temp.release() : temp.discard())
  }
}

/** Throws `precondition_failed` for what changed while it was copied: the copy is neither what it was nor what it is. */
async function requireUnchanged({ handle, vpath, sizeBytes, mtimeNs }: OpenFile): Promise<void> {
  const now = await handle.stat()
  if (Number(now.size) === sizeBytes && now.mtimeNs === mtimeNs) return
  throw new AppError('precondition_failed', `${vpath} changed while it was copied`)
}

/** Small ones are copied sooner than it is asked whether the disk can. */
async function isLargeClone(
  { handle, sizeBytes }: OpenFile,
  temp: TempFile,
  { course }: CopyOptions,
): Promise<boolean> {
  if (sizeBytes <= CHUNK_BYTES || !(await temp.cloneFrom(handle.fd, sizeBytes))) return false
  course?.bytes(sizeBytes)
  return true
}

const FROM_THE_START = { startBytes: 0, reached: async () => {} }

/** Copies all bytes of a file, but for those that have come. Of a large one pieces are read while those before are written. */
export async function copyBytes(
  { handle, sizeBytes }: OpenFile,
  temp: TempFile,
  { signal, course }: Pick<CopyOptions, 'signal' | 'course'>,
  { startBytes, reached }: Pick<Copying, 'startBytes' | 'reached'> = FROM_THE_START,
): Promise<void> {
  const pages = sizeBytes >= HUGE_BYTES ? temp.pages?.take() : null
  const newBuffer = () => Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes + 4096))
  const buffers = pages ?? Array.from({ length: sizeBytes > CHUNK_BYTES ? 2 : 1 }, newBuffer)
  const how = { direct: sizeBytes <= SMALL_BYTES, isPastCache: Boolean(pages) }
  const write = async (bytes: Buffer, position: number) => {
    signal.throwIfAborted()
    await temp.write([bytes], position, how)
  }
  const wrote = async (bytes: number, end: number) => {
    course?.bytes(bytes)
    await reached(end)
    signal.throwIfAborted()
  }
  try {
    await copyPieces(handle, startBytes, buffers, { write, wrote })
  } finally {
    if (pages) temp.pages?.give(pages)
  }
}

interface Pieces {
  /** Writes one, at its position. */
  write(bytes: Buffer, position: number): Promise<void>
  /** Told when that is done, in the order of the file. */
  wrote(bytes: number, end: number): Promise<void>
}

/** A piece that is being written. */
interface Piece {
  buffer: Buffer
  bytes: number
  end: number
  written: Promise<void>
}

// Not by the copyFile of Node: it removes its target when a clone is refused, and writes a new one
// under the name, which the descriptor that is synced and moved into place knows nothing of.
async function copyPieces(
  handle: OpenFile['handle'],
  startBytes: number,
  buffers: readonly Buffer[],
  { write, wrote }: Pieces,
): Promise<void> {
  const free = [...buffers]
  const pieces: Piece[] = []
  // Into memory one write at a time is the quickest, while the next piece is read.
  const atATime = Math.max(1, buffers.length - 1)
  const endFirst = async () => {
    const [{ buffer, bytes, end, written }] = pieces as [Piece]
    await written
    pieces.shift()
    free.push(buffer)
    await wrote(bytes, end)
  }
  let position = startBytes
  try {
    for (;;) {
      if (free.length === 0) await endFirst()
      const buffer = free.shift() as Buffer
      const { bytesRead: bytes } = await handle.read(buffer, 0, buffer.length, position)
      if (bytes === 0) break
      if (pieces.length === atATime) await endFirst()
      const written = write(buffer.subarray(0, bytes), position)
      // Told when its turn comes.
      written.catch(() => {})
      position += bytes
      pieces.push({ buffer, bytes, end: position, written })
      // Spares a read that finds nothing, unless the file has grown.
      if (bytes < buffer.length && Number((await handle.stat()).size) === position) break
    }
    while (pieces.length > 0) await endFirst()
  } finally {
    // The buffers must be idle before anything is closed.
    await Promise.allSettled(pieces.map(({ written }) => written))
  }
}
