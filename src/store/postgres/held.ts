// What is in memory of collections whose records have to be loaded before they are read, and which of it nobody asks
// for any more.

import type { Collection, Key } from '../collection.ts'
import { createPins, type Pins } from '../pins.ts'
import { type Demand, setEntry, type Table, type Tables } from '../table.ts'

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
    return this.#tables.get(name)?.entries.has(key) ?? false
  }

  mark(table: Table, key: Key): void {
    if (!table.collection.mustBeLoaded) return
    let used = this.#used.get(table)
    if (!used) {
      used = new Set()
      this.#used.set(table, used)
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
    for (const table of this.#tables.values()) {
      if (!table.collection.mustBeLoaded) continue
      const [used, pins] = [this.#used.get(table), this.#pins.get(table)]
      for (const key of [...table.entries.keys()])
        if (!used?.has(key) && !pins?.has(key)) setEntry(table, key, undefined)
    }
    this.#usedBefore = this.#used
    this.#used = new Map()
  }

  expect(): void {}

  fresh(): void {}

  key(table: Table, key: Key): void {
    const { mustBeLoaded, name } = table.collection
    if (!mustBeLoaded) return
    const isKnown = table.entries.has(key) || this.#used.get(table)?.has(key)
    if (!isKnown && !this.#usedBefore.get(table)?.has(key) && !this.#pins.get(table)?.has(key))
      throw new Error(`${name} ${key} is read and was not loaded`)
    this.mark(table, key)
  }

  index(table: Table): void {
    refuseLarge(table)
  }

  all(table: Table): void {
    refuseLarge(table)
  }
}

function refuseLarge({ collection }: Table): void {
  if (collection.isLarge) throw new Error(`${collection.name} is read by Store.large`)
}
