// The records in the memory of one node: what is committed, and on top of it changes that are not yet. Whatever is
// committed goes below those, which are applied again.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Change, Changes, Collection, Key } from '../collection.ts'
import {
  type Before,
  beforeOf,
  changesOf,
  createTable,
  createTransaction,
  type Entry,
  entriesOf,
  replaceTable,
  setEntry,
  type Table,
  type Undo,
  undo,
  undoRecords,
} from '../table.ts'
import { entriesIn, type FeedEntry, feedEntryOf, type Position, type Snapshot } from './rows.ts'

/** A change that somebody waits for. */
export interface Pending {
  readonly change: Change<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A change in memory that is not yet in the database. */
export interface Ahead {
  readonly change: Change<unknown>
  steps: Undo[]
  /** Called when what came first has made it impossible; it is undone then. */
  refuse(error: unknown): void
}

/** A transaction that is being committed, or of which nobody knows whether it was. */
export interface Sent {
  readonly at: Position
  readonly after: Before
  readonly aheads: ReadonlySet<Ahead>
  /** It is known to be committed. */
  isDone: boolean
  /** Tells who waits that it is done. */
  settle(): void
}

export class Replica {
  readonly tables: ReadonlyMap<string, Table>
  readonly #listeners = new Set<(changes: Changes) => void>()
  #at: Position = { rev: 0, id: '' }
  #ahead: Ahead[] = []
  /** The places in the order of insertion that come next without what is ahead. */
  #orders: [Table, number][] = []

  constructor(collections: readonly Collection[]) {
    this.tables = new Map(collections.map((one) => [one.name, createTable(one)]))
  }

  /** The last transaction that was taken. */
  get at(): Position {
    return this.#at
  }

  get aheadCount(): number {
    return this.#ahead.length
  }

  subscribe(listener: (changes: Changes) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Applies a change ahead of the database; `keep` says, by its steps, whether it stays among those to be written.
   * Throws what the change throws.
   */
  addAhead<T>(
    change: Change<T>,
    refuse: (error: unknown) => void,
    keep: (steps: readonly Undo[]) => boolean,
  ): T {
    if (this.#ahead.length === 0) this.#noteOrders()
    const steps: Undo[] = []
    const value = this.#apply(change, steps)
    if (!keep(steps)) return value
    this.#ahead.push({ change, steps, refuse })
    this.#notify(beforeOf(steps))
    return value
  }

  /** Takes a transaction of another node. Throws AppError `damaged`; nothing is taken then. */
  takeEntry(at: Position, entry: FeedEntry): void {
    const entries = entriesIn(this.tables, entry)
    for (const [name, next] of Object.entries(entry.next ?? {})) {
      const table = this.tables.get(name)
      if (table) table.nextId = Math.max(table.nextId, next)
    }
    this.#put(entries)
    this.#at = at
  }

  /** Takes one of this node that is committed: it shows. */
  takeSent(sent: Sent): void {
    this.#put(sent.after, sent.aheads)
    this.#at = sent.at
  }

  /** Puts everything that was read in the place of what is here; `sent` is in it. */
  takeAll({ at, tables }: Snapshot, sent: Sent | undefined): void {
    const before: Before = new Map()
    const ahead = this.#takeAheadAway().filter((one) => !sent?.aheads.has(one))
    for (const [name, fresh] of tables) replaceTable(this.tables, name, fresh, before)
    this.#at = at
    this.#noteOrders()
    this.#repeat(ahead)
    this.#notify(before)
  }

  /** Runs a batch on top of what is ahead; nobody sees it before it is committed. */
  prepare(batch: readonly Pending[]): { sent: Sent; entry: FeedEntry | null } {
    const numbers = new Map([...this.tables.values()].map((table) => [table, table.nextId]))
    const orders = [...this.tables.values()].map((table) => [table, table.nextOrder] as const)
    const settled: (() => void)[] = []
    const steps: Undo[] = []
    for (const { change, resolve, reject } of batch) {
      try {
        const own: Undo[] = []
        const value = this.#apply(change, own)
        steps.push(...own)
        settled.push(() => resolve(value))
      } catch (error) {
        settled.push(() => reject(error))
      }
    }
    const aheads = [...this.#ahead]
    const all = [...aheads.flatMap((one) => one.steps), ...steps]
    const before = beforeOf(all)
    const after = entriesOf(before)
    undoRecords(steps, orders)
    const next: Record<string, number> = {}
    for (const step of all) {
      if ('key' in step) continue
      const { table } = step
      if (table.nextId !== numbers.get(table) || aheads.some((one) => one.steps.includes(step)))
        next[table.collection.name] = table.nextId
    }
    const at = { rev: this.#at.rev + 1, id: randomUUID() }
    const settle = () => {
      for (const one of settled) one()
    }
    const sent: Sent = { at, after, aheads: new Set(aheads), isDone: false, settle }
    return { sent, entry: feedEntryOf(before, after, next) }
  }

  /** Puts committed entries below what is ahead, of which `done` is among them. */
  #put(entries: Before, done: ReadonlySet<Ahead> = new Set()): void {
    const shown = entriesOf(beforeOf(this.#ahead.flatMap((one) => one.steps)))
    const ahead = this.#takeAheadAway().filter((one) => !done.has(one))
    for (const [table, its] of entries) {
      const seen = shown.get(table) ?? new Map<Key, Entry | undefined>()
      shown.set(table, seen)
      for (const [key, entry] of its) {
        if (!seen.has(key)) seen.set(key, table.entries.get(key))
        setEntry(table, key, entry)
        if (typeof key === 'number' && key >= table.nextId) table.nextId = key + 1
      }
    }
    this.#noteOrders()
    this.#repeat(ahead)
    for (const [table, its] of shown)
      for (const [key, was] of its)
        if (isDeepStrictEqual(table.entries.get(key)?.record, was?.record)) its.delete(key)
    this.#notify(shown)
  }

  #noteOrders(): void {
    this.#orders = [...this.tables.values()].map((table) => [table, table.nextOrder])
  }

  #takeAheadAway(): Ahead[] {
    const ahead = this.#ahead
    if (ahead.length === 0) return ahead
    undoRecords(
      ahead.flatMap((one) => one.steps),
      this.#orders,
    )
    this.#ahead = []
    return ahead
  }

  /** Applies changes again; refuses those that what came first rules out. */
  #repeat(ahead: readonly Ahead[]): void {
    for (const one of ahead) {
      one.steps = []
      try {
        this.#apply(one.change, one.steps)
        this.#ahead.push(one)
      } catch (error) {
        one.refuse(error)
      }
    }
  }

  #notify(before: Before): void {
    if (![...before.values()].some(({ size }) => size > 0)) return
    const changes = changesOf(this.tables, before)
    for (const listener of this.#listeners) listener(changes)
  }

  /** Applies a change in memory; `steps` undo it. A throw changes nothing. */
  #apply<T>(change: Change<T>, steps: Undo[]): T {
    try {
      return change(createTransaction(this.tables, steps))
    } catch (error) {
      undo(steps)
      steps.length = 0
      throw error
    }
  }
}
