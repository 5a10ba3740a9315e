// One file or folder on its way to the server, and the ways it can fail.

import type { ErrorCode } from '../../src/api-types.ts'
import type { HeldLock } from '../../src/lock-types.ts'

type UploadState = 'waiting' | 'active' | 'paused' | 'failed' | 'done' | 'cancelled'

/** `network` had no answer at all; `unreadable` could not be read from this computer. */
export type UploadFailureCode = ErrorCode | 'network' | 'unreadable' | 'timeout'

export class UploadError extends Error {
  readonly code: UploadFailureCode
  /** The lock of another program that is in the way. */
  readonly lock: HeldLock | undefined
  constructor(
    code: UploadFailureCode,
    message: string,
    options: { cause?: unknown; lock?: HeldLock | undefined } = {},
  ) {
    super(message, options)
    this.name = 'UploadError'
    this.code = code
    this.lock = options.lock
  }
}

export interface UploadItem {
  readonly id: number
  /** The drop, pick or paste it came with. */
  readonly batchId: string
  /** Below the batch's target, `/`-separated, as it was on the sender's computer. */
  readonly sourcePath: string
  /** Null for a folder. */
  readonly file: File | null
  vpath: string
  name: string
  overwrite: boolean
  state: UploadState
  /** Bytes the server has or is being sent. */
  sentBytes: number
  failure: UploadFailureCode | null
  /** Of a failure by `locked`. */
  lock?: HeldLock | undefined
  /** Where an interrupted upload continues; null before the server made one. */
  uploadURL: string | null
}

/** What an item adds to the total: empty files and folders count as one byte, so that they show. */
export function weightOf(item: Pick<UploadItem, 'file'>): number {
  return Math.max(1, item.file?.size ?? 0)
}
