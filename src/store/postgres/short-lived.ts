// What lives for some minutes, in a table that the nodes share and that is empty after a crash of the database. Keys are
// hashed: some of them let their holder go on, and others are addresses. What waits is done in one transaction.
import { hash } from 'node:crypto'
import {
  type Cell,
  createCell,
  type Kind,
  type ShortLived,
  type Use,
  type Written,
} from '../short-lived/short-lived.ts'
import type { Connection, Row } from './connection.ts'
import { limitsOf, literal, quoted } from './schema.ts'

/** How often what has ended is taken away by a node that has something to write. */
const SWEEP_MS = 60_000
const TIMEOUT_MS = 5_000

interface Waiting {
  kind: Kind<unknown>
  keys: readonly string[]
  use: Use<unknown, unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Found = Map<string, { value: unknown; leftMs: number } | undefined>

/** The connection is this one's alone. */
export function createSharedShortLived(connection: Connection, schema: string): ShortLived {
  const table = `${quoted(schema)}.fb_short`
  const lock = `pg_advisory_xact_lock(hashtextextended(${literal(`filebrowser ${schema} short`)}, 0))`
  const kinds = new Map<string, Kind<unknown>>()
  let waiting: Waiting[] = []
  let isRunning = false
  let sweptAtMs = Number.NEGATIVE_INFINITY

  const sweep = () => {
    if (performance.now() - sweptAtMs < SWEEP_MS) return []
    sweptAtMs = performance.now()
    const tooMany = [...kinds.values()].map(
      ({ name, max }) =>
        `delete from ${table} where key in (select key from ${table} where kind = ${literal(name)} order by ends desc offset ${max})`,
    )
    return [`delete from ${table} where ends <= clock_timestamp()`, ...tooMany]
  }

  const begin = async (keys: ReadonlySet<string>) => {
    const query = beginQuery(table, lock, keys)
    // A connection that has rested may be gone; nothing has happened then.
    const mayBeGone = connection.isOpen
    try {
      return await connection.query(query, undefined, TIMEOUT_MS)
    } catch (error) {
      if (!mayBeGone || connection.isOpen) throw error
      return connection.query(query, undefined, TIMEOUT_MS)
    }
  }

  const doAll = async (batch: readonly Waiting[]): Promise<void> => {
    const keys = new Set(batch.flatMap(({ kind, keys }) => keys.map((key) => keyOf(kind, key))))
    const settled: (() => void)[] = []
    try {
      const rows = await begin(keys)
      const { found, nowMs } = readRows(rows)
      const statements = batch.flatMap((one) => apply(table, one, found, nowMs, settled))
      const all = statements.length > 0 ? [...sweep(), ...statements, 'commit'] : ['rollback']
      await connection.query(all.join(';\n'), undefined, TIMEOUT_MS)
    } catch (error) {
      // In whatever transaction it is.
      connection.drop()
      for (const { reject } of batch) reject(error)
      return
    }
    for (const settle of settled) settle()
  }

  const run = async () => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await doAll(batch)
    }
    isRunning = false
  }
  return {
    use: (kind, keys, use) => {
      kinds.set(kind.name, kind)
      return new Promise((resolve, reject) => {
        waiting.push({ kind, keys, use, resolve, reject } as Waiting)
        if (!isRunning) void run()
      })
    },
  }
}

function keyOf({ name }: Kind<unknown>, key: string): string {
  return hash('sha256', `${name}\0${key}`, 'base64url')
}

function beginQuery(table: string, lock: string, keys: ReadonlySet<string>): string {
  const wanted = [...keys].map((key) => `(${literal(key)})`).join(', ')
  return [
    'begin isolation level read committed',
    // A node that is stopped amid a transaction must not stop the others for long.
    `${limitsOf({ idleSeconds: 2, lockSeconds: 4 })}, ${lock}`,
    `select w.key, s.doc, extract(epoch from s.ends - clock_timestamp()) * 1000, extract(epoch from clock_timestamp()) * 1000
       from (values ${wanted}) w(key) left join ${table} s on s.key = w.key and s.ends > clock_timestamp()`,
  ].join(';')
}

function readRows(rows: readonly Row[]): { found: Found; nowMs: number } {
  const found: Found = new Map()
  for (const [key, doc, left] of rows)
    found.set(key as string, doc ? { value: JSON.parse(doc), leftMs: Number(left) } : undefined)
  return { found, nowMs: Number(rows[0]?.[3]) }
}

/** Lets one use its cells on top of what those before it have made of them; gives what is to be written. */
function apply(
  table: string,
  { kind, keys, use, resolve, reject }: Waiting,
  found: Found,
  nowMs: number,
  settled: (() => void)[],
): string[] {
  const cells = keys.map((key) => createCell(found.get(keyOf(kind, key))))
  try {
    const value = use(cells as Cell<unknown>[], nowMs)
    settled.push(() => resolve(value))
  } catch (error) {
    settled.push(() => reject(error))
    return []
  }
  return keys.flatMap((key, i) => {
    const written = cells[i]?.written()
    if (written === undefined) return []
    const own = keyOf(kind, key)
    found.set(own, written ? { value: written.value, leftMs: written.lifeMs } : undefined)
    return write(table, kind, own, written)
  })
}

function write(
  table: string,
  kind: Kind<unknown>,
  key: string,
  written: Written<unknown>,
): string[] {
  if (!written) return [`delete from ${table} where key = ${literal(key)}`]
  const { value, lifeMs, owner } = written
  const ends = `clock_timestamp() + ${Math.max(1, Math.ceil(lifeMs))} * interval '1 millisecond'`
  const values = [key, kind.name, hash('sha256', owner, 'base64url'), JSON.stringify(value)]
  const put = `insert into ${table} (key, kind, owner, doc, ends) values (${values.map(literal).join(', ')}, ${ends})
    on conflict (key) do update set owner = excluded.owner, doc = excluded.doc, ends = excluded.ends`
  if (owner === '' || kind.maxPerOwner === undefined) return [put]
  const older = `delete from ${table} where key in (select key from ${table} where kind = ${literal(kind.name)}
    and owner = ${literal(values[2] as string)} and key <> ${literal(key)} order by ends desc offset ${kind.maxPerOwner - 1})`
  return [older, put]
}
