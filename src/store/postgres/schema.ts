// What lies in the database: a schema with a table for each collection, and some of our own. A later
// version adds before it takes away, so that nodes of two versions can serve from one database.
import { randomUUID } from 'node:crypto'
import { AppError } from '../../lib/errors.ts'
import type { Collection } from '../collection.ts'
import type { Connection } from './connection.ts'

/** The layout of the tables that this program writes, and the oldest that may write with it. */
export const SCHEMA_LAYOUT = 1
/** PostgreSQL 13. */
const MIN_SERVER_VERSION = 130_000

export const SCHEMA = 'filebrowser'

/** Selected, it has a transaction not wait for the disk of the database: a crash may take it back. */
export const LAZILY = `set_config('synchronous_commit', 'off', true)`

/** Selects how long a transaction may wait for its next question, and for a lock or an answer. One statement costs less than three. */
export function limitsOf({
  idleSeconds,
  lockSeconds,
}: {
  idleSeconds: number
  lockSeconds: number
}): string {
  const limits = {
    idle_in_transaction_session_timeout: idleSeconds,
    lock_timeout: lockSeconds,
    statement_timeout: lockSeconds,
  }
  const set = ([name, seconds]: [string, number]) => `set_config('${name}', '${seconds}s', true)`
  return `select ${Object.entries(limits).map(set).join(', ')}`
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The column with a unique value. */
export function uniqueColumn(index: string): string {
  return quoted(`unique_${index}`)
}

/** The column by which records of a large collection are found. */
export function indexColumn(index: string): string {
  return quoted(`index_${index}`)
}

/** The column with the age of records of a large collection. */
export function ageColumn(): string {
  return quoted('age')
}

/** Throws AppError `unsupported` where the server is older than PostgreSQL 13. */
export async function demandServer(connection: Connection): Promise<void> {
  const [[number, name] = []] = await connection.query(
    `select current_setting('server_version_num'), current_setting('server_version')`,
  )
  if (Number(number) >= MIN_SERVER_VERSION) return
  throw new AppError('unsupported', `PostgreSQL ${name} is too old; it has to be 13 or later`)
}

/** How many columns a program fills by which records of a large collection are found; a later version has more. */
function columnCount({ indexes }: Collection): number {
  return Object.keys(indexes).length + 1
}

/** The column that says whether others are filled: it is null in a row that an older program wrote, or changed. */
export function filledColumn(collection: Collection): string {
  return quoted(`filled_${columnCount(collection)}`)
}

/** What is true of such rows. */
export function isUnfilled(collection: Collection): string {
  return `(${filledColumn(collection)} is null)`
}

/** Selected in a statement that fills the columns: it tells the trigger that it does. */
export function fillingOf(collection: Collection): string {
  return `(select set_config('filebrowser.columns', '${columnCount(collection)}', true)) filling`
}

/** `older`: some tables are missing, or columns by which large collections are found. */
export type Found = 'absent' | 'older' | 'ours'

/**
 * Looks what the schema holds and changes nothing. Throws AppError `unsupported` for tables of somebody
 * else, `damaged` for those of a later version that this one must not write.
 */
export async function findSchema(
  connection: Connection,
  schema: string,
  collections: readonly Collection[],
): Promise<Found> {
  const rows = await connection.query(
    `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'f', 'm')`,
    [schema],
  )
  if (rows.length === 0) return 'absent'
  const names = new Set(rows.map(([name]) => name))
  if (!names.has('fb_meta') || !names.has('fb_collections')) {
    throw new AppError(
      'unsupported',
      `the schema "${schema}" of this database holds tables of another program. Nothing was changed.`,
    )
  }
  const [[layout] = []] = await connection.query(`select min_layout from ${quoted(schema)}.fb_meta`)
  if (Number(layout) > SCHEMA_LAYOUT)
    throw tooNew(`layout ${layout}, this program knows ${SCHEMA_LAYOUT}`)
  await refuseUnknown(connection, schema, collections)
  const wanted = [...collections.map(({ name }) => name), 'fb_short', 'fb_nodes', 'fb_leases']
  if (!wanted.every((name) => names.has(name))) return 'older'
  const columns = await connection.query(
    'select table_name, column_name from information_schema.columns where table_schema = $1',
    [schema],
  )
  const there = new Set(columns.map(([table, column]) => `${table} ${column}`))
  const isWhole = (collection: Collection) =>
    !collection.isLarge ||
    [
      ...Object.keys(collection.indexes).map(indexColumn),
      ageColumn(),
      filledColumn(collection),
    ].every((column) => there.has(`${collection.name} ${column.replaceAll('"', '')}`))
  return collections.every(isWhole) ? 'ours' : 'older'
}

// Records without which a program would let people do what is denied.
async function refuseUnknown(
  connection: Connection,
  schema: string,
  collections: readonly Collection[],
): Promise<void> {
  const known = new Set(collections.map(({ name }) => name))
  const required = await connection.query(
    `select name from ${quoted(schema)}.fb_collections where is_required`,
  )
  for (const [name] of required) {
    if (!name || known.has(name)) continue
    const rows = await connection.query(`select 1 from ${quoted(schema)}.${quoted(name)} limit 1`)
    if (rows.length > 0) throw tooNew(`it needs ${name}`)
  }
}

function tooNew(why: string): AppError {
  return new AppError(
    'damaged',
    `the database was written by a newer version (${why}). It was left untouched. Start the newer program.`,
  )
}

/** Makes what is missing: the schema, or tables of collections that came with a later version. */
export async function makeSchema(
  connection: Connection,
  schema: string,
  collections: readonly Collection[],
): Promise<void> {
  const s = quoted(schema)
  const statements = [
    `create schema if not exists ${s}`,
    `create table if not exists ${s}.fb_meta (
       one boolean primary key default true check (one),
       layout integer not null, min_layout integer not null,
       feed bigint not null) with (fillfactor = 50)`,
    // What each transaction has changed, for some minutes: how nodes learn of each other's changes.
    `create table if not exists ${s}.fb_feed (
       rev bigint primary key, id text not null,
       at timestamptz not null default clock_timestamp(), changes text not null)`,
    // The numbers that were never given.
    `create table if not exists ${s}.fb_numbers (
       collection text collate "C" primary key, next bigint not null)`,
    // What lives for some minutes; emptied by a crash of the server, and never waits for its disk.
    `create unlogged table if not exists ${s}.fb_short (
       key text collate "C" primary key, kind text not null, owner text not null,
       doc text not null, ends timestamptz not null)`,
    `create index if not exists fb_short_owner on ${s}.fb_short (kind, owner)`,
    `create index if not exists fb_short_ends on ${s}.fb_short (ends)`,
    `create table if not exists ${s}.fb_collections (
       name text collate "C" primary key, is_required boolean not null)`,
    `create table if not exists ${s}.fb_nodes (
       id text primary key, name text not null, version text not null, state text not null,
       started_at timestamptz not null, seen_at timestamptz not null,
       lag_ms integer not null) with (fillfactor = 50)`,
    // What one node at a time works on. Each time it is taken it gets a number that nothing had before.
    `create table if not exists ${s}.fb_leases (
       key text collate "C" primary key, node text not null, epoch bigint not null,
       ends timestamptz not null, wanted smallint not null default 0,
       note text) with (fillfactor = 70)`,
    `create sequence if not exists ${s}.fb_epochs`,
    ...collections.flatMap((one) => [
      tableOf(s, one),
      `insert into ${s}.fb_collections values (${literal(one.name)}, ${one.isRequired === true})
       on conflict do nothing`,
    ]),
    `insert into ${s}.fb_meta (layout, min_layout, feed)
     values (${SCHEMA_LAYOUT}, ${SCHEMA_LAYOUT}, 1) on conflict do nothing`,
    `insert into ${s}.fb_feed (rev, id, changes)
     select 1, '${randomUUID()}', '[]' where not exists (select 1 from ${s}.fb_feed)`,
  ]
  await connection.query(statements.join(';\n'), undefined, 30_000)
}

// Keys and unique values are JSON, so that 1 and "1" differ and any text fits; so is the record.
function tableOf(s: string, collection: Collection): string {
  const { name, unique } = collection
  const columns = [
    'key text collate "C" primary key',
    'doc text not null',
    // The place in the order of insertion.
    'place bigint not null',
    // Asked at the end of a transaction, in which two records may swap their values.
    ...unique.map(
      (index) => `${uniqueColumn(index)} text collate "C" unique deferrable initially deferred`,
    ),
  ]
  const table = `${s}.${quoted(name)}`
  return [
    `create table if not exists ${table} (${columns.join(', ')})`,
    ...found(s, table, collection),
  ].join(';')
}

// What is not held in memory has to be found.
function found(s: string, table: string, collection: Collection): string[] {
  const { name, isLarge, indexes } = collection
  if (!isLarge) return []
  const filled = filledColumn(collection)
  const columns = [
    ...Object.keys(indexes).map((index) => [indexColumn(index), 'text collate "C"'] as const),
    [ageColumn(), 'double precision'] as const,
  ]
  const add = columns.map(([column, type]) => `add column if not exists ${column} ${type}`)
  const by = [...columns.map(([column]) => column), 'place']
  return [
    `alter table ${table} ${add.join(', ')}, add column if not exists ${filled} boolean`,
    ...by.map((column) => {
      return `create index if not exists ${bare(`${name}_${column}`)} on ${table} (${column})`
    }),
    `create index if not exists ${bare(`${name}_${filled}`)} on ${table} (${filled}) where ${isUnfilled(collection)}`,
    ...unfilledTrigger(s, table, collection),
  ]
}

function bare(name: string): string {
  return quoted(name.replaceAll('"', ''))
}

// An older program changes the text of a record and leaves columns that it does not know as they were.
function unfilledTrigger(s: string, table: string, collection: Collection): string[] {
  const filled = filledColumn(collection)
  const [name, count] = [bare(`fb_${filled}`), columnCount(collection)]
  const known = `coalesce(nullif(current_setting('filebrowser.columns', true), ''), '0')::int`
  return [
    `create or replace function ${s}.${name}() returns trigger language plpgsql as
       'begin new.${filled} := null; return new; end'`,
    `drop trigger if exists ${name} on ${table}`,
    `create trigger ${name} before update on ${table} for each row
       when (${known} < ${count}) execute function ${s}.${name}()`,
  ]
}

/** A text in SQL, whatever the server takes a backslash for. */
export function literal(text: string): string {
  const quotes = text.replaceAll("'", "''")
  return text.includes('\\') ? `E'${quotes.replaceAll('\\', '\\\\')}'` : `'${quotes}'`
}

/** Waits until no other node makes or changes the schema; the transaction's end lets the next one in. */
export async function lockSchema(connection: Connection, schema: string): Promise<void> {
  await connection.query(
    `begin; set local lock_timeout = '20s'; select pg_advisory_xact_lock(hashtextextended(${literal(`filebrowser ${schema}`)}, 0))`,
    undefined,
    30_000,
  )
}
