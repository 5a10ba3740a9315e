// What each kind of job does, item by item or at once.
import { commonFolder } from '../files/archive/entries.ts'
import type { Made } from '../history/record.ts'
import type { JobConflict, JobKind } from '../job-types.ts'
import { errnoOf, unless } from '../lib/errors.ts'
import { baseName, joinVPath, parentOf, ROOT, type VPath } from '../lib/vpath.ts'
import { type Compressing, compress } from '../operations/archives/compress.ts'
import { extract } from '../operations/archives/extract.ts'
import { checkSums } from '../operations/archives/sums.ts'
import type { EarlierCommands } from '../operations/change.ts'
import { emptyTrash } from '../operations/empty.ts'
import { type Fetching, fetchFile } from '../operations/fetch.ts'
import { setMode } from '../operations/mode.ts'
import { type LongTransfer, transfer, type WhenTaken } from '../operations/move.ts'
import { remove } from '../operations/remove.ts'
import { restore } from '../operations/restore.ts'
import { entrySeenBy } from '../operations/trash-entries.ts'
import { type AllRun, courseOf, hasCome, type ItemRun, type Run } from './item-run.ts'
import type { JobRequest } from './record.ts'

interface Kind {
  /** Its files are counted beside the work: all below the items, or what is shown of it. */
  counts?: 'all' | 'shown'
  /** What is done with an item. */
  item?(run: ItemRun): Promise<void>
  /** What is done instead with all of them at once. */
  all?(run: AllRun): Promise<void>
}

export const WORK: Record<JobKind, Kind> = {
  copy: { counts: 'all', item: (run) => runTransfer(run, 'copy') },
  move: { counts: 'all', item: (run) => runTransfer(run, 'rename') },
  delete: { counts: 'all', item: runRemoval },
  mode: { counts: 'all', item: runMode },
  restore: { item: runRestore },
  empty: { all: runEmpty },
  extract: { counts: 'shown', item: runExtract },
  compress: { counts: 'shown', all: runCompress },
  fetch: { all: runFetch },
  checksum: { counts: 'shown', all: (run) => (run.record.how.check ? runCheck : runCompress)(run) },
}

/** What becomes of a place that is taken, by the word for it. */
export const HOW: Record<JobConflict, WhenTaken> = {
  fail: { replace: false, rename: false },
  skip: { replace: false, rename: false, leaves: 'all' },
  replace: { replace: true, rename: false },
  rename: { replace: false, rename: true },
  newer: { replace: true, rename: false, leaves: 'newer' },
}

async function beginAt({ manifest }: Run, item: number, target: VPath): Promise<void> {
  manifest.add({ item, target })
  await manifest.flush()
}

function commandsOf({ manifest, item, before }: ItemRun): EarlierCommands {
  return {
    haveRun: before?.hasRunCommands === true,
    onRun: async () => {
      manifest.add({ item, commands: true })
      await manifest.flush()
    },
  }
}

/** What earlier runs have left, and who is told of what comes. */
function longOf(run: ItemRun) {
  const { manifest, item, before, halves } = run
  const target = before?.target ?? null
  let base = target
  return {
    commands: commandsOf(run),
    course: courseOf(run, target),
    target,
    madeBefore: [...(before?.unnoted ?? [])].flatMap((path) => before?.made.get(path)?.made ?? []),
    onBegin: (target: VPath) => {
      base = target
      return beginAt(run, item, target)
    },
    onMade: (made: Made, sourceMtimeNs: bigint | null) => {
      // It is whole now.
      halves.delete(`${base}${made.path}`)
      manifest.addMade(item, {
        made,
        sourceMtimeNs: sourceMtimeNs === null ? null : String(sourceMtimeNs),
      })
    },
  }
}

async function runTransfer(run: ItemRun, event: 'copy' | 'rename'): Promise<void> {
  const { actor, record, source } = run
  const { to, conflict, how } = record
  const long: LongTransfer = longOf(run)
  const wanted = how.target ?? joinVPath(to as VPath, baseName(source))
  run.outcome.target = await transfer(actor, event, source, wanted, HOW[conflict], long)
}

async function runRemoval(run: ItemRun): Promise<void> {
  const { actor, record, meter, item, source, before } = run
  const isGoingOn = Boolean(before?.target)
  const course = courseOf(run, source)
  const { files } = meter.done
  if (!isGoingOn) await beginAt(run, item, source)
  const long = { isGoingOn, course, commands: commandsOf(run) }
  await remove(actor, source, { trash: record.trash, long })
  // Into the trash it goes as one.
  if (meter.done.files === files) meter.add(1, 0)
}

async function runMode(run: ItemRun): Promise<void> {
  const { mode = 0, recursive = false } = run.record.how
  await setMode(run.actor, run.source, mode, { recursive, course: courseOf(run, null) })
}

