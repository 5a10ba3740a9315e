// A job in memory: its record, how far it is, and the run that is under way.
import type { Job } from '../job-types.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Halves, Manifest } from './manifest.ts'
import { createMeter, type Meter } from './meter.ts'
import { isEnded, type JobOwner, type JobRecord, type JobRequest, shownUrl } from './record.ts'

/** A job that a request waits for to its end. */
export interface Attended {
  /** Throws what the request would be refused with now. Asked until the job is shown. */
  demand(): void
  /** False once its client has gone. */
  isWaitedFor(): boolean
  /** Before that there is neither a file of it nor a line in a list. */
  isShown: boolean
  shown: Promise<void>
  /** Shows it; without effect on what is over. */
  show(): Promise<void>
}

/** What a run has come to, for whoever waits for it. */
export interface Outcome {
  /** Where a copy or move has gone. */
  target?: VPath
  /** The first failure. */
  error?: unknown
}

export interface Entry {
  record: JobRecord
  /** A password; kept nowhere else. */
  secret: string | null
  meter: Meter
  /** Null before the first run since the start of the server. */
  halves: Halves | null
  /** Of the run that is under way. */
  control: AbortController | null
  /** Of the same run: ends what a pause waits for, too. */
  cancelling: AbortController | null
  manifest: Manifest | null
  running: Promise<void> | null
  /** Who waits for its end. */
  waiting: Set<() => void>
  /** Null for what nobody waits for, or no longer. */
  attended: Attended | null
  outcome: Outcome
}

export function entryOf(record: JobRecord, secret: string | null = null): Entry {
  const { filesDone: files, bytesDone: bytes } = record
  return {
    record,
    secret,
    meter: createMeter({ files, bytes }),
    halves: null,
    control: null,
    cancelling: null,
    manifest: null,
    running: null,
    waiting: new Set(),
    attended: null,
    outcome: {},
  }
}

/** True for what would do the same for the same account. */
export function isSame(record: JobRecord, owner: JobOwner, request: JobRequest): boolean {
  const of = ({ kind, items, to, conflict, trash, how }: JobRequest) =>
    JSON.stringify([kind, items, to, conflict, trash, how])
  const isOwn = record.userID === owner.userID && record.tokenID === owner.tokenID
  return isOwn && !request.how.hasPassword && of(record) === of(request)
}

/** Waits until a job has ended, or so long. */
export async function waitForEnd(entry: Entry, waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs <= 0 || isEnded(entry.record)) return
  await new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      entry.waiting.delete(wake)
      resolve()
    }
    const timer = setTimeout(wake, waitMs)
    signal.addEventListener('abort', wake)
    entry.waiting.add(wake)
  })
}

/** Answers all who wait. */
export function wakeAll({ waiting }: Entry): void {
  for (const wake of [...waiting]) wake()
}

/** Of a job among others; one by itself has all. */
export const FEW_ITEMS = 20

/** As it travels, with so many of its items. */
export function viewOf({ record, meter }: Entry, maxItems?: number): Job {
  const { id, userID, kind, state, reason, to, errors, errorCount, operation } = record
  const items = record.items.slice(0, maxItems)
  const { done, total, current } = meter
  const isRunning = state === 'running'
  const url = shownUrl(record)
  const { bytesPerSecond, secondsLeft } = meter.pace()
  // Files may come after they were counted.
  const atLeast = (known: number | null | undefined, now: number) =>
    known === null || known === undefined ? null : Math.max(known, now)
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    id,
    userID,
    kind,
    state,
    reason,
    items,
    itemCount: record.items.length,
    to,
    ...(url !== undefined && { url }),
    filesDone: done.files,
    filesTotal: atLeast(total?.files ?? record.filesTotal, done.files),
    bytesDone: done.bytes,
    bytesTotal: atLeast(total?.bytes ?? record.bytesTotal, done.bytes),
    bytesPerSecond: isRunning ? bytesPerSecond : null,
    secondsLeft: isRunning ? secondsLeft : null,
    current: isRunning ? current : null,
    errors,
    errorCount,
    createdAt: new Date(record.createdMs).toISOString(),
    startedAt: time(record.startedMs),
    endedAt: time(record.endedMs),
    operation,
  }
}
