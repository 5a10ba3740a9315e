// Opens the records in a PostgreSQL database, and makes them where there are none.
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import type { Collection, Store } from '../collection.ts'
import { COLLECTIONS, SETTINGS } from '../collections.ts'
import { DAV_LOCKS } from '../dav/shared-locks.ts'
import { DAV_PROPERTIES } from '../dav/shared-properties.ts'
import { type Document, SCHEMA_VERSION, type Settings } from '../document.ts'
import { parseDocument } from '../document-file.ts'
import { cannotWrite } from '../folder-access.ts'
import type { Table } from '../table.ts'
import { type Address, parseAddress } from './address.ts'
import { Connection, sqlStateOf } from './connection.ts'
import { findPassword } from './password.ts'
import { PostgresStore } from './postgres-store.ts'
import { feedEntryOf, type Position, parseRow, readPosition } from './rows.ts'
import { demandServer, findSchema, lockSchema, makeSchema, quoted, SCHEMA } from './schema.ts'
import { fillColumns, writeStatement } from './writes.ts'

/** With what one process keeps in files of its own, which no copy carries. */
const SHARED_COLLECTIONS = [...COLLECTIONS, DAV_LOCKS, DAV_PROPERTIES] as readonly Collection[]

/** Records that are written at a time where there are none yet. */
const CHANGES_AT_A_TIME = 10_000

export interface PostgresPlace {
  /** The folder for what this node keeps itself. */
  stateDir: string
  env: Readonly<Record<string, string | undefined>>
  /** What this node is called; the host's name without it. */
  nodeName?: string
  /** How long records are trusted when the database is silent, in milliseconds. */
  graceMs?: number
  /** See PostgresOptions. */
  maxConnections?: number
  /** Where the tables are, if not in `filebrowser`. */
  schema?: string
  collections?: readonly Collection[]
}

export interface OpenPostgresOptions {
  /** Makes the first document when there is none; without it a missing schema is an error. */
  create?: () => Promise<Document | { version: number }>
  /** Existing records are an error. */
  mustBeNew?: boolean
}

export interface OpenedPostgres {
  store: Store
  created: boolean
}

/**
 * Opens the records at an address. Of several that begin with an empty database one makes the schema and the first
 * records. Throws AppError with one sentence: `bad_request` for the address, `wrong_credentials`, `records_unavailable`
 * for a server that does not answer, `unsupported` for an old one or tables of another program,
 * `damaged` for records of a later version, `not_found`, `exists`.
 */
export async function openPostgres(
  database: string,
  place: PostgresPlace,
  options: OpenPostgresOptions = {},
): Promise<OpenedPostgres> {
  const address = parseAddress(database)
  const { schema = SCHEMA, collections = SHARED_COLLECTIONS } = place
  const target = { address, password: () => findPassword(address, place.env) }
  const connection = new Connection(target, 'filebrowser starts')
  let created: boolean
  try {
    created = await prepare(connection, address, schema, collections, options)
  } catch (error) {
    throw startFailure(error, address)
  } finally {
    await connection.close()
  }
  const store = new PostgresStore({
    target,
    schema,
    collections,
    file: await stateFileIn(place.stateDir),
    name: place.nodeName || hostname(),
    ...(place.graceMs !== undefined && { graceMs: place.graceMs }),
    ...(place.maxConnections !== undefined && { maxConnections: place.maxConnections }),
  })
  try {
    await store.load()
  } catch (error) {
    await store.close()
    throw startFailure(error, address)
  }
  return { store, created }
}

/** True when the first records were made just now. */
async function prepare(
  connection: Connection,
  address: Address,
  schema: string,
  collections: readonly Collection[],
  { create, mustBeNew }: OpenPostgresOptions,
): Promise<boolean> {
  await demandServer(connection)
  let found = await findSchema(connection, schema, collections)
  if (found !== 'absent' && mustBeNew) throw taken(address)
  if (found === 'ours') {
    await fillColumns(connection, schema, collections)
    return false
  }
  if (found === 'absent' && !create) {
    throw new AppError(
      'not_found',
      `there are no records in ${address.text}; start the server or run "filebrowser config init" to make them`,
    )
  }
  const document = found === 'absent' ? await create?.() : undefined
  await lockSchema(connection, schema)
  // Another node may have been faster.
  found = await findSchema(connection, schema, collections)
  if (found !== 'absent' && mustBeNew) throw taken(address)
  await makeSchema(connection, schema, collections)
  const isFirst = found === 'absent' && document !== undefined
  if (isFirst) await writeDocument(connection, schema, document, collections)
  await connection.query('commit')
  await fillColumns(connection, schema, collections)
  return isFirst
}

