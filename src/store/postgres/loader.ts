// Reads of large collections: what is not in memory is asked for, and stays up to date by the feed from then on.
import type { Collection, Key, Large, Records } from '../collection.ts'
import { createDemandingRecords, type Entry, setEntry, type Table, type Tables } from '../table.ts'
import type { Row } from './connection.ts'
import type { Held } from './held.ts'
import { askWanted, KEY, tableName, type Wanted, Wants } from './large.ts'
import type { Readers } from './readers.ts'
import { encodeKey, parseRow } from './rows.ts'
import { ageColumn, indexColumn } from './schema.ts'

/** Rows that are read at a time, so that parsing them lets others take their turn: a millisecond or two. */
const ROWS_AT_A_TIME = 250

/** What the loader needs of the store that it is part of. */
interface LoaderOf {
  readonly schema: string
  readonly tables: Tables
  readonly held: Held
  readonly connection: Pick<Readers, 'query'>
  /** The number of the last transaction that was taken. */
  rev(): number
  /** Takes what others have changed. */
  look(): Promise<void>
}

export interface Loader extends Large {
  /** See Store. */
  read<T>(read: (records: Records) => T): Promise<T>
  /** To be told of the collections that have changed. */
  changed(isOf: (collection: Collection) => boolean): void
}

export function createLoader(of: LoaderOf): Loader {
  const { schema, tables, held, connection } = of
  const tableOf = ({ name }: { name: string }) => tables.get(name) as Table
  const read: Loader['read'] = async (run) => {
    const onUse = (table: Table, key: Key) => held.mark(table, key)
    const wants = new Wants({ onUse, asksAlways: true })
    const records = createDemandingRecords(tables, wants)
    for (;;) {
      let result: { value: ReturnType<typeof run> } | undefined
      try {
        result = { value: run(records) }
      } catch (error) {
        if (wants.isComplete) throw error
      }
      if (wants.isComplete && result) return result.value
      await wants.load((table, wanted) => fill(of, table, wanted))
    }
  }
  const list = (collection: unknown, rows: readonly Row[]) =>
    rows.map(([key, doc, place]) => {
      const row = [key as string, doc as string, Number(place)] as const
      return parseRow(collection as Collection, ...row)[1].record
    })
  const ask = async (collection: unknown, rest: string, values?: readonly unknown[]) => {
    const name = tableName(schema, collection as Collection)
    return connection.query(`select key, doc, place, ${ageColumn()} from ${name} ${rest}`, values)
  }
  const values = createValues(of)
  return {
    read,
    changed: values.forget,
    load: async (collection, key) => {
      const table = tableOf(collection)
      const entry = table.entries.get(key)
      if (!entry) return read((records) => records.get(collection, key))
      held.mark(table, key)
      return entry.record as never
    },
    find: async (collection, index, value) => {
      const rest = `where ${indexColumn(index)} = $1 order by place`
      return list(collection, await ask(collection, rest, [encodeKey(value)])) as never
    },
    values: (collection, index) => values.of(collection as Collection, index),
    pieces: async function* pieces(collection, by) {
      const column = by === 'age' ? ageColumn() : 'place'
      let last = '-1'
      for (;;) {
        const rest = `where ${column} > $1 order by ${column} limit ${ROWS_AT_A_TIME}`
        const rows = await ask(collection, rest, [last])
        if (rows.length > 0) yield list(collection, rows) as never
        if (rows.length < ROWS_AT_A_TIME) return
        last = rows.at(-1)?.[by === 'age' ? 3 : 2] as string
      }
    },
    older: async (collection, than, limit) => {
      const rest = `where ${ageColumn()} < $1 order by ${ageColumn()} limit ${limit}`
      return list(collection, await ask(collection, rest, [than])) as never
    },
    count: async (collection) => {
      const table = tableName(schema, collection as Collection)
      const [[count] = []] = await connection.query(`select count(*) from ${table}`)
      return Number(count)
    },
    isHeld: (collection, key) => held.has(collection as Collection, key),
    pin: (collection, key) => held.pin(collection as Collection, key),
    held: (collection) => [...tableOf(collection).entries.keys()],
    drop: (collection, keys) => {
      for (const key of keys) setEntry(tableOf(collection), key, undefined)
    },
  }
}

/** Puts into a table what is wanted of it and is not there; asks again where something was taken meanwhile that may be about it. */
async function fill(
  { schema, connection, held, rev, look }: LoaderOf,
  table: Table,
  wanted: Wanted,
): Promise<[Key, Entry][]> {
  for (;;) {
    const answer = await askWanted(connection, schema, table, wanted)
    if (answer.rev < rev()) {
      await look()
      continue
    }
    for (const [key, entry] of answer.found) {
      if (!table.entries.has(key)) setEntry(table, key, entry)
      held.mark(table, key)
    }
    for (const key of wanted.get(KEY) ?? []) held.mark(table, key)
    return []
  }
}

/** The values of indexes, which are asked for once until something changes. */
function createValues({ schema, connection }: LoaderOf) {
  const known = new Map<Collection, Map<string, Promise<Key[]>>>()
  const find = async (collection: Collection, index: string): Promise<Key[]> => {
    const [table, column] = [tableName(schema, collection), indexColumn(index)]
    // From each value to the next one, along the index.
    const next = (after: string) =>
      `(select ${column} as value from ${table} where ${column} ${after} order by ${column} limit 1)`
    const rows = await connection.query(
      `with recursive v as (${next('is not null')} union all
         select ${next('> v.value')} from v where v.value is not null)
       select value from v where value is not null`,
    )
    return rows.map(([value]) => JSON.parse(value as string) as Key)
  }
  return {
    of: (collection: Collection, index: string): Promise<Key[]> => {
      const its = known.get(collection) ?? new Map<string, Promise<Key[]>>()
      known.set(collection, its)
      const found = its.get(index) ?? find(collection, index)
      its.set(index, found)
      found.catch(() => {
        if (its.get(index) === found) its.delete(index)
      })
      return found
    },
    forget: (isOf: (collection: Collection) => boolean) => {
      for (const collection of [...known.keys()]) if (isOf(collection)) known.delete(collection)
    },
  }
}
