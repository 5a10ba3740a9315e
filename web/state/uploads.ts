// What the upload panel, the ring in the header and the line on top show. The queue itself is in
// web/uploads and is loaded with the first upload; it writes here ten times a second at most.

import { proxy } from 'valtio'

/** Why nothing new starts although files wait. */
export type Hold = 'paused' | 'offline' | 'signed-out' | 'no-space' | 'folder-full'

/** Uploads that a reload or a crash cut short, waiting for their files. */
export interface InterruptedUpload {
  id: string
  targetPath: string
  startedAtMs: number
  files: number
  doneFiles: number
  /** Bytes of the files not finished, and how many of them the server has. */
  leftBytes: number
  /** It came with folders: the same folder is asked for, not single files. */
  fromFolder: boolean
  /** The first few names that are missing. */
  names: string[]
  /** This browser knows where the files are: they need not be chosen again. */
  canContinue: boolean
}

/** One drop, pick or paste that has ended and can be taken back. */
export interface EndedUpload {
  id: string
  /** What received something, and where it went. */
  folders: string[]
  files: number
}

export const uploads = proxy({
  /** There is something to show: running, failed or just finished uploads. */
  shown: false,
  /** The panel is folded into the ring of the header. */
  collapsed: false,
  /** Counts changes of rows; the rows themselves are asked of the queue. */
  revision: 0,
  files: 0,
  done: 0,
  failed: 0,
  active: 0,
  waiting: 0,
  paused: 0,
  /** Files that were on the server already and not sent again. */
  skipped: 0,
  /** Drops and picks still being read or compared. */
  preparing: 0,
  totalBytes: 0,
  sentBytes: 0,
  /** What is left of those that failed; not among the total. */
  failedBytes: 0,
  bytesPerSecond: 0,
  secondsLeft: null as number | null,
  hold: null as Hold | null,
  interrupted: [] as InterruptedUpload[],
  /** Of those the panel tells about. */
  ended: [] as EndedUpload[],
})

type Counts = Pick<typeof uploads, 'active' | 'waiting' | 'paused' | 'preparing'>

/** True while something is on its way or wants to be. */
export function isUploading(state: Counts = uploads): boolean {
  return state.active + state.waiting + state.paused + state.preparing > 0
}

export function uploadPercent(
  state: Pick<typeof uploads, 'sentBytes' | 'totalBytes'> = uploads,
): number {
  return state.totalBytes > 0 ? percentOf(state.sentBytes, state.totalBytes) : 0
}

export function collapseUploads(collapsed: boolean): void {
  uploads.collapsed = collapsed
}

/** 0 to 100; an empty queue counts as complete. */
export function percentOf(sentBytes: number, totalBytes: number): number {
  if (totalBytes <= 0) return 100
  return Math.min(100, (sentBytes / totalBytes) * 100)
}
