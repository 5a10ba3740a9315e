// All records of a database, read a piece at a time without changing anything.
import { stat } from 'node:fs/promises'
import { AppError } from '../../lib/errors.ts'
import { ParseError } from '../../lib/parse.ts'
import type { Collection } from '../collection.ts'
import { COLLECTIONS } from '../collections.ts'
import { SCHEMA_VERSION } from '../document.ts'
import { admitDocument, parseDocument, parseRecord } from '../document-file.ts'
import { followLinks } from '../durable-file.ts'
import {
  findSections,
  LARGE_FILE_BYTES,
  readItems,
  readValue,
  type Section,
} from '../json-sections.ts'
import { importBoltFile } from '../legacy/import.ts'
import { detectDatabase } from '../open-database.ts'
import { isPostgresAddress } from '../postgres/address.ts'
import { applyLines, readLines } from '../record-log.ts'
import { logFileOf, StoreFiles } from '../store-files.ts'
import { createTable, createTables, listOf, type Table, type Tables } from '../table.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What a database holds; each collection may be read again. */
export interface Source {
  /** The records of a collection in their order. Rejects with AppError `damaged`. */
  pieces(of: Collection): AsyncIterable<readonly object[]>
  /** A number that no record has had, where the records alone do not tell it. */
  nextOf(of: Collection): number
}

const RECORDS_AT_A_TIME = 1_000
const LINES_AT_A_TIME = 100

/** Opens a database. Throws AppError `not_found`, `unsupported` for what is no database of ours, and like opening it. */
export async function withSource<T>(
  database: string,
  env: Environment,
  use: (source: Source) => Promise<T>,
): Promise<T> {
  if (isPostgresAddress(database)) {
    const { withRecords } = await import('../postgres/copy.ts')
    return withRecords(database, env, use)
  }
  const { kind, what } = await detectDatabase(database)
  if (kind === 'absent' || kind === 'empty')
    throw new AppError('not_found', `there is no database at ${database}`)
  if (kind === 'other') throw new AppError('unsupported', `${database} holds ${what}`)
  if (kind === 'bolt') {
    const { doc } = await importBoltFile(database)
    const value: unknown = JSON.parse(JSON.stringify(doc))
    const { tables } = parseDocument(value, COLLECTIONS)
    return use(fromTables(tables))
  }
  const file = await followLinks(database)
  if ((await stat(file)).size > LARGE_FILE_BYTES) return use(await openLargeFile(file))
  const tables = createTables(COLLECTIONS)
  const files = new StoreFiles(file, tables)
  files.take(await files.read())
  return use(fromTables(tables))
}

function fromTables(tables: Tables): Source {
  return {
    pieces: async function* pieces({ name }) {
      const table = tables.get(name)
      if (table) yield* slicesOf(table)
    },
    nextOf: ({ name }) => tables.get(name)?.nextId ?? 1,
  }
}

function* slicesOf(table: Table): Generator<object[]> {
  const records = listOf(table)
  for (let from = 0; from < records.length; from += RECORDS_AT_A_TIME)
    yield records.slice(from, from + RECORDS_AT_A_TIME)
}

/** A document of which only the logs are read as a whole, one at a time. */
export async function openLargeFile(file: string): Promise<Source> {
  const sections = await told(file, () => findSections(file))
  const small: Record<string, unknown> = {}
  const lists = new Map<string, { collection: Collection; section: Section }>()
  for (const [name, section] of sections) {
    const collection = COLLECTIONS.find((one) => one.name === name && !one.isSingle)
    if (collection) lists.set(name, { collection, section })
    else small[name] = await told(file, () => readValue(file, section))
  }
  const { head, tables } = admitDocument(small, file, COLLECTIONS)
  if (head.version < SCHEMA_VERSION)
    throw new AppError('unsupported', `${file} is of an older version; start the server once first`)
  return {
    pieces: async function* pieces(of) {
      if (of.life === 'short') {
        // Nobody looks for anything in it.
        const table = createTable({ ...of, indexes: {} })
        const { lines } = await readLines(logFileOf(file, of), 0, head.commits[of.name])
        // Not to hold both at once.
        while (lines.length > 0) applyLines(table, lines.splice(0, LINES_AT_A_TIME))
        yield* slicesOf(table)
        return
      }
      const list = lists.get(of.name)
      if (list) yield* itemsOf(file, list.collection, list.section)
      else yield* slicesOf(tables.get(of.name) ?? createTable(of))
    },
    nextOf: ({ name }) => tables.get(name)?.nextId ?? 1,
  }
}

async function* itemsOf(
  file: string,
  collection: Collection,
  section: Section,
): AsyncGenerator<object[]> {
  try {
    for await (const items of readItems(file, section))
      yield items.map((item) => parseRecord(collection, item, collection.name))
  } catch (error) {
    throw damagedBy(file, error)
  }
}

async function told<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw damagedBy(file, error)
  }
}

function damagedBy(file: string, error: unknown): unknown {
  if (!(error instanceof ParseError)) return error
  const message = `the database ${file} is not valid: ${error.message}. It was left untouched.`
  return new AppError('damaged', message, { cause: error })
}
