// A record of a folder: who may do what there, the name under which it stands at the top of trees, and its limit.
import type { FolderRecord, GrantRecord } from '../../access-types.ts'
import type { Verb } from '../../api-types.ts'
import { asString, ParseError, type Reader, readObject } from '../../lib/parse.ts'
import { type PlaceText, parsePlace } from '../../lib/places.ts'
import { VERBS } from '../../lib/verbs.ts'

const MAX_GRANTS = 200
const MAX_PLACE_BYTES = 4_096
const MAX_NAME_BYTES = 255

/** The same on disk, in memory and on the wire. */
export interface Folder extends FolderRecord {
  place: PlaceText
}

/** Somebody of whom a grant speaks; `id` is 0 for everyone. */
export interface Who {
  kind: 'user' | 'group' | 'everyone'
  id: number
}

/** Reads `user:3`, `group:2` or `everyone`; null for anything else. */
export function parseWho(text: string): Who | null {
  if (text === 'everyone') return { kind: text, id: 0 }
  const [, kind, id] = /^(user|group):([1-9]\d{0,14})$/.exec(text) ?? []
  return kind === undefined ? null : { kind: kind as 'user' | 'group', id: Number(id) }
}

/** Throws ParseError with the reason; fields that are neither known nor in `also`, double grants and empty ones are refused. */
export function parseFolder(r: Reader, also: readonly string[] = []): Folder {
  refuseOthers(r, ['place', 'as', 'quota', 'grants', ...also])
  const place = demandPlace(r.str('place'), 'place')
  const grants = r.list('grants', parseGrant, MAX_GRANTS)
  const names = grants.map(({ who }) => who)
  const twice = names.find((who, i) => names.indexOf(who) < i)
  if (twice) throw new ParseError(`grants speak of ${twice} twice`)
  const as = r.str('as')
  if (as !== '' && !isTopName(as))
    throw new ParseError('as must be one name that begins with no dot')
  const quota = r.has('quota') ? r.int('quota', 0, { min: 0 }) : null
  if (saysNothing({ as, quota, grants })) throw new ParseError('the record says nothing')
  return { place, as, quota, grants }
}

export function saysNothing({ as, quota, grants }: Omit<Folder, 'place'>): boolean {
  return grants.length === 0 && as === '' && quota === null
}

/** A place from outside, in its canonical spelling. Throws ParseError. */
export function demandPlace(text: string, at: string): PlaceText {
  const place = Buffer.byteLength(text) > MAX_PLACE_BYTES ? null : parsePlace(text)
  if (place === null) throw new ParseError(`${at} must be /path or root:/path`)
  return place
}

function isTopName(name: string): boolean {
  return !/^\.|[/\\\0]/.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

function parseGrant(value: unknown, at: string): GrantRecord {
  const r = readObject(value, at)
  refuseOthers(r, ['who', ...VERBS])
  const who = asString(r.raw('who'), `${at}.who`)
  if (parseWho(who) === null)
    throw new ParseError(`${at}.who must be user:<id>, group:<id> or everyone`)
  const said = VERBS.filter((verb) => r.has(verb)).map((verb) => [verb, r.bool(verb)])
  if (said.length === 0) throw new ParseError(`${at} says nothing`)
  return { who, ...(Object.fromEntries(said) as Partial<Record<Verb, boolean>>) }
}

function refuseOthers(r: Reader, known: readonly string[]): void {
  const other = r.keys().find((key) => !known.includes(key))
  if (other !== undefined) throw new ParseError(`${r.at || 'a folder'} has no ${other}`)
}
