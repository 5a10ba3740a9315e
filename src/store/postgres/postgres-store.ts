// The engine for several nodes: collections in memory as with the other one, PostgreSQL below, and a feed of changes that
// every node follows. A transaction holds the lock of the feed from before it reads until it is committed, so all
// transactions of all nodes come one after the other.
import { setTimeout as wait } from 'node:timers/promises'
import { ChangeQueue, type Pending } from '../changes.ts'
import type { Change, Changes, Collection, Records, Shared, Store } from '../collection.ts'
import type { ShortLived } from '../short-lived/short-lived.ts'
import { createDemandingRecords } from '../table.ts'
import { type Connection, isLost, type Row, unavailable } from './connection.ts'
import { type Connections, createConnections, FIXED_CONNECTIONS } from './connections.ts'
import { Followers, parseTaken, takenChannel } from './followers.ts'
import { HELD_MS, Held } from './held.ts'
import { askWithCompanions, NeedsDatabase, Wants } from './large.ts'
import { createLoader, type Loader } from './loader.ts'
import { PostgresNodes } from './nodes.ts'
import type { PostgresOptions } from './options.ts'
import { Replica, type Sent } from './replica.ts'
import {
  beginQuery,
  type FeedEntry,
  hasEntry,
  lookQuery,
  MAX_LOOK_ROWS,
  type Position,
  readAll,
} from './rows.ts'
import { LAZILY, literal } from './schema.ts'
import { createSharedShortLived } from './short-lived.ts'
import { writeStatement } from './writes.ts'

/** How often a node looks for changes of others, also without having been woken. */
const LOOK_MS = 500
/** Records are trusted so long after a look has begun. */
const FRESH_MS = 1_000
/** How long a look may take before the database counts as silent. */
const LOOK_TIMEOUT_MS = 1_000
/** How long a change waits to learn whether it was committed when the connection was lost at that moment. */
const UNKNOWN_MS = 5_000
const UNKNOWN_RETRY_MS = 200
/** How long a step of a transaction may take; the server gives up before. */
const WRITE_MS = 10_000
/** Changes ahead of the database; past this many they need it like any other. */
const MAX_AHEAD = 100_000

