// A run of a job, and what it does to one of its items.
import { type Course, isSameTime } from '../files/transfer/course.ts'
import type { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Actor } from '../operations/actor.ts'
import type { Devices } from './disk-places.ts'
import type { Outcome } from './entry.ts'
import { goesOn } from './job-actor.ts'
import type { Halves, ItemSoFar, Manifest } from './manifest.ts'
import type { Meter } from './meter.ts'
import type { JobRecord } from './record.ts'

export interface Run {
  actor: Actor
  record: JobRecord
  /** A password. */
  secret: string | null
  manifest: Manifest
  meter: Meter
  /** What earlier runs have left, by the number of the item. */
  soFar: Map<number, ItemSoFar>
  /** Of large files that were not whole at the end of a run. */
  halves: Halves
  /** Waits for a place on these disks; call the result to leave. Null for what begins at once. */
  take: ((devices: Devices) => Promise<() => void>) | null
  /** Told why an item was not done as a whole. */
  outcome: Outcome
  /** When it is shown: before that its files are not counted. Null for what always is. */
  shown: Promise<void> | null
  onFailed(path: VPath, error: AppError): void
}

/** Of all items at once. */
export interface AllRun extends Run {
  /** Waits for a place on the disks, once. */
  begin(): Promise<void>
}

export interface ItemRun extends AllRun {
  item: number
  source: VPath
  before: ItemSoFar | undefined
}

/** The course of what a job does to an item, below `base` in earlier runs. */
export function courseOf(
  { meter, record, manifest, halves, onFailed, begin, before }: AllRun & Pick<ItemRun, 'before'>,
  base: VPath | null,
): Course {
  const rowOf = (target: VPath) => before?.made.get(target.slice(base?.length ?? 0))
  const isOfThisJob = (changedMs: bigint) =>
    base !== null && before !== undefined && hasCome(record, changedMs)
  return {
    begin,
    at: (source) => {
      meter.current = source
    },
    bytes: (count) => meter.add(0, count),
    passed: (bytes) => meter.add(1, bytes),
    failed: onFailed,
    earlier: (source, target, found) => {
      const row = rowOf(target)
      const isAsMade =
        row &&
        row.sourceMtimeNs === String(source.mtimeNs) &&
        row.made.ino === String(found.ino) &&
        row.made.sizeBytes === Number(found.size) &&
        row.made.mtimeNs === String(found.mtimeNs)
      if (isAsMade) return 'done'
      const isSame =
        Number(found.size) === source.sizeBytes && isSameTime(found.mtimeNs, source.mtimeNs)
      return isSame && isOfThisJob(found.ctimeMs) ? 'made' : null
    },
    half: (target) => halves.get(target) ?? null,
    safe: (target, half) => {
      halves.set(target, half)
      manifest.add({ half: target, ...half })
      // What a kill leaves before this line is with the system is not found again.
      void manifest.flush()
    },
    goesOn,
    hasMade: (target, found) =>
      rowOf(target)?.made.ino === String(found.ino) ||
      (found.birthtimeMs > 0n && isOfThisJob(found.birthtimeMs)),
  }
}

/** File systems take their time from a clock that lags behind. */
const CLOCK_STEP_MS = 20

/** Whether what has changed then may be of this job. */
export function hasCome({ createdMs }: JobRecord, changedMs: bigint): boolean {
  return Number(changedMs) >= createdMs - CLOCK_STEP_MS
}
