// Collections in memory: records by key and by index, and transactions over them that can be undone.
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../lib/errors.ts'
import { isWithin } from '../lib/vpath.ts'
import type { Changes, Collection, Key, Records, Transaction, Values } from './collection.ts'
import type { Settings } from './document.ts'

/** A record and its place in the order of insertion. */
export interface Entry {
  readonly record: object
  readonly order: number
}

export interface Table {
  readonly collection: Collection
  entries: Map<Key, Entry>
  /** By index and value the key, or the keys. */
  indexes: Map<string, Map<Key, Key | Set<Key>>>
  nextOrder: number
  nextId: number
  /** How often an entry was changed. */
  steps: number
  /** Whose records those of this one belong to, and the tables whose records belong to its own. */
  owner?: Table
  readonly companions: Table[]
  /** All records of a large collection are here. */
  isWhole?: boolean
  /** What is on the disk is not all in memory yet: to be called before anybody looks. Throws AppError `damaged`. */
  late?: (() => void) | undefined
  /** False when `entries` is not in the order of insertion. */
  isOrdered: boolean
}

/** What was there before a step of a transaction; without `key` it is the next id. */
export type Undo =
  | { readonly table: Table; readonly key: Key; readonly before: Entry | undefined }
  | { readonly table: Table; readonly nextId: number }

export type Tables = ReadonlyMap<string, Table>

export function createTable(collection: Collection): Table {
  const names = Object.keys(collection.indexes).filter((n) => !collection.unindexed?.includes(n))
  const indexes = new Map(names.map((name) => [name, new Map()]))
  return {
    collection,
    entries: new Map(),
    indexes,
    nextOrder: 0,
    nextId: 1,
    steps: 0,
    companions: [],
    isOrdered: true,
  }
}

/** The tables of collections by name, which know what belongs to what. */
export function createTables(collections: readonly Collection[]): Map<string, Table> {
  const tables = new Map(collections.map((one) => [one.name, createTable(one)]))
  for (const table of tables.values()) {
    const owner = tables.get(table.collection.belongsTo?.owner ?? '')
    if (!owner) continue
    table.owner = owner
    owner.companions.push(table)
  }
  return tables
}

/** The key of the record that one belongs to. */
export function ownerKeyOf(collection: Collection, record: object): Key | undefined {
  const { belongsTo } = collection
  if (!belongsTo) return undefined
  if (belongsTo.by === undefined) return collection.keyOf(record)
  return collection.indexes[belongsTo.by]?.(record)
}

/** The keys of what belongs to a record with this key, of that which is in memory. */
export function companionKeys({ collection, entries, indexes }: Table, owner: Key): Key[] {
  const by = collection.belongsTo?.by
  if (by === undefined) return entries.has(owner) ? [owner] : []
  const keys = indexes.get(by)?.get(owner)
  return keys instanceof Set ? [...keys] : keys === undefined ? [] : [keys]
}

/** Takes an entry into memory that is no change, or out of it. */
export function setLoaded(table: Table, key: Key, entry: Entry | undefined): void {
  const { steps } = table
  setEntry(table, key, entry)
  table.steps = steps
}

/** Puts an entry under a key, or takes it away. */
export function setEntry(table: Table, key: Key, entry: Entry | undefined): void {
  table.steps++
  const before = table.entries.get(key)
  for (const [name, index] of table.indexes) {
    const of = table.collection.indexes[name]
    const was = before && of?.(before.record)
    const is = entry && of?.(entry.record)
    if (was === is) continue
    if (was !== undefined) dropKey(index, was, key)
    if (is !== undefined) addKey(index, is, key)
  }
  if (!entry) {
    table.entries.delete(key)
    return
  }
  if (before?.order !== entry.order) {
    table.entries.delete(key)
    if (entry.order < table.nextOrder) table.isOrdered = false
  }
  table.nextOrder = Math.max(table.nextOrder, entry.order + 1)
  table.entries.set(key, entry)
}

function addKey(index: Map<Key, Key | Set<Key>>, value: Key, key: Key): void {
  const keys = index.get(value)
  if (keys instanceof Set) keys.add(key)
  else index.set(value, keys === undefined ? key : new Set([keys, key]))
}

function dropKey(index: Map<Key, Key | Set<Key>>, value: Key, key: Key): void {
  const keys = index.get(value)
  if (keys instanceof Set) {
    keys.delete(key)
    if (keys.size === 0) index.delete(value)
  } else index.delete(value)
}

/** What has changed, as it was before. */
export type Before = Map<Table, Map<Key, Entry | undefined>>

export function beforeOf(steps: readonly Undo[]): Before {
  const before: Before = new Map()
  for (const step of steps) {
    if (!('key' in step)) continue
    const its = before.get(step.table) ?? new Map<Key, Entry | undefined>()
    before.set(step.table, its)
    if (!its.has(step.key)) its.set(step.key, step.before)
  }
  return before
}

