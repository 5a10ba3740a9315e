// Records as rows, and changes as the entries of the feed from which other nodes take them.
import { AppError } from '../../lib/errors.ts'
import type { Collection, Key } from '../collection.ts'
import { parseRecord } from '../document-file.ts'
import {
  type Before,
  createTable,
  type Entry,
  setEntry,
  type Table,
  type Tables,
} from '../table.ts'
import type { Connection } from './connection.ts'
import { ageColumn, indexColumn, limitsOf, literal, quoted, uniqueColumn } from './schema.ts'

/** Rows that are read at a time, so that parsing them lets others take their turn. */
const ROWS_AT_A_TIME = 1_000
/** How long the feed keeps what was changed; a node that was away for longer reads everything. */
const FEED_MINUTES = 10
/** The feed is shortened with one in so many changes. */
const PRUNE_EVERY = 256

/** A record as it is after a change, or a key that has gone, each with its collection. */
type Change = [collection: string, key: string, place: number, doc: string] | [string, string]

/** What one transaction has changed. */
export interface FeedEntry {
  changes: Change[]
  /** The next number of a collection that has given some. */
  next?: Record<string, number>
}

/** A place in the history of the database. */
export interface Position {
  readonly rev: number
  /** Of the transaction that led there; another history has another one. */
  readonly id: string
}

export function encodeKey(key: Key): string {
  return JSON.stringify(key)
}

/** What `after` says of these tables, compared with `before`; null when that is nothing. */
export function feedEntryOf(
  before: Before,
  after: Before,
  next: Record<string, number>,
): FeedEntry | null {
  const changes: Change[] = []
  for (const [table, entries] of after) {
    const { name } = table.collection
    for (const [key, entry] of entries) {
      const was = before.get(table)?.get(key)
      if (was?.record === entry?.record && was?.order === entry?.order) continue
      if (entry) changes.push([name, encodeKey(key), entry.order, JSON.stringify(entry.record)])
      else if (was) changes.push([name, encodeKey(key)])
    }
  }
  if (changes.length === 0 && Object.keys(next).length === 0) return null
  return { changes, ...(Object.keys(next).length > 0 && { next }) }
}

