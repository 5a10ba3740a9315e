// Records as they are written: changes with their entry of the feed, whole tables, and columns that came with a later version.
import { hash } from 'node:crypto'
import type { Collection, Key } from '../collection.ts'
import type { Table, Tables } from '../table.ts'
import type { Connection } from './connection.ts'
import { encodeKey, encodeValue, type FeedEntry, type Position } from './rows.ts'
import {
  ageColumn,
  filledColumn,
  fillingOf,
  indexColumn,
  isUnfilled,
  LAZILY,
  literal,
  quoted,
  uniqueColumn,
} from './schema.ts'

/** An index of PostgreSQL takes 2,704 bytes. */
const MAX_KEY_BYTES = 2_600
/** Rows that are filled at a time. */
const ROWS_AT_A_TIME = 1_000
/** How long the feed keeps what was changed; a node that was away for longer reads everything. */
const FEED_MINUTES = 10
/** The feed is shortened with one in so many changes. */
const PRUNE_EVERY = 256

/**
 * Writes what an entry says into the tables and the feed, in one statement, and wakes the other nodes. All values are in
 * its text, so that the commit can be asked with it. What may be taken back by a crash does not wait for the disk.
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
    const { collection } = tables.get(name) as Table
    const gone = its.flatMap(([, key, , doc]) => {
      const own = rowKey(collection, key)
      // A version before wrote long ones whole where they fitted.
      const whole = own === key ? [] : [key]
      return doc === undefined ? [own, ...whole] : whole
    })
    const kept = its.flatMap(([, key, place, doc]): Written[] =>
      doc === undefined ? [] : [{ key, place: place as number, doc }],
    )
    const table = `${s}.${quoted(name)}`
    if (gone.length > 0) parts.push(`delete from ${table} where key = any(${list(gone, 'text')})`)
    if (kept.length === 0) continue
    parts.push(upsert(s, collection, kept))
  }
  for (const [name, next] of Object.entries(entry.next ?? {}))
    parts.push(numberStatement(schema, name, next))
  parts.push(
    `insert into ${s}.fb_feed (rev, id, changes) values (${at.rev}, ${literal(at.id)}, ${literal(JSON.stringify(entry))})`,
    `update ${s}.fb_meta set feed = ${at.rev}`,
  )
  if (at.rev % PRUNE_EVERY === 0)
    parts.push(
      `delete from ${s}.fb_feed where rev < ${at.rev} and at < now() - interval '${FEED_MINUTES} minutes'`,
    )
  const steps = parts.map((part, n) => `s${n} as (${part})`)
  const how = isLazy(tables, entry) ? `, ${LAZILY}` : ''
  return `with ${steps.join(',\n')} select pg_notify(${literal(schema)}, '${at.rev}')${how}`
}

function isLazy(tables: Tables, { changes, next = {} }: FeedEntry): boolean {
  const isWritten = (change: FeedEntry['changes'][number]) =>
    change.length === 4 && tables.get(change[0])?.collection.isWrittenLazily === true
  return Object.keys(next).length === 0 && changes.every(isWritten)
}

/** A record as it is written. */
interface Written {
  key: string
  place: number
  doc: string
}

function upsert(s: string, collection: Collection, rows: readonly Written[]): string {
  const docs = rows.map(({ doc }) => doc)
  const columns: Column[] = [
    ['key', 'text', rows.map(({ key }) => rowKey(collection, key))],
    ['doc', 'text', docs],
    ['place', 'bigint', rows.map(({ place }) => place)],
    ...collection.unique.map(
      (index): Column => [
        uniqueColumn(index),
        'text',
        docs.map((doc) => indexValue(collection, index, doc, encodeKey)),
      ],
    ),
    ...foundColumns(collection, docs),
  ]
  const names = columns.map(([column]) => column)
  const lists = columns.map(([, type, values]) => list(values, type))
  const sets = names.slice(1).map((column) => `${column} = excluded.${column}`)
  const filling = collection.isLarge ? `${fillingOf(collection)}, ` : ''
  return (
    `insert into ${s}.${quoted(collection.name)} (${names.join(', ')}) ` +
    `select v.* from ${filling}unnest(${lists.join(', ')}) v on conflict (key) do update set ${sets.join(', ')}`
  )
}

