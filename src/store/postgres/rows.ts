// Records as rows, and changes as the entries of the feed from which other nodes take them.
import { AppError } from '../../lib/errors.ts'
import type { Collection, Key } from '../collection.ts'
import { parseRecord } from '../document-file.ts'
import {
  type Before,
  createTables,
  type Entry,
  ownerKeyOf,
  setEntry,
  type Table,
  type Tables,
} from '../table.ts'
import type { Connection } from './connection.ts'
import { indexColumn, isUnfilled, limitsOf, quoted } from './schema.ts'

/** Rows that are read at a time, so that parsing them lets others take their turn. */
const ROWS_AT_A_TIME = 1_000

/** A record as it is after a change, or a key that has gone and that of the record it belonged to, each with its collection. */
type Change = [collection: string, key: string, place: number, doc: string] | Gone
type Gone = [collection: string, key: string, owner?: Key]

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

/** An index of PostgreSQL takes 2,704 bytes, and a character may be three of them; a path can be longer than that. */
const MAX_INDEXED_CHARS = 800

/** A value as the column of its index has it: the beginning, so that other values may be found with it. */
export function encodeValue(value: Key): string {
  return encodeKey(value).slice(0, MAX_INDEXED_CHARS)
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
      else if (was) changes.push(gone(table.collection, key, was))
    }
  }
  if (changes.length === 0 && Object.keys(next).length === 0) return null
  return { changes, ...(Object.keys(next).length > 0 && { next }) }
}

function gone(collection: Collection, key: Key, { record }: Entry): Gone {
  const owner = ownerKeyOf(collection, record)
  const [name, text] = [collection.name, encodeKey(key)]
  return owner === undefined ? [name, text] : [name, text, owner]
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
  for (const change of changes) {
    const table = tables.get(change[0])
    if (!table) continue
    const { key, entry, owner } = readChange(table.collection, change)
    const { isLarge, mustBeLoaded } = table.collection
    const isHeld =
      table.isWhole || table.entries.has(key) || (entry && table.owner?.entries.has(owner ?? ''))
    if (isLarge && !isHeld) {
      if (entry) orders.set(table, Math.max(orders.get(table) ?? 0, entry.order + 1))
      const about = table.owner ? owner : mustBeLoaded ? key : undefined
      if (about !== undefined) unseen.set(table, [...(unseen.get(table) ?? []), about])
      continue
    }
    const its = entries.get(table) ?? new Map<Key, Entry | undefined>()
    entries.set(table, its)
    its.set(key, entry)
  }
  return { entries, unseen, orders }
}

function readChange(
  collection: Collection,
  change: Change,
): { key: Key; entry: Entry | undefined; owner: Key | undefined } {
  const [, text, place, doc] = change
  if (doc === undefined) return { key: JSON.parse(text) as Key, entry: undefined, owner: place }
  const [key, entry] = parseRow(collection, text, doc, place as number)
  return { key, entry, owner: ownerKeyOf(collection, entry.record) }
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
  for (const [name, table] of createTables(collections)) {
    const { collection } = table
    const its = collection.isLarge && held?.get(name)
    if (its) table.isWhole = await isSmall(connection, s, collection)
    if (its && !table.isWhole) await readHeld(connection, s, table, its.entries.keys())
    else await readTable(connection, s, table)
    table.nextId = Math.max(table.nextId, next.get(collection.name) ?? 1)
    tables.set(name, table)
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

async function isSmall(
  connection: Connection,
  s: string,
  { name, wholeUpTo }: Collection,
): Promise<boolean> {
  if (wholeUpTo === undefined) return false
  const one = `select 1 from ${s}.${quoted(name)} offset ${wholeUpTo} limit 1`
  return (await connection.query(one)).length === 0
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
  held: Iterable<Key>,
): Promise<void> {
  const { owner, collection } = table
  const { name, belongsTo } = collection
  const from = `${s}.${quoted(name)}`
  const keys = [...held].map(encodeKey)
  // Those that were read before.
  const owners = owner ? [...owner.entries.keys()].map(encodeKey) : []
  const column = belongsTo?.by === undefined ? 'key' : indexColumn(belongsTo.by)
  const rows =
    keys.length + owners.length === 0
      ? []
      : await connection.query(
          `select key, doc, place from ${from} where key = any($1::text[])
             ${owner ? `or ${column} = any($2::text[]) or ${isUnfilled(collection)}` : ''} order by place`,
          owner ? [keys, owners] : [keys],
          30_000,
        )
  for (const [key, doc, place] of rows)
    setEntry(table, ...parseRow(table.collection, key as string, doc as string, Number(place)))
  const [[last] = []] = await connection.query(`select coalesce(max(place), -1) from ${from}`)
  table.nextOrder = Math.max(table.nextOrder, Number(last) + 1)
}
