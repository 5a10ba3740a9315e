// What travels of jobs (docs/http-api.md 37): types only.
import type { ErrorCode } from './api-types.ts'
import type { HeldLock } from './lock-types.ts'

/** `restore` and `empty`: out of the trash, back or for good. `mode`: permission bits. `compress`: into an archive, `extract`: out of one. `checksum`: a file of sums is made, or compared. `fetch`: from another server. */
export type JobKind =
  | 'copy'
  | 'move'
  | 'delete'
  | 'restore'
  | 'empty'
  | 'mode'
  | 'compress'
  | 'extract'
  | 'checksum'
  | 'fetch'

/** `queued`: it waits for others on its disks. `waiting`: for its password, which is in memory only, after a restart. */
export type JobState = 'queued' | 'running' | 'paused' | 'waiting' | 'done' | 'failed' | 'cancelled'

/** What becomes of a place that is taken. */
export type JobConflict = 'fail' | 'skip' | 'replace' | 'rename' | 'newer'

/** Work that goes on without whoever has asked for it. */
/** Something that a job has not done. */
export interface JobFailure {
  path: string
  code: ErrorCode
  /** The lock of a client of WebDAV that was in the way. */
  lock?: HeldLock
}

export interface Job {
  id: string
  /** Of the account that has asked for it. */
  userID: number
  kind: JobKind
  state: JobState
  /** Why it failed: the first cause. */
  reason: ErrorCode | null
  /** In lists and events the first of them. Of `fetch` where the file goes, once that is known. */
  items: string[]
  itemCount: number
  /** The folder that the items go to; null where they stay, leave, or go back to where they were. */
  to: string | null
  /** Of `fetch`: the address, without what is behind a question mark, which may be a secret. */
  url?: string
  /** Files that are done with, those that stay as they are included. */
  filesDone: number
  /** Null until they were counted. */
  filesTotal: number | null
  bytesDone: number
  bytesTotal: number | null
  /** Of the last ten seconds; null while nothing runs, and at first. */
  bytesPerSecond: number | null
  secondsLeft: number | null
  /** What is being worked on. */
  current: string | null
  /** What was not done, the first of it. */
  errors: JobFailure[]
  errorCount: number
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  /** By this name the history has it, and undoes it. Empty for a request of a client that gave none. */
  operation: string
}

export interface JobPage {
  /** The newest first. */
  items: Job[]
}
