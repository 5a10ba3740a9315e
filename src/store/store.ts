// The engine for one machine: collections in memory, one JSON document for what is kept and a log for
// each collection that changes often, a lock between processes, and a watch for changes by others.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import {
  type Ahead,
  applyBatch,
  applyChange,
  ChangeQueue,
  createListeners,
  type Listeners,
  ordersOf,
  type Pending,
  type PutAhead,
  putBelow,
  repeatAhead,
} from './changes.ts'
import type { Change, Changes, Collection, Records, Store } from './collection.ts'
import { COLLECTIONS } from './collections.ts'
import type { Document } from './document.ts'
import { followLinks, replaceFile } from './durable-file.ts'
import { withFileLock } from './file-lock.ts'
import { createLarge } from './large.ts'
import { lineOf } from './record-log.ts'
import { createShortLived } from './short-lived/short-lived.ts'
import { type Log, logFileOf, type ReadFiles, StoreFiles } from './store-files.ts'
import {
  type Before,
  beforeOf,
  createRecords,
  createTable,
  entriesOf,
  isKept,
  type Orders,
  type Table,
  type Undo,
  undoRecords,
} from './table.ts'

export type { Store } from './collection.ts'

/** How often the files are checked for changes by others, which must be seen within a second. */
const WATCH_MS = 200
/** Changes ahead of the disk; past this many they need the disk like any other. */
const MAX_AHEAD = 100_000

/**
 * Opens an existing JSON database. Throws when the file is missing, damaged or written by a newer
 * version; it is never overwritten then. `leavesLists`: accounts and shares, where they are many, are left to `Store.rest`.
 */
export async function openStore(
  file: string,
  collections: readonly Collection[] = COLLECTIONS,
  { leavesLists = false } = {},
): Promise<Store> {
  const store = new DocumentStore(await followLinks(file), collections, leavesLists)
  await store.load()
  store.watch()
  return store
}

/**
 * Creates the database file at a path that holds nothing (or 0 bytes), then opens it. Made by root it
 * belongs to the owner of `like`, the old database it comes from.
 */
export async function createStore(
  path: string,
  doc: Document | { version: number },
  like?: string,
  collections: readonly Collection[] = COLLECTIONS,
): Promise<Store> {
  const file = await followLinks(path)
  // Logs of a database that is gone.
  for (const collection of collections)
    if (collection.life === 'short') await rm(logFileOf(file, collection), { force: true })
  await replaceFile(file, `${JSON.stringify(doc, null, 1)}\n`, like === undefined ? {} : { like })
  return openStore(file, collections)
}

/** A change in memory that is not yet on disk. */
interface AheadOfDisk extends Ahead {
  /** What is still to be added to logs. */
  readonly lines: Map<Log, string>
  /** It changes the document. */
  isKept: boolean
}

