// The upload queue: at most five at once, in order, each one pausable, cancellable and repeatable.
// Knows neither the page nor the protocol: a `send` function does the work, a listener hears of
// changes in batches so that ten thousand small files do not redraw the page ten thousand times.

import type { Hold } from '../state/uploads.ts'
import { UploadError, type UploadFailureCode, type UploadItem, weightOf } from './upload-item.ts'

const MAX_ACTIVE = 5
const NOTIFY_INTERVAL_MS = 100

export interface SendEvents {
  onProgress(sentBytes: number): void
  /** The server keeps this upload at `url`; it can be continued from there. */
  onUploadURL(url: string): void
}

/**
 * Sends one item. Resolves when the server has it, rejects with UploadError, or with anything after
 * `signal` was aborted; an abort leaves the part already received on the server.
 */
export type Send = (item: UploadItem, events: SendEvents, signal: AbortSignal) => Promise<void>

export interface QueueTotals {
  files: number
  done: number
  failed: number
  active: number
  waiting: number
  paused: number
  /** Weights of all items not cancelled, and how much of it was sent. */
  totalBytes: number
  sentBytes: number
}

export interface QueueOptions {
  send: Send
  /** Removes what the server holds of a cancelled item. Must not reject. */
  discard(item: UploadItem): Promise<void>
  onChange(): void
  /** An item reached done, failed or cancelled; `hadFailed` when it was failed before. */
  onSettled?(item: UploadItem, hadFailed: boolean): void
  onUploadURL?(item: UploadItem): void
  onHold?(hold: Hold | null): void
  maxActive?: number
  /** Runs a task later; tests pass their own clock. */
  defer?(task: () => void, delayMs: number): void
}

export interface UploadQueue {
  add(items: readonly UploadItem[]): void
  pause(id: number): void
  resume(id: number): void
  cancel(id: number): void
  /** Cancels these, without starting any of them meanwhile. */
  cancelMany(ids: readonly number[]): void
  /** Starts a failed item anew, before those still waiting. */
  retry(id: number): void
  retryFailed(): void
  /** Stops everything running and starts nothing new. */
  hold(reason: Hold): void
  /** Goes on after a hold for this reason; items paused one by one stay paused. */
  release(reason: Hold): void
  /** Goes on with everything, whatever stopped it. */
  resumeAll(): void
  cancelAll(): void
  /** Forgets finished items; failed ones stay when `keepFailed`. */
  clearFinished(keepFailed: boolean): void
  get(id: number): UploadItem | undefined
  /** In display order: failed, active, waiting and paused, done. */
  rows(): UploadItem[]
  totals(): QueueTotals
  held(): Hold | null
}

/** Failures that stop the whole queue, because every other file would meet them too. */
const HOLD_FOR: Partial<Record<UploadFailureCode, Hold>> = {
  network: 'offline',
  timeout: 'offline',
  unauthenticated: 'signed-out',
  no_space: 'no-space',
}

function unsentOf(item: UploadItem): number {
  return weightOf(item) - item.sentBytes
}

