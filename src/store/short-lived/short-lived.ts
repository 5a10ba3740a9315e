// What lives for some minutes and may be lost: guesses that are counted, sign-ins that are half done. In the memory of
// one process, or where several nodes share their records in a table of those (postgres/short-lived.ts).

/** A kind of value. Past its limits the oldest go: strangers cause values as well. */
export interface Kind<V> {
  readonly name: string
  readonly max: number
  /** Of one owner, so that nobody pushes out those of others. */
  readonly maxPerOwner?: number
  /** Never set: ties the kind to its values. */
  readonly value?: V
}

/** What is under one key. Values are never mutated, and are what JSON can hold. */
export interface Cell<V> {
  /** Undefined where nothing lives. */
  readonly value: V | undefined
  /** How long it lives on. */
  readonly leftMs: number
  put(value: V, lifeMs: number, owner?: string): void
  drop(): void
}

/**
 * Looks into cells and changes them; a throw changes nothing. Synchronous. `nowMs` is of a clock that all nodes share,
 * and that in one process only runs forward.
 */
export type Use<V, T> = (cells: readonly Cell<V>[], nowMs: number) => T

export interface ShortLived {
  /** Uses the cells under these keys, alone among all nodes. Rejects with what `use` throws, and with `records_unavailable`. */
  use<V, T>(kind: Kind<V>, keys: readonly string[], use: Use<V, T>): Promise<T>
}

/** The value under a key. */
export function lookAt<V>(all: ShortLived, kind: Kind<V>, key: string): Promise<V | undefined> {
  return all.use(kind, [key], ([cell]) => cell?.value)
}

/** Takes a value out, so that of all who want it one gets it. */
export function takeOut<V>(
  all: ShortLived,
  kind: Kind<V>,
  key: string,
): Promise<{ value: V; leftMs: number } | null> {
  return all.use(kind, [key], ([cell]) => {
    if (cell?.value === undefined) return null
    cell.drop()
    return { value: cell.value, leftMs: cell.leftMs }
  })
}

export function putIn<V>(
  all: ShortLived,
  kind: Kind<V>,
  key: string,
  { value, lifeMs, owner }: { value: V; lifeMs: number; owner?: string },
): Promise<void> {
  return all.use(kind, [key], ([cell]) => cell?.put(value, lifeMs, owner))
}

/** What has become of a cell: null where it was dropped. */
export type Written<V> = { value: V; lifeMs: number; owner: string } | null

/** A cell of what is there, and what is to become of it. */
export function createCell<V>(
  found: { value: V; leftMs: number } | undefined,
): Cell<V> & { written(): Written<V> | undefined } {
  let written: Written<V> | undefined
  return {
    value: found?.value,
    leftMs: found?.leftMs ?? 0,
    put: (value, lifeMs, owner = '') => {
      written = { value, lifeMs, owner }
    },
    drop: () => {
      written = null
    },
    written: () => written,
  }
}

interface Held {
  value: unknown
  endsMs: number
  owner: string
}

interface Table {
  /** The oldest first. */
  readonly held: Map<string, Held>
  /** The keys of each owner, the oldest first. */
  readonly owners: Map<string, Set<string>>
}

/** In the memory of this process, which alone has them. */
export function createShortLived(): ShortLived {
  const tables = new Map<string, Table>()
  const tableOf = (name: string) => {
    const table = tables.get(name) ?? { held: new Map(), owners: new Map() }
    tables.set(name, table)
    return table
  }
  return {
    use: async (kind, keys, use) => {
      const table = tableOf(kind.name)
      const nowMs = performance.now()
      const cells = keys.map((key) => {
        const found = table.held.get(key)
        const leftMs = (found?.endsMs ?? 0) - nowMs
        return createCell(found && leftMs > 0 ? { value: found.value as never, leftMs } : undefined)
      })
      const result = use(cells, nowMs)
      for (const [i, key] of keys.entries()) {
        const written = cells[i]?.written()
        if (written === undefined) continue
        drop(table, key)
        if (written) put(table, kind, key, written, nowMs)
      }
      return result
    },
  }
}

function drop({ held, owners }: Table, key: string): void {
  const found = held.get(key)
  held.delete(key)
  if (!found?.owner) return
  const own = owners.get(found.owner)
  own?.delete(key)
  if (own?.size === 0) owners.delete(found.owner)
}

function put(
  table: Table,
  { max, maxPerOwner = Infinity }: Kind<unknown>,
  key: string,
  { value, lifeMs, owner }: { value: unknown; lifeMs: number; owner: string },
  nowMs: number,
): void {
  const { held, owners } = table
  for (const [old, { endsMs }] of held) {
    if (endsMs > nowMs && held.size < max) break
    drop(table, old)
  }
  if (owner !== '') {
    const own = owners.get(owner) ?? new Set()
    for (const old of own) {
      if (own.size < maxPerOwner) break
      drop(table, old)
    }
    owners.set(owner, own.add(key))
  }
  held.set(key, { value, endsMs: nowMs + lifeMs, owner })
}
