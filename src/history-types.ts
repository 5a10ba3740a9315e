// What travels of the history (docs/http-api.md 36): types only.
import type { ErrorCode } from './api-types.ts'

/** What was done to files, in the history. */
export type HistoryKind =
  | 'upload'
  | 'save'
  | 'folder'
  | 'copy'
  | 'move'
  | 'delete'
  | 'restore'
  | 'mode'

/** How it was asked for: by somebody who has signed in, with an API token, by WebDAV, or by the server itself. */
export type HistoryVia = 'web' | 'api' | 'dav' | 'job'

/** A record of the history. */
export interface HistoryItem {
  id: string
  at: string
  kind: HistoryKind
  /** What was changed, or the folder that holds all of it; absent where the caller may not see it any more. */
  path?: string
  to?: string
  files: number
  bytes: number
  /** So often one and the same file was changed; absent for once, and for several files. */
  times?: number
  via: HistoryVia
  /** `done`: it was undone already. */
  undo: 'yes' | 'no' | 'done'
  /** The record that this one has undone. */
  undoes?: string
}

export interface HistoryPage {
  items: HistoryItem[]
  /** For the page after this one; null on the last. */
  next: string | null
}

export interface Undoing {
  /** How many entries are as they were before. */
  done: number
  /** What stays as it is, and why. */
  kept: { path?: string; code: ErrorCode }[]
}
