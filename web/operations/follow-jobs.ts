// Following what the server goes on with by itself, and steering it. Loaded with the first that takes long. Events
// are listened to only while the page is in sight and something has not ended: a browser has few connections.

import type { ErrorCode } from '../../src/api-types.ts'
import type { Job, JobFailure, JobState } from '../../src/job-types.ts'
import { ApiError, isAbort } from '../api/client.ts'
import { actOnJob, forgetJob, getJob, type JobAction, listJobs, watchJobs } from '../api/jobs.ts'
import { whenOnline } from '../lib/page/network.ts'
import { isWithin, parentOf } from '../lib/paths.ts'
import { hasEnded, jobs } from '../state/jobs.ts'
import { currentFolderPath } from '../state/listing.ts'
import { onLogOut, session } from '../state/session.ts'
import { collapseUploads, uploads } from '../state/uploads.ts'
import { refreshUsage } from '../state/usage.ts'
import { createArrivals } from './arrivals.ts'
import { reloadFolder } from './open-folder.ts'
import { openPrompt } from './prompts.ts'
import { toastError } from './toasts.ts'
import type { TransferFailure, TransferItem } from './transfer-types.ts'

/** Before a stream that has ended is asked for again; more or less, as many pages may do so. */
const RETRY_MS = 2_000
/** What failed sooner was told where it was asked for. */
const QUICK_MS = 2_000
const UNENDED: readonly JobState[] = ['queued', 'running', 'paused', 'waiting']
/** So many travel with an event. */
const FEW_ITEMS = 20

const waiting = new Map<string, (job: Job) => void>()
let listening: AbortController | null = null

const arrivals = createArrivals(async () => {
  const open = currentFolderPath()
  if (open !== null) await reloadFolder(open)
})

/** Shows a job in the Activity panel until it has ended, and longer where it failed. Resolves with its end. */
export function followJob(job: Job): Promise<Job> {
  const end = new Promise<Job>((resolve) => waiting.set(job.id, resolve))
  if (jobs.list.length === 0 && !uploads.shown) collapseUploads(false)
  take(job)
  tend()
  return end
}

/** Shows one as it is now; what has failed with its reasons. */
export function showJob(job: Job): void {
  take(job)
  collapseUploads(false)
}

/** A failure within a job as if the server had answered so. */
export function failureAs({ code, lock }: Pick<JobFailure, 'code' | 'lock'>): ApiError {
  const error = new ApiError(500, code, '')
  error.lock = lock
  return error
}

/** Which of its items a job that has ended has not done, or not wholly. */
export function failuresOf(job: Job, items: readonly TransferItem[]): TransferFailure[] {
  const { state, reason, errors } = job
  if (state === 'done') return []
  const cause = (code: ErrorCode | null): unknown =>
    code === null ? new DOMException('', 'AbortError') : failureAs({ code })
  // What ends a job before all items were tried is not among what failed of them.
  const isThrough = state === 'failed' && errors[0]?.code === reason
  return items.flatMap((item) => {
    const error = errors.find(({ path }) => isWithin(item.path, path))
    if (isThrough && error === undefined) return []
    return [{ item, error: error ? failureAs(error) : cause(reason) }]
  })
}

/** Asks for what was begun before the page was loaded, or elsewhere, and for what failed meanwhile. */
export async function findJobs(): Promise<void> {
  jobs.unknown = false
  const found = await listJobs([...UNENDED, 'failed'], false)
  for (const job of found.reverse()) if (!hasEnded(job) || tookLong(job)) take(job)
  tend()
}

/** Shows what all accounts have under way, or what is one's own alone. For administrators. */
export async function showEverybody(all: boolean): Promise<void> {
  jobs.everybody = all
  listening?.abort()
  listening = null
  if (!all) jobs.list = jobs.list.filter(isOwn)
  else {
    collapseUploads(false)
    try {
      for (const job of (await listJobs(UNENDED, true)).reverse()) take(job)
    } catch (error) {
      toastError(error)
    }
  }
  tend()
}

function tookLong({ createdAt, endedAt }: Job): boolean {
  return Date.parse(endedAt ?? '') - Date.parse(createdAt) > QUICK_MS
}

