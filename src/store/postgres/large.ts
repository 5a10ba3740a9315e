// Large collections, of which a node holds the records that it was asked for. A change runs on what there is; what it
// misses is noted and loaded under the lock, and the change runs again.
import { AppError } from '../../lib/errors.ts'
import { ROOT } from '../../lib/vpath.ts'
import type { Collection, Key } from '../collection.ts'
import {
  type Demand,
  type Entry,
  ownerKeyOf,
  setLoaded,
  type Table,
  type ValuesByIndex,
} from '../table.ts'
import type { Connection } from './connection.ts'
import { ownerOf } from './held.ts'
import { encodeKey, encodeValue, parseRow } from './rows.ts'
import { indexColumn, isUnfilled, quoted } from './schema.ts'

/** By index the values of which records are wanted. */
export type Wanted = ReadonlyMap<string, ReadonlySet<Key>>

/** A record that was loaded. */
export type Found = readonly [Table, Key, Entry]

/** Thrown into a change that has asked for what is not here. */
class Missing extends Error {}

/** What one batch of changes has asked for, and what of that is loaded. */
export class Wants implements Demand {
  readonly #loaded = new Set<string>()
  readonly #entries: Found[] = []
  /** By table and index. */
  readonly #missing = new Map<Table, Map<string, Set<Key>>>()

  readonly #onUse: (table: Table, key: Key) => void
  readonly #asksAlways: boolean

  /**
   * `onUse` is told of each record that is asked for by its key. With `asksAlways` who has a unique value is asked for also
   * where that is in memory, so that the time tells nobody whether it is.
   */
  constructor({
    onUse = () => {},
    asksAlways = false,
  }: {
    onUse?: (table: Table, key: Key) => void
    asksAlways?: boolean
  } = {}) {
    this.#onUse = onUse
    this.#asksAlways = asksAlways
  }

  get isComplete(): boolean {
    return this.#missing.size === 0
  }

