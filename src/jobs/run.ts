// One run of a job, from where the last one ended.
import { treeScopeOf } from '../access/user-tree.ts'
import type { Scope } from '../files/place/scope.ts'
import { type Course, isSameTime } from '../files/transfer/course.ts'
import type { JobConflict } from '../job-types.ts'
import { AppError, unless } from '../lib/errors.ts'
import { baseName, joinVPath, parentOf, ROOT, type VPath } from '../lib/vpath.ts'
import type { Actor } from '../operations/actor.ts'
import { type LongTransfer, transfer, type WhenTaken } from '../operations/move.ts'
import { remove } from '../operations/remove.ts'
import type { Devices } from './disk-places.ts'
import { type ItemSoFar, type Manifest, readManifest } from './manifest.ts'
import type { Meter, Total } from './meter.ts'
import type { JobRecord } from './record.ts'

export interface Run {
  actor: Actor
  record: JobRecord
  manifest: Manifest
  meter: Meter
  /** What earlier runs have left, by the number of the item. */
  soFar: Map<number, ItemSoFar>
  /** Waits for a place on these disks; call the result to leave. */
  take(devices: Devices): Promise<() => void>
  onFailed(path: VPath, error: AppError): void
}

/** What becomes of a place that is taken, by the word for it. */
export const HOW: Record<JobConflict, WhenTaken> = {
  fail: { replace: false, rename: false },
  skip: { replace: false, rename: false, leaves: 'all' },
  replace: { replace: true, rename: false },
  rename: { replace: false, rename: true },
  newer: { replace: true, rename: false, leaves: 'newer' },
}

/** Nothing more would fit, or nothing answers. */
const FATAL: readonly string[] = ['no_space', 'quota_exceeded', 'unreachable']

/** What earlier runs have done of a job, from its manifest. */
export async function doneBefore(file: string): Promise<Pick<Run, 'soFar'> & { done: Total }> {
  const soFar = await readManifest(file)
  const done = { files: 0, bytes: 0 }
  for (const { files, bytes } of soFar.values()) {
    done.files += files
    done.bytes += bytes
  }
  return { soFar, done }
}

/**
 * Does what is left of a job, item by item, and tells of what cannot be done. Throws the reason of the actor's signal,
 * what ends all of it, and what nobody expected; whole files only have come or gone then.
 */
export async function runJob(run: Run): Promise<void> {
  const { actor, record, soFar } = run
  // Counted beside the work as soon as there is more to do than renames.
  const counting = new AbortController()
  const stop = AbortSignal.any([counting.signal, actor.signal])
  let isCounted = false
  const count = () => {
    if (isCounted) return
    isCounted = true
    countTotal(run, stop).catch(() => {})
  }
  try {
    for (const [item, source] of record.items.entries())
      if (!soFar.get(item)?.isOver) await runItem(run, item, source, count)
  } finally {
    counting.abort()
  }
}

async function runItem(run: Run, item: number, source: VPath, count: () => void): Promise<void> {
  const { actor, manifest, meter, record } = run
  const start = { ...meter.done }
  const failuresBefore = record.errorCount
  let leave = () => {}
  let hasPlace = false
  const begin = async () => {
    if (hasPlace) return
    leave = await run.take(await devicesOf(actor.scope, record, source))
    hasPlace = true
    count()
  }
  actor.demand()
  try {
    await doItem(run, item, source, begin)
  } catch (error) {
    actor.signal.throwIfAborted()
    if (!(error instanceof AppError) || FATAL.includes(error.code)) throw error
    // Of what is incomplete the parts were told.
    if (error.code !== 'incomplete' || record.errorCount === failuresBefore)
      run.onFailed(source, error)
  } finally {
    leave()
    manifest.add({ item, noted: true })
  }
  if (record.errorCount > failuresBefore) return
  const [files, bytes] = [meter.done.files - start.files, meter.done.bytes - start.bytes]
  manifest.add({ item, over: true, files, bytes })
}

async function doItem(
  run: Run,
  item: number,
  source: VPath,
  begin: () => Promise<void>,
): Promise<void> {
  const { actor, record, manifest, meter } = run
  const before = run.soFar.get(item)
  const { to, kind, conflict, trash } = record
  const target = before?.target ?? null
  const onBegin = async (target: VPath) => {
    manifest.add({ item, target })
    await manifest.flush()
  }
  if (to === null) {
    const course = courseOf(run, begin, source, before)
    const { files } = meter.done
    if (target === null) await onBegin(source)
    await remove(actor, source, { trash, long: { isGoingOn: target !== null, course } })
    // Into the trash it goes as one.
    if (meter.done.files === files) meter.add(1, 0)
    return
  }
  const long: LongTransfer = {
    course: courseOf(run, begin, target, before),
    target,
    madeBefore: [...(before?.unnoted ?? [])].flatMap((path) => before?.made.get(path)?.made ?? []),
    onBegin,
    onMade: (made, sourceMtimeNs) =>
      manifest.addMade(item, {
        made,
        sourceMtimeNs: sourceMtimeNs === null ? null : String(sourceMtimeNs),
      }),
  }
  const event = kind === 'copy' ? 'copy' : 'rename'
  await transfer(actor, event, source, joinVPath(to, baseName(source)), HOW[conflict], long)
}

function courseOf(
  { meter, record, onFailed }: Run,
  begin: () => Promise<void>,
  base: VPath | null,
  before: ItemSoFar | undefined,
): Course {
  const rowOf = (target: VPath) => before?.made.get(target.slice(base?.length ?? 0))
  const isOfThisJob = (changedMs: bigint) =>
    base !== null && before !== undefined && Number(changedMs) >= record.createdMs - CLOCK_STEP_MS
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
    hasMade: (target, found) =>
      rowOf(target)?.made.ino === String(found.ino) ||
      (found.birthtimeMs > 0n && isOfThisJob(found.birthtimeMs)),
  }
}

/** File systems take their time from a clock that lags behind. */
const CLOCK_STEP_MS = 20

/** The disks that an item is read from and written to. */
async function devicesOf(scope: Scope, { to }: JobRecord, source: VPath): Promise<bigint[]> {
  const { dev } = await scope.stat(source)
  if (to === null) return [dev]
  for (let folder = to; ; folder = parentOf(folder)) {
    const found = await scope.stat(folder).catch(unless('not_found'))
    if (found) return [dev, found.dev]
    if (folder === ROOT) return [dev]
  }
}

async function countTotal(
  { actor, record, soFar, meter }: Run,
  signal: AbortSignal,
): Promise<void> {
  const { services, user } = actor
  const scope = treeScopeOf(services, user, record.kind)
  const total = { files: 0, bytes: 0 }
  for (const [item, source] of record.items.entries()) {
    const before = soFar.get(item)
    if (before?.isOver) {
      total.files += before.files
      total.bytes += before.bytes
      continue
    }
    const found = await scope.stat(source).catch(unless('not_found'))
    if (found?.kind !== 'dir' || found.isSymlink) {
      total.files++
      total.bytes += found?.sizeBytes ?? 0
      continue
    }
    for await (const batch of scope.walk(source, { signal, intoDenied: true })) {
      const files = batch.filter(({ kind }) => kind === 'file')
      total.files += files.length
      for (const stats of await scope.statMany(files, signal))
        if (stats !== null && stats !== 'unreachable') total.bytes += Number(stats.size)
    }
  }
  signal.throwIfAborted()
  meter.total = total
}
