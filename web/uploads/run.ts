// The one queue of this page, wired to the server, the session, the journal and the screen. Other
// modules add batches to it and steer it; React only reads web/state/uploads.ts.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { discardUpload } from '../api/uploads.ts'
import { hasTrash } from '../lib/boot.ts'
import { announce } from '../lib/page/announce.ts'
import { markUnreachable, whenOnline } from '../lib/page/network.ts'
import { joinPath, nameOf, parentOf } from '../lib/paths.ts'
import { createArrivals } from '../operations/arrivals.ts'
import { reloadFolder } from '../operations/open-folder.ts'
import { onLogOut, session } from '../state/session.ts'
import { isUploading, uploadPercent, uploads } from '../state/uploads.ts'
import { refreshUsage } from '../state/usage.ts'
import type { PlannedEntry } from './clashes.ts'
import { forgetBatch, journal, scopeName } from './drop/upload-memory.ts'
import { noteEnded, offerInPanel, tellEnded } from './ended.ts'
import { keepAwake, warnOnLeaving } from './guards.ts'
import { noteTimeLeft, notifyEnd } from './notify.ts'
import { watchOwnership } from './ownership.ts'
import { UploadQueue } from './queue.ts'
import { mayGoTogether, refusedToken, send } from './send.ts'
import { whenSignedIn } from './signed-out.ts'
import { createSpeedMeter, SAMPLE_INTERVAL_MS, secondsLeft } from './speed.ts'
import type { UploadItem } from './upload-item.ts'

/** One drop, pick or paste. */
export interface Batch {
  readonly id: string
  readonly targetPath: string
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
interface Continuation {
  overwrite: boolean
  uploadURL: string | null
  targetPath: string
}

export const ownership = watchOwnership(scopeName, () => [...batches.keys()])
// What was done in the last moments is not forgotten by a reload.
addEventListener('pagehide', () => void journal.flush())
// By then nothing can be kept from stopping any more, and the journal knows where to go on.
let isLoggedOut = false
onLogOut(() => {
  isLoggedOut = true
  warnOnLeaving(false)
})
const batches = new Map<string, Batch>()
const meter = createSpeedMeter()
const arrivals = createArrivals(async () => {
  await Promise.all(
    [...batches.values()].filter(({ folders }) => folders.size > 0).map(showArrived),
  )
})
let nextID = 1
let ticking: ReturnType<typeof setInterval> | undefined
let milestone = 0
let wasBusy = false

const queue = new UploadQueue({
  send,
  mayGoTogether,
  async discard(item) {
    // Nothing there any more, or not reachable: the server forgets unfinished uploads by itself.
    await discardUpload(item.vpath).catch(() => {})
  },
  onChange: show,
  onSettled: settle,
  onUploadURL: remember,
  onHold(hold) {
    meter.reset()
    if (hold === 'signed-out') {
      void whenSignedIn(refusedToken()).then(() => queue.release('signed-out'))
    } else if (hold === 'offline') {
      markUnreachable()
      void whenOnline().then(() => queue.release('offline'))
    }
  },
})

/** Opens a batch into the folder `targetPath`; `closeBatch` must follow. */
export function openBatch(targetPath: string): Batch {
  // The queue tells of its changes a moment late.
  show()
  if (!isUploading()) {
    queue.clearFinished(true)
    milestone = 0
    uploads.skipped = 0
    uploads.ended = []
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
    const { sourcePath, file } = entry
    const known = continuation.get(sourcePath)
    const { targetPath, overwrite } = known ?? entry
    const uploadURL = known?.uploadURL ?? null
    return { ...newItem(batch, sourcePath, targetPath), file, overwrite, uploadURL }
  })
  batch.open += items.length
  for (const item of items) remember(item)
  queue.add(items)
}

export function enqueueUnreadable(batch: Batch, sourcePath: string): void {
  batch.failed++
  const item = newItem(batch, sourcePath, sourcePath)
  queue.add([{ ...item, state: 'failed', failure: 'unreadable' }])
}

function newItem(batch: Batch, sourcePath: string, targetPath: string): UploadItem {
  const vpath = joinPath(batch.targetPath, targetPath)
  return {
    id: nextID++,
    batchId: batch.id,
    sourcePath,
    file: null,
    vpath,
    name: nameOf(vpath),
    overwrite: false,
    state: 'waiting',
    sentBytes: 0,
    failure: null,
    uploadURL: null,
  }
}

/** Gives up what of this batch has not been sent yet. */
export function abandonBatch(batch: Batch): void {
  batch.controller.abort(abortReason())
  const given = queue
    .rows()
    .filter(({ batchId, state }) => batchId === batch.id && state !== 'failed')
  queue.cancelMany(given.map(({ id }) => id))
}