/** Undoes steps, the last one first. */
export function undo(steps: readonly Undo[]): void {
  for (const step of steps.toReversed()) {
    if ('key' in step) setEntry(step.table, step.key, step.before)
    else step.table.nextId = step.nextId
  }
}

/** The step changes the document. */
export function isKept({ table }: Undo): boolean {
  return table.collection.life === 'kept'
}

/** The places in the order of insertion that come next. */
export type Orders = readonly (readonly [Table, number])[]

/** The present entries of these keys. */
export function entriesOf(keys: Before): Before {
  return new Map(
    [...keys].map(([table, entries]) => [
      table,
      new Map([...entries.keys()].map((key) => [key, table.entries.get(key)])),
    ]),
  )
}

/** Undoes steps but for numbers that were given: others may have seen them. */
export function undoRecords(steps: readonly Undo[], orders: Orders): void {
  undo(steps.filter((step) => 'key' in step))
  for (const [table, order] of orders) table.nextOrder = order
}

export function createRecords(tables: Tables): Records {
  const tableOf = (of: Collection) => demandTable(tables, of)
  const indexOf = (of: Collection, index: string) => tableOf(of).indexes.get(index)
  return {
    settings: () => {
      const settings = tables.get('settings')?.entries.get('')
      if (!settings) throw new Error('there are no settings')
      return settings.record as Settings
    },
    get: (of, key) => tableOf(of as Collection).entries.get(key)?.record as never,
    find: (of, index, value) => findIn(tableOf(of as Collection), index, value) as never,
    among: (of, values) => amongIn(tableOf(of as Collection), values) as never,
    ifWhole: (of) => {
      const table = tableOf(of as Collection)
      return table.isWhole ? (listOf(table) as never) : undefined
    },
    has: (of, index, value) => indexOf(of as Collection, index)?.has(value) ?? false,
    values: (of, index) => [...(indexOf(of as Collection, index)?.keys() ?? [])],
    all: (of) => listOf(tableOf(of as Collection)) as never,
    count: (of) => tableOf(of as Collection).entries.size,
    stepsOf: (of) => tableOf(of as Collection).steps,
    expect: () => {},
  }
}

/** By the name of an index. */
export type ValuesByIndex = Readonly<Record<string, Values | undefined>>

/** Says what of a large table is needed; all but `expect` and `fresh` throw where that has to be loaded first. */
export interface Demand {
  expect(table: Table, keys: readonly Key[]): void
  fresh(table: Table, key: Key): void
  key(table: Table, key: Key): void
  index(table: Table, index: string, value: Key): void
  among(table: Table, values: ValuesByIndex): void
  all(table: Table): void
}

/** A transaction that works on the tables themselves and notes in `steps` how to undo it. */
export function createTransaction(tables: Tables, steps: Undo[], demand?: Demand): Transaction {
  const set = (table: Table, key: Key, entry: Entry | undefined) => {
    steps.push({ table, key, before: table.entries.get(key) })
    setEntry(table, key, entry)
  }
  return {
    ...(demand ? createDemandingRecords(tables, demand) : createRecords(tables)),
    fresh: (of, key) => demand?.fresh(demandTable(tables, of as Collection), key),
    nextId: (of) => {
      const table = demandTable(tables, of as Collection)
      steps.push({ table, nextId: table.nextId })
      return table.nextId++
    },
    insert: (of, record) => {
      const table = demandTable(tables, of as Collection)
      const key = of.keyOf(record)
      demand?.key(table, key)
      if (table.entries.has(key)) throw taken(table, 'key', key)
      if (demand) demandValues(demand, table, record)
      demandUnique(table, key, record)
      set(table, key, { record, order: table.nextOrder })
      if (typeof key === 'number' && key >= table.nextId) {
        steps.push({ table, nextId: table.nextId })
        table.nextId = key + 1
      }
      return record
    },
    replace: (of, record) => {
      const table = demandTable(tables, of as Collection)
      const key = of.keyOf(record)
      demand?.key(table, key)
      const before = table.entries.get(key)
      if (!before) throw new AppError('not_found', `${of.name}: no record ${key}`)
      if (demand) demandValues(demand, table, record)
      demandUnique(table, key, record)
      set(table, key, { record, order: before.order })
      return record
    },
    remove: (of, key) => {
      const table = demandTable(tables, of as Collection)
      demand?.key(table, key)
      const before = table.entries.get(key)
      if (before) set(table, key, undefined)
      return before?.record as never
    },
  }
}

/** Says that whoever has a unique value of a record is needed. */
function demandValues(demand: Demand, table: Table, record: object): void {
  for (const name of table.collection.unique) {
    const value = table.collection.indexes[name]?.(record)
    if (value !== undefined) demand.index(table, name, value)
  }
}

