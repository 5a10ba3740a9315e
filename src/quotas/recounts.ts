// When limited folders are counted from the disk: before their first file, daily, and when it is not sure
// what they hold.
import { setTimeout as wait } from 'node:timers/promises'
import type { Volume } from '../files/volume/volume.ts'
import type { Logger } from '../lib/log.ts'
import { createCount } from './count.ts'
import type { Counter, Ledger } from './ledger.ts'

const DAY_MS = 24 * 60 * 60_000
/** An upload that was under way when its folder was limited may have been counted by nobody. */
const AFTER_FIRST_MS = 10 * 60_000
const AFTER_FAILURE_MS = 10 * 60_000
const AFTER_DOUBT_MS = 60_000
/** After so many counts that were disturbed one is taken as it is. */
const MAX_DOUBTS = 5
/** Files wait so long for the first count of their folder; then they go by what is known. */
const PATIENCE_MS = 10_000

export interface Recounts {
  /** Counts what is due, one folder after the other. */
  run(): void
  /** Makes due what is another folder by now, such as a disk that was plugged in. */
  look(): Promise<void>
  /** Counts all anew. */
  all(): void
  /** Waits until a limited folder has been counted once, but not for long. */
  counted(counter: Counter): Promise<void>
  close(): Promise<void>
}

/** `onCounted` is told after each. */
export function createRecounts(
  volume: Volume,
  ledger: Ledger,
  { log, onCounted }: { log: Logger; onCounted: () => void },
): Recounts {
  const closing = new AbortController()
  const firsts = new WeakMap<Counter, { until: Promise<unknown>; end: () => void }>()
  const doubts = new WeakMap<Counter, number>()
  let running: Promise<void> | undefined

  const take = (counter: Counter, bytes: number, isSure: boolean) => {
    const wasCounted = counter.isCounted
    const doubted = isSure ? 0 : (doubts.get(counter) ?? 0) + 1
    doubts.set(counter, doubted)
    if (isSure || !wasCounted || doubted > MAX_DOUBTS) {
      // Rather too much than too little until a count is sure.
      counter.usedBytes = isSure || !wasCounted ? bytes : Math.max(bytes, counter.usedBytes)
      counter.isCounted = true
    }
    if (!isSure && doubted <= MAX_DOUBTS) return AFTER_DOUBT_MS
    return wasCounted ? DAY_MS : AFTER_FIRST_MS
  }
  const countOne = async (counter: Counter) => {
    const count = createCount()
    counter.count = count
    let restMs = AFTER_FAILURE_MS
    try {
      const top = await volume.openPlain(counter.folder)
      if (top) await count.run(volume, top, closing.signal).finally(top.close)
      // What is not there now may be on a disk that comes back.
      counter.identity = await identityAt(volume, counter.folder)
      if (top) restMs = take(counter, count.bytes, count.isSure)
      else counter.isCounted = true
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn(`${counter.folder} was not counted: ${(error as Error).message}`)
    } finally {
      counter.count = null
      counter.dueMs = Date.now() + restMs
      firsts.get(counter)?.end()
      onCounted()
    }
  }
  const next = () => {
    const due = [...ledger.counters.values()].filter(({ dueMs }) => dueMs <= Date.now())
    return due.find(({ isCounted }) => !isCounted) ?? due[0]
  }
  const runAll = async () => {
    for (let due = next(); due && !closing.signal.aborted; due = next()) await countOne(due)
  }
  const run = () => {
    running ??= runAll().finally(() => {
      running = undefined
    })
  }
  return {
    run,
    look: async () => {
      for (const counter of ledger.counters.values()) {
        const identity = await identityAt(volume, counter.folder).catch(() => counter.identity)
        if (counter.isCounted && identity !== counter.identity) counter.dueMs = 0
      }
    },
    all: () => {
      for (const counter of ledger.counters.values()) {
        counter.dueMs = 0
        counter.count?.add(0, false)
      }
      run()
    },
    counted: async (counter) => {
      if (counter.isCounted) return
      const first = firsts.get(counter) ?? waitForFirst(closing.signal)
      firsts.set(counter, first)
      run()
      await first.until
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

async function identityAt(volume: Volume, folder: string): Promise<string> {
  const found = await volume.statAt(folder)
  return found ? `${found.dev}:${found.ino}` : ''
}

function waitForFirst(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const patience = wait(PATIENCE_MS, undefined, { ref: false, signal }).catch(() => {})
  return { until: Promise.race([promise, patience]), end: resolve }
}