async function runRestore(run: ItemRun): Promise<void> {
  const { actor, record, meter, item, source, before, begin } = run
  const { to, how } = record
  const conflict = record.conflict as 'fail' | 'rename' | 'replace'
  const isGoingOn = Boolean(before?.target)
  if (!isGoingOn) await beginAt(run, item, source)
  meter.current = source
  try {
    const seen = await entrySeenBy(actor, how.ids?.[item] ?? '')
    await restore(actor, seen, { to, conflict, begin })
    meter.add(1, seen.entry.bytes ?? 0)
  } catch (error) {
    // An earlier run has brought it back, but for saying so.
    if (!isGoingOn || errnoOf(error) !== 'not_found') throw error
    meter.add(1, 0)
  }
}

// Each entry that is gone is an item of its own: what is left is found anew after a restart.
async function runEmpty(run: AllRun): Promise<void> {
  const { actor, record, manifest, meter, soFar } = run
  const { untilMs } = record.how
  let item = soFar.size
  const course = {
    at: (vpath: VPath) => {
      meter.current = vpath
    },
    passed: (bytes: number) => {
      meter.add(1, bytes)
      manifest.add({ item: item++, over: true, files: 1, bytes })
    },
    failed: run.onFailed,
  }
  // Of some nobody knows when they were deleted.
  const isAsked = ({ deletedAt }: { deletedAt: number }) =>
    untilMs === undefined ? deletedAt <= record.createdMs : deletedAt > 0 && deletedAt <= untilMs
  await emptyTrash(actor, isAsked, course, (entries, bytes) => {
    const { done } = meter
    meter.total = { files: done.files + entries, bytes: done.bytes + bytes }
  })
}

async function runExtract(run: ItemRun): Promise<void> {
  const { actor, record, meter, source, secret: password } = run
  const { to, conflict, how } = record
  const { entries = [], encoding = '' } = how
  const onRead = (bytes: number) => meter.add(0, bytes)
  const isOfJob = (changedMs: bigint) => hasCome(record, changedMs)
  const long = { ...longOf(run), onRead, hasCome: isOfJob }
  await extract(actor, source, { to, conflict, entries, encoding, password }, long)
}

// It begins anew after a restart, but for an archive that has come.
async function runCompress(run: AllRun): Promise<void> {
  const { actor, record, soFar, manifest, meter } = run
  const before = soFar.get(0)
  if (before?.isOver) return
  const course = courseOf({ ...run, before }, null)
  const { files, bytes } = meter.done
  const target = before?.target ?? null
  const found = target && (await actor.scope.stat(target).catch(unless('not_found')))
  if (!found || !hasCome(record, found.mtimeNs / 1_000_000n)) {
    const onBegin = (at: VPath) => beginAt(run, 0, at)
    await compress(actor, compressingOf(record), { course, onBegin })
  }
  const done = { files: meter.done.files - files, bytes: meter.done.bytes - bytes }
  manifest.add({ item: 0, over: true, ...done })
}

// It begins anew after a restart.
async function runCheck(run: AllRun): Promise<void> {
  await run.begin()
  const course = courseOf({ ...run, before: undefined }, null)
  for (const sums of run.record.items) await checkSums(run.actor, sums, course)
}

async function runFetch(run: AllRun): Promise<void> {
  const { record, soFar, manifest, meter } = run
  const before = soFar.get(0)
  if (before?.isOver) return
  const target = before?.target ?? null
  if (target !== null) record.items = [target]
  await fetchFile(run.actor, fetchingOf(record), {
    course: courseOf({ ...run, before }, null),
    target,
    hasCome: (changedMs) => hasCome(record, changedMs),
    onSize: (bytes) => {
      meter.total = bytes === null ? null : { files: 1, bytes }
    },
    onBegin: async (at) => {
      record.items = [at]
      await beginAt(run, 0, at)
    },
  })
  manifest.add({ item: 0, over: true, ...meter.done })
}

export function fetchingOf({ to, how, conflict }: JobRequest): Fetching {
  const { url = '', name = null } = how
  return { url, to: to ?? ROOT, name, conflict: conflict as Fetching['conflict'] }
}

/** What is asked of a job that makes an archive, or a file of sums. */
export function compressingOf({ kind, items, to, how, conflict }: JobRequest): Compressing {
  const { deflated = true, algorithm = 'sha256' } = how
  const isSums = kind === 'checksum'
  const format = isSums ? algorithm : (how.format ?? 'zip')
  const beside = isSums ? commonFolder(items.map(parentOf)) : parentOf(items[0] ?? ROOT)
  const folder = to ?? beside
  return { items, to: folder, format, deflated, conflict: conflict as Compressing['conflict'] }
}
