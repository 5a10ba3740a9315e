// Jobs: work that goes on without whoever has asked for it, past the end of the server.
import { mkdir } from 'node:fs/promises'
import { createId } from '../history/record.ts'
import type { Job, JobState } from '../job-types.ts'
import { AppError, badRequest, tooMany } from '../lib/errors.ts'
import { type Asking, attend, attendedEnd } from './attended.ts'
import {
  type Entry,
  entryOf,
  FEW_ITEMS,
  isSame,
  type Outcome,
  viewOf,
  waitForEnd,
  wakeAll,
} from './entry.ts'
import { createJobEvents, type JobEvents } from './events.ts'
import { Stopped } from './job-actor.ts'
import {
  isEnded,
  type JobFiles,
  type JobOwner,
  type JobRecord,
  type JobRequest,
  jobFilesOf,
} from './record.ts'
import { createRunner, type JobsOptions, type Runner } from './runner.ts'

/** Of an account, that have not ended. */
const MAX_WAITING = 100
/** Of an account; the oldest go. */
const MAX_ENDED = 200
const KEEP_MS = 7 * 24 * 60 * 60_000
/** What failed sooner was answered to whoever asked for it. */
const QUICK_MS = 2_000
/** When to ask again after `too_many_requests`. */
const RETRY_SECONDS = 10

export type Action = 'pause' | 'resume' | 'cancel' | 'retry'
/** Whether a job may be seen, or is asked for. */
type Test = (record: Readonly<JobRecord>) => boolean

/** The name of the operation, and a password, which is kept in memory alone. */
interface More {
  name?: string | undefined
  secret?: string | null
}

export interface Jobs {
  /** Goes on with what the end of the server has broken off. */
  open(): Promise<void>
  /**
   * Begins a job, or gives the one that waits to do the same. Throws `too_many_requests` for an account that has too many.
   */
  add(owner: JobOwner, request: JobRequest, more?: More): Promise<{ job: Job; isNew: boolean }>
  /**
   * Does at once what a request waits for to its end, and gives what it has come to; throws what it fails with. It is a
   * job once it takes longer, and goes on when its client goes. Throws `too_many_requests` as `add` does.
   */
  attend(
    owner: JobOwner,
    request: JobRequest,
    asking: Asking & { origin: NonNullable<JobRecord['origin']> },
  ): Promise<Outcome>
  /** Whether an account has some to hear of that it may not have seen: not ended, or failed after a while. */
  hasNews(userID: number): boolean
  /** The newest first. */
  list(test: Test): Promise<Job[]>
  /** Throws `not_found` also for what does not pass. */
  get(id: string, test: Test): Promise<Job>
  /** Throws `conflict` where the state does not allow it, and `bad_request` for one that waits for a password. */
  act(id: string, action: Action, secret?: string | null): Promise<Job>
  /** Forgets a job that has ended; throws `conflict` for another one. */
  forget(id: string): Promise<void>
  /** Waits until a job has ended, or so long. */
  ended(id: string, waitMs: number, signal: AbortSignal): Promise<Job>
  /** What has changed, for who listens. */
  events: JobEvents
  /** Answers who waits for an end, or listens. */
  stopWaiting(): void
  /** Breaks off what runs, to be gone on with. */
  close(): Promise<void>
}

/** All jobs that there are. */
interface Hall {
  entries: Map<string, Entry>
  /** Those that are not shown yet. */
  brief: Set<Entry>
  files: JobFiles
  runner: Runner
  isStopping: boolean
  /** Told why a job would not outlive the server. */
  onLost(error: unknown): void
}

