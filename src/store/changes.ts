// What both engines do with changes: apply them in memory, undo them, run them in batches, keep what is ahead of the
// disk on top of what is on it, and tell who listens.
import { isDeepStrictEqual } from 'node:util'
import type { Change, Changes, Key } from './collection.ts'
import {
  type Before,
  beforeOf,
  changesOf,
  createTransaction,
  type Demand,
  type Entry,
  entriesOf,
  type Orders,
  setEntry,
  type Table,
  type Tables,
  type Undo,
  type Unseen,
  undo,
  undoRecords,
} from './table.ts'

/** How soon changes that are ahead of the disk are tried again. */
const RETRY_MS = 1_000

/** A change that somebody waits for. */
export interface Pending {
  readonly change: Change<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A change in memory that is not yet on the disk. */
export interface Ahead {
  readonly change: Change<unknown>
  steps: Undo[]
  /** Called when what came first has made it impossible; it is undone then. */
  refuse(error: unknown): void
}

/** Applies a change to tables; `steps` undo it. A throw changes nothing. */
export function applyChange<T>(
  tables: Tables,
  change: Change<T>,
  steps: Undo[],
  demand?: Demand,
): T {
  try {
    return change(createTransaction(tables, steps, demand))
  } catch (error) {
    undo(steps)
    steps.length = 0
    throw error
  }
}

/** Applies one change after the other; `settle` tells everybody what has become of theirs. */
export function applyBatch(
  tables: Tables,
  batch: readonly Pending[],
  demand?: Demand,
): { steps: Undo[]; settle: () => void } {
  const steps: Undo[] = []
  const settled: (() => void)[] = []
  for (const { change, resolve, reject } of batch) {
    try {
      const own: Undo[] = []
      const value = applyChange(tables, change, own, demand)
      steps.push(...own)
      settled.push(() => resolve(value))
    } catch (error) {
      settled.push(() => reject(error))
    }
  }
  return {
    steps,
    settle: () => {
      for (const one of settled) one()
    },
  }
}

/** The places in the order of insertion that come next. */
export function ordersOf(tables: Tables): Orders {
  return [...tables.values()].map((table) => [table, table.nextOrder] as const)
}

/**
 * Puts entries below what came ahead of them, of which `steps` are undone first and which `repeat` applies again. Gives
 * what was shown before, where that has changed.
 */
export function putBelow(
  entries: Before,
  steps: readonly Undo[],
  orders: Orders,
  repeat: () => void,
): Before {
  const shown = entriesOf(beforeOf(steps))
  undoRecords(steps, orders)
  for (const [table, its] of entries) {
    const seen = shown.get(table) ?? new Map<Key, Entry | undefined>()
    shown.set(table, seen)
    for (const [key, entry] of its) {
      if (!seen.has(key)) seen.set(key, table.entries.get(key))
      setEntry(table, key, entry)
      if (typeof key === 'number' && key >= table.nextId) table.nextId = key + 1
    }
  }
  repeat()
  for (const [table, its] of shown)
    for (const [key, was] of its)
      if (isDeepStrictEqual(table.entries.get(key)?.record, was?.record)) its.delete(key)
  return shown
}

/** Applies changes again to records that are without them; gives those that what came first has not ruled out. */
export function repeatAhead<T extends Ahead>(
  tables: Tables,
  aheads: readonly T[],
  demand?: Demand,
): T[] {
  return aheads.filter((one) => {
    one.steps = []
    try {
      applyChange(tables, one.change, one.steps, demand)
      return true
    } catch (error) {
      one.refuse(error)
      return false
    }
  })
}

export interface Listeners {
  add(listener: (changes: Changes) => void): () => void
  /** Tells of changes, unless there are none. */
  tell(before: Before, unseen?: Unseen): void
}

export function createListeners(tables: ReadonlyMap<string, Table>): Listeners {
  const listeners = new Set<(changes: Changes) => void>()
  return {
    add: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (before, unseen) => {
      const isNone = ![...before.values()].some(({ size }) => size > 0)
      if (isNone && (unseen?.size ?? 0) === 0) return
      const changes = changesOf(tables, before, unseen)
      for (const listener of listeners) listener(changes)
    },
  }
}

/** Puts a change ahead of the disk: its value, and whether it has to be written. `refuse` as in `Ahead`. */
export type PutAhead<T> = (refuse: (error: unknown) => void) => { value: T; made: Ahead | null }

/** Changes that wait to be written: what comes while others are being written is written together. */
export class ChangeQueue {
  readonly #commit: (batch: readonly Pending[]) => Promise<void>
  readonly #hasAhead: () => boolean
  #pending: Pending[] = []
  #running: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false
  /** Runs begun so far. */
  runs = 0

  /** `commit` settles its batch once it is written, or throws; `hasAhead` says whether anything is ahead of the disk. */
  constructor(commit: (batch: readonly Pending[]) => Promise<void>, hasAhead: () => boolean) {
    this.#commit = commit
    this.#hasAhead = hasAhead
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  add<T>(change: Change<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'))
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ change, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#run()
    })
  }

  /** See Store.ahead. `failureOf` says why what was put ahead is not on the disk although the rest was written. */
  async addAhead<T>(
    put: PutAhead<T>,
    onDelay: (error: unknown) => void,
    failureOf: (made: Ahead) => { error: unknown } | null = () => null,
  ): Promise<T> {
    let refusal: unknown
    let isAnswered = false
    const { value, made } = put((error) => {
      refusal = error
      if (isAnswered) onDelay(error)
    })
    if (!made) return value
    try {
      await this.#writeAhead()
      const failure = failureOf(made)
      if (failure) onDelay(failure.error)
    } catch (error) {
      onDelay(error)
    }
    isAnswered = true
    if (refusal !== undefined) throw refusal
    return value
  }

  async close(): Promise<void> {
    await this.#running
    // A last try: what cannot be written is lost.
    if (this.#hasAhead()) await this.#writeAhead().catch(() => {})
    this.#isClosed = true
    clearTimeout(this.#retry)
    await this.#running
  }

  // An empty change, with which everything ahead is written.
  async #writeAhead(): Promise<void> {
    await this.add(() => {})
  }

  #retryLater(): void {
    if (!this.#hasAhead() || this.#retry !== undefined || this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      if (!this.#isClosed) this.#writeAhead().catch(() => {})
    }, RETRY_MS).unref()
  }

  async #run(): Promise<void> {
    this.runs++
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      try {
        await this.#commit(batch)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    // In the same turn as the check of `#pending`, so that a change asked for right after starts a new run.
    this.#running = undefined
    this.#retryLater()
  }
}
