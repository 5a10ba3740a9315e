// The audit log as it is written: buffered, merged where one act comes in many requests, and never in
// the way of a request.
import { dropBackups, type LogFile, openLogFile } from '../lib/log-file.ts'
import type { AuditTarget } from './audit-target.ts'
import { type AuditEvent, lineOf, parseLine } from './event.ts'

/** Lines wait this long for others, to be written together. */
const BATCH_MS = 200
/** One write, so that lines of two processes never mix (POSIX: O_APPEND). */
const BATCH_BYTES = 64 * 1024
/** Equal acts within this time are one line. */
const MERGE_MS = 60_000
const SWEEP_MS = 2_000
/** Merged lines in memory; the oldest is written when there are more. */
const MAX_MERGING = 10_000
const PIECES = 10

export interface AuditLog {
  /**
   * Notes an act, at once and without waiting. Acts with the same `merge` within a minute become one line
   * with their bytes added up and `times` how many there were.
   */
  record(event: AuditEvent, merge?: string): void
  /** Writes all that waits. */
  flush(): Promise<void>
  /** Opens the file anew, for tools that moved it away. */
  reopen(): void
  close(): Promise<void>
}

interface Surroundings {
  /** Takes lines when the target is the standard output. */
  stdout: (line: string) => void
  /** Told once when lines cannot be written, and again after they could. */
  onError: (error: unknown) => void
}

interface Merged {
  event: AuditEvent
  sinceMs: number
  times: number
}

/** Opens no file and starts no timer before the first act. */
export function createAuditLog(target: AuditTarget, surroundings: Surroundings): AuditLog {
  const writer = createWriter(target, surroundings)
  const merging = createMerging()
  let batching: NodeJS.Timeout | undefined
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  function add(atMs: number, event: AuditEvent): void {
    writer.add(lineOf(atMs, event))
    if (writer.waitingBytes() >= BATCH_BYTES) void writer.write()
    batching ??= setTimeout(() => {
      batching = undefined
      void writer.write()
    }, BATCH_MS).unref()
  }

  function addMerged(untilMs: number): void {
    for (const { event, sinceMs, times } of merging.take(untilMs))
      add(sinceMs, times > 1 ? { ...event, times } : event)
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(() => {
      sweeping = undefined
      addMerged(Date.now() - MERGE_MS)
      if (merging.size() > 0) sweepLater()
    }, SWEEP_MS).unref()
  }

  async function writeAll(): Promise<void> {
    addMerged(Number.POSITIVE_INFINITY)
    await writer.write()
  }

  return {
    record(event, merge) {
      // What ends after the log would open its file once more.
      if (target.kind === 'off' || isClosed) return
      if (merge === undefined) return add(Date.now(), event)
      merging.put(merge, event)
      if (merging.size() > MAX_MERGING) addMerged(merging.oldestMs())
      sweepLater()
    },
    async flush() {
      await writeAll()
      await writer.file()?.flush()
    },
    reopen: () => writer.file()?.reopen(),
    async close() {
      isClosed = true
      clearTimeout(batching)
      clearTimeout(sweeping)
      await writeAll()
      await writer.file()?.close()
    },
  }
}

/** Lines on their way to the target, whose file is opened for the first of them. */
function createWriter(target: AuditTarget, { stdout, onError }: Surroundings) {
  let waiting: string[] = []
  let waitingBytes = 0
  let file: LogFile | undefined
  let opening: Promise<void> | undefined
  let isBroken = false
  let lost = 0

  const fail = (error: unknown) => {
    if (!isBroken) onError(error)
    isBroken = true
  }

  async function open(path: string): Promise<void> {
    try {
      file = await openLogFile(path, {
        maxBytes: target.sizeBytes / PIECES,
        maxBackups: PIECES - 1,
        maxAgeMs: target.ageMs,
        maxPieceAgeMs: target.ageMs / PIECES,
        timeOf: (line) => Date.parse(parseLine(line)?.time ?? ''),
        droppedLine: lostLine,
        onError: fail,
      })
      isBroken = false
      await dropBackups(path, PIECES - 1, Date.now() - target.ageMs)
      if (lost > 0) file.write(lostLine(lost))
      lost = 0
    } catch (error) {
      fail(error)
    } finally {
      opening = undefined
    }
  }

  return {
    file: () => file,
    waitingBytes: () => waitingBytes,
    add(line: string): void {
      waiting.push(line)
      waitingBytes += line.length
    },
    async write(): Promise<void> {
      const lines = waiting
      waiting = []
      waitingBytes = 0
      if (target.kind === 'stdout') return stdout(lines.join(''))
      if (!file && lines.length > 0) opening ??= open(target.path)
      // Also of lines before these: who closes the log waits for them.
      await opening
      if (!file) lost += lines.length
      file?.write(...lines)
    },
  }
}

function lostLine(count: number): string {
  return lineOf(Date.now(), { action: 'lines-lost', result: 'failed', times: count })
}

/** Equal acts, in the order in which they began. */
function createMerging() {
  const merged = new Map<string, Merged>()
  return {
    size: () => merged.size,
    oldestMs: () => merged.values().next().value?.sinceMs ?? 0,
    put(key: string, event: AuditEvent): void {
      const before = merged.get(key)
      if (!before) {
        merged.set(key, { event: { ...event }, sinceMs: Date.now(), times: 1 })
        return
      }
      before.times += 1
      if (event.bytes !== undefined) before.event.bytes = (before.event.bytes ?? 0) + event.bytes
    },
    /** Removes and gives those that began until then. */
    take(untilMs: number): Merged[] {
      const taken: Merged[] = []
      for (const [key, act] of merged) {
        if (act.sinceMs > untilMs) break
        merged.delete(key)
        taken.push(act)
      }
      return taken
    },
  }
}
