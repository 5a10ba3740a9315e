// Leases as rows: who holds one has renewed it within ten seconds of the database's clock. Nothing of it is bound to
// a connection, so poolers may stand between.
import { AppError } from '../../lib/errors.ts'
import type { Lease, LeaseNote, Leases, NotesOptions, TakeOptions } from '../nodes/nodes.ts'
import { type Connection, type Row, unavailable } from './connection.ts'
import { literal, quoted } from './schema.ts'

/** How long a lease is held without being renewed, by the clock of the database. */
export const LEASE_SECONDS = 10
/** After so long without it who holds one stops, by its own clock: what is under way has to end before. */
export const STOP_MS = 7_000
/** How often who waits asks, also without having been woken. */
const ASK_MS = 500
/** How long a question may take. */
const ASK_TIMEOUT_MS = 2_500
/** Notes given at once. */
const MAX_NOTES = 10_000

const ENDS = `clock_timestamp() + interval '${LEASE_SECONDS} s'`

/** The moment that is `$2` milliseconds ago. */
const AGO = `clock_timestamp() - $2 * interval '1 ms'`

/** What others are asked by the column `wanted`. */
const WAITS = 1
const STOPS = 2

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
  /** Who waits, by key. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(connection: Connection, schema: string, node: string) {
    this.#connection = connection
    this.#schema = quoted(schema)
    this.#node = node
    this.#table = `${this.#schema}.fb_leases`
    this.#channel = literal(leaseChannel(schema))
  }

  async take(key: string, { stops, note, waitMs }: TakeOptions): Promise<Lease> {
    const untilMs = performance.now() + (waitMs ?? Number.POSITIVE_INFINITY)
    for (;;) {
      const begunAt = performance.now()
      const [row] = await this.#ask(
        `insert into ${this.#table} as l (key, node, epoch, ends, note)
         values ($1, $2, nextval('${this.#schema}.fb_epochs'), ${ENDS}, $3)
         on conflict (key) do update
           set node = excluded.node, epoch = excluded.epoch, ends = excluded.ends, wanted = 0,
             note = coalesce(l.note, excluded.note)
           where l.ends <= clock_timestamp()
         returning epoch, note`,
        [key, this.#node, note ?? null],
      )
      if (row) return this.#hold(key, row[0] as string, row[1] ?? null, begunAt)
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

  /** Takes what came by NOTIFY. */
  wake(payload: string): void {
    const space = payload.indexOf(' ')
    const [word, what] = [payload.slice(0, space), payload.slice(space + 1)]
    if (word === 'free') this.#wakeAll(what)
    if (word !== 'stop') return
    for (const one of this.#held.values()) if (one.epoch === what) one.stop.abort(asked())
  }

  #lose(one: Held): void {
    one.isLost = true
    one.stop.abort(lost(one.key))
  }

  #ask(text: string, values: unknown[]): Promise<Row[]> {
    return this.#connection.query(text, values, ASK_TIMEOUT_MS)
  }

  #hold(key: string, epoch: string, note: string | null, begunAt: number): Lease {
    const stop = new AbortController()
    const timer = setTimeout(() => this.#lose(one), STOP_MS).unref()
    const one: Held = { key, epoch, stop, timer, renewedAt: begunAt, isLost: false }
    this.#held.set(key, one)
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
      },
      release: (last) => this.#release(one, last),
    }
  }

  async #release(one: Held, note: string | null): Promise<void> {
    const { key, epoch } = one
    // From here on it is not renewed; until the answer it is not somebody else's.
    clearTimeout(one.timer)
    if (this.#held.get(key) === one) this.#held.delete(key)
    const where = 'where key = $1 and epoch = $2 returning wanted'
    const step =
      note === null
        ? `delete from ${this.#table} ${where}`
        : `update ${this.#table} set node = '', ends = clock_timestamp(), note = $3 ${where}`
    const rows = await this.#ask(
      `with r as (${step})
       select case when wanted > 0 then pg_notify(${this.#channel}, 'free ' || $1) end from r`,
      [key, epoch, ...(note === null ? [] : [note])],
    )
    if (rows.length === 0 && note !== null) throw lost(key)
  }

  /** False where it was let go meanwhile. */
  async #want(key: string, stops: boolean): Promise<boolean> {
    const said = stops ? `pg_notify(${this.#channel}, 'stop ' || epoch)` : 'epoch'
    const rows = await this.#ask(
      `with w as (update ${this.#table} set wanted = greatest(wanted, $2::smallint)
         where key = $1 and ends > clock_timestamp() returning epoch)
       select ${said} from w`,
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
