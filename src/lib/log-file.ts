// A log file that rotates by size: 100 MB a piece, ten backups, none older than fourteen days.
import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { AppError, errnoOf } from './errors.ts'

const MAX_LOG_BYTES = 100 * 1000 * 1000
const MAX_LOG_BACKUPS = 10
const MAX_LOG_AGE_MS = 14 * 86_400_000
/** Lines kept while the disk is slow; the oldest are dropped and counted beyond that. */
const MAX_WAITING_LINES = 10_000

export interface LogFile {
  write(line: string): void
  /** Opens the path anew, for tools that moved the file away. */
  reopen(): void
  /** Writes what waits and closes. */
  close(): Promise<void>
}

interface LogFileOptions {
  maxBytes?: number
  maxBackups?: number
  maxAgeMs?: number
  /** Told about failures to write, which must not stop the server. */
  onError: (error: unknown) => void
}

/** Opens a log file for appending, with mode 0600. Throws AppError when that is not possible. */
export async function openLogFile(file: string, options: LogFileOptions): Promise<LogFile> {
  let current: Opened
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o755 })
    current = await openAppend(file)
  } catch (error) {
    if (errnoOf(error) === '') throw error
    const message = `cannot open the log file ${file}: ${errnoOf(error)}`
    throw new AppError('bad_request', message, { cause: error })
  }
  const maxBytes = options.maxBytes ?? MAX_LOG_BYTES
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
          current = await openAppend(file)
          broken = false
          rotateAtBytes = maxBytes
        }
        if (dropped > 0) lines.unshift(`${dropped} log lines were dropped, the disk is too slow\n`)
        dropped = 0
        const data = Buffer.from(lines.join(''))
        if (current.sizeBytes > 0 && current.sizeBytes + data.length > rotateAtBytes) {
          current = await rotate(current)
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

  // In a folder that is not ours to write (/var/log) the file can only grow: better than no log.
  async function rotate(full: Opened): Promise<Opened> {
    try {
      await rename(file, backupName(file, new Date()))
    } catch (error) {
      rotateAtBytes = full.sizeBytes + maxBytes / 10
      options.onError(error)
      return full
    }
    rotateAtBytes = maxBytes
    await full.handle.close()
    const fresh = await openAppend(file)
    const oldestMs = Date.now() - (options.maxAgeMs ?? MAX_LOG_AGE_MS)
    await dropBackups(file, options.maxBackups ?? MAX_LOG_BACKUPS, oldestMs).catch(options.onError)
    return fresh
  }

  const start = () => {
    running ??= drain()
  }

  return {
    write(line) {
      if (waiting.length >= MAX_WAITING_LINES) {
        waiting.shift()
        dropped += 1
      }
      waiting.push(line)
      start()
    },
    reopen() {
      reopening = true
      start()
    },
    async close() {
      while (running) await running
      await current.handle.close()
    },
  }
}

interface Opened {
  handle: FileHandle
  sizeBytes: number
}

async function openAppend(file: string): Promise<Opened> {
  const handle = await open(file, 'a', 0o600)
  return { handle, sizeBytes: (await handle.stat()).size }
}

/** `server.log` rotated at a moment: `server-2026-11-20T19-55-01.123.log`, in UTC. */
export function backupName(file: string, at: Date): string {
  const extension = extname(file)
  const stamp = at.toISOString().slice(0, -1).replaceAll(':', '-')
  return join(dirname(file), `${basename(file, extension)}-${stamp}${extension}`)
}

async function dropBackups(file: string, keep: number, oldestMs: number): Promise<void> {
  const extension = extname(file)
  const prefix = `${basename(file, extension)}-`
  const names = await readdir(dirname(file))
  const backups = names.flatMap((name) => {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) return []
    const stamp = name.slice(prefix.length, name.length - extension.length)
    const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp)
    return match ? [{ name, atMs: Date.parse(`${match[1]}:${match[2]}:${match[3]}Z`) }] : []
  })
  backups.sort((a, b) => b.atMs - a.atMs)
  for (const [index, { name, atMs }] of backups.entries()) {
    if (index < keep && atMs >= oldestMs) continue
    try {
      await unlink(join(dirname(file), name))
    } catch (error) {
      // Another process tidied first: gone is what was wanted.
      if (errnoOf(error) !== 'ENOENT') throw error
    }
  }
}
