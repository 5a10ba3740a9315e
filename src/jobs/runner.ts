// Runs jobs to their end, or until somebody stops them.
import type { ErrorCode } from '../api-types.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { JobState } from '../job-types.ts'
import { AppError, isAbort, isFullDisk } from '../lib/errors.ts'
import { watchRights } from '../operations/actor.ts'
import { LockHeld } from '../operations/locks.ts'
import type { Services } from '../operations/services.ts'
import { loadUser } from '../store/users.ts'
import { createDiskPlaces, type DiskPlaces } from './disk-places.ts'
import { type Entry, wakeAll } from './entry.ts'
import { goesOn, jobActor, RightsChanged, Stopped } from './job-actor.ts'
import { openManifest } from './manifest.ts'
import { createMeter } from './meter.ts'
import type { JobFiles, JobRecord } from './record.ts'
import { doneBefore, runJob } from './run.ts'

/** Of what was not done; the rest is counted. */
const MAX_ERRORS = 100

export interface JobsOptions {
  services: Services
  tokens: Pick<ApiTokens, 'stillValid'>
  /** Told of each end, for the audit log. */
  onEnd(record: Readonly<JobRecord>): Promise<void>
}

export interface Runner {
  /** Begins a run, or goes on with one. */
  start(entry: Entry): void
  save(entry: Entry): Promise<void>
  /** Ends what does not run. */
  end(entry: Entry, state: JobState): Promise<void>
  /** Removes what is not whole once nobody goes on with it: what was cancelled or has failed begins it anew. */
  dropHalves(entry: Entry): Promise<void>
}

export function createRunner(options: JobsOptions, files: JobFiles): Runner {
  const { config, log, temps } = options.services
  const places = createDiskPlaces(config.jobsPerDisk)
  const save = ({ record, meter }: Entry) => {
    record.filesDone = meter.done.files
    record.bytesDone = meter.done.bytes
    return files.save(record)
  }

  async function run(entry: Entry, control: AbortController): Promise<void> {
    const { record } = entry
    record.state = 'running'
    record.startedMs ??= Date.now()
    try {
      while (!(await hasEnded(attempt(options, files, places, entry, control))));
      record.reason = record.errors[0]?.code ?? null
      await end(entry, record.errorCount > 0 ? 'failed' : 'done')
    } catch (error) {
      if (!(error instanceof Stopped)) {
        const isKnown = reasonOf(error) !== 'internal'
        entry.outcome.error ??= error
        if (!isKnown && !isAbort(error) && !isWaitedFor(entry))
          log.error('a job failed', { job: record.id, error })
        record.reason = reasonOf(error)
        await end(entry, 'failed')
      } else if (error.by === 'cancel') await end(entry, 'cancelled')
      else if (error.by === 'pause') {
        record.state = 'paused'
        await save(entry)
      }
    }
  }

  async function end(entry: Entry, state: JobState): Promise<void> {
    const { record, meter } = entry
    // A further try may go on with what has come over a line that broke.
    if (state !== 'failed' || record.reason !== 'fetch_failed') await dropHalves(entry)
    Object.assign(record, { state, endedMs: Date.now() })
    meter.current = null
    if (state === 'done') meter.total = { ...meter.done }
    record.filesTotal = meter.total?.files ?? null
    record.bytesTotal = meter.total?.bytes ?? null
    if (isShown(entry)) {
      await entry.attended?.show()
      await save(entry).catch((error: unknown) => log.error('a job cannot be kept', { error }))
      const isAnew = record.kind === 'fetch' && entry.halves?.size === 0
      if (state === 'done' || isAnew) await files.dropManifest(record.id)
    }
    // The request says so itself.
    if (!isWaitedFor(entry)) await options.onEnd(record)
    entry.attended = null
    wakeAll(entry)
  }

  async function dropHalves(entry: Entry): Promise<void> {
    try {
      entry.halves ??= (await doneBefore(files.manifestOf(entry.record.id))).halves
      for (const { path } of entry.halves.values()) await temps.drop(path)
      entry.halves.clear()
    } catch (error) {
      log.error('a copy that is not whole stays hidden', { error })
    }
  }

  return {
    save,
    end,
    dropHalves,
    start(entry) {
      const control = new AbortController()
      entry.control = control
      entry.cancelling = new AbortController()
      entry.running = run(entry, control)
        .catch((error: unknown) => log.error('a job cannot be kept', { error }))
        .finally(() => {
          entry.control = null
          entry.cancelling = null
          entry.running = null
        })
    },
  }
}

// From where the last one ended; throws why this one did before all was done.
async function attempt(
  { services, tokens }: JobsOptions,
  files: JobFiles,
  places: DiskPlaces,
  entry: Entry,
  control: AbortController,
): Promise<void> {
  const { record } = entry
  const file = files.manifestOf(record.id)
  const { soFar, halves, done } = await doneBefore(file)
  entry.meter = createMeter(done)
  entry.halves = halves
  Object.assign(record, { errors: [], errorCount: 0 })
  const onError = (error: unknown) =>
    services.log.warn(`how far a job is cannot be written: ${(error as Error).message}`)
  const manifest = openManifest(file, onError, isShown(entry) ? null : entry.attended?.shown)
  entry.manifest = manifest
  let { signal } = control
  const { attended } = entry
  const demandFirst = () => {
    if (!isShown(entry)) attended?.demand()
  }
  const signals = { signal: () => signal, cancelled: entry.cancelling?.signal }
  await loadUser(services.store, record.userID)
  const actor = jobActor(services, tokens, record, signals, demandFirst)
  const rights = watchRights(actor, actor.demand)
  signal = AbortSignal.any([control.signal, rights.signal])
  try {
    await runJob({
      actor,
      record,
      secret: entry.secret,
      manifest,
      meter: entry.meter,
      soFar,
      halves,
      outcome: entry.outcome,
      shown: attended?.shown ?? null,
      take: attended
        ? null
        : async (devices) => {
            record.state = 'queued'
            const leave = await places.take(record.userID, devices, signal)
            record.state = 'running'
            return leave
          },
      onFailed: (path, error) => {
        if (++record.errorCount > MAX_ERRORS) return
        const lock = error instanceof LockHeld && { lock: error.lock }
        record.errors.push({ path, code: error.code, ...lock })
      },
    })
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error
    // What is gone on with stands in files.
    if (goesOn(reason)) await attended?.show()
    throw reason
  } finally {
    rights.end()
    await manifest.close()
    entry.manifest = null
  }
}

/** A disk that fills up says so by its own error, wherever that is met. */
function reasonOf(error: unknown): ErrorCode {
  if (error instanceof AppError) return error.code
  return isFullDisk(error) ? 'no_space' : 'internal'
}

function isShown({ attended }: Entry): boolean {
  return attended === null || attended.isShown
}

function isWaitedFor({ attended }: Entry): boolean {
  return attended?.isWaitedFor() === true
}

/** False where it goes on under other rights. */
async function hasEnded(attempt: Promise<void>): Promise<boolean> {
  try {
    await attempt
    return true
  } catch (error) {
    if (error instanceof RightsChanged) return false
    throw error
  }
}