function taken({ text }: Address): AppError {
  return new AppError('exists', `there are records in ${text}; change them with "config set"`)
}

/** The settings in a database; null where there are none. Changes nothing. Throws like openPostgres. */
export async function readSettings(
  database: string,
  env: PostgresPlace['env'],
): Promise<Settings | null> {
  const address = parseAddress(database)
  const target = { address, password: () => findPassword(address, env) }
  const connection = new Connection(target, 'filebrowser asks')
  try {
    if ((await findSchema(connection, SCHEMA, COLLECTIONS)) === 'absent') return null
    const rows = await connection.query(
      `select key, doc from ${quoted(SCHEMA)}.${quoted(SETTINGS.name)}`,
    )
    const [key, doc] = rows[0] ?? []
    if (!key || !doc) return null
    return parseRow(SETTINGS as Collection, key, doc, 0)[1].record as Settings
  } catch (error) {
    throw startFailure(error, address)
  } finally {
    await connection.close()
  }
}

/** Writes the records of a document into an empty schema, inside of a transaction. */
export async function writeDocument(
  connection: Connection,
  schema: string,
  document: Document | { version: number },
  collections: readonly Collection[],
): Promise<void> {
  const value: unknown = JSON.parse(JSON.stringify({ ...document, version: SCHEMA_VERSION }))
  const { tables } = parseDocument(value, collections)
  await writeTables(connection, schema, tables, await readPosition(connection, schema))
}

/** Writes whole tables into empty ones, inside of a transaction. */
export async function writeTables(
  connection: Connection,
  schema: string,
  tables: ReadonlyMap<string, Table>,
  at: Position,
): Promise<void> {
  const before = new Map([...tables.values()].map((table) => [table, new Map()]))
  const after = new Map([...tables.values()].map((table) => [table, table.entries]))
  const next = Object.fromEntries(
    [...tables].filter(([, { nextId }]) => nextId > 1).map(([name, { nextId }]) => [name, nextId]),
  )
  const entry = feedEntryOf(before, after, next)
  if (!entry) return
  // A text holds no more than half a gigabyte, and nobody follows yet.
  const { changes, ...rest } = entry
  let { rev } = at
  for (let from = 0; from === 0 || from < changes.length; from += CHANGES_AT_A_TIME) {
    const some = { ...rest, changes: changes.slice(from, from + CHANGES_AT_A_TIME) }
    const to = { rev: ++rev, id: `${at.id}+${from}` }
    await connection.query(writeStatement(schema, tables, some, to), undefined, 60_000)
  }
}

async function stateFileIn(folder: string): Promise<string> {
  const file = join(folder, 'node')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw await cannotWrite(file, error)
  }
  return file
}

/** What a start says of a failure: one sentence. */
export function startFailure(error: unknown, address: Address): unknown {
  const origin = error instanceof AppError && error.cause ? error.cause : error
  const state = sqlStateOf(origin)
  const { user, database, text } = address
  const cause = { cause: error }
  const isAsked = origin instanceof AppError && origin.code === 'wrong_credentials'
  if (isAsked || state === '28P01' || state === '28000')
    return new AppError(
      'wrong_credentials',
      `the database ${text} refuses ${user}: the password is wrong or missing, or pg_hba.conf does not let it in ` +
        '(PGPASSWORD, PGPASSFILE, FB_DATABASE_PASSWORD_FILE)',
      cause,
    )
  if (state === '3D000')
    return new AppError(
      'not_found',
      `there is no database "${database}" at ${text}; make it first`,
      cause,
    )
  if (state === '42501')
    return new AppError(
      'forbidden',
      `${user} may not make or use the schema in ${text}; grant it CREATE on the database`,
      cause,
    )
  if (origin instanceof AppError && origin.code === 'bad_request') return origin
  if (error instanceof AppError && error.code === 'records_unavailable') {
    const why = error.message.replace(/^the database cannot be asked: /, '')
    const hint = /does not support SSL/.test(why)
      ? '; where the network between is yours add ?sslmode=disable'
      : ''
    return new AppError(
      'records_unavailable',
      `the database ${text} cannot be reached: ${why}${hint}`,
      cause,
    )
  }
  return error
}