/** Touches no file and starts nothing before the first job. */
export function createJobs(options: JobsOptions): Jobs {
  const files = jobFilesOf(options.services.store.file)
  const runner = createRunner(options, files)
  const hall: Hall = {
    entries: new Map(),
    brief: new Set(),
    files,
    runner,
    isStopping: false,
    onLost: (error) => options.services.log.error('a job cannot be kept', { error }),
  }
  const { entries } = hall
  const events = createJobEvents(entries)
  let opening: Promise<void> | null = null
  const opened = () => {
    opening ??= open(hall)
    return opening
  }
  const find = async (id: string): Promise<Entry> => {
    await opened()
    const entry = entries.get(id)
    if (!entry) throw new AppError('not_found', 'no such job')
    return entry
  }
  return {
    events,
    open: opened,
    async add(owner, request, more = {}) {
      await opened()
      return add(hall, owner, request, more)
    },
    async attend(owner, request, asking) {
      await opened()
      return attendNow(hall, owner, request, asking)
    },
    hasNews: (userID) =>
      [...entries.values()].some(({ record }) => record.userID === userID && isNews(record)),
    async list(test) {
      await opened()
      await forgetOld(hall)
      const asked = [...entries.values()].filter(({ record }) => test(record))
      return asked.map((entry) => viewOf(entry, FEW_ITEMS)).reverse()
    },
    async get(id, test) {
      const entry = await find(id)
      if (!test(entry.record)) throw new AppError('not_found', 'no such job')
      return viewOf(entry)
    },
    act: async (id, action, secret = null) => act(hall, await find(id), action, secret),
    async forget(id) {
      const entry = await find(id)
      if (!isEnded(entry.record)) throw new AppError('conflict', 'the job has not ended')
      await entry.running
      await forgetOne(hall, id)
    },
    async ended(id, waitMs, signal) {
      const entry = await find(id)
      if (!hall.isStopping) await waitForEnd(entry, waitMs, signal)
      return viewOf(entry)
    },
    stopWaiting() {
      hall.isStopping = true
      events.stop()
      for (const entry of entries.values()) wakeAll(entry)
    },
    async close() {
      hall.isStopping = true
      events.stop()
      await opening?.catch(() => {})
      const all = [...entries.values(), ...hall.brief]
      for (const { control } of all) control?.abort(new Stopped('close'))
      await Promise.all(all.map(({ running }) => running))
    },
  }
}

function isNews(record: JobRecord): boolean {
  if (!isEnded(record)) return true
  return record.state === 'failed' && (record.endedMs ?? 0) - record.createdMs > QUICK_MS
}

async function open(hall: Hall): Promise<void> {
  for (const record of await hall.files.load()) {
    const entry = entryOf(record)
    hall.entries.set(record.id, entry)
    if (isEnded(record)) continue
    if (record.how.hasPassword) record.state = 'waiting'
    else if (record.state !== 'paused') start(hall, entry)
  }
  await forgetOld(hall)
}

/** Once the server is about to stop it is left for the next one. */
function start({ runner, isStopping }: Hall, entry: Entry): void {
  if (!isStopping) runner.start(entry)
}

async function add(
  hall: Hall,
  owner: JobOwner,
  request: JobRequest,
  { name, secret = null }: More,
): Promise<{ job: Job; isNew: boolean }> {
  const { entries } = hall
  const own = [...entries.values()].filter(({ record }) => record.userID === owner.userID)
  const same = own.find(({ record }) => record.state === 'queued' && isSame(record, owner, request))
  if (same) return { job: viewOf(same), isNew: false }
  requireRoom(own)
  const entry = entryOf(newRecord(owner, request, name), secret)
  const { id } = entry.record
  entries.set(id, entry)
  try {
    await keep(hall, entry)
  } catch (error) {
    entries.delete(id)
    throw error
  }
  start(hall, entry)
  await forgetOld(hall, owner.userID)
  return { job: viewOf(entry), isNew: true }
}

function requireRoom(own: readonly Entry[]): void {
  if (own.filter(({ record }) => !isEnded(record)).length >= MAX_WAITING)
    throw tooMany(`${MAX_WAITING} jobs of the account have not ended`, RETRY_SECONDS)
}

/** `first` is done before the record is written, in the same folder. */
async function keep(
  { files, runner }: Hall,
  entry: Entry,
  first?: () => Promise<void>,
): Promise<void> {
  await mkdir(files.folder, { recursive: true, mode: 0o700 })
  await first?.()
  await runner.save(entry)
}

