// The one queue of this page, wired to the server, the session, the journal and the screen. Other
// modules add batches to it and steer it; React only reads web/state/uploads.ts.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ref } from 'valtio'
import { currentToken, recoverSession } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { discardUpload, plainUploadUrl, tusEndpoint } from '../api/uploads.ts'
import { announce } from '../lib/announce.ts'
import { boot } from '../lib/boot.ts'
import { joinPath, nameOf, parentOf } from '../lib/paths.ts'
import { markUnreachable, whenOnline } from '../state/network.ts'
import { reloadFolder } from '../state/open-folder.ts'
import { renewSession, session } from '../state/session.ts'
import { isUploading, uploadPercent, uploads } from '../state/uploads.ts'
import { refreshUsage } from '../state/usage.ts'
import type { PlannedEntry } from './clashes.ts'
import { guardLeaving, keepAwake } from './guards.ts'
import { toSummary } from './interrupted.ts'
import { type InterruptedBatch, type JournalItem, openJournal } from './journal.ts'
import { watchOwnership } from './ownership.ts'
import { createQueue, type Send, type SendEvents } from './queue.ts'
import { createPlainSend } from './send-plain.ts'
import { createTusSend } from './send-tus.ts'
import { createSpeedMeter, SAMPLE_INTERVAL_MS, secondsLeft } from './speed.ts'
import { UploadError, type UploadItem } from './upload-item.ts'

/** One drop, pick or paste. */
export interface Batch {
  readonly id: string
  readonly targetPath: string
  /** Ends the reading of what was dropped. */
  readonly controller: AbortController
  /** Entries may still come. */
  reading: boolean
  /** Items neither done, failed nor cancelled. */
  open: number
  done: number
  failed: number
  /** Folders that received something. */
  folders: Set<string>
}

/** What is already known of an entry from an upload that was interrupted. */
export interface Continuation {
  overwrite: boolean
  uploadURL: string | null
  targetPath: string
}

const scopeName = `fb-uploads ${boot.BaseURL}`
const journal = openJournal(scopeName)
const ownership = watchOwnership(scopeName, () => [...batches.keys()])
const batches = new Map<string, Batch>()
const interrupted = new Map<string, InterruptedBatch>()
const meter = createSpeedMeter()
let nextID = 1
let ticking: ReturnType<typeof setInterval> | undefined
let milestone = 0

const plain = createPlainSend({
  url: (item) => plainUploadUrl(item.vpath, item.file === null, item.overwrite),
  headers: authHeaders,
})

const tus = createTusSend({
  settings: {
    chunkSizeBytes: boot.TusSettings.chunkSize,
    retryCount: boot.TusSettings.retryCount,
  },
  endpoint: (item) => new URL(tusEndpoint(item.vpath, item.overwrite), location.href).href,
  headers: authHeaders,
  onRenewHint: () => void renewSession(),
  async isComplete(item) {
    const info = await fetchInfo(item.vpath, new AbortController().signal).catch(() => null)
    return info !== null && !info.isDir && info.size === item.file?.size
  },
})

/** The resumable protocol wherever it can be used; folders and odd pages take one plain request. */
const sendOnce: Send = (item, events, signal) => {
  const resumable = boot.TusSettings.chunkSize > 0 && /^https?:$/.test(location.protocol)
  return item.file === null || !resumable ? plain(item, events, signal) : tus(item, events, signal)
}

async function send(item: UploadItem, events: SendEvents, signal: AbortSignal): Promise<void> {
  const usedToken = currentToken()
  try {
    await sendOnce(item, events, signal)
  } catch (error) {
    const signedOut = error instanceof UploadError && error.code === 'unauthenticated'
    if (!signedOut || signal.aborted) throw error
    // The session ended: the person signs in again over the page, and the upload goes on.
    if (!(await recoverSession(usedToken))) throw error
    signal.throwIfAborted()
    await sendOnce(item, events, signal)
  }
}

const queue = createQueue({
  send,
  async discard(item) {
    // Nothing there any more, or not reachable: the server forgets unfinished uploads by itself.
    await discardUpload(item.vpath).catch(() => {})
  },
  onChange: show,
  onSettled: settle,
  onUploadURL: remember,
  onHold(hold) {
    meter.reset()
    if (hold !== 'offline') return
    markUnreachable()
    void whenOnline().then(() => queue.release('offline'))
  },
})

function authHeaders(): Record<string, string> {
  return { 'X-Auth': currentToken() }
}

