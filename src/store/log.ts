// Append-only logs: JSON Lines beside the database, one purpose each. A line that a crash cut short is
// not read and is cut off before the next one is written.
import {
  closeSync,
  fdatasync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { AppError, unless } from '../lib/errors.ts'
import { syncFolder } from '../lib/sync-folder.ts'
import { writeFailure } from './durable-file.ts'
import { giveTo, ownerFor } from './owner.ts'

const syncData = promisify(fdatasync)

const CHUNK_BYTES = 64 * 1024
const MAX_SMALL_BYTES = 1024 * 1024
/** Longer lines are not written, and skipped where they are found. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const SYNC_DELAY_MS = 1_000

export interface LogLine {
  /** Undefined for a line that is no JSON. */
  value: unknown
  /** Position behind the line. */
  end: number
}

/** Reads the whole lines from a position on, with bounded memory. A missing file has none. */
export async function* readLog(file: string, from = 0): AsyncGenerator<LogLine> {
  const handle = await open(file, 'r').catch(unless('ENOENT'))
  if (!handle) return
  try {
    const split = createSplitter(from)
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let at = from; ; ) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield* split(chunk.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}

/** Like readLog, at once and for a file that is there: for what is read before there is anybody to wait. */
export function readLogSync(file: string): Generator<LogLine> {
  return createSplitter(0)(readFileSync(file))
}

/** Like readLogSync; null for a file that is larger than what is to be in memory as a whole. */
export function readSmallLog(file: string): Generator<LogLine> | null {
  return statSync(file).size > MAX_SMALL_BYTES ? null : readLogSync(file)
}

function createSplitter(from: number): (chunk: Buffer) => Generator<LogLine> {
  let parts: Buffer[] = []
  let lengthBytes = 0
  let end = from
  return function* split(chunk) {
    let start = 0
    for (;;) {
      const newline = chunk.indexOf(10, start)
      const piece = chunk.subarray(start, newline < 0 ? undefined : newline)
      lengthBytes += piece.length
      // Copied, as the chunk is filled again; what is too long is only counted.
      if (lengthBytes <= MAX_LINE_BYTES) parts.push(newline < 0 ? Buffer.from(piece) : piece)
      else parts = []
      if (newline < 0) return
      end += lengthBytes + 1
      yield { value: lengthBytes <= MAX_LINE_BYTES ? parseLine(parts) : undefined, end }
      parts = []
      lengthBytes = 0
      start = newline + 1
    }
  }
}

function parseLine(parts: Buffer[]): unknown {
  try {
    return JSON.parse((parts.length === 1 ? parts[0] : Buffer.concat(parts))?.toString() ?? '')
  } catch {
    return undefined
  }
}

/** A line of a log. Throws `too_large` for one that nobody would read. */
export function toLine(value: object): string {
  const line = `${JSON.stringify(value)}\n`
  if (Buffer.byteLength(line) - 1 > MAX_LINE_BYTES)
    throw new AppError('too_large', 'too much for one transaction')
  return line
}

/**
 * Appends text at `position`, cutting off what a crash left behind it, and syncs it. Gives the new end.
 * A new file has mode 0600 and belongs to the owner of `like`. To be called under the lock of the
 * database. When it throws the file ends at `position`: AppError `no_space`, else the system's error.
 */
export async function appendToLog(
  file: string,
  position: number,
  text: string,
  like: string,
): Promise<number> {
  try {
    const owner = position === 0 ? await ownerFor(file, like, dirname(file)) : null
    const handle = await open(file, 'a', 0o600)
    try {
      if (position === 0) await giveTo(owner, handle)
      if ((await handle.stat()).size > position) await handle.truncate(position)
      try {
        await handle.writeFile(text)
        await handle.datasync()
      } catch (error) {
        await handle.truncate(position)
        throw error
      }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw writeFailure(file, error)
  }
  if (position === 0) await syncFolder(dirname(file))
  return position + Buffer.byteLength(text)
}

interface AddOptions {
  /** The line is with the system after the next `add`, or a second. */
  waits?: boolean
}

/** A log of this process alone, whose lines are with the system when `add` returns. */
interface LiveLog {
  /** A line that cannot be written now is written before the next one. */
  add(line: object, options?: AddOptions): void
  /** Waits until a power cut leaves what was added; throws when it cannot be written. */
  sync(): Promise<void>
  /** Removes the file when it `isEmpty`. */
  close(isEmpty: boolean): void
}

/**
 * Makes such a log, whose file is made by the first line. It is written anew from `content` with the
 * first line of a run and once `maxStaleBytes` were added.
 */
export function createLiveLog(
  file: string,
  content: () => Iterable<object>,
  maxStaleBytes: number,
): LiveLog {
  let fd: number | undefined
  /** The length of the whole lines in the file. */
  let endBytes = 0
  let staleBytes = 0
  /** Lines that could not be written. */
  let unwritten = ''
  /** The file lacks lines, or its disk lost some. */
  let isBehind = false
  /** How often the file was written anew, and up to which of them its name is synced. */
  let rewrites = 0
  let syncedName = 0
  let timer: NodeJS.Timeout | undefined

  const rewrite = () => {
    const text = Array.from(content(), toLine).join('')
    const next = replaceSync(file, text)
    if (fd !== undefined) closeSync(fd)
    fd = next
    endBytes = Buffer.byteLength(text)
    staleBytes = 0
    rewrites++
  }
  const append = (to: number) => {
    // What is behind the last whole line is the beginning of one that failed.
    if (isBehind) ftruncateSync(to, endBytes)
    const writtenBytes = writeAll(to, unwritten)
    endBytes += writtenBytes
    staleBytes += writtenBytes
  }
  const flush = () => {
    try {
      if (fd === undefined || staleBytes > maxStaleBytes) rewrite()
      else append(fd)
      unwritten = ''
      isBehind = false
    } catch (error) {
      isBehind = true
      if (unwritten.length > maxStaleBytes) rewriteNext()
      throw error
    }
  }
  const rewriteNext = () => {
    unwritten = ''
    staleBytes = Number.POSITIVE_INFINITY
    isBehind = true
  }
  const sync = async () => {
    clearTimeout(timer)
    timer = undefined
    for (let synced = -1; synced !== rewrites; ) {
      if (isBehind || unwritten !== '') flush()
      if (fd === undefined) return
      synced = rewrites
      try {
        await syncData(fd)
        if (syncedName < synced) await syncFolder(dirname(file))
        syncedName = Math.max(syncedName, synced)
      } catch (error) {
        // The file was closed meanwhile, and the new one is synced.
        if (synced !== rewrites) continue
        // Of what could not be synced the system may keep nothing, and say so only once.
        if (fd !== undefined) rewriteNext()
        throw error
      }
    }
  }
  const syncLater = () => {
    timer ??= setTimeout(() => {
      sync().catch(() => fd !== undefined && syncLater())
    }, SYNC_DELAY_MS).unref()
  }
  return {
    add: (line, { waits = false } = {}) => {
      unwritten += toLine(line)
      if (!waits) attempt(flush)
      syncLater()
    },
    sync,
    close: (isEmpty) => {
      if ((isBehind || unwritten !== '') && !isEmpty) attempt(flush)
      clearTimeout(timer)
      attempt(() => {
        if (fd !== undefined) closeSync(fd)
        fd = undefined
        if (isEmpty) unlinkSync(file)
      })
    },
  }
}

/** What fails here is tried again later, or told by `sync`. */
function attempt(step: () => void): void {
  try {
    step()
  } catch {}
}

/** Puts a file with this text in place and gives a descriptor to append to it. */
function replaceSync(file: string, text: string): number {
  const temp = `${file}.tmp`
  let fd: number | undefined
  try {
    writeFileSync(temp, text, { mode: 0o600 })
    fd = openSync(temp, 'a')
    renameSync(temp, file)
    return fd
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    rmSync(temp, { force: true })
    throw error
  }
}

function writeAll(fd: number, text: string): number {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
  return bytes.length
}
