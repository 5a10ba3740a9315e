// Notes of WebDAV as records, where several nodes share them.
import { asString } from '../../lib/parse.ts'
import type { Collection, Records, Store } from '../collection.ts'
import type { Noted, PropertyPlace } from './properties.ts'

interface NotedEntry {
  path: string
  /** Each `{namespace}name`, in the order in which they were set. */
  names: readonly string[]
  /** Of each the element as XML. */
  values: readonly string[]
}

export const DAV_PROPERTIES: Collection<NotedEntry, never> = {
  name: 'davProperties',
  life: 'short',
  keyOf: ({ path }) => path,
  indexes: {},
  unique: [],
  parse: (r) => ({
    path: r.str('path'),
    names: r.list('names', asString),
    values: r.list('values', asString),
  }),
}

export function createSharedProperties(store: Store): PropertyPlace {
  let known: ReadonlyMap<string, Noted> = new Map()
  let knownAt = -1
  return {
    all: async () => {
      if (knownAt !== store.stepsOf(DAV_PROPERTIES)) {
        known = mapOf(store)
        knownAt = store.stepsOf(DAV_PROPERTIES)
      }
      return known
    },
    change: (work) =>
      store.transaction((tx) => {
        const before = mapOf(tx)
        const after = new Map(before)
        const result = work(after)
        for (const path of before.keys()) if (!after.has(path)) tx.remove(DAV_PROPERTIES, path)
        for (const [path, noted] of after) {
          if (before.get(path) === noted) continue
          const entry = { path, names: [...noted.keys()], values: [...noted.values()] }
          if (before.has(path)) tx.replace(DAV_PROPERTIES, entry)
          else tx.insert(DAV_PROPERTIES, entry)
        }
        return result
      }),
    close: async () => {},
  }
}

function mapOf(records: Records): Map<string, Noted> {
  return new Map(
    records
      .all(DAV_PROPERTIES)
      .map(({ path, names, values }) => [
        path,
        new Map(names.map((name, n) => [name, values[n] ?? ''])),
      ]),
  )
}