/** Opens a batch into the folder `targetPath`; `closeBatch` must follow. */
export function openBatch(targetPath: string): Batch {
  if (!isUploading()) {
    queue.clearFinished(true)
    milestone = 0
    uploads.skipped = 0
    uploads.collapsed = false
  }
  const batch: Batch = {
    id: `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`,
    targetPath,
    controller: new AbortController(),
    reading: true,
    open: 0,
    done: 0,
    failed: 0,
    folders: new Set(),
  }
  batches.set(batch.id, batch)
  journal.addBatch({
    id: batch.id,
    userID: session.user?.id ?? 0,
    targetPath,
    startedAtMs: Date.now(),
  })
  uploads.preparing++
  show()
  return batch
}

/** Nothing more comes for this batch. */
export function closeBatch(batch: Batch): void {
  batch.reading = false
  uploads.preparing--
  finishWhenEmpty(batch)
  show()
}

/** Puts entries into the queue; `continuation` tells those that were interrupted. */
export function enqueue(
  batch: Batch,
  entries: readonly PlannedEntry[],
  continuation: ReadonlyMap<string, Continuation> = new Map(),
): void {
  if (batch.controller.signal.aborted) return
  const items = entries.map((entry): UploadItem => {
    const known = continuation.get(entry.sourcePath)
    const vpath = joinPath(batch.targetPath, known?.targetPath ?? entry.targetPath)
    return {
      id: nextID++,
      batchId: batch.id,
      sourcePath: entry.sourcePath,
      file: entry.file,
      vpath,
      name: nameOf(vpath),
      overwrite: known?.overwrite ?? entry.overwrite,
      state: 'waiting',
      sentBytes: 0,
      failure: null,
      uploadURL: known?.uploadURL ?? null,
    }
  })
  batch.open += items.length
  for (const item of items) remember(item)
  queue.add(items)
}

/** Shows an entry that could not be read at all. */
export function enqueueUnreadable(batch: Batch, sourcePath: string): void {
  const vpath = joinPath(batch.targetPath, sourcePath)
  batch.failed++
  queue.add([
    {
      id: nextID++,
      batchId: batch.id,
      sourcePath,
      file: null,
      vpath,
      name: nameOf(vpath),
      overwrite: false,
      state: 'failed',
      sentBytes: 0,
      failure: 'unreadable',
      uploadURL: null,
    },
  ])
}

/** Gives up what of this batch has not been sent yet. */
export function abandonBatch(batch: Batch): void {
  batch.controller.abort(abortReason())
  for (const item of queue.rows()) {
    if (item.batchId === batch.id && item.state !== 'failed') queue.cancel(item.id)
  }
}

/** Counts files that the server has already, so that the panel can say so. */
export function countSkipped(files: number): void {
  uploads.skipped += files
}

export const uploadRows = () => queue.rows()

export function pauseUpload(id: number): void {
  queue.pause(id)
}

export function resumeUpload(id: number): void {
  queue.resume(id)
}

export function cancelUpload(id: number): void {
  queue.cancel(id)
}

export function retryUpload(id: number): void {
  const item = queue.get(id)
  if (item?.state !== 'failed' || !isRetryable(item)) return
  reopen(item)
  queue.retry(id)
}

export function retryFailed(): void {
  for (const item of queue.rows()) retryUpload(item.id)
}

/** Lets a file that was refused because of its name replace what is there, or go beside it. */
export function retryAs(id: number, change: { overwrite: boolean; vpath: string }): void {
  const item = queue.get(id)
  if (item?.state !== 'failed') return
  item.overwrite = change.overwrite
  item.vpath = change.vpath
  item.name = nameOf(change.vpath)
  item.uploadURL = null
  reopen(item)
  queue.retry(id)
}

/** What could not be read on this computer has nothing to be sent again. */
export function isRetryable(item: UploadItem): boolean {
  return item.failure !== 'unreadable' || item.file !== null
}

export function pauseAll(): void {
  queue.hold('paused')
}

export function resumeAll(): void {
  queue.resumeAll()
}

export function cancelAll(): void {
  for (const batch of batches.values()) batch.controller.abort(abortReason())
  queue.cancelAll()
}

/** Puts the panel away; failed uploads are given up. Running ones are not touched. */
export function dismissUploads(): void {
  if (isUploading()) return
  for (const item of queue.rows()) {
    if (item.state === 'failed' && item.uploadURL !== null) queue.cancel(item.id)
  }
  queue.clearFinished(false)
  for (const batch of batches.values()) journal.removeBatch(batch.id)
  batches.clear()
  show()
}

/** Finds out what a reload or crash cut short. Call when somebody signed in. */
export async function loadInterrupted(): Promise<void> {
  const user = session.user
  if (user === null) return
  const [found, others] = await Promise.all([journal.load(user.id), ownership.ofOthers()])
  interrupted.clear()
  for (const batch of found) {
    if (batches.has(batch.id) || others.has(batch.id)) continue
    if (batch.items.some((item) => !item.done)) interrupted.set(batch.id, batch)
    else journal.removeBatch(batch.id)
  }
  showInterrupted()
}

