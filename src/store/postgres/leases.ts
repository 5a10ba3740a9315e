// Leases as rows: who holds one has renewed it within ten seconds of the database's clock. Nothing of it is bound to
// a connection, so poolers may stand between.
import { AppError } from '../../lib/errors.ts'
import type { Lease, LeaseNote, Leases, NotesOptions, TakeOptions } from '../nodes/nodes.ts'
import { Batches } from './batches.ts'
import { type Connection, type Row, unavailable } from './connection.ts'
import { LAZILY, literal, quoted } from './schema.ts'

/** How long a lease is held without being renewed, by the clock of the database. */
export const LEASE_SECONDS = 10
/** After so long without it who holds one stops, by its own clock: what is under way has to end before. */
export const STOP_MS = 7_000
/** How often who waits asks, also without having been woken. */
const ASK_MS = 200
/** How long a question may take. */
const ASK_TIMEOUT_MS = 2_500
/** Another node says so often that it is there; after so long without it NOTIFY does not come through, as with some poolers. */
const HEARD_MS = 10_000
/** Before the id of a node, on the channel: it is there. */
export const HERE = 'here'
/** It ends. */
export const GONE = 'gone'
/** Notes given at once. */
const MAX_NOTES = 10_000

const ENDS = `clock_timestamp() + interval '${LEASE_SECONDS} s'`

/** The lease of who leads. */
export const LEADER = 'leader'

/** The moment that is `$2` milliseconds ago. */
const AGO = `clock_timestamp() - $2 * interval '1 ms'`

/** What others are asked by the column `wanted`. */
const WAITS = 1
const STOPS = 2

interface Taking {
  readonly key: string
  readonly note: string | null
}

interface Taken {
  readonly epoch: string
  readonly note: string | null
}

interface Releasing extends Taking, Taken {
  readonly note: string | null
  /** The note was not there before. */
  readonly isNew: boolean
}

interface Held {
  readonly key: string
  readonly epoch: string
  readonly stop: AbortController
  readonly timer: NodeJS.Timeout
  renewedAt: number
  isLost: boolean
}

/** The channel by which holders and those who wait are woken. */
export function leaseChannel(schema: string): string {
  return `${schema} leases`
}

/** The leases of one node; its beats renew them. */
export class PostgresLeases implements Leases {
  readonly #connection: Connection
  readonly #schema: string
  readonly #node: string
  readonly #table: string
  readonly #channel: string
  /** By key. */
  readonly #held = new Map<string, Held>()
  /** Those that come while others are asked for go together with the next question. */
  readonly #takes = new Batches<Taking, Taken | undefined>((all) => this.#takeAll(all))
  readonly #releases = new Batches<Releasing, boolean>((all) => this.#releaseAll(all))
  /** Keys of those that are being let go of. */
  readonly #leaving = new Set<string>()
  /** Who waits, by key. */
  readonly #waiting = new Map<string, Set<() => void>>()
  /** When another node was heard last by NOTIFY, by its id; and those that are there. */
  #heard = new Map<string, number>()
  #others: readonly string[] = []

  constructor(connection: Connection, schema: string, node: string) {
    this.#connection = connection
    this.#schema = quoted(schema)
    this.#node = node
    this.#table = `${this.#schema}.fb_leases`
    this.#channel = literal(leaseChannel(schema))
  }

  async take(key: string, { stops, note, waitMs }: TakeOptions): Promise<Lease> {
    const untilMs = performance.now() + (waitMs ?? Number.POSITIVE_INFINITY)
    while (this.#leaving.has(key)) await this.#releases.hurry()
    for (;;) {
      const begunAt = performance.now()
      const taken = await this.#takes.add({ key, note: note ?? null })
      if (taken) return this.#hold(key, taken, begunAt)
      if (begunAt > untilMs) throw new AppError('locked', `${key} is held by another node`)
      const woken = this.#woken(key)
      if (await this.#want(key, stops)) await woken
      else this.#wakeAll(key)
    }
  }

  async notes(prefix: string, { restedMs, isLeft }: NotesOptions = {}): Promise<LeaseNote[]> {
    const rows = await this.#ask(
      `select key, note from ${this.#table} where key >= $1 and key < $4 and note is not null
       and ($2::bigint is null or ends <= ${AGO})
       and (not $3::boolean or node <> '') order by ends limit ${MAX_NOTES}`,
      [prefix, restedMs ?? (isLeft ? 0 : null), isLeft === true, endOf(prefix)],
    )
    return rows.map(([key, note]): LeaseNote => ({ key: key as string, note: note as string }))
  }

  async count(prefix: string): Promise<number> {
    const [row] = await this.#ask(
      `select count(*) from ${this.#table} where key >= $1 and key < $2 and note is not null`,
      [prefix, endOf(prefix)],
    )
    return Number(row?.[0])
  }

