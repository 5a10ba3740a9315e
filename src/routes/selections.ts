// Selections of entries that are too many for an address: registered first, then named by the
// download. Kept in memory for a short while; never stored.
import { randomBytes } from 'node:crypto'
import { AppError, badRequest } from '../errors.ts'
import { toVPath } from '../files/vpath.ts'
import { asString, ParseError } from '../parse.ts'
import { readJson } from './body.ts'
import type { Ctx } from './env.ts'

/** A browser asks within a second; the rest is for retries of its download list. */
const LIFE_MS = 10 * 60_000
/** What one body may hold: of people with an account, and of visitors, who can be anybody. */
export const MAX_SELECTION_BYTES = { session: 8 * 1024 * 1024, share: 1024 * 1024 }
const MAX_FILES = 500_000
/** What one session or one share may hold; older selections of it make room. */
const MAX_OWN_CHARACTERS = 8 * 1024 * 1024
/** What all of them may hold together; the oldest make room. */
const MAX_ALL_CHARACTERS = 32 * 1024 * 1024
/** Counted per name, so that many short or empty ones are bounded, too. */
const NAME_OVERHEAD = 16

export interface Selections {
  /** Keeps `files` for `owner` and gives the id under which only this owner gets them back. */
  add(owner: string, files: readonly string[]): string
  /** Throws `not_found` for an id that is unknown, over, or somebody else's. */
  take(owner: string, id: string): readonly string[]
}

interface Kept {
  owner: string
  files: readonly string[]
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
 * Reads `{"files": [...]}`: paths relative to the folder of the download. Throws 400 when it is empty or
 * larger than `maxBytes`.
 */
export async function readSelection(c: Ctx, maxBytes: number): Promise<string[]> {
  const files = await readJson(c, (body) => body.list('files', asName, MAX_FILES), maxBytes)
  // Nothing selected would mean the whole folder.
  if (files.length === 0) throw badRequest('files is empty')
  return files
}

function asName(value: unknown, at: string): string {
  const name = asString(value, at)
  if (name === '' || toVPath(name) === null) throw new ParseError(`${at} is not a name`)
  return name
}
