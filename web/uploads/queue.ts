// The upload queue: at most five at once, in order, each one pausable, cancellable and repeatable.
// Knows neither the page nor the protocol: a `send` function does the work, a listener hears of
// changes in batches so that ten thousand small files do not redraw the page ten thousand times.

import type { Hold } from '../state/uploads.ts'
import { UploadError, type UploadFailureCode, type UploadItem, weightOf } from './upload-item.ts'

const MAX_ACTIVE = 5
/** Of those that go together. */
const MAX_TOGETHER = 256
/** With fewer waiting each goes by itself. */
const MIN_TOGETHER = 16
const NOTIFY_INTERVAL_MS = 100

export interface SendEvents {
  onProgress(sentBytes: number): void
  /** The server keeps this upload at `url`; it can be continued from there. May come after an abort. */
  onUploadURL(url: string): void
  /** It goes together with others of this moment. */
  isTogether: boolean
}

/**
 * Sends one item. Resolves when the server has it, rejects with UploadError, or with anything after
 * `signal` was aborted; an abort leaves the part already received on the server.
 */
export type Send = (item: UploadItem, events: SendEvents, signal: AbortSignal) => Promise<void>

interface QueueTotals {
  files: number
  done: number
  failed: number
  active: number
  waiting: number
  paused: number
  /** Weights of all items neither cancelled nor failed, and how much of it was sent. */
  totalBytes: number
  sentBytes: number
  /** What is left of those that failed. */
  failedBytes: number
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
  /** Whether an item may go together with others, when many wait. */
  mayGoTogether?(item: UploadItem): boolean
  maxActive?: number
  /** Runs a task later; tests pass their own clock. */
  defer?(task: () => void, delayMs: number): void
}

/** Failures that stop the whole queue, because every other file would meet them too. */
const HOLD_FOR: Partial<Record<UploadFailureCode, Hold>> = {
  network: 'offline',
  timeout: 'offline',
  unauthenticated: 'signed-out',
  no_space: 'no-space',
  quota_exceeded: 'folder-full',
}

function isFull(hold: Hold | null): boolean {
  return hold === 'no-space' || hold === 'folder-full'
}

function unsentOf(item: UploadItem): number {
  return weightOf(item) - item.sentBytes
}

