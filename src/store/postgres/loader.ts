// Reads of large collections: what is not in memory is asked for, and stays up to date by the feed from then on.
import { inTurns } from '../../lib/turns.ts'
import type { Collection, Key, Large, Records } from '../collection.ts'
import { createLarge } from '../large.ts'
import {
  createDemandingRecords,
  createRecords,
  setLoaded,
  type Table,
  type Tables,
} from '../table.ts'
import type { Row } from './connection.ts'
import type { Held } from './held.ts'
import { askCompanions, askWanted, KEY, tableName, type Wanted, Wants } from './large.ts'
import type { Readers } from './readers.ts'
import { encodeValue, parseRow } from './rows.ts'
import { ageColumn, indexColumn, isUnfilled } from './schema.ts'

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
  const { tables, held } = of
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
  const values = createValues(of)
  const [rows, whole] = [createRows(of, values), createLarge(createRecords(tables))]
  const isWhole = (collection: { name: string }) => tableOf(collection).isWhole === true
  const way = (collection: { name: string }) => (isWhole(collection) ? whole : rows)
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
    find: (collection, ...rest) => way(collection).find(collection, ...rest),
    values: (collection, ...rest) => way(collection).values(collection, ...rest),
    pieces: (collection, ...rest) => way(collection).pieces(collection, ...rest),
    older: (collection, ...rest) => way(collection).older(collection, ...rest),
    count: (collection) => way(collection).count(collection),
    hold: (collection, keys) => hold(of, tableOf(collection), keys),
    isHeld: (collection, key) => held.has(collection as Collection, key),
    pin: (collection, key) => held.pin(collection as Collection, key),
    held: (collection) => [...tableOf(collection).entries.keys()],
    drop: (collection, keys) => {
      if (isWhole(collection)) return
      for (const key of keys) setLoaded(tableOf(collection), key, undefined)
    },
  }
}

/** What is asked of the database each time. */
function createRows(
  { schema, connection }: LoaderOf,
  values: ReturnType<typeof createValues>,
): Pick<Large, 'find' | 'values' | 'pieces' | 'older' | 'count'> {
  const list = (collection: unknown, rows: readonly Row[]) =>
    rows.map(([key, doc, place]) => {
      const row = [key as string, doc as string, Number(place)] as const
      return parseRow(collection as Collection, ...row)[1].record
    })
  const ask = async (collection: unknown, rest: string, values?: readonly unknown[]) => {
    const name = tableName(schema, collection as Collection)
    return connection.query(`select key, doc, place, ${ageColumn()} from ${name} ${rest}`, values)
  }
  return {
    find: async (collection, index, value) => {
      // What a version wrote or changed that does not know the index is found as well.
      const rest = `where ${indexColumn(index)} = $1 or ${isUnfilled(collection as Collection)} order by place`
      const rows = await ask(collection, rest, [encodeValue(value)])
      const found: object[] = []
      await inTurns(rows, (row) => found.push(...list(collection, [row])))
      const of = (collection as Collection).indexes[index]
      return found.filter((record) => of?.(record) === value) as never
    },
    values: (collection, index) => values.of(collection as Collection, index),
    pieces: async function* pieces(collection, by) {
      const column = by === 'age' ? ageColumn() : 'place'
      let last = '-1'
      for (;;) {
        const rest = `where ${column} > $1 order by ${column} limit ${ROWS_AT_A_TIME}`
        const rows = await ask(collection, rest, [last])
        if (rows.length > 0) yield list(collection, rows) as never
        if (rows.length < ROWS_AT_A_TIME) break
        last = rows.at(-1)?.[by === 'age' ? 3 : 2] as string
      }
      if (by !== 'age') return
      const ageless = `where ${isUnfilled(collection as Collection)} and ${column} is null`
      const rows = await ask(collection, ageless)
      if (rows.length > 0) yield list(collection, rows) as never
    },
    older: async (collection, than, limit) => {
      const [age, unfilled] = [ageColumn(), isUnfilled(collection as Collection)]
      const rest = `where ${age} < $1 and not ${unfilled} order by ${age} limit ${limit}`
      const found = list(collection, await ask(collection, rest, [than]))
      if (found.length >= limit) return found as never
      const { ageOf } = collection as Collection
      const others = list(collection, await ask(collection, `where ${unfilled}`))
      found.push(...others.filter((record) => (ageOf?.(record) ?? 0) < than))
      return found.slice(0, limit) as never
    },
    count: async (collection) => {
      const table = tableName(schema, collection as Collection)
      const [[count] = []] = await connection.query(`select count(*) from ${table}`)
      return Number(count)
    },
  }
}

/** See Large. */
async function hold(of: LoaderOf, table: Table, keys: readonly Key[]): Promise<() => void> {
  const { held } = of
  const unpins = keys.map((key) => held.pin(table.collection, key))
  const release = () => {
    for (const unpin of unpins) unpin()
    held.letGo(table.collection, keys)
  }
  try {
    const missing = new Set(keys.filter((key) => !table.entries.has(key)))
    if (missing.size > 0) await fill(of, table, new Map([[KEY, missing]]), () => {})
    return release
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Puts into a table what is wanted of it and is not there, with what belongs to it; asks again where something was taken
 * meanwhile that may be about it.
 */
async function fill(
  { schema, held, connection, rev, look }: LoaderOf,
  table: Table,
  wanted: Wanted,
  mark = (key: Key) => held.mark(table, key),
): Promise<[]> {
  for (;;) {
    const { rev: asked, found } = await askWanted(connection, schema, table, wanted)
    const missing = new Set(wanted.get(KEY))
    for (const [, key] of found) missing.add(key)
    for (const key of missing) if (table.entries.has(key)) missing.delete(key)
    const company = await askCompanions(connection, schema, table, missing)
    if (Math.min(asked, company.rev) < rev()) {
      await look()
      continue
    }
    // Let go of meanwhile.
    if (found.some(([, key]) => !table.entries.has(key) && !missing.has(key))) continue
    for (const [of, key, entry] of [...found, ...company.found])
      if (!of.entries.has(key)) setLoaded(of, key, entry)
    for (const [, key] of found) mark(key)
    for (const key of wanted.get(KEY) ?? []) mark(key)
    return []
  }
}

/** The values of indexes, which are asked for once until something changes. */
function createValues({ schema, connection }: LoaderOf) {
  const known = new Map<Collection, Map<string, Promise<Key[]>>>()
  const find = async (collection: Collection, index: string): Promise<Key[]> => {
    const [table, column] = [tableName(schema, collection), indexColumn(index)]
    const unfilled = isUnfilled(collection)
    // From each value to the next one, along the index.
    const next = (after: string) =>
      `(select ${column} as value from ${table} where ${column} ${after} and not ${unfilled} order by ${column} limit 1)`
    const rows = await connection.query(
      `with recursive v as (${next('is not null')} union all
         select ${next('> v.value')} from v where v.value is not null)
       select null, value, null from v where value is not null
       union all select key, doc, place from ${table} where ${unfilled}`,
    )
    const values = rows.map(([key, text, place]) => {
      if (typeof key !== 'string') return JSON.parse(text as string) as Key
      const { record } = parseRow(collection, key, text as string, Number(place))[1]
      return collection.indexes[index]?.(record)
    })
    return [...new Set(values)].filter((value) => value !== undefined)
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
