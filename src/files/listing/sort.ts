// The sortings of listings (docs/http-api.md 6.6).
import { compareNatural } from '../../lib/name-order.ts'
import { sortInSlices } from '../../lib/sort-in-slices.ts'
import { nextTurn } from '../../lib/turns.ts'

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
