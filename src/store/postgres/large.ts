// Large collections, of which a node holds the records that it was asked for. A change runs on what there is; what it
// misses is noted and loaded under the lock, and the change runs again.
import { AppError } from '../../lib/errors.ts'
import type { Collection, Key, Large } from '../collection.ts'
import { type Demand, type Entry, setEntry, type Table, type Tables } from '../table.ts'
import type { Connection, Row } from './connection.ts'
import { encodeKey, parseRow } from './rows.ts'
import { ageColumn, indexColumn, quoted } from './schema.ts'

/** Rows that are read at a time, so that parsing them lets others take their turn. */
const ROWS_AT_A_TIME = 1_000

/** Thrown into a change that has asked for what is not here. */
class Missing extends Error {}

/** What one batch of changes has asked for, and what of that is loaded. */
export class Wants implements Demand {
  readonly #loaded = new Set<string>()
  readonly #entries: [Table, Key, Entry][] = []
  /** By table and index. */
  readonly #missing = new Map<Table, Map<string, Set<Key>>>()

  get isComplete(): boolean {
    return this.#missing.size === 0
  }

  /** To be called before the changes run: what was loaded for them may have been dropped again by somebody else. */
  putBack(): void {
    for (const [table, key, entry] of this.#entries)
      if (!table.entries.has(key)) setEntry(table, key, entry)
  }

  expect(table: Table, keys: readonly Key[]): void {
    const missing = this.#missingOf(table, keys)
    if (missing.length > 0) this.#note(table, KEY, missing)
  }

  fresh(table: Table, key: Key): void {
    this.#loaded.add(nameOf(table, KEY, key))
  }

  key(table: Table, key: Key): void {
    if (this.#missingOf(table, [key]).length > 0) this.#miss(table, KEY, key)
  }

  index(table: Table, index: string, value: Key): void {
    if (!table.collection.isLarge || this.#isLoaded(table, ALL)) return
    if (!this.#isLoaded(table, index, value)) this.#miss(table, index, value)
  }

  all(table: Table): void {
    if (table.collection.isLarge && !this.#isLoaded(table, ALL)) this.#miss(table, ALL, '')
  }

  /** Loads what was missing; the transaction of the connection has the lock, so that it stays true. */
  async load(connection: Connection, schema: string): Promise<void> {
    for (const [table, wanted] of this.#missing) {
      const isAll = wanted.has(ALL)
      const where = [...wanted.keys()].map((index, n) => {
        return `${index === KEY ? 'key' : indexColumn(index)} = any($${n + 1}::text[])`
      })
      const rows = await connection.query(
        `select key, doc, place from ${tableName(schema, table.collection)}
           where ${isAll ? 'true' : where.join(' or ')}`,
        isAll ? undefined : [...wanted.values()].map((values) => [...values].map(encodeKey)),
        10_000,
      )
      for (const row of rows) this.#entries.push([table, ...entryOf(table.collection, row)])
      for (const [index, values] of wanted)
        for (const value of values) this.#loaded.add(nameOf(table, index, value))
    }
    this.#missing.clear()
  }

  #missingOf(table: Table, keys: readonly Key[]): readonly Key[] {
    if (!table.collection.isLarge || this.#isLoaded(table, ALL)) return []
    return keys.filter((key) => !table.entries.has(key) && !this.#isLoaded(table, KEY, key))
  }

  #isLoaded(table: Table, index: string, value: Key = ''): boolean {
    return this.#loaded.has(nameOf(table, index, value))
  }

  #note(table: Table, index: string, values: readonly Key[]): void {
    const wanted = this.#missing.get(table) ?? new Map<string, Set<Key>>()
    this.#missing.set(table, wanted)
    const all = wanted.get(index) ?? new Set()
    wanted.set(index, all)
    for (const value of values) all.add(value)
  }

  #miss(table: Table, index: string, value: Key): never {
    this.#note(table, index, [value])
    throw new Missing(`${table.collection.name} has to be loaded`)
  }
}

/** No index has such a name. */
const [KEY, ALL] = [' key', ' all']

function nameOf({ collection }: Table, index: string, value: Key = ''): string {
  return JSON.stringify([collection.name, index, value])
}

/** For changes that are ahead of the database: they have to do without large collections. */
export class AheadDemand implements Demand {
  /** What has been refused. */
  refusal: NeedsDatabase | undefined

  expect(): void {}

  fresh(): void {}

  key(table: Table): void {
    this.#refuseLarge(table)
  }

  index(table: Table): void {
    this.#refuseLarge(table)
  }

  all(table: Table): void {
    this.#refuseLarge(table)
  }

  #refuseLarge(table: Table): void {
    if (!table.collection.isLarge) return
    this.refusal = new NeedsDatabase(table)
    throw this.refusal
  }
}

/** For who reads without a transaction: what was loaded is there by its key. */
export const ONLY_KEYS: Demand = {
  expect: () => {},
  fresh: () => {},
  key: () => {},
  index: refuseLarge,
  all: refuseLarge,
}

export class NeedsDatabase extends AppError {
  constructor({ collection }: Table) {
    super('records_unavailable', `${collection.name} cannot be changed ahead of the database`)
  }
}

function refuseLarge({ collection }: Table): void {
  if (collection.isLarge) throw new Error(`${collection.name} is read by Store.large`)
}

/** What the loader needs of the store that it is part of. */
export interface LoaderOf {
  readonly schema: string
  readonly tables: Tables
  readonly connection: Connection
  /** The number of the last transaction that was taken. */
  rev(): number
  /** Takes what others have changed. */
  look(): Promise<void>
}

export function createLoader(of: LoaderOf): Large {
  const { schema, tables, connection } = of
  const ask = (collection: unknown, rest: string, values?: readonly unknown[]) =>
    connection.query(
      `select key, doc, place from ${tableName(schema, collection as Collection)} ${rest}`,
      values,
    )
  const recordsOf = (collection: unknown, rows: readonly Row[]) =>
    rows.map((row) => entryOf(collection as Collection, row)[1].record)
  return {
    load: async (collection, key) => {
      const table = tables.get(collection.name) as Table
      for (;;) {
        const held = table.entries.get(key)
        if (held) return held.record as never
        const [row = []] = await connection.query(
          `select t.key, t.doc, t.place, m.feed from ${quoted(schema)}.fb_meta m
             left join ${tableName(schema, collection as Collection)} t on t.key = $1`,
          [encodeKey(key)],
        )
        // Something was taken while it was read, and may have been about it.
        if (Number(row[3]) < of.rev()) await of.look()
        else if (typeof row[0] !== 'string') return undefined
        else setEntry(table, ...entryOf(table.collection, row))
      }
    },
    find: async (collection, index, value) => {
      const rows = await ask(collection, `where ${indexColumn(index)} = $1 order by place`, [
        encodeKey(value),
      ])
      return recordsOf(collection, rows) as never
    },
    pieces: async function* pieces(collection) {
      let place = -1
      for (;;) {
        const rows = await ask(
          collection,
          `where place > ${place} order by place limit ${ROWS_AT_A_TIME}`,
        )
        if (rows.length > 0) yield recordsOf(collection, rows) as never
        if (rows.length < ROWS_AT_A_TIME) return
        place = Number(rows.at(-1)?.[2])
      }
    },
    older: async (collection, than, limit) => {
      const rows = await ask(
        collection,
        `where ${ageColumn()} < $1 order by ${ageColumn()} limit ${limit}`,
        [than],
      )
      return recordsOf(collection, rows) as never
    },
    count: async (collection) => {
      const table = tableName(schema, collection as Collection)
      const [[count] = []] = await connection.query(`select count(*) from ${table}`)
      return Number(count)
    },
    held: ({ name }) => [...(tables.get(name)?.entries.keys() ?? [])],
    drop: ({ name }, keys) => {
      const table = tables.get(name) as Table
      for (const key of keys) setEntry(table, key, undefined)
    },
  }
}

function tableName(schema: string, { name }: Collection): string {
  return `${quoted(schema)}.${quoted(name)}`
}

function entryOf(collection: Collection, row: Row): [Key, Entry] {
  const [key, doc, place] = row
  return parseRow(collection, key as string, doc as string, Number(place))
}
