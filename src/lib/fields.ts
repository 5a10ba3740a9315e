// Records by their fields, for what is the same for all of them.

/** The record with each value replaced by what `map` makes of it. */
export function mapFields<T extends object>(
  record: T,
  map: (name: string, value: unknown) => unknown,
): T {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, map(name, value)]),
  ) as T
}

/** The fields of these names, in their order. */
export function pick<T extends object, K extends keyof T>(
  record: T,
  names: readonly K[],
): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Pick<T, K>
}

/**
 * The record with what `given` has for its fields, whose names are dotted within objects: `sorting.by`. A
 * field for which it gives undefined stays.
 */
export function overlay<T extends object>(
  record: T,
  given: (name: string, value: unknown) => unknown,
  prefix = '',
): T {
  return mapFields(record, (name, value) => {
    const path = prefix + name
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isRecord ? overlay(value, given, `${path}.`) : (given(path, value) ?? value)
  })
}
