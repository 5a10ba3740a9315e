// A log file that rotates by size, and by age where that is wanted: by default 100 MB a piece, ten
// backups, none older than fourteen days.
import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { AppError, errnoOf, unless } from './errors.ts'
import { rememberLast } from './memo.ts'

const MAX_LOG_BYTES = 100 * 1000 * 1000
const MAX_LOG_BACKUPS = 10
const MAX_LOG_AGE_MS = 14 * 86_400_000
/** Lines kept while the disk is slow; the oldest are dropped and counted beyond that. */
const MAX_WAITING_LINES = 10_000

export interface LogFile {
  write(...lines: string[]): void
  /** Opens the path anew, for tools that moved the file away. */
  reopen(): void
  /** Resolves when all lines so far are written. */
  flush(): Promise<void>
  /** Writes what waits and closes. */
  close(): Promise<void>
}

/** The time of a line, whole milliseconds since 1970: ISO 8601, UTC. Many lines come within a second. */
export function lineTime(atMs: number): string {
  const second = Math.floor(atMs / 1000)
  return `${secondText(second)}${String(atMs - second * 1000).padStart(3, '0')}Z`
}

const secondText = rememberLast((second) => new Date(second * 1000).toISOString().slice(0, -4))

interface LogFileOptions {
  maxBytes?: number
  maxBackups?: number
  maxAgeMs?: number
  /** A file whose first line is older than this is rotated; without it, size alone counts. */
  maxPieceAgeMs?: number
  /** When a line was written, for `maxPieceAgeMs`: milliseconds since 1970, or NaN. */
  timeOf?: (line: string) => number
  /** The line that stands for so many dropped ones, newline included. */
  droppedLine?: (count: number) => string
  /** Told about failures to write, which must not stop the server. */
  onError: (error: unknown) => void
}

/** Opens a log file for appending, with mode 0600. Throws AppError when that is not possible. */
export async function openLogFile(file: string, options: LogFileOptions): Promise<LogFile> {
  let current: Opened
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o755 })
    current = await openAppend(file, options.timeOf)
  } catch (error) {
    if (errnoOf(error) === '') throw error
    const message = `cannot open the log file ${file}: ${errnoOf(error)}`
    throw new AppError('bad_request', message, { cause: error })
  }
  const maxBytes = options.maxBytes ?? MAX_LOG_BYTES
  const maxPieceAgeMs = options.maxPieceAgeMs ?? Number.POSITIVE_INFINITY
  const droppedLine = options.droppedLine ?? textOfDropped
  let rotateAtBytes = maxBytes
  let waiting: string[] = []
  let dropped = 0
  let reopening = false
  let broken = false
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0 || reopening) {
      const lines = waiting
      waiting = []
      try {
        if (reopening || broken) {
          reopening = false
          await current.handle.close()
          current = await openAppend(file, options.timeOf)
          broken = false
          rotateAtBytes = maxBytes
        }
        if (dropped > 0) lines.unshift(droppedLine(dropped))
        dropped = 0
        const data = Buffer.from(lines.join(''))
        const isFull = current.sizeBytes + data.length > rotateAtBytes
        const isOld = Date.now() - current.startedMs > maxPieceAgeMs
        if (current.sizeBytes > 0 && (isFull || isOld)) {
          const before = current
          current = await rotate(file, before, options)
          rotateAtBytes = current === before ? before.sizeBytes + maxBytes / 10 : maxBytes
        }
        await current.handle.appendFile(data)
        current.sizeBytes += data.length
      } catch (error) {
        // These lines are lost; the next ones find the file opened anew.
        broken = true
        options.onError(error)
      }
    }
    // In the same turn as the last look, so that a line written meanwhile starts the next run.
    running = undefined
  }

  const start = () => {
    running ??= drain()
  }

  async function flush(): Promise<void> {
    while (running) await running
  }

  return {
    write(...lines) {
      if (lines.length === 0) return
      waiting.push(...lines)
      const tooMany = Math.max(0, waiting.length - MAX_WAITING_LINES)
      waiting.splice(0, tooMany)
      dropped += tooMany
      start()
    },
    reopen() {
      reopening = true
      start()
    },
    flush,
    async close() {
      await flush()
      await current.handle.close()
    },
  }
}

