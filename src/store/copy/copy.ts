// All records of a database, read without changing anything, and written into one that is empty: from a
// JSON file, PostgreSQL or a file of the old program to a JSON file or PostgreSQL.
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { COLLECTIONS } from '../collections.ts'
import { SCHEMA_VERSION } from '../document.ts'
import { composeDocument, parseDocument, requiredOf } from '../document-file.ts'
import { followLinks, replaceFile } from '../durable-file.ts'
import { withFileLock } from '../file-lock.ts'
import { cannotWrite, requireWritable } from '../folder-access.ts'
import { importBoltFile } from '../legacy/import.ts'
import { detectDatabase, refuseToForget } from '../open-database.ts'
import { isPostgresAddress, withoutPassword } from '../postgres/address.ts'
import { linesOf } from '../record-log.ts'
import { logFileOf, StoreFiles } from '../store-files.ts'
import { createTable, listOf, type Tables } from '../table.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a database holds, to compare it with another one. */
export interface Contents {
  /** Records by collection. */
  counts: Map<string, number>
  /** SHA-256 of all records in their order, hexadecimal. */
  digest: string
}

/**
 * Reads everything. Throws AppError `not_found`, `unsupported` for what is no database of ours, and like opening it.
 */
export async function readDatabase(database: string, env: Environment): Promise<Tables> {
  if (isPostgresAddress(database)) {
    const { readTables } = await import('../postgres/copy.ts')
    return readTables(database, env)
  }
  const { kind, what } = await detectDatabase(database)
  if (kind === 'absent' || kind === 'empty')
    throw new AppError('not_found', `there is no database at ${database}`)
  if (kind === 'other') throw new AppError('unsupported', `${database} holds ${what}`)
  const tables = new Map(COLLECTIONS.map((one) => [one.name, createTable(one)]))
  if (kind === 'bolt') {
    const { doc } = await importBoltFile(database)
    const value: unknown = JSON.parse(JSON.stringify(doc))
    for (const [name, table] of parseDocument(value, COLLECTIONS).tables) tables.set(name, table)
    return tables
  }
  const files = new StoreFiles(await followLinks(database), tables)
  files.take(await files.read())
  return tables
}

/** Counts and digest of tables. */
export function contentsOf(tables: Tables): Contents {
  const hash = createHash('sha256')
  const counts = new Map<string, number>()
  for (const [name, table] of [...tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const records = listOf(table)
    counts.set(name, records.length)
    // Numbers of records that have gone are not given again on the other side either.
    const next = table.collection.life === 'kept' ? table.nextId : 0
    hash.update(`${JSON.stringify([name, next, records.length])}\n`)
    for (const record of records) hash.update(`${JSON.stringify(record)}\n`)
  }
  return { counts, digest: hash.digest('hex') }
}

/**
 * Writes tables into a database that is empty, whole or not at all, and gives what was found in it afterwards.
 * Throws AppError `exists` when something is there, `damaged` when what was read back differs.
 */
export async function writeDatabase(
  database: string,
  tables: Tables,
  env: Environment,
): Promise<Contents> {
  if (isPostgresAddress(database)) {
    const { writeAll } = await import('../postgres/copy.ts')
    return writeAll(database, env, tables, (written) => compare(database, tables, written))
  }
  const file = await followLinks(database)
  await refuseToForget(file)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw await cannotWrite(file, error)
  }
  await requireWritable(file)
  return withFileLock(`${file}.lock`, async () => {
    const { kind } = await detectDatabase(file)
    if (kind !== 'absent' && kind !== 'empty') throw notEmpty(file)
    // The document comes last: without it the logs are nothing.
    for (const table of tables.values()) {
      if (table.collection.life !== 'short' || table.entries.size === 0) continue
      const log = logFileOf(file, table.collection)
      await replaceFile(log, linesOf(table), { keepsPrevious: false })
    }
    const requires = requiredOf(tables)
    const head = { version: SCHEMA_VERSION, commits: {}, requires, unknown: {} }
    await replaceFile(file, `${JSON.stringify(composeDocument(head, tables), null, 1)}\n`)
    return compare(file, tables, await readDatabase(file, env))
  })
}

function notEmpty(database: string): AppError {
  return new AppError(
    'exists',
    `${withoutPassword(database)} is not empty and is left as it is; copy into a new database`,
  )
}

function compare(database: string, from: Tables, to: Tables): Contents {
  const contents = contentsOf(to)
  if (contents.digest === contentsOf(from).digest) return contents
  throw new AppError('damaged', `${withoutPassword(database)} does not hold what was written to it`)
}