/**
 * A key as its row has it, which an index takes: of a longer one, as a path can be, the hash. In large collections, where
 * rows are asked for by their keys, none is so long.
 */
function rowKey({ isLarge }: Collection, key: string): string {
  const isLong = !isLarge && Buffer.byteLength(key) > MAX_KEY_BYTES
  return isLong ? `sha256 ${hash('sha256', key)}` : key
}

/** Writes records into a table that has none of them, which nobody follows yet; the first has the place `from`. */
export function insertStatement(
  schema: string,
  collection: Collection,
  records: readonly object[],
  from: number,
): string {
  const rows = records.map((record, n) => ({
    key: encodeKey(collection.keyOf(record)),
    place: from + n,
    doc: JSON.stringify(record),
  }))
  return upsert(quoted(schema), collection, rows)
}

/** Notes the next number of a collection. */
export function numberStatement(schema: string, name: string, next: number): string {
  return (
    `insert into ${quoted(schema)}.fb_numbers values (${literal(name)}, ${next}) ` +
    'on conflict (collection) do update set next = greatest(fb_numbers.next, excluded.next)'
  )
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
        docs.map((doc) => indexValue(collection, index, doc, encodeValue)),
      ],
    ),
    [ageColumn(), 'double precision', docs.map((doc) => collection.ageOf?.(JSON.parse(doc)) ?? 0)],
    [filledColumn(collection), 'boolean', docs.map(() => 'true')],
  ]
}

function indexValue(
  collection: Collection,
  index: string,
  doc: string,
  encode: (value: Key) => string,
): string | null {
  const value = collection.indexes[index]?.(JSON.parse(doc))
  return value === undefined ? null : encode(value)
}

/** Fills the columns of large collections in rows that an older program wrote or changed, some rows at a time. */
export async function fillColumns(
  connection: Connection,
  schema: string,
  collections: readonly Collection[],
): Promise<void> {
  const large = collections.filter(({ isLarge }) => isLarge)
  const s = quoted(schema)
  const lacks = (of: Collection) =>
    `select ${literal(of.name)} where exists (select 1 from ${s}.${quoted(of.name)} where ${isUnfilled(of)})`
  const found = await connection.query(large.map(lacks).join(' union all '))
  for (const collection of large)
    if (found.some(([name]) => name === collection.name)) await fillTable(connection, s, collection)
}

// In transactions of their own, so that nodes of the version before wait for none of them for long.
async function fillTable(connection: Connection, s: string, collection: Collection): Promise<void> {
  const name = `${s}.${quoted(collection.name)}`
  for (;;) {
    const rows = await connection.query(
      `begin; select key, doc from ${name} where ${isUnfilled(collection)} limit ${ROWS_AT_A_TIME} for update`,
      undefined,
      30_000,
    )
    const columns = foundColumns(
      collection,
      rows.map(([, doc]) => doc as string),
    )
    const lists = columns.map(([, type], n) => `$${n + 2}::${type}[]`)
    const sets = columns.map(([column], n) => `${column} = v.c${n}`)
    const names = columns.map((_, n) => `c${n}`)
    if (rows.length > 0)
      await connection.query(
        `update ${name} t set ${sets.join(', ')}
         from ${fillingOf(collection)}, unnest($1::text[], ${lists.join(', ')}) v(key, ${names.join(', ')}) where t.key = v.key`,
        [rows.map(([key]) => key), ...columns.map(([, , values]) => values)],
        30_000,
      )
    await connection.query('commit')
    if (rows.length === 0) return
  }
}
