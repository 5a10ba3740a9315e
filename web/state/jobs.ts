// Work that the server goes on with by itself, as the Activity panel and the ring in the header show it.
// What asks the server for it is in operations/follow-jobs.ts and is loaded with the first that takes long.

import { proxy } from 'valtio'
import type { Job } from '../../src/job-types.ts'

export const jobs = proxy({
  /** In the order in which the page has heard of them. */
  list: [] as Job[],
  /** For administrators: those of all accounts are in the list, and the panel shows even where there are none. */
  everybody: false,
  /** The server has some that the page does not know: begun before it was loaded, or elsewhere. */
  unknown: false,
})

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

/** An archive that cannot be unpacked without one, or not with the one it had. */
export function needsPassword({ state, reason }: Pick<Job, 'state' | 'reason'>): boolean {
  return state === 'waiting' || (state === 'failed' && reason === 'invalid_password')
}

/** 0 to 100, by bytes, or by files where there are none; 0 until they were counted. */
export function jobPercent(
  job: Pick<Job, 'bytesDone' | 'bytesTotal' | 'filesDone' | 'filesTotal'>,
): number {
  const { bytesDone, bytesTotal, filesDone, filesTotal } = job
  const share = bytesTotal ? bytesDone / bytesTotal : filesTotal ? filesDone / filesTotal : 0
  return Math.min(100, share * 100)
}