/** Asks for the password of an archive, and goes on with it. */
export async function givePassword({ id, items, state, reason }: Job): Promise<void> {
  const isWrong = reason === 'invalid_password'
  const password = await openPrompt('archivePassword', { archive: items[0] ?? '', isWrong })
  if (password !== null) await steerJob(id, state === 'waiting' ? 'resume' : 'retry', password)
}

/** A refusal is told. */
export async function steerJob(id: string, action: JobAction, password?: string): Promise<void> {
  const before = knownJob(id)
  try {
    const job = await actOnJob(id, action, password)
    // An event may have been faster.
    if (knownJob(id) === before) take(job)
  } catch (error) {
    toastError(error)
    await look(id)
  }
  tend()
}

/** Else its paths mean something else here, and its Undo is somebody else's. */
export function isOwn({ userID }: Job): boolean {
  return userID === session.user?.id
}

/** Takes what has ended off the panel, or one of it; what failed is forgotten by the server as well. */
export function dismissJobs(id?: string): void {
  const gone = jobs.list.filter((job) => hasEnded(job) && (id ?? job.id) === job.id)
  for (const job of gone)
    if (job.state === 'failed' && isOwn(job)) forgetJob(job.id).catch(() => {})
  jobs.list = jobs.list.filter((job) => !gone.includes(job))
}

function take(job: Job): void {
  const shown = { ...job, items: job.items.slice(0, FEW_ITEMS) }
  const at = jobs.list.findIndex(({ id }) => id === job.id)
  const before = jobs.list[at]
  if (before === undefined) jobs.list.push(shown)
  else jobs.list[at] = shown
  const open = currentFolderPath()
  const concerns = open !== null && isAbout(job, open)
  if (concerns && before?.filesDone !== job.filesDone) {
    arrivals.note()
    void arrivals.showSoFar()
  }
  if (!hasEnded(job) || (before !== undefined && hasEnded(before))) return
  if (job.state === 'failed') collapseUploads(false)
  refreshUsage()
  if (!tellEnd(job) && concerns) void reloadFolder(open)
}

/** False where nobody waits for it: it was begun elsewhere. */
function tellEnd(job: Job): boolean {
  const resolve = waiting.get(job.id)
  waiting.delete(job.id)
  resolve?.(job)
  return resolve !== undefined
}

/** Whether it changes what is in this folder, as far as its items are known. */
function isAbout({ kind, to, items }: Job, folder: string): boolean {
  if (to !== null && isWithin(to, folder)) return true
  return kind !== 'copy' && items.some((path) => parentOf(path) === folder)
}

function knownJob(id: string): Job | undefined {
  return jobs.list.find((job) => job.id === id)
}

async function look(id: string): Promise<void> {
  try {
    const job = await getJob(id)
    const now = knownJob(id)
    // An event may have been faster.
    if (now !== undefined && !hasEnded(now)) take(job)
  } catch (error) {
    const now = knownJob(id)
    if (!(error instanceof ApiError) || error.status !== 404 || now === undefined) return
    jobs.list = jobs.list.filter((job) => job !== now)
    // It ended and was forgotten elsewhere: nobody knows how.
    tellEnd({ ...now, state: 'cancelled', reason: null })
  }
}

/** Listens where that is due, and only there. */
function tend(): void {
  const isDue = document.visibilityState === 'visible' && jobs.list.some((job) => !hasEnded(job))
  if (!isDue) {
    listening?.abort()
    listening = null
  } else if (listening === null) {
    listening = new AbortController()
    void listen(listening)
  }
}

async function listen(control: AbortController): Promise<void> {
  const { signal } = control
  const onOpen = () => {
    for (const job of jobs.list) if (!hasEnded(job)) void look(job.id).then(tend)
  }
  while (!signal.aborted) {
    try {
      for await (const job of watchJobs(jobs.everybody, signal, onOpen)) {
        take(job)
        tend()
      }
    } catch (error) {
      const isRefusal = error instanceof ApiError && [401, 403].includes(error.status)
      if (isAbort(error) || isRefusal) break
    }
    await whenOnline()
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())))
  }
  if (listening === control) listening = null
}

globalThis.document?.addEventListener('visibilitychange', tend)
onLogOut(() => {
  jobs.list = []
  jobs.everybody = false
  tend()
})