class DocumentStore implements Store {
  readonly file: string
  readonly large = createLarge(this)
  readonly shortLived = createShortLived()
  declare readonly settings: Records['settings']
  declare readonly get: Records['get']
  declare readonly find: Records['find']
  declare readonly among: Records['among']
  declare readonly ifWhole: Records['ifWhole']
  declare readonly has: Records['has']
  declare readonly values: Records['values']
  declare readonly all: Records['all']
  declare readonly count: Records['count']
  declare readonly stepsOf: Records['stepsOf']
  declare readonly expect: Records['expect']
  readonly #tables: ReadonlyMap<string, Table>
  readonly #files: StoreFiles
  readonly #listeners: Listeners
  readonly #queue = new ChangeQueue(
    (batch) => this.#write(batch),
    () => this.#ahead.length > 0,
  )
  #ahead: AheadOfDisk[] = []
  #delay: unknown
  #rest: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(file: string, collections: readonly Collection[], leavesLists: boolean) {
    this.file = file
    this.#tables = new Map(collections.map((one) => [one.name, createTable(one)]))
    this.#files = new StoreFiles(file, this.#tables, leavesLists)
    this.#listeners = createListeners(this.#tables)
    Object.assign(this, createRecords(this.#tables))
  }

  async load(): Promise<void> {
    this.#take(await this.#files.read())
  }

  rest(afterMs = 0): Promise<void> | null {
    if (!this.#files.isLate) return null
    if (afterMs > 0)
      return wait(afterMs, undefined, { ref: false }).then(() => this.rest() ?? undefined)
    this.#rest ??= this.#readRest()
    return this.#rest
  }

  async #readRest(): Promise<void> {
    while (this.#files.readPart()) await nextTurn()
  }

  async read<T>(read: (records: Records) => T): Promise<T> {
    return read(this)
  }

  transaction<T>(change: Change<T>): Promise<T> {
    return this.#queue.add(change)
  }

  async ahead<T>(change: Change<T>, onDelay: (error: unknown) => void = () => {}): Promise<T> {
    if (this.#queue.isClosed || this.#ahead.length >= MAX_AHEAD) return this.transaction(change)
    const put: PutAhead<T> = (refuse) => {
      const steps: Undo[] = []
      const value = applyChange(this.#tables, change, steps)
      const made: AheadOfDisk = { change, steps, lines: new Map(), isKept: false, refuse }
      this.#noteWrites(made, this.#files.logs, true)
      this.#listeners.tell(beforeOf(steps))
      // While a batch is being written it has to be repeated on top of that, also where it changed nothing.
      if (!made.isKept && made.lines.size === 0 && !this.#queue.isRunning)
        return { value, made: null }
      this.#ahead.push(made)
      return { value, made }
    }
    return this.#queue.addAhead(put, onDelay, (made) =>
      this.#ahead.some((one) => one === made) ? { error: this.#delay } : null,
    )
  }

  /** What is on the disk is read in before each change, and a change by a command within the second. */
  isFresh(): boolean {
    return true
  }

  subscribe(listener: (changes: Changes) => void): () => void {
    return this.#listeners.add(listener)
  }

  watch(): void {
    const look = async () => {
      try {
        // A run reads the files itself: what is read beside one may be older than what it writes, and
        // taking that would undo it.
        const runs = this.#queue.isRunning ? -1 : this.#queue.runs
        const found = await this.#files.read()
        if (runs === this.#queue.runs) this.#take(found)
      } catch {
        // Missing or damaged for now: the next write reports it; what is in memory stays good.
      }
      this.#watchLater(look)
    }
    this.#watchLater(look)
  }

  #watchLater(look: () => Promise<void>): void {
    if (!this.#queue.isClosed) this.#timer = setTimeout(look, WATCH_MS).unref()
  }

  async close(): Promise<void> {
    await this.#queue.close()
    clearTimeout(this.#timer)
  }

  async #write(batch: readonly Pending[]): Promise<void> {
    const settle = await withFileLock(`${this.file}.lock`, () => this.#commit(batch))
    settle()
  }

  // Under the lock: all changes of the batch or none, and what is ahead of the disk. The batch is written
  // before anybody can read it.
  async #commit(batch: readonly Pending[]): Promise<() => void> {
    this.#files.readRest()
    this.#take(await this.#files.read())
    const aheads = new Set(this.#ahead)
    if (this.#files.needsMigration) await this.#migrate(aheads)
    const orders = ordersOf(this.#tables)
    const { steps, settle } = applyBatch(this.#tables, batch)
    const before = beforeOf(steps)
    const after = entriesOf(before)
    let write: () => Promise<void>
    try {
      const changesDocument = steps.some(isKept) || this.#files.requiresOthers
      write = this.#prepareWrite(before, changesDocument, aheads)
    } finally {
      undoRecords(steps, orders)
    }
    await write()
    this.#show(after, orders, aheads)
    this.#delay = await this.#writeAheadOfDocument(aheads)
    this.#ahead = this.#ahead.filter((one) => !aheads.has(one) || one.isKept)
    await this.#files.rewriteStale()
    return settle
  }

  /** The result appends to the logs, and replaces the document when that has changed as well. */
  #prepareWrite(
    before: Before,
    changesDocument: boolean,
    aheads: Set<AheadOfDisk>,
  ): () => Promise<void> {
    const changed = this.#files.logs.filter(({ table }) => lineOf(table, before.get(table)) !== '')
    const isInSeveral = changed.length + Number(changesDocument) > 1
    const tx = isInSeveral ? randomBytes(9).toString('base64url') : undefined
    const lines = this.#files.logs.map((log) => {
      const first = [...aheads].map((one) => one.lines.get(log) ?? '').join('')
      return { log, first, own: lineOf(log.table, before.get(log.table), tx) }
    })
    const commits = tx ? changed.map(({ table }) => [table.collection.name, tx]) : []
    const document =
      changesDocument || isInSeveral
        ? this.#files.prepareDocument(Object.fromEntries(commits))
        : undefined
    return async () => {
      const appended: [Log, number][] = []
      try {
        for (const { log, first, own } of lines) {
          if (first + own === '') continue
          appended.push([log, log.end + Buffer.byteLength(first)])
          await this.#files.append(log, first + own)
          for (const one of aheads) one.lines.delete(log)
        }
        if (document) await this.#writeDocument(aheads, document)
      } catch (error) {
        // Nobody reads the lines of a transaction that the document does not name; the next write cuts
        // them off.
        for (const [log, end] of appended) log.end = Math.min(log.end, end)
        throw error
      }
    }
  }

  async #writeDocument(
    aheads: Set<AheadOfDisk>,
    document = this.#files.prepareDocument(),
  ): Promise<void> {
    await this.#files.writeDocument(document)
    for (const one of aheads) one.isKept = false
  }

  async #migrate(aheads: Set<AheadOfDisk>): Promise<void> {
    await this.#files.migrate()
    for (const one of aheads) {
      one.lines.clear()
      one.isKept = false
    }
  }

  async #writeAheadOfDocument(aheads: Set<AheadOfDisk>): Promise<unknown> {
    try {
      if ([...aheads].some((one) => one.isKept)) await this.#writeDocument(aheads)
    } catch (error) {
      return error
    }
  }

  /** Puts a batch that is on disk into memory, below what came ahead of the disk in the meantime. */
  #show(after: Before, orders: Orders, aheads: Set<AheadOfDisk>): void {
    const later = this.#ahead.filter((one) => !aheads.has(one))
    const steps = later.flatMap((one) => one.steps)
    const shown = putBelow(after, steps, orders, () => this.#repeat(later, this.#files.logs, true))
    this.#listeners.tell(shown)
  }

  /** Applies changes again to records that are without them; refuses those that what came first rules out. */
  #repeat(aheads: readonly AheadOfDisk[], logs: readonly Log[], isDocument: boolean): void {
    const repeated = new Set(repeatAhead(this.#tables, aheads))
    const refused = new Set(aheads.filter((one) => !repeated.has(one)))
    this.#ahead = this.#ahead.filter((one) => !refused.has(one))
    for (const one of repeated) this.#noteWrites(one, logs, isDocument)
  }

  #noteWrites(one: AheadOfDisk, logs: readonly Log[], isDocument: boolean): void {
    const before = beforeOf(one.steps)
    for (const log of logs) {
      const line = lineOf(log.table, before.get(log.table))
      if (line === '') one.lines.delete(log)
      else one.lines.set(log, line)
    }
    if (isDocument) one.isKept = one.steps.some(isKept)
  }

  /** Takes what was read into memory; what is ahead of the disk is applied to it again. */
  #take(found: ReadFiles): void {
    const { before, whole } = this.#files.take(found)
    if (found.doc || whole.length > 0) this.#repeat(this.#ahead, whole, found.doc !== null)
    this.#listeners.tell(before)
  }
}
