// The nodes that serve from one database: each says every three seconds that it is there, renews what it holds and
// leads where nobody else does, in one statement.
import { randomUUID } from 'node:crypto'
import type { Logger } from '../../lib/log.ts'
import type { NodeFacts, NodeState, Nodes } from '../nodes/nodes.ts'
import { Connection, type Row, type Target } from './connection.ts'
import {
  GONE,
  HERE,
  LEADER,
  LEASE_SECONDS,
  leaseChannel,
  PostgresLeases,
  STOP_MS,
} from './leases.ts'
import { literal, quoted } from './schema.ts'

const BEAT_MS = 3_000
const BEAT_TIMEOUT_MS = 2_500
/** A node that has not been seen for so long is gone. */
const GONE_SECONDS = 10
/** How long one that is gone is still listed. */
const LISTED_MINUTES = 60
/** A clock that differs by more is logged. */
const MAX_CLOCK_MS = 1_000
/** How often what nobody has let go of is forgotten. */
const TIDY_EVERY_MS = 600_000

interface Task {
  run(): Promise<void>
  everyMs: number
  nextAt: number
}

interface NodesOptions {
  target: Target
  schema: string
  name: string
  /** How old what this node knows of the records is, in milliseconds. */
  lagMs(): number
}

export class PostgresNodes implements Nodes {
  readonly id = randomUUID()
  readonly name: string
  readonly leases: PostgresLeases
  readonly #schema: string
  readonly lagMs: () => number
  readonly #connection: Connection
  readonly #tasks: Task[] = []
  #state: NodeState = 'ready'
  #joined: { version: string; log: Logger } | undefined
  #timer: NodeJS.Timeout | undefined
  #beat: Promise<void> | undefined
  /** By the monotonic clock, before the lease of it ends. */
  #leadsUntil = Number.NEGATIVE_INFINITY
  #isClockOff = false
  /** Ids of the nodes that serve besides this one, as of the last beat and what was heard since it began. */
  readonly #others = new Set<string>()
  /** Those that were heard since the last beat began. */
  readonly #heard = new Set<string>()

  constructor({ target, schema, name, lagMs }: NodesOptions) {
    this.#schema = schema
    this.name = name
    this.lagMs = lagMs
    this.#connection = new Connection(
      target,
      `filebrowser ${name} holds`,
      (ask) => ask(`listen ${quoted(leaseChannel(schema))}`),
      (payload) => this.#hear(payload),
    )
    this.leases = new PostgresLeases(this.#connection, schema, this.id)
    this.whileLeading(() => this.leases.tidy(), TIDY_EVERY_MS)
  }

  async join(joined: { version: string; log: Logger }): Promise<void> {
    this.#joined = joined
    await this.#say()
    this.#beatLater()
  }

  /** The nodes that serve besides this one; one that comes or goes is known at once where notifications come through, else after three seconds. */
  others(): readonly string[] {
    return [...this.#others]
  }

  #hear(payload: string): void {
    const [word, id = ''] = payload.split(' ')
    if (word === HERE && id !== this.id) {
      this.#heard.add(id)
      this.#others.add(id)
    }
    if (word === GONE) {
      this.#heard.delete(id)
      this.#others.delete(id)
    }
    this.leases.wake(payload)
  }

  hasJoined(): boolean {
    return this.#joined !== undefined
  }

  isLeading(): boolean {
    return performance.now() < this.#leadsUntil
  }

