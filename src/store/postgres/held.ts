// What is in memory of collections whose records have to be loaded before they are read, and which of it nobody asks
// for any more.

import type { Collection, Key } from '../collection.ts'
import { createPins, type Pins } from '../pins.ts'
import {
  companionKeys,
  type Demand,
  ownerKeyOf,
  setLoaded,
  type Table,
  type Tables,
} from '../table.ts'

/** A record stays for so long after it was last asked for, and up to twice as long. */
export const HELD_MS = 30 * 60_000

/** As a demand it is that of who reads without loading: what was loaded is there by its key. */
export class Held implements Demand {
  readonly #tables: Tables
  /** The keys that were asked for since the last sweep and in the time before, also those of records that are not there. */
  #used = new Map<Table, Set<Key>>()
  #usedBefore = new Map<Table, Set<Key>>()
  readonly #pins = new Map<Table, Pins<Key>>()

  constructor(tables: Tables) {
    this.#tables = tables
  }

  has({ name }: Collection, key: Key): boolean {
    const table = this.#tables.get(name)
    return table?.isWhole || (table?.entries.has(key) ?? false)
  }

  mark(table: Table, key: Key): void {
    const { mustBeLoaded, belongsTo } = table.collection
    if (table.isWhole || (!mustBeLoaded && !belongsTo)) return
    const of = ownerOf(table) ?? table
    // Anybody may ask for a token that there is not, again and again.
    const isRemembered = of.collection.mustBeLoaded && !of.collection.isGuessed
    if (!isRemembered && !of.entries.has(key)) return
    let used = this.#used.get(of)
    if (!used) {
      used = new Set()
      this.#used.set(of, used)
    }
    used.add(key)
  }

  pin({ name }: Collection, key: Key): () => void {
    const table = this.#tables.get(name) as Table
    const pins = this.#pins.get(table) ?? createPins<Key>()
    this.#pins.set(table, pins)
    return pins.pin(key)
  }

  /** Lets go of what was not asked for since the last time. */
  sweep(): void {
    for (const table of this.#tables.values())
      if (table.collection.mustBeLoaded && !table.owner && !table.isWhole)
        for (const key of [...table.entries.keys()])
          if (!this.#used.get(table)?.has(key) && !this.#isPinned(table, key))
            setLoaded(table, key, undefined)
    for (const table of this.#tables.values()) if (table.owner) this.#sweepCompanions(table)
    this.#usedBefore = this.#used
    this.#used = new Map()
  }

  /** Lets go of those of these keys that nobody asks for. */
  letGo({ name }: Collection, keys: Iterable<Key>): void {
    const table = this.#tables.get(name) as Table
    if (table.isWhole) return
    for (const key of keys) {
      if (this.#isKnown(table, key)) continue
      for (const companion of table.companions)
        for (const own of companionKeys(companion, key))
          if (!this.#isKnown(companion, own)) setLoaded(companion, own, undefined)
      setLoaded(table, key, undefined)
    }
  }

  expect(): void {}

  fresh(): void {}

  key(table: Table, key: Key): void {
    // Whoever goes through what belongs to many does not ask for those.
    const owner = ownerOf(table)
    if (owner ?? table.collection.mustBeLoaded) this.#demand(owner ?? table, key)
    if (!owner) this.mark(table, key)
  }

  index(table: Table, index: string, value: Key): void {
    const { owner, collection } = table
    if (owner && collection.belongsTo?.by === index) this.#demand(owner, value)
    else refuseLarge(table)
  }

  among(table: Table): void {
    refuseLarge(table)
  }

  all(table: Table): void {
    refuseLarge(table)
  }

  #demand(table: Table, key: Key): void {
    if (!table.isWhole && !table.entries.has(key) && !this.#isKnown(table, key))
      throw new Error(`${table.collection.name} ${key} is read and was not loaded`)
  }

  #sweepCompanions(table: Table): void {
    const { collection, entries, owner } = table
    for (const [key, { record }] of [...entries]) {
      const of = ownerKeyOf(collection, record)
      const isAccompanied = of !== undefined && owner?.entries.has(of)
      if (!isAccompanied && !this.#used.get(table)?.has(key) && !this.#isPinned(table, key))
        setLoaded(table, key, undefined)
    }
  }

  /** Somebody asks for it, whether it is there or not. */
  #isKnown(table: Table, key: Key): boolean {
    const isUsed = this.#used.get(table)?.has(key) || this.#usedBefore.get(table)?.has(key)
    return isUsed || this.#isPinned(table, key)
  }

  #isPinned(table: Table, key: Key): boolean {
    return this.#pins.get(table)?.has(key) ?? false
  }
}

/** The table that has the same keys, where that is another one. */
export function ownerOf({ owner, collection }: Table): Table | undefined {
  return collection.belongsTo?.by === undefined ? owner : undefined
}

function refuseLarge({ collection }: Table): void {
  if (collection.isLarge) throw new Error(`${collection.name} is read by Store.large`)
}
