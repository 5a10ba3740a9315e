// The files of the history beside the database: a log in pieces, and a folder of lists of what was made.
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { unless } from '../lib/errors.ts'
import { dropBackups, type LogFile, openLogFile } from '../lib/log-file.ts'
import { createId, type Made, rowOf, timeOfId } from './record.ts'

export interface HistoryFiles {
  /** The log, whose pieces lie beside it. */
  log: string
  /** The folder of the lists. */
  manifests: string
  /** What is older goes; milliseconds. */
  ageMs: () => number
  /** Told once when lines cannot be written, and again after they could. */
  onError: (error: unknown) => void
}

/** The files of a database. */
export function historyFilesOf(
  database: string,
  more: Pick<HistoryFiles, 'ageMs' | 'onError'>,
): HistoryFiles {
  return { log: `${database}.history.jsonl`, manifests: `${database}.history`, ...more }
}

/** Lines wait this long for others, to be written together. */
const BATCH_MS = 100
const BATCH_BYTES = 64 * 1024
const PIECE_BYTES = 10 * 1024 * 1024
const PIECES = 10
const SWEEP_MS = 60 * 60_000

/** Lines on their way to the log, whose file is opened for the first of them. */
export function createLogWriter(files: HistoryFiles) {
  const { log, manifests, ageMs, onError } = files
  let waiting = ''
  let batching: NodeJS.Timeout | undefined
  let file: LogFile | undefined
  let opening: Promise<void> | undefined
  let isBroken = false
  let sweptMs = 0
  const streams = new Set<Promise<void>>()

  const fail = (error: unknown) => {
    if (!isBroken) onError(error)
    isBroken = true
  }
  async function open(): Promise<void> {
    try {
      file = await openLogFile(log, {
        maxBytes: PIECE_BYTES,
        maxBackups: PIECES - 1,
        maxAgeMs: ageMs(),
        maxPieceAgeMs: ageMs() / PIECES,
        timeOf: (line) => Date.parse(/^\{"time":"([^"]*)"/.exec(line)?.[1] ?? ''),
        onError: fail,
      })
      isBroken = false
    } catch (error) {
      fail(error)
    } finally {
      opening = undefined
    }
  }
  async function write(): Promise<void> {
    clearTimeout(batching)
    batching = undefined
    const lines = waiting
    waiting = ''
    if (lines !== '' && !file) opening ??= open()
    await opening
    if (lines === '' || !file) return
    file.write(lines)
    if (Date.now() - sweptMs < SWEEP_MS) return
    sweptMs = Date.now()
    await dropOld(files).catch(fail)
  }
  async function flush(): Promise<void> {
    await Promise.all(streams)
    await write()
    await file?.flush()
  }
  return {
    add(line: string): void {
      waiting += line
      if (waiting.length >= BATCH_BYTES) void write()
      else batching ??= setTimeout(() => void write(), BATCH_MS).unref()
    },
    /** A new list; `end` gives its name. */
    manifest(): { add(made: Made): void; end(): string } {
      const name = `${createId(Date.now())}.jsonl`
      const list = openManifest(manifests, name)
      const done = finished(list)
        .catch(fail)
        .finally(() => streams.delete(done))
      streams.add(done)
      let lines = ''
      return {
        add: (made) => {
          lines += `${JSON.stringify(rowOf(made))}\n`
          if (lines.length < BATCH_BYTES) return
          list.write(lines)
          lines = ''
        },
        end: () => {
          list.end(lines)
          return name
        },
      }
    },
    flush,
    async close(): Promise<void> {
      await flush()
      await file?.close()
    },
  }
}

function openManifest(folder: string, name: string): WriteStream {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600 })
}

async function dropOld({ log, manifests, ageMs }: HistoryFiles): Promise<void> {
  const oldestMs = Date.now() - ageMs()
  await dropBackups(log, PIECES - 1, oldestMs)
  for (const name of (await readdir(manifests).catch(unless('ENOENT'))) ?? []) {
    const madeMs = timeOfId(name.replace(/\.jsonl$/, ''))
    if (madeMs !== null && madeMs < oldestMs)
      await unlink(join(manifests, name)).catch(unless('ENOENT'))
  }
}
