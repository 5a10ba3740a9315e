// Small checkers for values from outside. Their errors name the place and what was expected.
import { mapFields } from './fields.ts'

export class ParseError extends Error {}

/** Reads the fields of one JSON object; absent and null fields give the fallback. */
export interface Reader {
  readonly at: string
  has(key: string): boolean
  str(key: string, fallback?: string): string
  bool(key: string, fallback?: boolean): boolean
  /** A safe integer within the bounds (inclusive). */
  int(key: string, fallback?: number, bounds?: { min?: number; max?: number }): number
  list<T>(key: string, item: (value: unknown, at: string) => T, maxItems?: number): T[]
  obj<T>(key: string, read: (reader: Reader) => T): T
  raw(key: string): unknown
  /** The names present, as written. */
  keys(): string[]
}

const MAX_STRING = 1_048_576
const MAX_ITEMS = 100_000

/** How much a value may hold. */
interface ReadLimits {
  items: number
  characters: number
}

const LIMITS: ReadLimits = { items: MAX_ITEMS, characters: MAX_STRING }
/** For files that this program has written itself: what it could write it must be able to read. */
export const NO_LIMITS: ReadLimits = {
  items: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
}

/**
 * Wraps an object. Key names match exactly first and then without regard to case, as clients of
 * the original rely on. Throws ParseError when `value` is not an object (null reads as empty), and
 * when it holds more than `limits`.
 */
export function readObject(value: unknown, at: string, limits = LIMITS): Reader {
  if (value !== null && value !== undefined && (typeof value !== 'object' || Array.isArray(value)))
    throw new ParseError(`${at || 'value'} must be an object`)
  const record = (value ?? {}) as Record<string, unknown>
  let folded: Map<string, unknown> | undefined
  const raw = (key: string): unknown => {
    if (Object.hasOwn(record, key)) return record[key]
    folded ??= new Map(Object.entries(record).map(([name, v]) => [name.toLowerCase(), v]))
    return folded.get(key.toLowerCase())
  }
  const place = (key: string) => (at ? `${at}.${key}` : key)
  return {
    at,
    raw,
    keys: () => Object.keys(record),
    has: (key) => raw(key) !== undefined && raw(key) !== null,
    str: (key, fallback = '') => {
      const v = raw(key)
      if (typeof v === 'string' && v.length <= limits.characters) return v
      return v === undefined || v === null ? fallback : asString(v, place(key), limits)
    },
    bool: (key, fallback = false) => {
      const v = raw(key)
      if (v === undefined || v === null) return fallback
      if (typeof v !== 'boolean') throw new ParseError(`${place(key)} must be true or false`)
      return v
    },
    int: (
      key,
      fallback = 0,
      { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = {},
    ) => {
      const v = raw(key)
      if (v === undefined || v === null) return fallback
      if (!Number.isSafeInteger(v)) throw new ParseError(`${place(key)} must be a whole number`)
      const n = v as number
      if (n < min || n > max)
        throw new ParseError(`${place(key)} must be between ${min} and ${max}`)
      return n
    },
    list: (key, item, maxItems = limits.items) => {
      const v = raw(key)
      if (v === undefined || v === null) return []
      if (!Array.isArray(v)) throw new ParseError(`${place(key)} must be a list`)
      if (v.length > maxItems) throw new ParseError(`${place(key)} has more than ${maxItems} items`)
      return v.map((entry, i) => item(entry, `${place(key)}[${i}]`))
    },
    obj: (key, read) => read(readObject(raw(key), place(key), limits)),
  }
}

/** Checks for a string, of at most 1 MiB characters unless told otherwise. */
export function asString(value: unknown, at: string, limits: ReadLimits = LIMITS): string {
  if (typeof value !== 'string') throw new ParseError(`${at} must be a string`)
  if (value.length > limits.characters) throw new ParseError(`${at} is too long`)
  return value
}

/** Checks for a safe integer that is not negative. */
export function asWhole(value: unknown, at: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new ParseError(`${at} must be a whole number`)
  return value as number
}

/**
 * Reads the fields that an example has: strings, booleans, whole numbers, lists of strings, and objects
 * of those. An absent field is as in the example.
 */
export function readLike<T extends object>(reader: Reader, example: T): T {
  const read = (key: string, like: unknown): unknown => {
    if (typeof like === 'string') return reader.str(key, like)
    if (typeof like === 'boolean') return reader.bool(key, like)
    if (typeof like === 'number') return reader.int(key, like)
    if (Array.isArray(like)) return reader.list(key, asString)
    return reader.obj(key, (inner) => readLike(inner, like as object))
  }
  // A start reads thousands of records so: without lists of their fields in between.
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(example)) result[key] = read(key, example[key as keyof T])
  return result as T
}

/** The same fields, all of them empty, false or 0. */
export function zeroOf<T extends object>(example: T): T {
  return mapFields(example, (_, value) => {
    if (Array.isArray(value)) return []
    if (typeof value === 'object') return zeroOf(value as object)
    return { string: '', boolean: false, number: 0 }[typeof value as string]
  })
}