async function attendNow(
  hall: Hall,
  owner: JobOwner,
  request: JobRequest,
  asking: Asking & { origin: NonNullable<JobRecord['origin']> },
): Promise<Outcome> {
  const { entries, brief } = hall
  const isOwn = ({ record }: Entry) => record.userID === owner.userID
  requireRoom([...entries.values(), ...brief].filter(isOwn))
  const { origin } = asking
  const entry = entryOf({ ...newRecord(owner, request, origin.operation ?? ''), origin })
  const attended = attend(entry, asking, async (release) => {
    // After a crash a record without what was begun would begin it anew, and find it taken.
    await keep(hall, entry, release).catch(hall.onLost)
    await release()
    brief.delete(entry)
    entries.set(entry.record.id, entry)
  })
  brief.add(entry)
  try {
    hall.runner.start(entry)
    return await attendedEnd(entry, attended, asking.signal)
  } finally {
    brief.delete(entry)
    if (attended.isShown) await forgetOld(hall, owner.userID)
  }
}

async function act(hall: Hall, entry: Entry, action: Action, secret: string | null): Promise<Job> {
  const { record } = entry
  // Its last run may be about to say how it has ended.
  if (action === 'resume' || action === 'retry') await entry.running
  if (!ALLOWED[action].includes(record.state))
    throw new AppError('conflict', `a job that is ${record.state} cannot ${action}`)
  if (action === 'resume' || action === 'retry') {
    entry.secret = secret ?? entry.secret
    if (entry.secret !== null) record.how.hasPassword = true
    if (record.how.hasPassword && entry.secret === null) throw badRequest('password is missing')
    Object.assign(record, { state: 'queued', reason: null, endedMs: null })
    await meanwhile(entry, hall.runner.save(entry))
    start(hall, entry)
  } else if (action === 'cancel') await cancel(hall, entry)
  else {
    entry.control?.abort(new Stopped(action))
    await entry.running
  }
  return viewOf(entry)
}

/** However many ask for it at once, it ends once. */
async function cancel({ runner }: Hall, entry: Entry): Promise<void> {
  // A pause, or one that goes on with it, may have come before.
  while (!isEnded(entry.record)) {
    entry.control?.abort(new Stopped('cancel'))
    entry.cancelling?.abort()
    await (entry.running ?? meanwhile(entry, runner.end(entry, 'cancelled')))
  }
  await entry.running
}

/** Others wait for this work as they do for a run. */
function meanwhile(entry: Entry, work: Promise<void>): Promise<void> {
  entry.running = work.finally(() => {
    entry.running = null
  })
  return entry.running
}

const ALLOWED: Record<Action, readonly JobState[]> = {
  pause: ['queued', 'running'],
  resume: ['paused', 'waiting'],
  cancel: ['queued', 'running', 'paused', 'waiting'],
  retry: ['failed', 'cancelled'],
}

function newRecord(owner: JobOwner, request: JobRequest, name: string | undefined): JobRecord {
  const createdMs = Date.now()
  const id = createId(createdMs)
  return {
    ...owner,
    ...request,
    id,
    state: 'queued',
    reason: null,
    filesDone: 0,
    filesTotal: null,
    bytesDone: 0,
    bytesTotal: null,
    errors: [],
    errorCount: 0,
    operation: name ?? id,
    createdMs,
    startedMs: null,
    endedMs: null,
  }
}

async function forgetOne({ entries, files, runner }: Hall, id: string): Promise<void> {
  const entry = entries.get(id)
  entries.delete(id)
  if (entry?.record.kind === 'fetch') await runner.dropHalves(entry)
  await files.remove(id)
}

/** Forgets what ended long ago, and of one account what is too many. */
async function forgetOld(hall: Hall, userID?: number): Promise<void> {
  const oldestMs = Date.now() - KEEP_MS
  const ended = [...hall.entries.values()].filter(({ record }) => isEnded(record))
  const own = ended.filter(({ record }) => record.userID === userID)
  const isOld = ({ record }: Entry) => (record.endedMs ?? 0) < oldestMs
  const surplus = own.slice(0, Math.max(0, own.length - MAX_ENDED))
  for (const { record } of new Set([...ended.filter(isOld), ...surplus]))
    await forgetOne(hall, record.id)
}
