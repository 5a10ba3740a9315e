// Large collections, of which a node holds the records that it was asked for. A change runs on what there is; what it
// misses is noted and loaded under the lock, and the change runs again.
import { AppError } from '../../lib/errors.ts'
import type { Collection, Key } from '../collection.ts'
import { type Demand, type Entry, setEntry, type Table } from '../table.ts'
import type { Connection } from './connection.ts'
import { encodeKey, parseRow } from './rows.ts'
import { indexColumn, quoted } from './schema.ts'

/** By index the values of which records are wanted. */
export type Wanted = ReadonlyMap<string, ReadonlySet<Key>>

/** Thrown into a change that has asked for what is not here. */
class Missing extends Error {}

/** What one batch of changes has asked for, and what of that is loaded. */
export class Wants implements Demand {
  readonly #loaded = new Set<string>()
  readonly #entries: [Table, Key, Entry][] = []
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
    this.#onUse(table, key)
  }

  index(table: Table, index: string, value: Key): void {
    const { isLarge, unique } = table.collection
    if (!isLarge || this.#isLoaded(table, ALL)) return
    // Nobody else has it.
    const isUnique = !this.#asksAlways && unique.includes(index)
    if (isUnique && table.indexes.get(index)?.has(value)) return
    if (!this.#isLoaded(table, index, value)) this.#miss(table, index, value)
  }

  all(table: Table): void {
    if (table.collection.isLarge && !this.#isLoaded(table, ALL)) this.#miss(table, ALL, '')
  }

  /** Loads what was missing; `ask` gives it, unless it has put it into the table itself. */
  async load(
    ask: (table: Table, wanted: Wanted) => Promise<readonly [Key, Entry][]>,
  ): Promise<void> {
    for (const [table, wanted] of this.#missing) {
      for (const found of await ask(table, wanted)) this.#entries.push([table, ...found])
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
export const KEY = ' key'
const ALL = ' all'

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

export class NeedsDatabase extends AppError {
  constructor({ collection }: Table) {
    super('records_unavailable', `${collection.name} cannot be changed ahead of the database`)
  }
}

/**
 * The records that are meant, and the number of the last transaction that they are after. Where `wanted` names all, all
 * of the table.
 */
export async function askWanted(
  connection: Pick<Connection, 'query'>,
  schema: string,
  { collection }: Table,
  wanted: Wanted,
): Promise<{ rev: number; found: [Key, Entry][] }> {
  const isAll = wanted.has(ALL)
  const where = [...wanted.keys()].map((index, n) => {
    return `${index === KEY ? 'key' : indexColumn(index)} = any($${n + 1}::text[])`
  })
  const rows = await connection.query(
    `select m.feed, t.key, t.doc, t.place from ${quoted(schema)}.fb_meta m left join
       (select key, doc, place from ${tableName(schema, collection)}
         where ${isAll ? 'true' : where.join(' or ')}) t on true`,
    isAll ? undefined : [...wanted.values()].map((values) => [...values].map(encodeKey)),
    isAll ? 60_000 : 10_000,
  )
  const found = rows.flatMap(([, key, doc, place]) =>
    typeof key === 'string' ? [parseRow(collection, key, doc as string, Number(place))] : [],
  )
  return { rev: Number(rows[0]?.[0]), found }
}

export function tableName(schema: string, { name }: Collection): string {
  return `${quoted(schema)}.${quoted(name)}`
}
