// Large collections where all records are in memory anyway.
import type { Large, Records } from './collection.ts'

export function createLarge(records: Records): Large {
  return {
    load: async (of, key) => records.get(of, key),
    find: async (of, index, value) => records.find(of, index, value),
    values: async (of, index) => records.values(of, index),
    pieces: async function* pieces(of, by) {
      const all = records.all(of)
      const { ageOf } = of
      yield by && ageOf ? all.toSorted((a, b) => ageOf(a) - ageOf(b)) : all
    },
    older: async (of, than, limit) =>
      records
        .all(of)
        .filter((record) => (of.ageOf?.(record) ?? 0) < than)
        .slice(0, limit),
    count: async (of) => records.count(of),
    isHeld: () => true,
    hold: async () => () => {},
    pin: () => () => {},
    held: () => [],
    drop: () => {},
  }
}
