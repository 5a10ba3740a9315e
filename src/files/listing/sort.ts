// The sortings of listings (docs/http-api.md 6.6).
import { compareNatural } from '../../lib/name-order.ts'
import { sortInSlices } from '../../lib/sort-in-slices.ts'
import { nextTurn } from '../../lib/turns.ts'
import type { Columns } from './columns.ts'

/** Entries per slice before the event loop gets a turn. */
const SLICE = 2_000

/**
 * Gives the places of listing entries, which come in byte order, in the order that is asked for. `asc` is inverted for
 * names, as clients rely on: `asc: false` gives A to Z. Ties keep byte order. Yields to the event loop for large folders.
 */
export async function sortEntries(entries: Columns, by: string, asc: boolean): Promise<number[]> {
  const sign = asc ? -1 : 1
  const places = Array.from({ length: entries.count() }, (_, at) => at)
  if (by === 'size')
    return sortInSlices(places, (a, b) => sign * (sizeOf(entries, b) - sizeOf(entries, a)) || a - b)
  if (by === 'modified')
    return sortInSlices(places, (a, b) => sign * entries.compareTimes(b, a) || a - b)
  return by === 'name' || asc ? sortByName(entries, sign) : places
}

/** Folders first, whatever the direction. */
async function sortByName(entries: Columns, sign: 1 | -1): Promise<number[]> {
  const keys: string[] = []
  const [folders, others]: [number[], number[]] = [[], []]
  for (let at = 0; at < entries.count(); at++) {
    if (at % SLICE === SLICE - 1) await nextTurn()
    if (entries.isDirAt(at)) folders.push(at)
    else others.push(at)
    keys.push(entries.nameAt(at).toLowerCase())
  }
  const order = (a: number, b: number) =>
    sign * compareNatural(keys[a] as string, keys[b] as string) || a - b
  return [...(await sortInSlices(folders, order)), ...(await sortInSlices(others, order))]
}

// Folders count as size minus 2^31: last when largest come first, first otherwise.
function sizeOf(entries: Columns, place: number): number {
  return entries.isDirAt(place) ? entries.sizeAt(place) - 2 ** 31 : entries.sizeAt(place)
}
