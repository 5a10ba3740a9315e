// What a database holds, told by counts and a digest, so that two can be compared.
import { createHash } from 'node:crypto'
import type { Collection } from '../collection.ts'
import { COLLECTIONS } from '../collections.ts'
import type { Source } from './source.ts'

export interface Contents {
  /** Records by collection. */
  counts: Map<string, number>
  /** SHA-256 of all records in their order, hexadecimal. */
  digest: string
}

/** Notes the records of each collection as they pass. */
export interface Tally {
  take(of: Collection, records: readonly object[]): void
  count(of: Collection): number
  /** The number that comes next, by the records that have passed and by what their source says. */
  nextOf(of: Collection): number
  contents(): Contents
}

export function createTally(source: Pick<Source, 'nextOf'>): Tally {
  const all = new Map(
    COLLECTIONS.map((of) => [of.name, { hash: createHash('sha256'), count: 0, next: 1 }]),
  )
  const tallyOf = ({ name }: Collection) => {
    const found = all.get(name)
    if (!found) throw new Error(`there is no collection ${name}`)
    return found
  }
  const nextOf = (of: Collection) => Math.max(tallyOf(of).next, source.nextOf(of))
  return {
    take: (of, records) => {
      const tally = tallyOf(of)
      tally.hash.update(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      tally.count += records.length
      for (const record of records) {
        const key = of.keyOf(record)
        if (typeof key === 'number' && key >= tally.next) tally.next = key + 1
      }
    },
    count: (of) => tallyOf(of).count,
    nextOf,
    contents: () => {
      const hash = createHash('sha256')
      for (const of of COLLECTIONS.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const { count, hash: its } = tallyOf(of)
        // Numbers of records that have gone are not given again on the other side either.
        const next = of.life === 'kept' ? nextOf(of) : 0
        hash.update(`${JSON.stringify([of.name, next, count, its.digest('hex')])}\n`)
      }
      const counts = COLLECTIONS.map((of) => [of.name, tallyOf(of).count] as const)
      return { counts: new Map(counts), digest: hash.digest('hex') }
    },
  }
}

/** Reads all records of a source. */
export async function contentsOf(source: Source): Promise<Contents> {
  const tally = createTally(source)
  for (const of of COLLECTIONS) for await (const piece of source.pieces(of)) tally.take(of, piece)
  return tally.contents()
}
