// One run of a job, from where the last one ended.
import { treeScopeOf } from '../access/user-tree.ts'
import type { Scope } from '../files/place/scope.ts'
import { AppError, unless } from '../lib/errors.ts'
import { parentOf, ROOT, type VPath } from '../lib/vpath.ts'
import type { Run } from './item-run.ts'
import { WORK } from './kinds.ts'
import { readManifest } from './manifest.ts'
import type { Total } from './meter.ts'

/** Nothing more would fit, or nothing answers. */
const FATAL: readonly string[] = ['no_space', 'quota_exceeded', 'unreachable']

/** What earlier runs have done of a job, from its manifest. */
export async function doneBefore(
  file: string,
): Promise<Pick<Run, 'soFar' | 'halves'> & { done: Total }> {
  const { items: soFar, halves } = await readManifest(file)
  const done = { files: 0, bytes: 0 }
  for (const { files, bytes } of soFar.values()) {
    done.files += files
    done.bytes += bytes
  }
  return { soFar, halves, done }
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
  let hasBegun = false
  const count = () => {
    // What a file of sums names is not below it.
    if (hasBegun || !WORK[record.kind].counts || record.how.check) return
    hasBegun = true
    const counted = run.shown ? run.shown.then(() => countTotal(run, stop)) : countTotal(run, stop)
    counted.catch(() => {})
  }
  const { all } = WORK[record.kind]
  try {
    if (all) await withPlace(run, record.items, count, (begin) => all({ ...run, begin }))
    else
      for (const [item, source] of record.items.entries())
        if (!soFar.get(item)?.isOver) await runItem(run, item, source, count)
  } finally {
    counting.abort()
  }
}

async function runItem(run: Run, item: number, source: VPath, count: () => void): Promise<void> {
  const { actor, manifest, meter, record, soFar } = run
  const start = { ...meter.done }
  const failuresBefore = record.errorCount
  actor.demand()
  try {
    await withPlace(run, [source], count, async (begin) =>
      WORK[record.kind].item?.({ ...run, item, source, begin, before: soFar.get(item) }),
    )
  } catch (error) {
    actor.signal.throwIfAborted()
    run.outcome.error ??= error
    if (!(error instanceof AppError) || FATAL.includes(error.code)) throw error
    // Of what is incomplete the parts were told.
    if (error.code !== 'incomplete' || record.errorCount === failuresBefore)
      run.onFailed(source, error)
  } finally {
    manifest.add({ item, noted: true })
  }
  if (record.errorCount > failuresBefore) return
  const [files, bytes] = [meter.done.files - start.files, meter.done.bytes - start.bytes]
  manifest.add({ item, over: true, files, bytes })
}

/** Gives the work what waits for a place on the disks of the items, and leaves that afterwards. */
async function withPlace(
  run: Run,
  items: readonly VPath[],
  count: () => void,
  work: (begin: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let leave: (() => void) | undefined
  const begin = async () => {
    if (leave) return
    leave = run.take ? await run.take(await devicesOf(run, items)) : () => {}
    count()
  }
  try {
    await work(begin)
  } finally {
    leave?.()
  }
}

/** The disks that items are read from and written to. */
async function devicesOf({ actor, record }: Run, items: readonly VPath[]): Promise<bigint[]> {
  const { to, kind, userID } = record
  // A slow server must not keep others from a disk: each account has its own line for them.
  if (kind === 'fetch') return [-1n - BigInt(userID)]
  const devices = new Set<bigint>()
  for (const vpath of to === null ? items : [...items, to])
    devices.add(await deviceOf(actor.scope, vpath))
  return [...devices]
}

/** The disk of an entry, or of the folder that is nearest to where it is missing. */
async function deviceOf(scope: Scope, vpath: VPath): Promise<bigint> {
  const found = await scope.stat(vpath).catch(unless('not_found'))
  if (found) return found.dev
  return vpath === ROOT ? 0n : deviceOf(scope, parentOf(vpath))
}

async function countTotal(
  { actor, record, soFar, meter }: Run,
  signal: AbortSignal,
): Promise<void> {
  const { services, user } = actor
  const what = record.kind as 'copy' | 'move' | 'delete' | 'mode'
  const isShown = WORK[record.kind].counts === 'shown'
  const scope = isShown ? actor.scope : treeScopeOf(services, user, what)
  const total = { files: 0, bytes: 0 }
  signal.throwIfAborted()
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
    for await (const batch of scope.walk(source, { signal, intoDenied: !isShown })) {
      const files = batch.filter(({ kind }) => kind === 'file')
      total.files += files.length
      for (const stats of await scope.statMany(files, signal))
        if (stats !== null && stats !== 'unreachable') total.bytes += Number(stats.size)
    }
  }
  signal.throwIfAborted()
  meter.total = total
}