  /** To be called before the changes run: what was loaded for them may have been dropped again by somebody else. */
  putBack(): void {
    for (const [table, key, entry] of this.#entries)
      if (!table.entries.has(key)) setLoaded(table, key, entry)
  }

  expect(table: Table, keys: readonly Key[]): void {
    const of = ownerOf(table) ?? table
    const missing = this.#missingOf(of, keys)
    if (missing.length > 0) this.#note(of, KEY, missing)
  }

  fresh(table: Table, key: Key): void {
    this.#loaded.add(nameOf(table, KEY, key))
  }

  key(table: Table, key: Key): void {
    const of = ownerOf(table) ?? table
    if (this.#missingOf(of, [key]).length > 0) this.#miss(of, KEY, key)
    this.#onUse(of, key)
  }

  index(table: Table, index: string, value: Key): void {
    const { owner, collection } = table
    if (!collection.isLarge || this.#isWhole(table)) return
    if (owner && collection.belongsTo?.by === index) this.key(owner, value)
    else if (!this.#isKnownUnique(table, index, value) && !this.#isLoaded(table, index, value))
      this.#miss(table, index, value)
  }

  among(table: Table, values: ValuesByIndex): void {
    if (!table.collection.isLarge || this.#isWhole(table)) return
    let isMissing = false
    const demand = (index: string, all: readonly Key[] = []) => {
      const missing = all.filter((value) => !this.#isLoaded(table, index, value))
      if (missing.length === 0) return
      this.#note(table, index, missing)
      isMissing = true
    }
    for (const [index, its] of Object.entries(values)) {
      demand(index, its?.is)
      demand(BELOW + index, its?.below)
    }
    if (isMissing) throw new Missing(`${table.collection.name} have to be loaded`)
  }

  all(table: Table): void {
    if (table.collection.isLarge && !this.#isWhole(table)) this.#miss(table, ALL, '')
  }

  /** Loads what was missing; `ask` gives it, unless it has put it into the table itself. */
  async load(ask: (table: Table, wanted: Wanted) => Promise<readonly Found[]>): Promise<void> {
    for (const [table, wanted] of this.#missing) {
      for (const found of await ask(table, wanted)) this.#entries.push(found)
      for (const [index, values] of wanted)
        for (const value of values) this.#loaded.add(nameOf(table, index, value))
    }
    this.#missing.clear()
  }

  #missingOf(table: Table, keys: readonly Key[]): readonly Key[] {
    if (!table.collection.isLarge || this.#isWhole(table)) return []
    return keys.filter((key) => !table.entries.has(key) && !this.#isLoaded(table, KEY, key))
  }

  // Nobody else has it.
  #isKnownUnique({ collection, indexes }: Table, index: string, value: Key): boolean {
    if (this.#asksAlways || !collection.unique.includes(index)) return false
    return indexes.get(index)?.has(value) ?? false
  }

  #isWhole(table: Table): boolean {
    return table.isWhole === true || this.#isLoaded(table, ALL)
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
export const KEY = ' key'
const ALL = ' all'
/** Before the name of an index: paths at or below which its values are. */
const BELOW = ' below '

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

  among(table: Table): void {
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

export class NeedsDatabase extends AppError {
  constructor({ collection }: Table) {
    super('records_unavailable', `${collection.name} cannot be changed ahead of the database`)
  }
}

/** What was found, and the number of the last transaction that it is after. */
export interface Answer {
  rev: number
  found: Found[]
}

/**
 * The records that are meant, and the number of the last transaction that they are after. Where `wanted` names all, all
 * of the table.
 */
export async function askWanted(
  connection: Pick<Connection, 'query'>,
  schema: string,
  table: Table,
  wanted: Wanted,
): Promise<Answer> {
  const { collection } = table
  const isAll = wanted.has(ALL)
  const where = [...wanted].map(([index, values], n) =>
    index.startsWith(BELOW)
      ? whereBelow(collection, index.slice(BELOW.length), n + 1, values.size)
      : whereIs(collection, index, n + 1),
  )
  const rows = await connection.query(
    `select m.feed, t.key, t.doc, t.place from ${quoted(schema)}.fb_meta m left join
       (select key, doc, place from ${tableName(schema, collection)}
         where ${isAll ? 'true' : where.join(' or ')}) t on true`,
    isAll
      ? undefined
      : [...wanted].map(([index, values]) => [...values].flatMap(parameterOf(index))),
    isAll ? 60_000 : 10_000,
  )
  const found = rows.flatMap(([, key, doc, place]): Found[] =>
    typeof key === 'string'
      ? [[table, ...parseRow(collection, key, doc as string, Number(place))]]
      : [],
  )
  return { rev: Number(rows[0]?.[0]), found }
}

/** Keys that are asked for in one question. */
const KEYS_AT_A_TIME = 1_000

/** What belongs to the records with these keys. */
export async function askCompanions(
  connection: Pick<Connection, 'query'>,
  schema: string,
  { companions }: Table,
  owners: ReadonlySet<Key>,
): Promise<Answer> {
  const all: Answer = { rev: Number.POSITIVE_INFINITY, found: [] }
  if (companions.length === 0 || owners.size === 0) return all
  const parts = companions.map(({ collection }, n) => {
    const where = whereIs(collection, collection.belongsTo?.by ?? KEY, 1)
    return `select ${n} as n, key, doc, place from ${tableName(schema, collection)} where ${where}`
  })
  const keys = [...owners]
  for (let from = 0; from < keys.length; from += KEYS_AT_A_TIME) {
    const rows = await connection.query(
      `select m.feed, t.n, t.key, t.doc, t.place from ${quoted(schema)}.fb_meta m left join
         (${parts.join(' union all ')}) t on true`,
      [keys.slice(from, from + KEYS_AT_A_TIME).map(encodeKey)],
      10_000,
    )
    all.rev = Math.min(all.rev, Number(rows[0]?.[0]))
    for (const [, n, key, doc, place] of rows) {
      const table = companions[Number(n ?? Number.NaN)]
      if (!table) continue
      const row = parseRow(table.collection, key as string, doc as string, Number(place))
      const owner = ownerKeyOf(table.collection, row[1].record)
      // Rows without values of indexes are given for each question.
      if (owner !== undefined && owners.has(owner)) all.found.push([table, ...row])
    }
  }
  return all
}

/** The records that are meant with all that belongs to them, for who is alone with the database. */
export async function askWithCompanions(
  connection: Pick<Connection, 'query'>,
  schema: string,
  table: Table,
  wanted: Wanted,
): Promise<Found[]> {
  const { found } = await askWanted(connection, schema, table, wanted)
  const owners = new Set(wanted.get(KEY))
  for (const [, key] of found) owners.add(key)
  return [...found, ...(await askCompanions(connection, schema, table, owners)).found]
}

/** What finds records by the values in a parameter. Those that a version wrote or changed that does not know the index are found as well. */
function whereIs(collection: Collection, index: string, parameter: number): string {
  if (index === KEY) return `key = any($${parameter}::text[])`
  return `(${indexColumn(index)} = any($${parameter}::text[]) or ${isUnfilled(collection)})`
}

/** What the parameter has for each value. */
function parameterOf(index: string): (value: Key) => string | string[] {
  if (index.startsWith(BELOW)) return boundsOf
  return index === KEY ? encodeKey : encodeValue
}

/** The same of paths, at or below which the values are: for each the parameter has what `boundsOf` gives. */
function whereBelow(
  collection: Collection,
  index: string,
  parameter: number,
  count: number,
): string {
  const column = indexColumn(index)
  const bound = (n: number) => `($${parameter}::text[])[${n}]`
  const ranges = Array.from({ length: count }, (_, n) => {
    const [is, from, to] = [1, 2, 3].map((at) => bound(3 * n + at))
    return `${column} = ${is} or (${column} >= ${from} and ${column} < ${to})`
  })
  return `(${ranges.join(' or ')} or ${isUnfilled(collection)})`
}

/**
 * The value of an index that is a path, and between which those below it lie: `"/a"`, `"/a/` and `"/a0`; those that were
 * cut as well.
 */
function boundsOf(path: Key): string[] {
  const stem = encodeKey(path === ROOT ? '' : path).slice(0, -1)
  return [encodeValue(path), `${stem}/`.slice(0, encodeValue(path).length), `${stem}0`]
}

export function tableName(schema: string, { name }: Collection): string {
  return `${quoted(schema)}.${quoted(name)}`
}