/** A row of a collection as an entry. Throws AppError `damaged` for what cannot be read. */
export function parseRow(
  collection: Collection,
  key: string,
  doc: string,
  place: number,
): [Key, Entry] {
  try {
    const record = parseRecord(collection, JSON.parse(doc), collection.name)
    return [collection.keyOf(record), { record, order: place }]
  } catch (error) {
    const at = `${collection.name} ${key.slice(0, 100)}`
    throw new AppError(
      'damaged',
      `the record ${at} in the database is not valid: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/**
 * What an entry of the feed makes of the tables. Collections of later versions are passed over, and what is not held of
 * large ones, which is `unseen` of those that have to be loaded; `orders` are the places in the order of insertion that
 * come after what was passed over.
 */
export function entriesIn(
  tables: Tables,
  { changes }: FeedEntry,
): { entries: Before; unseen: Map<Table, Key[]>; orders: Map<Table, number> } {
  const entries: Before = new Map()
  const unseen = new Map<Table, Key[]>()
  const orders = new Map<Table, number>()
  for (const [name, key, place, doc] of changes) {
    const table = tables.get(name)
    if (!table) continue
    const { isLarge, mustBeLoaded } = table.collection
    if (isLarge && !table.entries.has(JSON.parse(key) as Key)) {
      if (place !== undefined) orders.set(table, Math.max(orders.get(table) ?? 0, place + 1))
      if (mustBeLoaded) unseen.set(table, [...(unseen.get(table) ?? []), JSON.parse(key) as Key])
      continue
    }
    const its = entries.get(table) ?? new Map<Key, Entry | undefined>()
    entries.set(table, its)
    if (doc === undefined) its.set(JSON.parse(key) as Key, undefined)
    else its.set(...parseRow(table.collection, key, doc, place as number))
  }
  return { entries, unseen, orders }
}

/** What lets the rest of the transaction be one question: it is alone from here on, and knows where it is. */
export function beginQuery(schema: string, at: Position): string {
  const s = quoted(schema)
  return [
    'begin isolation level read committed',
    // A node that is stopped amid a transaction must not stop the others for long.
    limitsOf({ idleSeconds: 5, lockSeconds: 8 }),
    `select feed from ${s}.fb_meta for update`,
    lookQuery(schema, at),
  ].join(';')
}

export const MAX_LOOK_ROWS = 200

/** Asks for what came after a position; its own row comes first while the history is the same. */
export function lookQuery(schema: string, { rev }: Position): string {
  return `select rev, id, case when rev > ${rev} then changes end from ${quoted(schema)}.fb_feed
    where rev >= ${rev} order by rev limit ${MAX_LOOK_ROWS}`
}

/**
 * Writes what an entry says into the tables and the feed, in one statement, and wakes the other nodes. All values are in
 * its text, so that the commit can be asked with it.
 */
export function writeStatement(
  schema: string,
  tables: Tables,
  entry: FeedEntry,
  at: Position,
): string {
  const s = quoted(schema)
  const parts: string[] = []
  for (const name of new Set(entry.changes.map(([of]) => of))) {
    const its = entry.changes.filter(([of]) => of === name)
    const gone = its.filter((change) => change.length === 2).map(([, key]) => key)
    const kept = its.filter((change) => change.length === 4)
    const table = `${s}.${quoted(name)}`
    if (gone.length > 0) parts.push(`delete from ${table} where key = any(${list(gone, 'text')})`)
    if (kept.length === 0) continue
    const collection = (tables.get(name) as Table).collection
    const columns: Column[] = [
      ['key', 'text', kept.map(([, key]) => key)],
      ['doc', 'text', kept.map(([, , , doc]) => doc)],
      ['place', 'bigint', kept.map(([, , place]) => place)],
      ...collection.unique.map(
        (index): Column => [
          uniqueColumn(index),
          'text',
          kept.map(([, , , doc]) => indexValue(collection, index, doc as string)),
        ],
      ),
      ...foundColumns(
        collection,
        kept.map(([, , , doc]) => doc as string),
      ),
    ]
    const names = columns.map(([column]) => column)
    const lists = columns.map(([, type, values]) => list(values, type))
    const sets = names.slice(1).map((column) => `${column} = excluded.${column}`)
    parts.push(
      `insert into ${table} (${names.join(', ')}) select * from unnest(${lists.join(', ')}) ` +
        `on conflict (key) do update set ${sets.join(', ')}`,
    )
  }
  for (const [name, next] of Object.entries(entry.next ?? {}))
    parts.push(
      `insert into ${s}.fb_numbers values (${literal(name)}, ${next}) ` +
        'on conflict (collection) do update set next = greatest(fb_numbers.next, excluded.next)',
    )
  parts.push(
    `insert into ${s}.fb_feed (rev, id, changes) values (${at.rev}, ${literal(at.id)}, ${literal(JSON.stringify(entry))})`,
    `update ${s}.fb_meta set feed = ${at.rev}`,
  )
  if (at.rev % PRUNE_EVERY === 0)
    parts.push(
      `delete from ${s}.fb_feed where rev < ${at.rev} and at < now() - interval '${FEED_MINUTES} minutes'`,
    )
  const steps = parts.map((part, n) => `s${n} as (${part})`)
  return `with ${steps.join(',\n')} select pg_notify(${literal(schema)}, '${at.rev}')`
}

type Column = [name: string, type: string, values: (string | number | null | undefined)[]]

/** An array in SQL. */
function list(values: Column[2], type: string): string {
  const items = values.map((value) =>
    typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : (value ?? 'NULL'),
  )
  return `${literal(`{${items.join(',')}}`)}::${type}[]`
}

function foundColumns(collection: Collection, docs: readonly string[]): Column[] {
  if (!collection.isLarge) return []
  return [
    ...Object.keys(collection.indexes).map(
      (index): Column => [
        indexColumn(index),
        'text',
        docs.map((doc) => indexValue(collection, index, doc)),
      ],
    ),
    [ageColumn(), 'double precision', docs.map((doc) => collection.ageOf?.(JSON.parse(doc)) ?? 0)],
  ]
}

function indexValue(collection: Collection, index: string, doc: string): string | null {
  const value = collection.indexes[index]?.(JSON.parse(doc))
  return value === undefined ? null : encodeKey(value)
}

/** The end of the feed. */
export async function readPosition(connection: Connection, schema: string): Promise<Position> {
  const [[rev, id] = []] = await connection.query(
    `select rev, id from ${quoted(schema)}.fb_feed order by rev desc limit 1`,
  )
  return { rev: Number(rev), id: id ?? '' }
}

/** Everything in the database at one moment. */
export interface Snapshot {
  at: Position
  tables: Map<string, Table>
}

/**
 * Reads everything; the transaction it is asked in sees one moment. Of large collections only what is held in `held`,
 * unless that is absent. Throws AppError `damaged`.
 */
export async function readAll(
  connection: Connection,
  schema: string,
  collections: readonly Collection[],
  held?: Tables,
): Promise<Snapshot> {
  const s = quoted(schema)
  const at = await readPosition(connection, schema)
  const numbers = await connection.query(`select collection, next from ${s}.fb_numbers`)
  const next = new Map(numbers.map(([name, number]) => [name, Number(number)]))
  const tables = new Map<string, Table>()
  for (const collection of collections) {
    const table = createTable(collection)
    const its = collection.isLarge && held?.get(collection.name)
    if (its) await readHeld(connection, s, table, its)
    else await readTable(connection, s, table)
    table.nextId = Math.max(table.nextId, next.get(collection.name) ?? 1)
    tables.set(collection.name, table)
  }
  return { at, tables }
}

/** Whether a transaction is in the feed. */
export async function hasEntry(
  connection: Connection,
  schema: string,
  id: string,
): Promise<boolean> {
  const rows = await connection.query(`select 1 from ${quoted(schema)}.fb_feed where id = $1`, [id])
  return rows.length > 0
}

async function readTable(connection: Connection, s: string, table: Table): Promise<void> {
  const { collection } = table
  const fetch = `fetch ${ROWS_AT_A_TIME} from filebrowser_rows`
  let rows = await connection.query(
    `declare filebrowser_rows no scroll cursor for
     select key, doc, place from ${s}.${quoted(collection.name)} order by place; ${fetch}`,
    undefined,
    30_000,
  )
  while (rows.length > 0) {
    for (const [key, doc, place] of rows) {
      const [own, entry] = parseRow(collection, key as string, doc as string, Number(place))
      setEntry(table, own, entry)
      if (typeof own === 'number') table.nextId = Math.max(table.nextId, own + 1)
    }
    rows = rows.length < ROWS_AT_A_TIME ? [] : await connection.query(fetch)
  }
  await connection.query('close filebrowser_rows')
}

async function readHeld(
  connection: Connection,
  s: string,
  table: Table,
  { entries }: Table,
): Promise<void> {
  const name = `${s}.${quoted(table.collection.name)}`
  const keys = [...entries.keys()].map(encodeKey)
  const rows =
    keys.length === 0
      ? []
      : await connection.query(
          `select key, doc, place from ${name} where key = any($1::text[]) order by place`,
          [keys],
          30_000,
        )
  for (const [key, doc, place] of rows)
    setEntry(table, ...parseRow(table.collection, key as string, doc as string, Number(place)))
  const [[last] = []] = await connection.query(`select coalesce(max(place), -1) from ${name}`)
  table.nextOrder = Math.max(table.nextOrder, Number(last) + 1)
}

/** Fills the columns of large collections that came with a later version than their rows. */
export async function fillColumns(
  connection: Connection,
  schema: string,
  collection: Collection,
): Promise<void> {
  const name = `${quoted(schema)}.${quoted(collection.name)}`
  for (;;) {
    const rows = await connection.query(
      `select key, doc from ${name} where ${ageColumn()} is null limit ${ROWS_AT_A_TIME}`,
    )
    if (rows.length === 0) return
    const columns = foundColumns(
      collection,
      rows.map(([, doc]) => doc as string),
    )
    const lists = columns.map(([, type], n) => `$${n + 2}::${type}[]`)
    const sets = columns.map(([column], n) => `${column} = v.c${n}`)
    const names = columns.map((_, n) => `c${n}`)
    await connection.query(
      `update ${name} t set ${sets.join(', ')}
         from unnest($1::text[], ${lists.join(', ')}) v(key, ${names.join(', ')}) where t.key = v.key`,
      [rows.map(([key]) => key), ...columns.map(([, , values]) => values)],
    )
  }
}