  /** Forgets what nobody has let go of and nothing is noted of. */
  async tidy(): Promise<void> {
    await this.#ask(
      `delete from ${this.#table}
       where note is null and key <> $1 and ends < clock_timestamp() - interval '1 min'`,
      [LEADER],
    )
  }

  /** Keys and epochs of those that are to be renewed. */
  held(): { keys: string[]; epochs: string[] } {
    const all = [...this.#held.values()]
    return { keys: all.map(({ key }) => key), epochs: all.map(({ epoch }) => epoch) }
  }

  /** Which of them were, by epoch, with a statement that began at `begunAt`; true: somebody asks for it. */
  renewed(sent: readonly string[], found: ReadonlyMap<string, boolean>, begunAt: number): void {
    const epochs = new Set(sent)
    for (const one of [...this.#held.values()]) {
      if (!epochs.has(one.epoch)) continue
      const isAsked = found.get(one.epoch)
      if (isAsked === undefined) this.#lose(one)
      else if (isAsked) one.stop.abort(asked())
      if (isAsked === undefined) continue
      one.renewedAt = begunAt
      one.timer.refresh()
    }
  }

  /** Gives up now what was to be later. */
  async flush(): Promise<void> {
    await this.#releases.hurry()
  }

  isHeard(): boolean {
    const since = performance.now() - HEARD_MS
    return this.#others.every((id) => (this.#heard.get(id) ?? Number.NEGATIVE_INFINITY) > since)
  }

  /** `others` are the ids of the other nodes that are there. */
  meet(others: readonly string[]): void {
    this.#others = others
    this.#heard = new Map([...this.#heard].filter(([id]) => others.includes(id)))
  }

  /** Takes what came by NOTIFY. */
  wake(payload: string): void {
    const space = payload.indexOf(' ')
    const [word, what] = [payload.slice(0, space), payload.slice(space + 1)]
    if (word === HERE) this.#heard.set(what, performance.now())
    if (word === 'free') this.#wakeAll(what)
    if (word !== 'stop') return
    for (const one of this.#held.values()) if (one.epoch === what) one.stop.abort(asked())
  }

  #lose(one: Held): void {
    one.isLost = true
    one.stop.abort(lost(one.key))
  }

  /** Without values it is one message for the driver, which costs it and the server far less. */
  #ask(text: string, values?: unknown[]): Promise<Row[]> {
    return this.#connection.query(text, values, ASK_TIMEOUT_MS)
  }

  #hold(key: string, { epoch, note }: Taken, begunAt: number): Lease {
    const stop = new AbortController()
    const timer = setTimeout(() => this.#lose(one), STOP_MS).unref()
    const one: Held = { key, epoch, stop, timer, renewedAt: begunAt, isLost: false }
    this.#held.set(key, one)
    let noted = note
    return {
      note,
      signal: stop.signal,
      demand: () => {
        if (one.isLost || performance.now() - one.renewedAt > STOP_MS) throw lost(key)
      },
      write: async (text) => {
        const rows = await this.#ask(
          `update ${this.#table} set note = $3
           where key = $1 and epoch = $2 and ends > clock_timestamp() returning 1`,
          [key, epoch, text],
        )
        if (rows.length === 0) throw lost(key)
        noted = text
      },
      release: (last) => this.#release(one, { note: last, isNew: last !== null && last !== noted }),
      letGo: () => {
        const isLater = !stop.signal.aborted
        void this.#release(one, { note: null, isNew: false, isLater }).catch(() => {})
      },
    }
  }

  async #release(
    one: Held,
    { note, isNew, isLater }: { note: string | null; isNew: boolean; isLater?: boolean },
  ): Promise<void> {
    const { key, epoch } = one
    // From here on it is not renewed; until the answer it is not somebody else's.
    clearTimeout(one.timer)
    if (this.#held.get(key) === one) this.#held.delete(key)
    this.#leaving.add(key)
    const released = this.#releases.add({ key, epoch, note, isNew }, { isLater: isLater === true })
    const isReleased = await released.finally(() => this.#leaving.delete(key))
    if (!isReleased && note !== null) throw lost(key)
  }

  async #takeAll(all: readonly Taking[]): Promise<(Taken | undefined)[]> {
    // In one order for all nodes, so that none waits for another in a circle.
    const sorted = all.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const rows = await this.#ask(
      `insert into ${this.#table} as l (key, node, epoch, ends, note)
       select h.key, ${literal(this.#node)}, nextval('${this.#schema}.fb_epochs'), ${ENDS}, h.note
       from (values ${rowsOf(sorted, ({ key, note }) => [literal(key), textOf(note)])}) h(key, note)
       on conflict (key) do update
         set node = excluded.node, epoch = excluded.epoch, ends = excluded.ends, wanted = 0,
           note = coalesce(l.note, excluded.note)
         where l.ends <= clock_timestamp()
       returning key, epoch, note`,
    )
    const taken = new Map(
      rows.map(([key, epoch, note]) => [key, { epoch: epoch as string, note: note ?? null }]),
    )
    return all.map(({ key }) => taken.get(key))
  }

  async #releaseAll(all: readonly Releasing[]): Promise<boolean[]> {
    // What is new has to outlive a crash of the database. What is let go does not: after one it is still held, by
    // nobody who renews it, and ends.
    const how = all.some(({ isNew }) => isNew) ? 'null' : LAZILY
    const its = rowsOf(all, ({ key, epoch, note }) => [literal(key), epoch, textOf(note)])
    const rows = await this.#ask(
      `with h(key, epoch, note) as (values ${its}),
       mine as (select l.key, l.wanted, h.note from ${this.#table} l join h using (key, epoch)
         order by l.key for update of l),
       gone as (delete from ${this.#table} l using mine m where l.key = m.key and m.note is null),
       kept as (update ${this.#table} l set node = '', ends = clock_timestamp(), note = m.note
         from mine m where l.key = m.key and m.note is not null)
       select key, ${how}, case when wanted > 0 then pg_notify(${this.#channel}, 'free ' || key) end
       from mine`,
    )
    const released = new Set(rows.map(([key]) => key))
    return all.map(({ key }) => released.has(key))
  }

  /** False where it was let go meanwhile. */
  async #want(key: string, stops: boolean): Promise<boolean> {
    const said = stops ? `pg_notify(${this.#channel}, 'stop ' || epoch)` : 'epoch'
    const rows = await this.#ask(
      `with w as (update ${this.#table} set wanted = greatest(wanted, $2::smallint)
         where key = $1 and ends > clock_timestamp() returning epoch)
       select ${said}, ${LAZILY} from w`,
      [key, stops ? STOPS : WAITS],
    )
    return rows.length > 0
  }

  #woken(key: string): Promise<void> {
    return new Promise((resolve) => {
      const all = this.#waiting.get(key) ?? new Set()
      this.#waiting.set(key, all)
      const end = () => {
        clearTimeout(timer)
        all.delete(end)
        if (all.size === 0 && this.#waiting.get(key) === all) this.#waiting.delete(key)
        resolve()
      }
      const timer = setTimeout(end, ASK_MS)
      all.add(end)
    })
  }

  #wakeAll(key: string): void {
    for (const wake of [...(this.#waiting.get(key) ?? [])]) wake()
  }
}

function rowsOf<T>(all: readonly T[], columns: (one: T) => string[]): string {
  return all.map((one) => `(${columns(one).join(', ')})`).join(', ')
}

function textOf(note: string | null): string {
  return note === null ? 'null::text' : literal(note)
}

/** What comes after all texts that begin so, by their bytes: a range, which the index finds. */
function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}

function asked(): AppError {
  return new AppError('conflict', 'a newer request took over this upload')
}

function lost(key: string): AppError {
  return unavailable(new Error(`the lease of ${key} is lost`))
}