// In a folder that is not ours to write (/var/log) the file can only grow: better than no log.
async function rotate(file: string, full: Opened, options: LogFileOptions): Promise<Opened> {
  // Never the name of the piece before.
  const at = new Date(Math.max(Date.now(), full.startedMs + 1))
  try {
    await rename(file, backupName(file, at))
  } catch (error) {
    options.onError(error)
    full.startedMs = Date.now()
    return full
  }
  await full.handle.close()
  const fresh = await openAppend(file, options.timeOf)
  fresh.startedMs = Math.max(fresh.startedMs, at.getTime())
  const oldestMs = Date.now() - (options.maxAgeMs ?? MAX_LOG_AGE_MS)
  await dropBackups(file, options.maxBackups ?? MAX_LOG_BACKUPS, oldestMs).catch(options.onError)
  return fresh
}

function textOfDropped(count: number): string {
  return `${count} log lines were dropped, the disk is too slow\n`
}

interface Opened {
  handle: FileHandle
  sizeBytes: number
  /** When its first line was written; now, where that is not known. */
  startedMs: number
}

/** A line that is longer gives no time. */
const FIRST_LINE_BYTES = 4096

async function openAppend(file: string, timeOf?: (line: string) => number): Promise<Opened> {
  const handle = await open(file, timeOf ? 'a+' : 'a', 0o600)
  try {
    const sizeBytes = (await handle.stat()).size
    const startedMs =
      timeOf && sizeBytes > 0 ? await readStart(handle, sizeBytes, timeOf) : Number.NaN
    return { handle, sizeBytes, startedMs: Number.isNaN(startedMs) ? Date.now() : startedMs }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function readStart(
  handle: FileHandle,
  sizeBytes: number,
  timeOf: (line: string) => number,
): Promise<number> {
  await endTornLine(handle, sizeBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE_BYTES), 0, undefined, 0)
  return timeOf(buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '')
}

// A crash may have cut off the last line, and the next one would be lost with it.
async function endTornLine(handle: FileHandle, sizeBytes: number): Promise<void> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, sizeBytes - 1)
  if (buffer[0] !== 10) await handle.appendFile('\n')
}

/** `server.log` rotated at a moment: `server-2026-11-20T19-55-01.123.log`, in UTC. */
export function backupName(file: string, at: Date): string {
  const extension = extname(file)
  const stamp = at.toISOString().slice(0, -1).replaceAll(':', '-')
  return join(dirname(file), `${basename(file, extension)}-${stamp}${extension}`)
}

/** Rotated pieces of a log, the newest first. */
export async function listBackups(file: string): Promise<{ path: string; atMs: number }[]> {
  const extension = extname(file)
  const prefix = `${basename(file, extension)}-`
  const names = await readdir(dirname(file))
  const backups = names.flatMap((name) => {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) return []
    const stamp = name.slice(prefix.length, name.length - extension.length)
    const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp)
    if (!match) return []
    const atMs = Date.parse(`${match[1]}:${match[2]}:${match[3]}Z`)
    return [{ path: join(dirname(file), name), atMs }]
  })
  return backups.sort((a, b) => b.atMs - a.atMs)
}

/** Removes the rotated pieces beyond `keep` and those of before `oldestMs`. */
export async function dropBackups(file: string, keep: number, oldestMs: number): Promise<void> {
  for (const [index, { path, atMs }] of (await listBackups(file)).entries()) {
    if (index < keep && atMs >= oldestMs) continue
    // Another process may have tidied first: gone is what was wanted.
    await unlink(path).catch(unless('ENOENT'))
  }
}