export class PostgresStore implements Store {
  readonly file: string
  readonly shared: Shared
  readonly large: Loader
  readonly shortLived: ShortLived
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
  readonly #schema: string
  readonly #collections: readonly Collection[]
  readonly #replica: Replica
  readonly #held: Held
  #sweptAt = performance.now()
  readonly #connections: Connections
  readonly #nodes: PostgresNodes
  readonly #followers = new Followers(() => this.#nodes.others())
  readonly #graceMs: number
  /** When the last good look began, by the monotonic clock. */
  #lookedAt = Number.NEGATIVE_INFINITY
  #look: Promise<void> | undefined
  #nextLook: Promise<void> | undefined
  /** Why the last look has failed. */
  #silence: Error | undefined
  #onSilence: (error: Error | null) => void = () => {}
  readonly #queue = new ChangeQueue(
    (batch) => this.#commit(batch),
    () => this.#replica.aheadCount > 0,
  )
  #sent: Sent | undefined
  #timer: NodeJS.Timeout | undefined
  #toldRev = 0
  /** The last change of this node. */
  #ownRev = 0

  constructor(options: PostgresOptions) {
    const { target, schema, collections, name, graceMs = 0 } = options
    const { maxConnections = FIXED_CONNECTIONS } = options
    this.file = options.file
    this.#schema = schema
    this.#collections = collections
    this.#graceMs = graceMs
    this.#replica = new Replica(collections)
    this.#connections = createConnections({
      ...{ target, schema, name, maxConnections },
      onNotification: (payload) => this.#wake(payload),
    })
    this.#held = new Held(this.#replica.tables)
    this.large = createLoader({
      schema,
      tables: this.#replica.tables,
      held: this.#held,
      connection: this.#connections.readers,
      rev: () => this.#replica.at.rev,
      look: () => this.#lookAnew(),
    })
    this.subscribe((changes) =>
      this.large.changed((of) => changes.before(of).size + changes.unseen(of).length > 0),
    )
    this.shortLived = createSharedShortLived(this.#connections.short, schema)
    this.#nodes = new PostgresNodes({ target, schema, name, lagMs: () => this.#ageMs() })
    this.shared = {
      nodes: this.#nodes,
      refresh: () => this.#refresh(),
      look: () => this.#lookAnew(),
      demand: () => {
        if (this.#ageMs() > FRESH_MS + LOOK_TIMEOUT_MS + this.#graceMs)
          throw unavailable(this.#silence)
      },
      onSilence: (listener) => {
        this.#onSilence = listener
      },
    }
    Object.assign(this, createDemandingRecords(this.#replica.tables, this.#held))
  }

  /** Reads everything, then follows. */
  async load(): Promise<void> {
    await this.#reload(this.#connections.follower)
    this.#lookLater()
  }

  read<T>(read: (records: Records) => T): Promise<T> {
    return this.large.read(read)
  }

  async transaction<T>(change: Change<T>): Promise<T> {
    const { rev } = this.#replica.at
    const result = await this.#queue.add(change)
    const { rev: changed } = this.#replica.at
    if (changed !== rev) await this.#followers.haveTaken(changed)
    return result
  }

  async ahead<T>(change: Change<T>, onDelay: (error: unknown) => void = () => {}): Promise<T> {
    if (this.#queue.isClosed || this.#replica.aheadCount >= MAX_AHEAD)
      return this.transaction(change)
    // While others are being written it has to be repeated on top of that, also where it changed nothing.
    try {
      return await this.#queue.addAhead(
        (refuse) => this.#replica.putAhead(change, refuse, this.#queue.isRunning),
        onDelay,
      )
    } catch (error) {
      if (error instanceof NeedsDatabase) return this.transaction(change)
      throw error
    }
  }

  isFresh(): boolean {
    return this.#ageMs() <= FRESH_MS + this.#graceMs
  }

  subscribe(listener: (changes: Changes) => void): () => void {
    return this.#replica.listeners.add(listener)
  }

  async close(): Promise<void> {
    await this.#queue.close()
    clearTimeout(this.#timer)
    await this.#nextLook?.catch(() => {})
    await this.#look?.catch(() => {})
    await this.#nodes.close()
    await this.#connections.close()
  }

  // --- Following ---

  #ageMs(): number {
    return performance.now() - this.#lookedAt
  }

  async #refresh(): Promise<void> {
    // A look that began before may be too old when it ends.
    while (this.#ageMs() > FRESH_MS) {
      try {
        await this.#lookOnce()
      } catch (error) {
        if (this.#ageMs() <= FRESH_MS + this.#graceMs) return
        throw unavailable(error)
      }
    }
  }

  /** Joins the look under way, or begins one. */
  #lookOnce(): Promise<void> {
    this.#look ??= this.#catchUp(this.#connections.follower, LOOK_TIMEOUT_MS)
      .then(
        () => {
          if (this.#silence) this.#onSilence(null)
          this.#silence = undefined
        },
        (error: Error) => {
          if (!this.#silence && !this.#queue.isClosed) this.#onSilence(error)
          this.#silence = error
          throw error
        },
      )
      .finally(() => {
        this.#look = undefined
      })
    return this.#look
  }

  #lookLater(): void {
    if (this.#queue.isClosed) return
    clearTimeout(this.#timer)
    if (performance.now() - this.#sweptAt > HELD_MS) {
      this.#sweptAt = performance.now()
      this.#held.sweep()
    }
    this.#timer = setTimeout(() => {
      // A failure shows when records are asked for.
      void this.#lookOnce()
        .catch(() => {})
        .finally(() => this.#lookLater())
    }, LOOK_MS).unref()
  }

  /** `payload` is the number of a change, or a node and the number of the change it has taken. */
  #wake(payload: string): void {
    const taken = parseTaken(payload)
    if (taken) this.#followers.took(taken.node, taken.rev)
    else if (!this.#queue.isClosed) void this.#follow(Number(payload)).catch(() => {})
  }

  async #follow(changed: number): Promise<void> {
    if (changed === this.#ownRev || changed === this.#sent?.at.rev) return
    if (changed > this.#replica.at.rev) await this.#lookAnew()
    await this.#tellTaken()
  }

  /** Says to the others what this node has taken of their changes. */
  async #tellTaken(): Promise<void> {
    const { rev } = this.#replica.at
    if (rev === this.#toldRev || !this.#nodes.hasJoined()) return
    this.#toldRev = rev
    const text = `select ${LAZILY}, pg_notify(${literal(takenChannel(this.#schema))}, $1)`
    await this.#connections.follower.query(text, [`${this.#nodes.id} ${rev}`])
  }

  /** A look that begins after now: what is committed while one is under way may not be in it. */
  #lookAnew(): Promise<void> {
    if (!this.#look) return this.#lookOnce().catch(rethrow)
    this.#nextLook ??= this.#look
      .catch(() => {})
      .then(() => {
        this.#nextLook = undefined
        return this.#lookOnce().catch(rethrow)
      })
    return this.#nextLook
  }

  /** Takes all that others have committed before it was asked. */
  async #catchUp(connection: Connection, timeoutMs: number): Promise<void> {
    const begun = performance.now()
    for (;;) {
      const { at } = this.#replica
      const rows = await connection.query(lookQuery(this.#schema, at), undefined, timeoutMs)
      if (!(await this.#takeRows(at, rows, connection))) break
    }
    this.#lookedAt = Math.max(this.#lookedAt, begun)
  }

  /** Takes the rows of a look at `at`; true when there may be more. */
  async #takeRows(at: Position, rows: Row[], connection: Connection): Promise<boolean> {
    const isSameHistory = Number(rows[0]?.[0]) === at.rev && rows[0]?.[1] === at.id
    if (!isSameHistory) {
      // Shortened past us, or another history: a copy of the database that is older.
      await this.#reload(connection)
      return true
    }
    for (const [revText, id, changes] of rows.slice(1)) {
      const rev = Number(revText)
      // Another connection was faster.
      if (rev <= this.#replica.at.rev) continue
      if (this.#sent && this.#sent.at.id === id) this.#settle(this.#sent)
      else this.#replica.takeEntry({ rev, id: id ?? '' }, JSON.parse(changes ?? '') as FeedEntry)
    }
    return rows.length === MAX_LOOK_ROWS
  }

  /** Reads everything anew. */
  async #reload(connection: Connection): Promise<void> {
    const isInside = connection === this.#connections.writer
    const from = this.#replica.at
    const begun = performance.now()
    if (!isInside) await connection.query('begin isolation level repeatable read, read only')
    const snapshot = await readAll(
      connection,
      this.#schema,
      this.#collections,
      this.#replica.tables,
    )
    const sent = this.#sent
    const isCommitted = sent !== undefined && (await hasEntry(connection, this.#schema, sent.at.id))
    if (!isInside) await connection.query('commit')
    // Another connection was faster.
    if (this.#replica.at !== from) return
    this.#replica.takeAll(snapshot, isCommitted ? sent : undefined)
    this.#followers.reset()
    this.#lookedAt = Math.max(this.#lookedAt, begun)
    if (isCommitted) this.#finish(sent)
  }

  // --- Changing ---

  async #commit(batch: readonly Pending[]): Promise<void> {
    const begun = performance.now()
    // An attempt of which nobody knows whether it was committed.
    let sent: Sent | undefined
    for (let attempt = 1; ; attempt++) {
      // A connection that has rested may be gone.
      const wasOpen = this.#connections.writer.isOpen
      try {
        await this.#attempt(batch, sent, (own) => {
          sent = own
        })
        return
      } catch (error) {
        this.#connections.writer.drop()
        if (sent?.isDone) return
        if (!isLost(error)) throw error
        const mayTry = sent ? performance.now() - begun < UNKNOWN_MS : wasOpen && attempt === 1
        if (!mayTry) throw unavailable(error)
      }
      if (attempt > 1) await wait(UNKNOWN_RETRY_MS)
      if (sent?.isDone) return
    }
  }

  /** One try to commit a batch. `onSent` is called right before the answer that decides whether it has happened. */
  async #attempt(
    batch: readonly Pending[],
    last: Sent | undefined,
    onSent: (sent: Sent) => void,
  ): Promise<void> {
    const begun = performance.now()
    const { at, tables } = this.#replica
    const begin = beginQuery(this.#schema, at)
    const rows = await this.#connections.writer.query(begin, undefined, WRITE_MS)
    if (await this.#takeRows(at, rows, this.#connections.writer))
      await this.#catchUp(this.#connections.writer, WRITE_MS)
    this.#lookedAt = Math.max(this.#lookedAt, begun)
    if (last?.isDone) {
      await this.#connections.writer.query('rollback')
      return
    }
    // It has not happened, and never will: the lock is ours.
    this.#sent = undefined
    const wants = new Wants({ onUse: (table, key) => this.#held.mark(table, key) })
    let prepared = this.#replica.prepare(batch, wants)
    while (!prepared) {
      await wants.load((table, wanted) =>
        askWithCompanions(this.#connections.writer, this.#schema, table, wanted),
      )
      prepared = this.#replica.prepare(batch, wants)
    }
    const { sent, entry } = prepared
    if (!entry) {
      await this.#connections.writer.query('rollback')
      sent.settle()
      return
    }
    const write = writeStatement(this.#schema, tables, entry, sent.at)
    this.#sent = sent
    onSent(sent)
    await this.#connections.writer.query(`${write};\ncommit`, undefined, WRITE_MS)
    if (!sent.isDone) this.#settle(sent)
  }

  /** A transaction is committed: it shows, and who waits is told. */
  #settle(sent: Sent): void {
    this.#replica.takeSent(sent)
    this.#finish(sent)
  }

  #finish(sent: Sent): void {
    if (this.#sent === sent) this.#sent = undefined
    sent.isDone = true
    this.#ownRev = sent.at.rev
    sent.settle()
  }
}

function rethrow(error: unknown): never {
  throw unavailable(error)
}
