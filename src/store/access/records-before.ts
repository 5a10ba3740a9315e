// What was looked up before a change, answered after it.
import type { Changes, Collection, Key, Lookups } from '../collection.ts'

/** The records as they were before a change that is there by now. */
export function recordsBefore(now: Lookups, changes: Changes): Lookups {
  const found = new Map<string, ReadonlyMap<Key, object | undefined>>()
  const beforeOf = (of: Collection) => known(found, of.name, () => changes.before(of))
  const gone = new Map<string, Map<Key | undefined, object[]>>()
  const goneBy = (of: Collection, index: string) =>
    known(gone, `${of.name} ${index}`, () => {
      const records = [...beforeOf(of).values()].filter((record) => record !== undefined)
      return Map.groupBy(records, (record) => of.indexes[index]?.(record))
    })
  return {
    get: (of, key) => {
      const was = beforeOf(of as Collection)
      return (was.has(key) ? was.get(key) : now.get(of, key)) as never
    },
    find: (of, index, value) => {
      const was = beforeOf(of as Collection)
      const kept = now.find(of, index, value).filter((record) => !was.has(of.keyOf(record)))
      return [...kept, ...(goneBy(of as Collection, index).get(value) ?? [])] as never
    },
    count: (of) => {
      const was = beforeOf(of as Collection)
      let count = now.count(of)
      for (const [key, one] of was) count += Number(!!one) - Number(!!now.get(of, key))
      return count
    },
    // Nothing that was made of them is looked for again.
    stepsOf: () => Number.NaN,
  }
}

function known<K, T>(made: Map<K, T>, key: K, make: () => T): T {
  let value = made.get(key)
  if (value === undefined) {
    value = make()
    made.set(key, value)
  }
  return value
}
