// Selections of entries that are too many for an address: registered first, then named by the
// download. Kept in memory for a short while; never stored.
import { randomBytes } from 'node:crypto'
import { createAllotment } from '../../lib/allotment.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'

/** A browser asks within a second; the rest is for retries of its download list. */
export const SELECTION_MS = 10 * 60_000
/** What one session or one share may hold; older selections of it make room. */
export const MAX_OWN_CHARACTERS = 8 * 1024 * 1024
/** What all of them may hold together; the oldest make room. */
const MAX_ALL_CHARACTERS = 32 * 1024 * 1024
/** Counted per name, so that many short or empty ones are bounded, too. */
const NAME_OVERHEAD = 16

interface Selections {
  /**
   * Keeps `files`, relative to a folder named later, for `owner` and gives the id under which only this
   * owner gets them back. Throws `too_large` for what would not fit alone.
   */
  add(owner: string, files: readonly VPath[]): string
  /** Throws `not_found` for an id that is unknown, over, or somebody else's. */
  take(owner: string, id: string): readonly VPath[]
}

interface Selection {
  id: string
  owner: string
  files: readonly VPath[]
  /** Milliseconds since the epoch. */
  until: number
}

/** What a selection counts, in characters. */
export function sizeOf(files: readonly VPath[]): number {
  return files.reduce((sum, name) => sum + name.length + NAME_OVERHEAD, 0)
}

/** `now` gives milliseconds since the epoch. */
export function createSelections(now: () => number = Date.now): Selections {
  const allotment = createAllotment<Selection>()
  return {
    add: (owner, files) => {
      const amount = sizeOf(files)
      if (amount > MAX_OWN_CHARACTERS) throw badRequest('the names are too long', 'too_large')
      const time = now()
      for (const old of allotment.takers()) if (old.until <= time) allotment.release(old)
      const id = randomBytes(16).toString('base64url')
      const selection = { id, owner, files, until: time + SELECTION_MS }
      allotment.charge(
        selection,
        new Map([
          [`of ${owner}`, { amount, limit: MAX_OWN_CHARACTERS }],
          ['all', { amount, limit: MAX_ALL_CHARACTERS }],
        ]),
      )
      allotment.makeRoom(selection)
      return id
    },
    take: (owner, id) => {
      const found = allotment.takers().find((selection) => selection.id === id)
      if (!found || found.owner !== owner || found.until <= now())
        throw new AppError('not_found', 'no such selection')
      return found.files
    },
  }
}
