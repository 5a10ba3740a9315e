// Orders entries for the screen: folders always before files (the screen groups them), each group by
// the chosen column. Runs in the page for ordinary folders and in a worker for very large ones.

import { compareNatural } from '../../../src/lib/name-order.ts'
import { nameKeys } from './name-keys.ts'

/** `match`: how well it fits what was searched for, as the hits of a search are given. */
export type SortColumn = 'name' | 'kind' | 'size' | 'modified' | 'taken' | 'match'

/** What the person sees: which column, and whether it ascends (A to Z, smallest, oldest first). */
export interface SortChoice {
  column: SortColumn
  ascending: boolean
}

/** The columns of the entries, one array each: cheap to hand to a worker. */
export interface SortInput {
  names: string[]
  isDir: boolean[]
  sizes: number[]
  /** As the server wrote them, RFC 3339. */
  modified: string[]
  /** What an order by kind or by date taken goes by; filled for these alone. */
  words: string[]
  /** Of the reader, BCP 47. */
  locale: string
}

interface Sortable {
  name: string
  isDir: boolean
  size: number
  modified: string
}

/** `wordOf` gives the kind of an entry or when it was taken, for an order by that. */
export function toSortInput<Entry extends Sortable>(
  entries: readonly Entry[],
  locale: string,
  wordOf?: (entry: Entry) => string,
): SortInput {
  const names: string[] = []
  const isDir: boolean[] = []
  const sizes: number[] = []
  const modified: string[] = []
  for (const entry of entries) {
    names.push(entry.name)
    isDir.push(entry.isDir)
    sizes.push(entry.size)
    modified.push(entry.modified)
  }
  const words = wordOf === undefined ? [] : entries.map(wordOf)
  return { names, isDir, sizes, modified, words, locale }
}

/**
 * The positions of the entries in display order. Ties keep A to Z by name whatever the direction, so
 * that equal sizes or dates do not jump when the arrow turns.
 */
export function sortOrder(input: SortInput, choice: SortChoice): Uint32Array {
  const count = input.names.length
  const order = new Uint32Array(count)
  const names = nameKeys(input)
  let folders = 0
  for (let i = 0; i < count; i++) if (input.isDir[i]) order[folders++] = i
  let files = folders
  for (let i = 0; i < count; i++) if (!input.isDir[i]) order[files++] = i

  const direction = choice.ascending ? 1 : -1
  const byName = (a: number, b: number) =>
    compareNatural(names[a] as string, names[b] as string) || a - b
  const keys = keysFor(input, choice)
  const compare =
    keys === null
      ? (a: number, b: number) => direction * byName(a, b)
      : (a: number, b: number) =>
          direction * ((keys[a] as number) - (keys[b] as number)) || byName(a, b)

  arrange(order.subarray(0, folders), choice.column === 'size' ? byName : compare)
  arrange(order.subarray(folders), compare)
  return order
}

/** What the server has ordered is in order mostly, which is seen in a tenth of the time that sorting takes. */
function arrange(order: Uint32Array, compare: (a: number, b: number) => number): void {
  for (let i = 1; i < order.length; i++) {
    if (compare(order[i - 1] as number, order[i] as number) > 0) {
      order.sort(compare)
      return
    }
  }
}

function keysFor(input: SortInput, { column, ascending }: SortChoice): Float64Array | null {
  if (column === 'name') return null
  if (column === 'size') return Float64Array.from(input.sizes)
  if (column === 'kind' || column === 'taken') {
    const ranks = new Map([...new Set(input.words)].sort().map((word, rank) => [word, rank]))
    // What has no date stands last whatever the direction.
    if (column === 'taken') ranks.set('', (ascending ? 1 : -1) * Number.POSITIVE_INFINITY)
    return Float64Array.from(input.words, (word) => ranks.get(word) ?? 0)
  }
  return Float64Array.from(input.modified, (text) => Date.parse(text) || 0)
}

/**
 * The wire meaning of a choice. For `name` the server inverts the flag: `asc: false` is A to Z
 * (docs/http-api.md 6.6).
 */
export function toWire(choice: SortChoice): { by: string; asc: boolean } {
  const asc = choice.column === 'name' ? !choice.ascending : choice.ascending
  return { by: choice.column, asc }
}

export function fromWire(sorting: { by: string; asc: boolean } | undefined): SortChoice {
  if (sorting?.by === 'size' || sorting?.by === 'modified') {
    return { column: sorting.by, ascending: sorting.asc }
  }
  return { column: 'name', ascending: sorting?.by === 'name' ? !sorting.asc : true }
}

/** What a click on a column head chooses: the same column turns, another starts at its useful end. */
export function nextChoice(current: SortChoice, column: SortColumn): SortChoice {
  if (current.column === column) return { column, ascending: !current.ascending }
  return { column, ascending: true }
}

export function sameChoice(a: SortChoice, b: SortChoice): boolean {
  return a.column === b.column && a.ascending === b.ascending
}
