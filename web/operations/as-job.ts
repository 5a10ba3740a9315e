// Work on several items as jobs of the server: what is quick is over with the answer, what takes long shows in
// the Activity panel and goes on without the page.

import type { Job } from '../../src/job-types.ts'
import { ApiError } from '../api/client.ts'
import { type JobRequest, startJob } from '../api/files.ts'
import { hasEnded } from '../state/jobs.ts'
import type { TransferFailure, TransferItem } from './transfer-types.ts'

/** What a job takes at most (docs/http-api.md 37). */
const MAX_ITEMS = 10_000
/** So many refusals are looked into; what is refused then is refused as a whole. */
const MAX_REFUSALS = 200

interface Part {
  what: Omit<JobRequest, 'items'>
  items: readonly TransferItem[]
}

interface Outcome {
  failures: TransferFailure[]
  /** It took long: the person may have turned to something else, and the panel has told how it ended. */
  isLong: boolean
}

/**
 * Has the server do all of this, one part begun after the other, and waits for the end. Never rejects: an item of
 * which nobody knows that it was done is among the failures.
 */
export async function doAsJobs(parts: readonly Part[], operation: string): Promise<Outcome> {
  const outcome: Outcome = { failures: [], isLong: false }
  const ends: Promise<unknown>[] = []
  let refusals = 0

  const fail = (items: readonly TransferItem[], error: unknown) =>
    outcome.failures.push(...items.map((item) => ({ item, error })))

  async function begin({ what, items }: Part): Promise<void> {
    if (items.length === 0) return
    const halves = async () => {
      const half = Math.ceil(items.length / 2)
      await begin({ what, items: items.slice(0, half) })
      await begin({ what, items: items.slice(half) })
    }
    if (items.length > MAX_ITEMS) return halves()
    try {
      const job = await startJob({ ...what, items: items.map(({ path }) => path) }, operation)
      if (job.state !== 'done') ends.push(wait(job, items))
    } catch (error) {
      // One that cannot be done refuses all: the others are found by halves.
      const isOfSome = error instanceof ApiError && [400, 403, 404, 409, 413].includes(error.status)
      if (items.length > 1 && isOfSome && ++refusals <= MAX_REFUSALS) await halves()
      else fail(items, error)
    }
  }

  async function wait(job: Job, items: readonly TransferItem[]): Promise<void> {
    try {
      const { failuresOf, followJob } = await import('./follow-jobs.ts')
      if (!hasEnded(job)) outcome.isLong = true
      outcome.failures.push(...failuresOf(hasEnded(job) ? job : await followJob(job), items))
    } catch (error) {
      fail(items, error)
    }
  }

  for (const part of parts) await begin(part)
  await Promise.all(ends)
  return outcome
}