/** Counts files that the server has already, so that the panel can say so. */
export function countSkipped(files: number): void {
  uploads.skipped += files
}

export const uploadRows = () => queue.rows()

/** True for what the panel shows as unfinished. */
export function isInPanel(vpath: string): boolean {
  return queue.rows().some((item) => item.vpath === vpath && item.state !== 'done')
}

export const pauseUpload = (id: number) => queue.pause(id)
export const resumeUpload = (id: number) => queue.resume(id)
export const cancelUpload = (id: number) => queue.cancel(id)
export const pauseAll = () => queue.hold('paused')
export const resumeAll = () => queue.resumeAll()

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
  for (const batch of batches.values()) forgetBatch(batch.id)
  batches.clear()
  uploads.ended = []
  show()
}

export function isOpenBatch(id: string): boolean {
  return batches.has(id)
}

function reopen(item: UploadItem) {
  const batch = batches.get(item.batchId)
  if (batch === undefined) return
  batch.failed--
  batch.open++
}

function settle(item: UploadItem, hadFailed: boolean) {
  const batch = batches.get(item.batchId)
  if (batch === undefined) return
  if (hadFailed) batch.failed--
  else batch.open--
  if (item.state === 'done') {
    batch.done++
    batch.folders.add(parentOf(item.vpath))
    arrivals.note()
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
  if (batch.folders.size > 0) {
    if (hasTrash) {
      const folders = [...batch.folders, batch.targetPath]
      const others = [...batches.values()].filter(({ open, reading }) => open > 0 || reading)
      noteEnded({ id: batch.id, folders, files: batch.done }, others.length > 0)
    }
    void showArrived(batch)
    batch.folders.clear()
    refreshUsage()
  }
  if (batch.failed > 0) return
  batches.delete(batch.id)
  forgetBatch(batch.id)
}

/** Only what changed is fetched again, and only if it is on the screen. */
async function showArrived({ folders, targetPath }: Batch): Promise<void> {
  await Promise.all([...folders, targetPath].map(reloadFolder))
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
    isDir: item.file === null,
    sizeBytes: item.file?.size ?? 0,
    lastModifiedMs: item.file?.lastModified ?? 0,
    overwrite: item.overwrite,
    done: item.state === 'done',
    uploadURL: item.uploadURL,
  })
}

function show() {
  endIdleHold()
  const totals = queue.totals()
  Object.assign(uploads, totals)
  uploads.hold = queue.currentHold()
  uploads.revision++
  uploads.shown = totals.files > 0 || uploads.preparing > 0 || uploads.skipped > 0
  const busy = isUploading()
  warnOnLeaving(busy && !isLoggedOut)
  keepAwake(totals.active > 0)
  tick(busy)
  tellProgress(busy)
  if (wasBusy && !busy) onIdle()
  wasBusy = busy
}

/** With nothing left to hold back, what a person stopped or a full server refused must not stop the next. */
function endIdleHold() {
  if (isUploading({ ...queue.totals(), preparing: uploads.preparing })) return
  queue.release('paused')
  queue.release('no-space')
  queue.release('folder-full')
}

/** Nobody looks at the panel: failures bring it back, success is said in one line. */
function onIdle() {
  const { done, failed, collapsed } = uploads
  void notifyEnd(done, failed)
  uploads.collapsed = false
  if (failed > 0 || !collapsed) return offerInPanel(dismissUploads)
  if (done > 0) tellEnded(done)
  dismissUploads()
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
  void arrivals.showSoFar()
  const { active, totalBytes, sentBytes } = queue.totals()
  if (active === 0) meter.reset()
  else meter.sample(sentBytes, performance.now())
  uploads.bytesPerSecond = meter.bytesPerSecond()
  uploads.secondsLeft = secondsLeft(totalBytes - sentBytes, meter.bytesPerSecond())
  noteTimeLeft(uploads.secondsLeft)
}

/** Screen readers hear of a quarter, a half, three quarters and the end, not of every percent. */
function tellProgress(busy: boolean) {
  const { done, failed, skipped } = uploads
  if (busy && uploads.preparing === 0) {
    const quarter = Math.floor(uploadPercent() / 25) * 25
    if (quarter <= milestone || quarter >= 100) return
    milestone = quarter
    announce(i18n._(msg`Uploads ${quarter}% complete`))
    return
  }
  if (busy || milestone === 100 || done + failed + skipped === 0) return
  milestone = 100
  announce(
    failed > 0
      ? i18n._(msg`Uploads finished. Failed: ${failed}`)
      : i18n._(msg`Uploads 100% complete`),
    failed > 0,
  )
}

function abortReason(): DOMException {
  return new DOMException('cancelled', 'AbortError')
}