export class UploadQueue {
  readonly #options: QueueOptions
  readonly #items = new Map<number, UploadItem>()
  /** Active ones that go together. */
  readonly #together = new Set<UploadItem>()
  readonly #controllers = new Map<number, AbortController>()
  // Entries may be stale: an item is started from here only while its state is `waiting`.
  #queue: UploadItem[] = []
  #head = 0
  /** These go before the queue. */
  readonly #urgent: UploadItem[] = []
  #hold: Hold | null = null
  #notifying = false
  readonly #counts: Record<UploadItem['state'], number> = {
    waiting: 0,
    active: 0,
    paused: 0,
    failed: 0,
    done: 0,
    cancelled: 0,
  }
  // A failed item counts with what was sent of it only, so that the rest can reach 100 %.
  #totalBytes = 0
  #sentBytes = 0
  #failedBytes = 0

  constructor(options: QueueOptions) {
    this.#options = options
  }

  add(added: readonly UploadItem[]): void {
    for (const item of added) {
      this.#items.set(item.id, item)
      this.#queue.push(item)
      this.#counts[item.state]++
      this.#totalBytes += weightOf(item)
      this.#sentBytes += item.sentBytes
    }
    this.#notify()
    this.#fill()
  }

  pause(id: number): void {
    const item = this.#items.get(id)
    if (item === undefined || (item.state !== 'active' && item.state !== 'waiting')) return
    this.#stop(item)
    this.#setState(item, 'paused')
    this.#fill()
  }

  resume(id: number): void {
    const item = this.#items.get(id)
    if (item?.state !== 'paused') return
    this.#setState(item, 'waiting')
    this.#urgent.push(item)
    this.#fill()
  }

  cancel(id: number): void {
    this.cancelMany([id])
  }

  cancelMany(ids: readonly number[]): void {
    for (const id of ids) {
      const item = this.#items.get(id)
      if (item !== undefined) this.#cancelItem(item)
    }
    this.#fill()
  }

  /** Starts a failed item anew, before those still waiting. */
  retry(id: number): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    this.#retryItem(item)
    if (isFull(this.#hold)) this.#setHold(null)
    this.#fill()
  }

  retryFailed(): void {
    for (const item of this.#items.values()) this.#retryItem(item)
    if (isFull(this.#hold)) this.#setHold(null)
    this.#fill()
  }

  /** Stops everything running and starts nothing new. */
  hold(reason: Hold): void {
    this.#setHold(reason)
    for (const id of [...this.#controllers.keys()].reverse()) {
      const item = this.#items.get(id)
      if (item === undefined) continue
      this.#stop(item)
      this.#setState(item, 'waiting')
      this.#urgent.unshift(item)
    }
  }

  /** Goes on after a hold for this reason; items paused one by one stay paused. */
  release(reason: Hold): void {
    if (this.#hold !== reason) return
    this.#setHold(null)
    this.#fill()
  }

  resumeAll(): void {
    this.#setHold(null)
    for (const item of this.#items.values()) {
      if (item.state !== 'paused') continue
      this.#setState(item, 'waiting')
      this.#urgent.push(item)
    }
    this.#fill()
  }

  cancelAll(): void {
    this.#queue = []
    this.#head = 0
    this.#urgent.length = 0
    for (const item of [...this.#items.values()]) this.#cancelItem(item)
    this.#setHold(null)
  }

  /** Forgets finished items; failed ones stay when `keepFailed`. */
  clearFinished(keepFailed: boolean): void {
    for (const item of [...this.#items.values()]) {
      if (item.state !== 'done' && (keepFailed || item.state !== 'failed')) continue
      this.#drop(item)
    }
  }

  get(id: number): UploadItem | undefined {
    return this.#items.get(id)
  }

  /** In display order: failed, active, waiting and paused, done. */
  rows(): UploadItem[] {
    const failed: UploadItem[] = []
    const active: UploadItem[] = []
    const waiting: UploadItem[] = []
    const done: UploadItem[] = []
    for (const item of this.#items.values()) {
      if (item.state === 'failed') failed.push(item)
      else if (item.state === 'active') active.push(item)
      else if (item.state === 'done') done.push(item)
      else waiting.push(item)
    }
    return [...failed, ...active, ...waiting, ...done]
  }

  totals(): QueueTotals {
    const { done, failed, active, waiting, paused } = this.#counts
    const files = this.#items.size
    return {
      ...{ files, done, failed, active, waiting, paused },
      totalBytes: this.#totalBytes,
      sentBytes: this.#sentBytes,
      failedBytes: this.#failedBytes,
    }
  }

  currentHold(): Hold | null {
    return this.#hold
  }

  #notify(): void {
    if (this.#notifying) return
    this.#notifying = true
    const defer = this.#options.defer ?? ((task, delayMs) => void setTimeout(task, delayMs))
    defer(() => {
      this.#notifying = false
      this.#options.onChange()
    }, NOTIFY_INTERVAL_MS)
  }

  #setState(item: UploadItem, state: UploadItem['state']): void {
    if (item.state === 'failed') this.#countFailed(-unsentOf(item))
    if (state === 'failed') this.#countFailed(unsentOf(item))
    this.#counts[item.state]--
    this.#counts[state]++
    item.state = state
    if (state !== 'active') this.#together.delete(item)
    this.#notify()
  }

  #countFailed(bytes: number): void {
    this.#totalBytes -= bytes
    this.#failedBytes += bytes
  }

  #drop(item: UploadItem): void {
    if (item.state === 'failed') this.#countFailed(-unsentOf(item))
    this.#totalBytes -= weightOf(item)
    this.#sentBytes -= item.sentBytes
    this.#counts[item.state]--
    this.#items.delete(item.id)
    this.#together.delete(item)
    this.#notify()
  }

  #setSent(item: UploadItem, bytes: number): void {
    const next = Math.min(Math.max(0, bytes), weightOf(item))
    this.#sentBytes += next - item.sentBytes
    item.sentBytes = next
  }

  #setHold(reason: Hold | null): void {
    if (this.#hold === reason) return
    this.#hold = reason
    this.#options.onHold?.(this.#hold)
    this.#notify()
  }

  /** The one whose turn it is; entries that are stale are dropped. */
  #next(): UploadItem | null {
    while (this.#urgent[0] !== undefined && this.#urgent[0].state !== 'waiting')
      this.#urgent.shift()
    if (this.#urgent[0] !== undefined) return this.#urgent[0]
    while (this.#head < this.#queue.length && this.#queue[this.#head]?.state !== 'waiting')
      this.#head++
    if (this.#head > 1000 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return this.#queue[this.#head] ?? null
  }

  #fill(): void {
    const maxActive = this.#options.maxActive ?? MAX_ACTIVE
    while (this.#hold === null) {
      const item = this.#next()
      if (item === null) return
      const together = this.#together.size
      const areMany = together > 0 || this.#counts.waiting >= MIN_TOGETHER
      const isTogether = areMany && this.#options.mayGoTogether?.(item) === true
      const others = this.#counts.active - together
      if (isTogether ? together >= MAX_TOGETHER : others >= maxActive) return
      if (item === this.#urgent[0]) this.#urgent.shift()
      else this.#head++
      if (isTogether) this.#together.add(item)
      void this.#run(item, isTogether)
    }
  }

  async #run(item: UploadItem, isTogether: boolean): Promise<void> {
    const controller = new AbortController()
    this.#controllers.set(item.id, controller)
    item.failure = null
    this.#setState(item, 'active')
    try {
      await this.#options.send(
        item,
        {
          isTogether,
          onProgress: (bytes) => {
            if (controller.signal.aborted) return
            this.#setSent(item, bytes)
            this.#notify()
          },
          onUploadURL: (url) => {
            if (item.uploadURL === url) return
            item.uploadURL = url
            if (item.state === 'cancelled') void this.#options.discard(item)
            else this.#options.onUploadURL?.(item)
          },
        },
        controller.signal,
      )
      // Paused or cancelled in the same moment: the server has it all, so it counts as done
      // unless someone already decided otherwise.
      if (this.#controllers.get(item.id) === controller) this.#finish(item)
    } catch (error) {
      if (this.#controllers.get(item.id) === controller) this.#fail(item, error)
    }
    this.#fill()
  }

  #finish(item: UploadItem): void {
    this.#controllers.delete(item.id)
    this.#setSent(item, weightOf(item))
    this.#setState(item, 'done')
    this.#options.onSettled?.(item, false)
  }

  #fail(item: UploadItem, error: unknown): void {
    this.#controllers.delete(item.id)
    const code = error instanceof UploadError ? error.code : 'internal'
    const reason = HOLD_FOR[code]
    if (reason === 'offline' || reason === 'signed-out') {
      // Not this file's fault: it goes back to the front and continues when the cause is gone.
      this.#setState(item, 'waiting')
      this.#urgent.push(item)
      if (this.#hold === null) this.#setHold(reason)
      return
    }
    item.failure = code
    item.lock = error instanceof UploadError ? error.lock : undefined
    this.#setState(item, 'failed')
    if (reason !== undefined && this.#hold === null) this.#setHold(reason)
    this.#options.onSettled?.(item, false)
  }

  /** Ends the running request, if any, so that its result no longer counts. */
  #stop(item: UploadItem): void {
    const controller = this.#controllers.get(item.id)
    this.#controllers.delete(item.id)
    controller?.abort()
  }

  #cancelItem(item: UploadItem): void {
    if (item.state === 'done' || item.state === 'cancelled') return
    const hadFailed = item.state === 'failed'
    this.#stop(item)
    this.#drop(item)
    item.state = 'cancelled'
    if (item.uploadURL !== null) void this.#options.discard(item)
    this.#options.onSettled?.(item, hadFailed)
  }

  #retryItem(item: UploadItem): void {
    if (item.state !== 'failed') return
    item.failure = null
    this.#setState(item, 'waiting')
    this.#urgent.push(item)
  }
}