  drain(): void {
    this.#state = 'draining'
    this.#leadsUntil = Number.NEGATIVE_INFINITY
    // A failure shows in the records.
    if (this.#joined) void this.#say().catch(() => {})
  }

  list(): Promise<NodeFacts[]> {
    return readNodesBy(this.#connection, this.#schema)
  }

  whileLeading(run: () => Promise<void>, everyMs: number): void {
    this.#tasks.push({ run, everyMs, nextAt: Number.NEGATIVE_INFINITY })
  }

  /** Lets go of everything, and is not listed any more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#beat?.catch(() => {})
    await this.leases.flush()
    const s = quoted(this.#schema)
    if (this.#joined)
      await this.#connection
        .query(
          `with l as (update ${s}.fb_leases set ends = clock_timestamp()
             where key in (select key from ${s}.fb_leases where node = $1 order by key for update)),
           d as (delete from ${s}.fb_nodes where id = $1)
           select pg_notify(${literal(leaseChannel(this.#schema))}, '${GONE} ' || $1)`,
          [this.id],
          BEAT_TIMEOUT_MS,
        )
        // It counts as gone in a moment.
        .catch(() => {})
    this.#joined = undefined
    await this.#connection.close()
  }

  #beatLater(): void {
    this.#timer = setTimeout(() => {
      this.#beat = this.#say()
        // Who cannot renew what it holds stops by itself.
        .catch(() => {})
        .finally(() => {
          if (this.#joined) this.#beatLater()
        })
    }, BEAT_MS).unref()
  }

  async #say(): Promise<void> {
    const { version = '', log } = this.#joined ?? {}
    const { keys, epochs } = this.leases.held()
    const begunAt = performance.now()
    this.#heard.clear()
    const lagMs = Math.min(Math.round(this.lagMs()), 2 ** 31 - 1)
    const [row] = await this.#connection.query(
      beatStatement(this.#schema),
      [this.id, this.name, version, this.#state, lagMs, keys, epochs],
      BEAT_TIMEOUT_MS,
    )
    const [nowMs, leads, renewed, others] = row as Row
    this.#checkClock(Number(nowMs), (performance.now() - begunAt) / 2)
    const found = new Map<string, boolean>(JSON.parse(renewed ?? '[]'))
    this.leases.renewed(epochs, found, begunAt)
    const there: string[] = JSON.parse(others ?? '[]')
    this.#others.clear()
    for (const id of [...there, ...this.#heard]) this.#others.add(id)
    this.leases.meet(there)
    if (leads === null) return
    if (!this.isLeading()) {
      log?.info(`Node ${this.name} sweeps for all nodes from now on`)
      for (const task of this.#tasks)
        if (task.nextAt < Number.POSITIVE_INFINITY) task.nextAt = Number.NEGATIVE_INFINITY
    }
    this.#leadsUntil = begunAt + STOP_MS
    this.#runTasks()
  }

  #checkClock(databaseMs: number, halfWayMs: number): void {
    const offMs = Date.now() - halfWayMs - databaseMs
    const isOff = Math.abs(offMs) > MAX_CLOCK_MS + halfWayMs
    if (isOff && !this.#isClockOff) {
      const how = `${(Math.abs(offMs) / 1000).toFixed(1)} s ${offMs > 0 ? 'ahead of' : 'behind'}`
      this.#joined?.log.warn(`the clock of this node is ${how} that of the database`)
    }
    this.#isClockOff = isOff
  }

  #runTasks(): void {
    const now = performance.now()
    for (const task of this.#tasks) {
      if (now < task.nextAt) continue
      // Until it has ended it does not begin again.
      task.nextAt = Number.POSITIVE_INFINITY
      void task
        .run()
        .catch((error: Error) => this.#joined?.log.warn(`sweeping failed: ${error.message}`))
        .finally(() => {
          task.nextAt = performance.now() + task.everyMs
        })
    }
  }
}

/** Takes id, name, version, state, lag, and keys and epochs that are held; gives the time, whether it leads, what it still holds, and the others. */
function beatStatement(schema: string): string {
  const s = quoted(schema)
  const ends = `clock_timestamp() + interval '${LEASE_SECONDS} s'`
  return `
    with beat as (
      insert into ${s}.fb_nodes (id, name, version, state, started_at, seen_at, lag_ms)
      values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp(), $5)
      on conflict (id) do update
        set state = excluded.state, seen_at = excluded.seen_at, lag_ms = excluded.lag_ms),
    swept as (
      delete from ${s}.fb_nodes
      where id <> $1 and seen_at < clock_timestamp() -
        case when name = $2 then interval '${GONE_SECONDS} s' else interval '${LISTED_MINUTES} min' end),
    leads as (
      insert into ${s}.fb_leases as l (key, node, epoch, ends)
      select '${LEADER}', $1, nextval('${s}.fb_epochs'), ${ends} where $4 = 'ready'
      on conflict (key) do update set node = excluded.node, ends = excluded.ends,
        epoch = case when l.node = excluded.node then l.epoch else excluded.epoch end
        where l.node = excluded.node or l.ends <= clock_timestamp()
      returning epoch),
    let_go as (
      update ${s}.fb_leases set ends = clock_timestamp()
      where key = '${LEADER}' and node = $1 and $4 <> 'ready'),
    renewed as (
      update ${s}.fb_leases l set ends = ${ends}
      from (
        select key, epoch from ${s}.fb_leases
        join unnest($6::text[], $7::bigint[]) as h(key, epoch) using (key, epoch)
        where ends > clock_timestamp() order by key for update of fb_leases) mine
      where l.key = mine.key
      returning l.epoch, l.wanted)
    select extract(epoch from clock_timestamp()) * 1000, (select epoch from leads),
      (select json_agg(json_build_array(epoch::text, wanted = 2)) from renewed),
      (select json_agg(id) from ${s}.fb_nodes
       where id <> $1 and seen_at > clock_timestamp() - interval '${GONE_SECONDS} s'),
      pg_notify(${literal(leaseChannel(schema))}, '${HERE} ' || $1)`
}

/** Those that have been seen within the hour, the oldest first. */
export async function readNodesBy(connection: Connection, schema: string): Promise<NodeFacts[]> {
  const s = quoted(schema)
  const rows = await connection.query(
    `select n.id, n.name, n.version,
       case when n.seen_at < clock_timestamp() - interval '${GONE_SECONDS} s' then 'gone' else n.state end,
       extract(epoch from n.started_at) * 1000, extract(epoch from n.seen_at) * 1000,
       exists (select 1 from ${s}.fb_leases l
         where l.key = '${LEADER}' and l.node = n.id and l.ends > clock_timestamp()), n.lag_ms
     from ${s}.fb_nodes n order by n.started_at, n.id`,
  )
  return rows.map(([id, name, version, state, startedMs, seenMs, leader, lagMs]) => ({
    id: id as string,
    name: name as string,
    version: version as string,
    state: state as NodeState,
    startedAt: new Date(Math.round(Number(startedMs))),
    seenAt: new Date(Math.round(Number(seenMs))),
    leader: leader === 't',
    lagMs: Number(lagMs),
  }))
}
