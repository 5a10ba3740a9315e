// The database file: one JSON document with a key for each collection. In schema 1 the next id had
// another name, and the sessions were in it as well.
import { AppError } from '../lib/errors.ts'
import { asString, NO_LIMITS, ParseError, type Reader, readObject } from '../lib/parse.ts'
import type { Collection } from './collection.ts'
import { SCHEMA_VERSION } from './document.ts'
import { createTable, demandUnique, listOf, setEntry, type Table, type Tables } from './table.ts'

/** What the file holds besides the records of known collections. */
export interface Head {
  version: number
  /** By log the last transaction that changed it together with other files, see record-log.ts. */
  commits: Record<string, string>
  /** Collections without which it must not be opened. */
  requires: readonly string[]
  /** Collections of later versions, carried along. */
  unknown: Record<string, unknown>
}

export interface ParsedDocument {
  head: Head
  /** A table for each collection that is in the document. */
  tables: Map<string, Table>
}

/** Parses the text of the file as JSON. Throws AppError `damaged` that says what to do. */
export function parseText(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damagedText(error as Error, file)
  }
}

/** What is said of a file that is no JSON. */
export function damagedText(error: Error, file: string): AppError {
  return damaged(
    error,
    `the database ${file} is damaged (${error.message}). It was left untouched. ` +
      `Stop the server, look at it, and if ${file}.bak is good copy that over it.`,
  )
}

/** Admits what the file holds. Throws AppError `damaged`; the file is never overwritten then. */
export function admitDocument(
  value: unknown,
  file: string,
  collections: readonly Collection[],
): ParsedDocument {
  const version = (value as { version?: unknown } | null)?.version
  if (typeof version === 'number' && version > SCHEMA_VERSION) {
    throw damaged(
      undefined,
      `the database ${file} was written by a newer version (schema ${version}, this program knows ` +
        `${SCHEMA_VERSION}). It was left untouched. Start the newer program, or restore a backup.`,
    )
  }
  const { requires } = (value ?? {}) as { requires?: unknown }
  const missing = (Array.isArray(requires) ? requires : []).filter(
    (name) => !collections.some((collection) => collection.name === name),
  )
  if (missing.length > 0) {
    throw damaged(
      undefined,
      `the database ${file} needs a newer version, which knows ${missing.join(', ')}. ` +
        'It was left untouched. Start the newer program, or restore a backup.',
    )
  }
  try {
    return parseDocument(value, collections)
  } catch (error) {
    throw damaged(
      error,
      `the database ${file} is not valid: ${(error as Error).message}. It was left untouched. ` +
        `Correct it, or copy ${file}.bak over it.`,
    )
  }
}

function damaged(cause: unknown, message: string): AppError {
  return new AppError('damaged', message, { cause })
}

/**
 * Parses the whole document, however much it holds: a limit that only reading knows would keep the
 * server from starting on what it has written. Throws ParseError naming the first problem.
 */
export function parseDocument(value: unknown, collections: readonly Collection[]): ParsedDocument {
  const doc = readObject(value, '', NO_LIMITS)
  const version = doc.int('version', 0)
  if (version !== SCHEMA_VERSION && version !== 1)
    throw new ParseError(`version must be ${SCHEMA_VERSION}`)
  const tables = new Map<string, Table>()
  const known = new Set(['version', 'requires', 'commits', 'next', 'nextUserId'])
  for (const collection of collections) {
    if (!isInDocument(collection, version)) continue
    known.add(collection.name)
    tables.set(collection.name, parseTable(doc, collection))
  }
  const next = doc.obj('next', (r) => Object.fromEntries(r.keys().map((key) => [key, r.int(key)])))
  const commits = doc.obj('commits', (r) =>
    Object.fromEntries(r.keys().map((key) => [key, r.str(key)])),
  )
  if (version === 1) next.users = doc.int('nextUserId', 1)
  for (const [name, table] of tables) table.nextId = Math.max(table.nextId, next[name] ?? 1)
  const unknown = Object.fromEntries(
    Object.entries(value as object).filter(([name]) => !known.has(name)),
  )
  const requires = doc.list('requires', asString)
  return { head: { version, commits, requires, unknown }, tables }
}

function isInDocument({ life }: Collection, version: number): boolean {
  return life === 'kept' || (version === 1 && life === 'short')
}

function parseTable(doc: Reader, collection: Collection): Table {
  const { name } = collection
  const table = createTable(collection)
  const add = (record: object) => addRecord(table, record)
  if (!collection.isSingle) doc.list(name, (item, at) => add(parseRecord(collection, item, at)))
  else if (doc.has(name)) add(parseRecord(collection, doc.raw(name), name))
  else if (name === 'settings') throw new ParseError('settings are missing')
  return table
}

/** Adds a record that was read. Throws ParseError when its key, or a unique value, is there. */
export function addRecord(table: Table, record: object): void {
  const { collection } = table
  const key = collection.keyOf(record)
  if (table.entries.has(key))
    throw new ParseError(`${collection.name}: the key ${key} occurs twice`)
  try {
    demandUnique(table, key, record)
  } catch (error) {
    throw new ParseError((error as Error).message)
  }
  setEntry(table, key, { record, order: table.nextOrder })
  if (typeof key === 'number') table.nextId = Math.max(table.nextId, key + 1)
}

/** Admits a record; fields of later versions are carried along. Throws ParseError. */
export function parseRecord(collection: Collection, value: unknown, at: string): object {
  const record = collection.parse(readObject(value, at, NO_LIMITS))
  const isWhole = Object.keys(value ?? {}).every((name) => name in record)
  return isWhole ? record : { ...(value as object), ...record }
}

/** The collections that have records and without which these must not be opened. */
export function requiredOf(tables: Tables): string[] {
  return [...tables.values()]
    .filter(({ collection, entries: { size } }) => collection.isRequired && size > 0)
    .map(({ collection }) => collection.name)
}

/** What the file holds, with the records of `tables` that belong into it. */
export function composeDocument(head: Head, tables: Tables): object {
  const inFile = [...tables.values()].filter(({ collection }) => collection.life === 'kept')
  const entries = inFile.flatMap((table): [string, unknown][] => {
    const { name, isSingle } = table.collection
    const records = listOf(table)
    if (!isSingle) return [[name, records]]
    return records.length === 0 ? [] : [[name, records[0]]]
  })
  const next = Object.fromEntries(
    inFile
      .filter(({ nextId }) => nextId > 1)
      .map(({ collection, nextId }) => [collection.name, nextId]),
  )
  const { requires } = head
  return {
    version: SCHEMA_VERSION,
    ...(requires.length > 0 && { requires }),
    ...Object.fromEntries(entries),
    next,
    ...(Object.keys(head.commits).length > 0 && { commits: head.commits }),
    ...head.unknown,
  }
}
