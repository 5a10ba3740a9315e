// Where somebody was in a film, a song, a book or a paper: per account and file, in this browser only.

import type { FileEntry } from '../../../src/api-types.ts'
import { putNewest } from '../../lib/newest.ts'
import { storage } from '../../lib/storage.ts'
import type { FileSource } from './source.ts'

const KEY = 'fb-positions'
const MAX_ENTRIES = 300

type Position = number | string

/** Newest last. Older files fall out first. */
let known: Map<string, Position> | null = null

function load(): Map<string, Position> {
  const stored = known ?? storage.getJson(KEY)
  known ??= new Map(Array.isArray(stored) ? (stored as [string, Position][]) : [])
  return known
}

function keyOf(source: FileSource, entry: FileEntry): string {
  return `${source.id}:${entry.path}`
}

export function recallPosition(source: FileSource, entry: FileEntry): Position | null {
  return load().get(keyOf(source, entry)) ?? null
}

/** Null forgets the file, for instance after a film was seen to its end. */
export function rememberPosition(source: FileSource, entry: FileEntry, position: Position | null) {
  const map = load()
  const key = keyOf(source, entry)
  if (position === null) map.delete(key)
  else putNewest(map, key, position, MAX_ENTRIES)
  storage.set(KEY, JSON.stringify([...map]))
}
