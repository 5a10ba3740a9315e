// The records in the memory of one node: what is committed, and on top of it changes that are not yet. Whatever is
// committed goes below those, which are applied again.
import { randomUUID } from 'node:crypto'
import {
  type Ahead,
  applyBatch,
  applyChange,
  createListeners,
  type Listeners,
  ordersOf,
  type Pending,
  putBelow,
  repeatAhead,
} from '../changes.ts'
import type { Change, Collection } from '../collection.ts'
import {
  type Before,
  beforeOf,
  createTables,
  entriesOf,
  type Orders,
  replaceTable,
  type Table,
  type Undo,
  type Unseen,
  undo,
  undoRecords,
} from '../table.ts'
import { AheadDemand, type Wants } from './large.ts'
import { entriesIn, type FeedEntry, feedEntryOf, type Position, type Snapshot } from './rows.ts'

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
  readonly listeners: Listeners
  #at: Position = { rev: 0, id: '' }
  #ahead: Ahead[] = []
  /** The places in the order of insertion that come next without what is ahead. */
  #orders: Orders = []

  constructor(collections: readonly Collection[]) {
    this.tables = createTables(collections)
    this.listeners = createListeners(this.tables)
  }

  /** The last transaction that was taken. */
  get at(): Position {
    return this.#at
  }

  get aheadCount(): number {
    return this.#ahead.length
  }

  /**
   * Applies a change ahead of the database; one that changes nothing is kept only with `isKeptAnyway`. Throws what the
   * change throws.
   */
  putAhead<T>(
    change: Change<T>,
    refuse: (error: unknown) => void,
    isKeptAnyway: boolean,
  ): { value: T; made: Ahead | null } {
    if (this.#ahead.length === 0) this.#orders = ordersOf(this.tables)
    const steps: Undo[] = []
    const demand = new AheadDemand()
    let value: T
    try {
      value = applyChange(this.tables, change, steps, demand)
    } catch (error) {
      throw demand.refusal ?? error
    }
    if (demand.refusal) {
      undoRecords(steps, this.#orders)
      throw demand.refusal
    }
    if (steps.length === 0 && !isKeptAnyway) return { value, made: null }
    const made: Ahead = { change, steps, refuse }
    this.#ahead.push(made)
    this.listeners.tell(beforeOf(steps))
    return { value, made }
  }

  /** Takes a transaction of another node. Throws AppError `damaged`; nothing is taken then. */
  takeEntry(at: Position, entry: FeedEntry): void {
    const { entries, unseen, orders } = entriesIn(this.tables, entry)
    this.#passOver(orders)
    for (const [name, next] of Object.entries(entry.next ?? {})) {
      const table = this.tables.get(name)
      if (table) table.nextId = Math.max(table.nextId, next)
    }
    this.#put(entries, undefined, unseen)
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
    const ahead = this.#ahead.filter((one) => !sent?.aheads.has(one))
    undoRecords(this.#stepsAhead(), this.#orders)
    for (const [name, fresh] of tables) replaceTable(this.tables, name, fresh, before)
    this.#at = at
    this.#repeat(ahead)
    this.listeners.tell(before)
  }

  /**
   * Runs a batch on top of what is ahead; nobody sees it before it is committed. Null, with nothing done, where it
   * misses what `wants` says.
   */
  prepare(batch: readonly Pending[], wants: Wants): { sent: Sent; entry: FeedEntry | null } | null {
    const numbers = new Map([...this.tables.values()].map((table) => [table, table.nextId]))
    wants.putBack()
    const orders = ordersOf(this.tables)
    const { steps, settle } = applyBatch(this.tables, batch, wants)
    if (!wants.isComplete) {
      undo(steps)
      for (const [table, order] of orders) table.nextOrder = order
      return null
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
    const sent: Sent = { at, after, aheads: new Set(aheads), isDone: false, settle }
    return { sent, entry: feedEntryOf(before, after, next) }
  }

  /** Puts committed entries below what is ahead, of which `done` is among them. */
  #put(entries: Before, done: ReadonlySet<Ahead> = new Set(), unseen?: Unseen): void {
    const ahead = this.#ahead.filter((one) => !done.has(one))
    const repeat = () => this.#repeat(ahead)
    this.listeners.tell(putBelow(entries, this.#stepsAhead(), this.#orders, repeat), unseen)
  }

  // What others have put into a large table takes its place in the order of insertion.
  #passOver(orders: ReadonlyMap<Table, number>): void {
    const after = (table: Table, order: number) => Math.max(order, orders.get(table) ?? 0)
    for (const table of orders.keys()) table.nextOrder = after(table, table.nextOrder)
    this.#orders = this.#orders.map(([table, order]) => [table, after(table, order)])
  }

  #stepsAhead(): Undo[] {
    return this.#ahead.flatMap((one) => one.steps)
  }

  /** Applies changes again; refuses those that what came first rules out. */
  #repeat(ahead: readonly Ahead[]): void {
    this.#orders = ordersOf(this.tables)
    this.#ahead = repeatAhead(this.tables, ahead, new AheadDemand())
  }
}