export function createQueue(options: QueueOptions): UploadQueue {
  const { send, discard, onChange, onSettled, onUploadURL, onHold } = options
  const maxActive = options.maxActive ?? MAX_ACTIVE
  const defer = options.defer ?? ((task, delayMs) => void setTimeout(task, delayMs))

  const items = new Map<number, UploadItem>()
  const controllers = new Map<number, AbortController>()
  // Entries may be stale: an item is started from here only while its state is `waiting`.
  let queue: UploadItem[] = []
  let head = 0
  const urgent: UploadItem[] = []
  let hold: Hold | null = null
  let notifying = false
  const counts: Record<UploadItem['state'], number> = {
    waiting: 0,
    active: 0,
    paused: 0,
    failed: 0,
    done: 0,
    cancelled: 0,
  }
  // A failed item counts with what was sent of it only, so that the rest can reach 100 %.
  let totalBytes = 0
  let sentBytes = 0

  function notify() {
    if (notifying) return
    notifying = true
    defer(() => {
      notifying = false
      onChange()
    }, NOTIFY_INTERVAL_MS)
  }

  function setState(item: UploadItem, state: UploadItem['state']) {
    if (item.state === 'failed') totalBytes += unsentOf(item)
    if (state === 'failed') totalBytes -= unsentOf(item)
    counts[item.state]--
    counts[state]++
    item.state = state
    notify()
  }

  /** Takes an item out of the counts and the totals. */
  function drop(item: UploadItem) {
    if (item.state === 'failed') totalBytes += unsentOf(item)
    totalBytes -= weightOf(item)
    sentBytes -= item.sentBytes
    counts[item.state]--
    items.delete(item.id)
    notify()
  }

  function setSent(item: UploadItem, bytes: number) {
    const next = Math.min(Math.max(0, bytes), weightOf(item))
    sentBytes += next - item.sentBytes
    item.sentBytes = next
  }

  function setHold(reason: Hold | null) {
    if (hold === reason) return
    hold = reason
    onHold?.(hold)
    notify()
  }

  function takeNext(): UploadItem | null {
    for (let item = urgent.shift(); item !== undefined; item = urgent.shift()) {
      if (item.state === 'waiting') return item
    }
    while (head < queue.length) {
      const item = queue[head++]
      if (head > 1000 && head * 2 > queue.length) {
        queue = queue.slice(head)
        head = 0
      }
      if (item?.state === 'waiting') return item
    }
    return null
  }

  function fill() {
    while (hold === null && counts.active < maxActive) {
      const item = takeNext()
      if (item === null) return
      void run(item)
    }
  }

  async function run(item: UploadItem) {
    const controller = new AbortController()
    controllers.set(item.id, controller)
    item.failure = null
    setState(item, 'active')
    try {
      await send(
        item,
        {
          onProgress: (bytes) => {
            if (controller.signal.aborted) return
            setSent(item, bytes)
            notify()
          },
          onUploadURL: (url) => {
            if (item.uploadURL === url) return
            item.uploadURL = url
            onUploadURL?.(item)
          },
        },
        controller.signal,
      )
      // Paused or cancelled in the same moment: the server has it all, so it counts as done
      // unless someone already decided otherwise.
      if (controllers.get(item.id) === controller) finish(item)
    } catch (error) {
      if (controllers.get(item.id) === controller) fail(item, error)
    }
    fill()
  }

  function finish(item: UploadItem) {
    controllers.delete(item.id)
    setSent(item, weightOf(item))
    setState(item, 'done')
    onSettled?.(item, false)
  }

  function fail(item: UploadItem, error: unknown) {
    controllers.delete(item.id)
    const code = error instanceof UploadError ? error.code : 'internal'
    const reason = HOLD_FOR[code]
    if (reason === 'offline' || reason === 'signed-out') {
      // Not this file's fault: it goes back to the front and continues when the cause is gone.
      setState(item, 'waiting')
      urgent.push(item)
      if (hold === null) setHold(reason)
      return
    }
    item.failure = code
    setState(item, 'failed')
    if (reason !== undefined && hold === null) setHold(reason)
    onSettled?.(item, false)
  }

  /** Ends the running request, if any, so that its result no longer counts. */
  function stop(item: UploadItem) {
    const controller = controllers.get(item.id)
    controllers.delete(item.id)
    controller?.abort()
  }

  function cancelItem(item: UploadItem) {
    if (item.state === 'done' || item.state === 'cancelled') return
    const hadFailed = item.state === 'failed'
    stop(item)
    drop(item)
    item.state = 'cancelled'
    if (item.uploadURL !== null) void discard(item)
    onSettled?.(item, hadFailed)
  }

  function cancelMany(ids: readonly number[]) {
    for (const id of ids) {
      const item = items.get(id)
      if (item !== undefined) cancelItem(item)
    }
    fill()
  }

  function retryItem(item: UploadItem) {
    if (item.state !== 'failed') return
    item.failure = null
    setState(item, 'waiting')
    urgent.push(item)
  }

  return {
    add(added) {
      for (const item of added) {
        items.set(item.id, item)
        queue.push(item)
        counts[item.state]++
        totalBytes += weightOf(item)
        sentBytes += item.sentBytes
      }
      notify()
      fill()
    },
    pause(id) {
      const item = items.get(id)
      if (item === undefined || (item.state !== 'active' && item.state !== 'waiting')) return
      stop(item)
      setState(item, 'paused')
      fill()
    },
    resume(id) {
      const item = items.get(id)
      if (item?.state !== 'paused') return
      setState(item, 'waiting')
      urgent.push(item)
      fill()
    },
    cancel(id) {
      cancelMany([id])
    },
    cancelMany,
    retry(id) {
      const item = items.get(id)
      if (item === undefined) return
      retryItem(item)
      if (hold === 'no-space') setHold(null)
      fill()
    },
    retryFailed() {
      for (const item of items.values()) retryItem(item)
      if (hold === 'no-space') setHold(null)
      fill()
    },
    hold(reason) {
      setHold(reason)
      for (const id of [...controllers.keys()].reverse()) {
        const item = items.get(id)
        if (item === undefined) continue
        stop(item)
        setState(item, 'waiting')
        urgent.unshift(item)
      }
    },
    release(reason) {
      if (hold !== reason) return
      setHold(null)
      fill()
    },
    resumeAll() {
      setHold(null)
      for (const item of items.values()) {
        if (item.state !== 'paused') continue
        setState(item, 'waiting')
        urgent.push(item)
      }
      fill()
    },
    cancelAll() {
      queue = []
      head = 0
      urgent.length = 0
      for (const item of [...items.values()]) cancelItem(item)
      setHold(null)
    },
    clearFinished(keepFailed) {
      for (const item of [...items.values()]) {
        if (item.state !== 'done' && (keepFailed || item.state !== 'failed')) continue
        drop(item)
      }
    },
    get: (id) => items.get(id),
    rows() {
      const failed: UploadItem[] = []
      const active: UploadItem[] = []
      const waiting: UploadItem[] = []
      const done: UploadItem[] = []
      for (const item of items.values()) {
        if (item.state === 'failed') failed.push(item)
        else if (item.state === 'active') active.push(item)
        else if (item.state === 'done') done.push(item)
        else waiting.push(item)
      }
      return [...failed, ...active, ...waiting, ...done]
    },
    totals: () => ({
      files: items.size,
      done: counts.done,
      failed: counts.failed,
      active: counts.active,
      waiting: counts.waiting,
      paused: counts.paused,
      totalBytes,
      sentBytes,
    }),
    held: () => hold,
  }
}