/** Records of which some have to be asked for. */
export function createDemandingRecords(tables: Tables, demand: Demand): Records {
  const records = createRecords(tables)
  const tableOf = (of: unknown) => demandTable(tables, of as Collection)
  const allOf = <T>(of: unknown, value: () => T) => {
    if ((of as Collection).isLarge) demand.all(tableOf(of))
    return value()
  }
  return {
    ...records,
    get: (of, key) => {
      const table = tableOf(of)
      if (of.isLarge) demand.key(table, key)
      return table.entries.get(key)?.record as never
    },
    find: (of, index, value) => {
      const table = tableOf(of)
      if (of.isLarge) demand.index(table, index, value)
      return findIn(table, index, value) as never
    },
    among: (of, values) => {
      const table = tableOf(of)
      if (of.isLarge) demand.among(table, values as ValuesByIndex)
      return amongIn(table, values as ValuesByIndex) as never
    },
    has: (of, index, value) => {
      // One of those that are here is enough.
      if (of.isLarge && !records.has(of, index, value)) demand.index(tableOf(of), index, value)
      return records.has(of, index, value)
    },
    values: (of, index) => allOf(of, () => records.values(of, index)),
    all: (of) => allOf(of, () => records.all(of)),
    count: (of) => allOf(of, () => records.count(of)),
    expect: (of, keys) => {
      if (of.isLarge) demand.expect(tableOf(of), keys())
    },
  }
}

function demandTable(tables: Tables, { name }: Collection): Table {
  const table = tables.get(name)
  if (!table) throw new Error(`this store has no collection ${name}`)
  table.late?.()
  return table
}

/** Throws `exists` when another record has one of the unique values. */
export function demandUnique(table: Table, key: Key, record: object): void {
  for (const name of table.collection.unique) {
    const value = table.collection.indexes[name]?.(record)
    const other = value === undefined ? undefined : table.indexes.get(name)?.get(value)
    if (other !== undefined && other !== key) throw taken(table, name, value as Key)
  }
}

function taken({ collection }: Table, what: string, value: Key): AppError {
  return new AppError('exists', `${collection.name}: the ${what} ${value} occurs twice`)
}

function findIn(table: Table, index: string, value: Key): object[] {
  const keys = table.indexes.get(index)?.get(value)
  if (keys === undefined) return []
  if (!(keys instanceof Set)) return [table.entries.get(keys)?.record as object]
  return [...keys]
    .map((key) => table.entries.get(key) as Entry)
    .sort((a, b) => a.order - b.order)
    .map(({ record }) => record)
}

function amongIn(table: Table, values: ValuesByIndex): object[] {
  const found = new Set<object>()
  for (const [name, { is = [], below = [] } = {}] of Object.entries(values)) {
    const of = table.collection.indexes[name]
    const isMeant = (value: Key | undefined) =>
      value !== undefined &&
      (is.includes(value) || below.some((path) => isWithin(path, String(value))))
    const index = table.indexes.get(name)
    const meant = below.length > 0 ? [...(index?.keys() ?? [])].filter(isMeant) : is
    for (const value of meant) for (const record of findIn(table, name, value)) found.add(record)
    if (index) continue
    for (const { record } of table.entries.values()) if (isMeant(of?.(record))) found.add(record)
  }
  return [...found]
}

/** All records in the order of insertion. */
export function listOf(table: Table): object[] {
  // Undoing a removal puts a record at the end of the map.
  if (!table.isOrdered) {
    const entries = [...table.entries].sort(([, a], [, b]) => a.order - b.order)
    table.entries.clear()
    for (const [key, entry] of entries) table.entries.set(key, entry)
    table.isOrdered = true
  }
  return Array.from(table.entries.values(), ({ record }) => record)
}

/** Puts other records into a table and notes which ones differ. Those that are alike stay themselves. */
export function replaceTable(tables: Tables, name: string, fresh: Table, before: Before): void {
  const table = tables.get(name)
  if (!table) return
  const changed = new Map<Key, Entry | undefined>()
  for (const [key, entry] of fresh.entries) {
    const old = table.entries.get(key)
    if (old && isDeepStrictEqual(old.record, entry.record))
      fresh.entries.set(key, { record: old.record, order: entry.order })
    else changed.set(key, old)
  }
  for (const [key, old] of table.entries) if (!fresh.entries.has(key)) changed.set(key, old)
  const { entries, indexes, nextOrder, isOrdered, isWhole = false } = fresh
  // Numbers given for what was never written are not given again.
  const nextId = Math.max(table.nextId, fresh.nextId)
  Object.assign(table, { entries, indexes, nextOrder, nextId, isOrdered, isWhole })
  before.set(table, changed)
}

/** Keys of records that others have changed and that are not in memory. */
export type Unseen = ReadonlyMap<Table, readonly Key[]>
const NONE_UNSEEN: Unseen = new Map()

/** What listeners are told of: the records before, by collection. */
export function changesOf(tables: Tables, before: Before, unseen: Unseen = NONE_UNSEEN): Changes {
  const none = new Map()
  return {
    unseen: ({ name }) => unseen.get(tables.get(name) as Table) ?? [],
    before: ({ name }) => {
      const its = before.get(tables.get(name) as Table) ?? none
      return new Map([...its].map(([key, entry]) => [key, entry?.record])) as never
    },
  }
}
