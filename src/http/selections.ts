// Selections of entries that are too many for an address: registered first, then named by the
// download. Kept in memory for a short while; never stored.
import { randomBytes } from 'node:crypto'
import { nextTurn } from '../files/listing/sort.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { toVPath, type VPath } from '../lib/vpath.ts'
import { readJson } from './body.ts'
import type { Ctx, Deps } from './env.ts'

/** A browser asks within a second; the rest is for retries of its download list. */
const LIFE_MS = 10 * 60_000
/**
 * What one body may hold: of people with an account, and of visitors, who can be anybody. It is read in
 * one go, which for the larger takes some 10 ms.
 */
export const SELECTION_LIMITS = {
  session: { bytes: 2 * 1024 * 1024, names: 50_000 },
  share: { bytes: 1024 * 1024, names: 20_000 },
}
/** Names that are looked at before others get their turn: about a millisecond. */
const SLICE = 1_000
/** What one session or one share may hold; older selections of it make room. */
const MAX_OWN_CHARACTERS = 8 * 1024 * 1024
/** What all of them may hold together; the oldest make room. */
const MAX_ALL_CHARACTERS = 32 * 1024 * 1024
/** Counted per name, so that many short or empty ones are bounded, too. */
const NAME_OVERHEAD = 16

export interface Selections {
  /**
   * Keeps `files`, relative to a folder named later, for `owner` and gives the id under which only this
   * owner gets them back. Throws `too_large` for what would not fit alone.
   */
  add(owner: string, files: readonly VPath[]): string
  /** Throws `not_found` for an id that is unknown, over, or somebody else's. */
  take(owner: string, id: string): readonly VPath[]
}

interface Kept {
  owner: string
  files: readonly VPath[]
  characters: number
  /** Milliseconds since the epoch. */
  until: number
}

/** `now` gives milliseconds since the epoch. */
export function createSelections(now: () => number = Date.now): Selections {
  // In the order of their making, and so of their end.
  const kept = new Map<string, Kept>()
  const drop = (isTooMuch: (selection: Kept) => boolean) => {
    for (const [id, selection] of kept) if (isTooMuch(selection)) kept.delete(id)
  }
  return {
    add(owner, files) {
      const characters = files.reduce((sum, name) => sum + name.length + NAME_OVERHEAD, 0)
      if (characters > MAX_OWN_CHARACTERS) throw tooLarge('the names are too long')
      const time = now()
      drop(({ until }) => until <= time)
      let own = characters
      let all = characters
      for (const selection of kept.values()) {
        all += selection.characters
        if (selection.owner === owner) own += selection.characters
      }
      drop((selection) => {
        if (selection.owner !== owner || own <= MAX_OWN_CHARACTERS) return false
        own -= selection.characters
        all -= selection.characters
        return true
      })
      drop((selection) => {
        if (all <= MAX_ALL_CHARACTERS) return false
        all -= selection.characters
        return true
      })
      const id = randomBytes(16).toString('base64url')
      kept.set(id, { owner, files, characters, until: time + LIFE_MS })
      return id
    },
    take(owner, id) {
      const found = kept.get(id)
      if (!found || found.owner !== owner || found.until <= now())
        throw new AppError('not_found', 'no such selection')
      return found.files
    },
  }
}

/**
 * The owner to name: a session, or a share, whose visitors are one. An id can be used by nobody else,
 * and says nothing about what the one who uses it may read: that is judged at the download.
 */
export const ownerOf = {
  session: (sessionId: string): string => `session ${sessionId}`,
  share: (hash: string): string => `share ${hash}`,
}

/**
 * Reads `{"files": [...]}`: paths relative to the folder of the download, each once. Throws 400 when
 * there is none, one is no name, or there are more than `limits` allow (`too_large`).
 */
export async function readSelection(
  c: Ctx,
  deps: Deps,
  limits: { bytes: number; names: number },
): Promise<VPath[]> {
  const names = await readJson(c, deps, (body) => body.raw('files') ?? [], limits.bytes)
  return checkNames(names, limits.names)
}

/** The names of a body, looked at in slices; throws as `readSelection` does. */
export async function checkNames(names: unknown, maxNames: number): Promise<VPath[]> {
  if (!Array.isArray(names)) throw badRequest('files must be a list')
  // Nothing selected would mean the whole folder.
  if (names.length === 0) throw badRequest('files is empty')
  if (names.length > maxNames) throw tooLarge(`files has more than ${maxNames} names`)
  const files = new Set<VPath>()
  for (const [i, name] of names.entries()) {
    const vpath = typeof name === 'string' && name !== '' ? toVPath(name) : null
    if (vpath === null) throw badRequest(`files[${i}] is not a name`)
    files.add(vpath)
    if (i % SLICE === SLICE - 1) await nextTurn()
  }
  return [...files]
}

// Like a body that is too large.
function tooLarge(message: string): AppError {
  return new AppError('too_large', message, { status: 400, expose: true })
}