export function interruptedBatches(): InterruptedBatch[] {
  return [...interrupted.values()]
}

/** An interrupted item was taken up again, or turned out to be finished. */
export function takeInterrupted(batchID: string, item: JournalItem): void {
  const batch = interrupted.get(batchID)
  if (batch === undefined) return
  batch.items = batch.items.filter((other) => other !== item)
  journal.removeItem(batchID, item.sourcePath)
  if (batch.items.some((other) => !other.done)) return
  interrupted.delete(batchID)
  journal.removeBatch(batchID)
}

/** Forgets an interrupted upload and what the server holds of it. */
export async function discardInterrupted(batchID: string): Promise<void> {
  const batch = interrupted.get(batchID)
  if (batch === undefined) return
  interrupted.delete(batchID)
  journal.removeBatch(batchID)
  showInterrupted()
  for (const item of batch.items) {
    if (item.done || item.uploadURL === null) continue
    await discardUpload(joinPath(batch.targetPath, item.targetPath)).catch(() => {})
  }
}

export function showInterrupted(): void {
  uploads.interrupted = ref([...interrupted.values()].map(toSummary))
}

function reopen(item: UploadItem) {
  const batch = batches.get(item.batchId)
  if (batch === undefined) return
  batch.failed--
  batch.open++
}

function settle(item: UploadItem) {
  const batch = batches.get(item.batchId)
  if (batch === undefined) return
  batch.open--
  if (item.state === 'done') {
    batch.done++
    batch.folders.add(parentOf(item.vpath))
    remember(item)
  } else if (item.state === 'failed') {
    batch.failed++
  } else {
    journal.removeItem(batch.id, item.sourcePath)
  }
  finishWhenEmpty(batch)
}

function finishWhenEmpty(batch: Batch) {
  if (batch.open > 0 || batch.reading) return
  // Only what changed is fetched again, and only if it is on the screen.
  if (batch.done > 0) {
    batch.folders.add(batch.targetPath)
    for (const folder of batch.folders) void reloadFolder(folder)
    batch.folders.clear()
    refreshUsage()
  }
  if (batch.failed > 0) return
  batches.delete(batch.id)
  journal.removeBatch(batch.id)
}

/** Writes down how far an item is, for continuing after a reload. */
function remember(item: UploadItem) {
  const batch = batches.get(item.batchId)
  if (batch === undefined) return
  journal.putItem({
    batchID: batch.id,
    sourcePath: item.sourcePath,
    targetPath:
      batch.targetPath === '/'
        ? item.vpath.slice(1)
        : item.vpath.slice(batch.targetPath.length + 1),
    sizeBytes: item.file?.size ?? 0,
    lastModifiedMs: item.file?.lastModified ?? 0,
    overwrite: item.overwrite,
    done: item.state === 'done',
    uploadURL: item.uploadURL,
  })
}

function show() {
  const totals = queue.totals()
  Object.assign(uploads, totals)
  uploads.hold = queue.held()
  uploads.revision++
  uploads.shown = totals.files > 0 || uploads.preparing > 0 || uploads.skipped > 0
  const busy = isUploading()
  guardLeaving(busy)
  keepAwake(totals.active > 0)
  tick(busy)
  tellProgress(busy)
}

/** Speed is sampled every second, however often the totals change. */
function tick(busy: boolean) {
  if (!busy) {
    clearInterval(ticking)
    ticking = undefined
    meter.reset()
    uploads.bytesPerSecond = 0
    uploads.secondsLeft = null
    return
  }
  ticking ??= setInterval(sample, SAMPLE_INTERVAL_MS)
}

function sample() {
  const { active, totalBytes, sentBytes } = queue.totals()
  if (active === 0) meter.reset()
  else meter.sample(sentBytes, performance.now())
  uploads.bytesPerSecond = meter.bytesPerSecond()
  uploads.secondsLeft = secondsLeft(totalBytes - sentBytes, meter.bytesPerSecond())
}

/** Screen readers hear of a quarter, a half, three quarters and the end, not of every percent. */
function tellProgress(busy: boolean) {
  const { done, failed, skipped } = uploads
  if (busy && uploads.preparing === 0) {
    const quarter = Math.floor(uploadPercent() / 25) * 25
    if (quarter <= milestone || quarter >= 100) return
    milestone = quarter
    announce(i18n._(msg`Uploads are ${quarter} % done`))
    return
  }
  if (busy || milestone === 100 || done + failed + skipped === 0) return
  milestone = 100
  announce(
    failed > 0
      ? i18n._(msg`Uploads finished. Failed: ${failed}`)
      : i18n._(msg`Uploads are 100 % done`),
    failed > 0,
  )
}

function abortReason(): DOMException {
  return new DOMException('cancelled', 'AbortError')
}
