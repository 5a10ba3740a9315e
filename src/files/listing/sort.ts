// Natural order of names, and the sortings of listings (docs/http-api.md 6.6).
import { compareBytes, sortInSlices } from '../../lib/byte-order.ts'
import { nextTurn } from '../../lib/turns.ts'

/**
 * Natural order of two lower-cased names: equal text is dropped, numbers compare by value, and in
 * all other cases the remainders compare by bytes.
 */
function compareNatural(a: string, b: string): number {
  let x = a
  let y = b
  for (;;) {
    const shared = sharedText(x, y)
    x = x.slice(shared)
    y = y.slice(shared)
    if (x === '' || y === '') return x.length - y.length
    const m = leadingDigits(x)
    const n = leadingDigits(y)
    if (m === 0 || n === 0) return compareBytes(x, y)
    const byValue = compareNumbers(x.slice(0, m), y.slice(0, n))
    if (byValue !== 0) return byValue
    if (m === x.length || n === y.length) return compareBytes(x, y)
    x = x.slice(m)
    y = y.slice(n)
  }
}

function sharedText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let i = 0
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i) && !isDigit(a.charCodeAt(i))) i++
  return i
}

function leadingDigits(text: string): number {
  let i = 0
  while (i < text.length && isDigit(text.charCodeAt(i))) i++
  return i
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

function compareNumbers(a: string, b: string): number {
  const x = withoutLeadingZeros(a)
  const y = withoutLeadingZeros(b)
  if (x.length !== y.length) return x.length - y.length
  return x < y ? -1 : x > y ? 1 : 0
}

function withoutLeadingZeros(digits: string): string {
  let i = 0
  while (i < digits.length && digits.charCodeAt(i) === 48) i++
  return i === 0 ? digits : digits.slice(i)
}

interface Sortable {
  name: string
  sizeBytes: number
  mtimeNs: bigint
  isDir: boolean
}

/** Entries per slice before the event loop gets a turn. */
const SLICE = 2_000

/**
 * Sorts listing entries that come in byte order. `asc` is inverted for names, as clients rely on:
 * `asc: false` gives A to Z. Ties keep byte order. Yields to the event loop for large folders.
 */
export async function sortEntries<T extends Sortable>(
  entries: T[],
  by: string,
  asc: boolean,
): Promise<T[]> {
  const keyed: Keyed<T>[] = []
  for (const [at, entry] of entries.entries()) {
    if (at % SLICE === SLICE - 1) await nextTurn()
    keyed.push({ entry, key: entry.name.toLowerCase(), at })
  }
  const sorted = await sortInSlices(keyed, comparatorOf<T>(by, asc))
  await nextTurn()
  return sorted.map(({ entry }) => entry)
}

interface Keyed<T> {
  entry: T
  key: string
  at: number
}

function comparatorOf<T extends Sortable>(by: string, asc: boolean) {
  type K = Keyed<T>
  const folders = (a: K, b: K) => Number(b.entry.isDir) - Number(a.entry.isDir)
  const sign = asc ? -1 : 1
  const natural = (a: K, b: K) =>
    folders(a, b) || sign * compareNatural(a.key, b.key) || a.at - b.at
  switch (by) {
    case 'size':
      // Folders count as size minus 2^31: last when largest come first, first otherwise.
      return (a: K, b: K) => sign * (sizeOf(b.entry) - sizeOf(a.entry)) || a.at - b.at
    case 'modified':
      return (a: K, b: K) => sign * compareBig(b.entry.mtimeNs, a.entry.mtimeNs) || a.at - b.at
    case 'name':
      return natural
    default:
      return asc ? natural : (a: K, b: K) => a.at - b.at
  }
}

function sizeOf(entry: Sortable): number {
  return entry.isDir ? entry.sizeBytes - 2 ** 31 : entry.sizeBytes
}

function compareBig(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
