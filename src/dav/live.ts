// Live properties: what is told of an entry by its facts (RFC 4918 15, RFC 4331, and what clients ask for besides).
import type { Verb } from '../api-types.ts'
import { rememberLast } from '../lib/memo.ts'
import { SUPPORTED_LOCKS } from './lock-info.ts'
import { DAV_NS, escapeXml, keyOf, type XmlName } from './xml.ts'

/** An entry as its properties tell it. */
export interface EntryFacts {
  name: string
  isFolder: boolean
  sizeBytes: number
  mtimeMs: number
  etag: string
  contentType: string
  mode: number
  /** What the caller may do to it. */
  may(verb: Verb): boolean
  /** Bytes; null where the disk does not tell. */
  room: { available: number; used: number } | null
  /** The locks that hold, as XML. */
  locks: string
}

type Write = (facts: EntryFacts) => string | null

const OWNCLOUD = 'http://owncloud.org/ns'
const APACHE = 'http://apache.org/dav/props/'
const MICROSOFT = 'urn:schemas-microsoft-com:'
const EXECUTABLE_BITS = 0o111

/** Those of `allprop`: none of them asks the disk again. */
const COMMON: Record<string, Write> = {
  resourcetype: ({ isFolder }) => (isFolder ? '<D:collection/>' : ''),
  displayname: ({ name }) => escapeXml(name),
  getlastmodified: ({ mtimeMs }) => dateOf(Math.floor(mtimeMs / 1000)),
  getcontentlength: ({ isFolder, sizeBytes }) => (isFolder ? null : String(sizeBytes)),
  getcontenttype: ({ isFolder, contentType }) => (isFolder ? null : escapeXml(contentType)),
  getetag: ({ isFolder, etag }) => (isFolder ? null : etag.replaceAll('"', '&quot;')),
  supportedlock: () => SUPPORTED_LOCKS,
  lockdiscovery: ({ locks }) => locks,
}

// Files that came together have the same.
const dateOf = rememberLast((seconds) => new Date(seconds * 1000).toUTCString())

const BY_KEY = new Map<string, Write>([
  ...Object.entries(COMMON).map(([local, write]): [string, Write] => [
    keyOf({ ns: DAV_NS, local }),
    write,
  ]),
  [
    keyOf({ ns: DAV_NS, local: 'quota-available-bytes' }),
    ({ isFolder, room }) => (isFolder && room ? String(room.available) : null),
  ],
  [
    keyOf({ ns: DAV_NS, local: 'quota-used-bytes' }),
    ({ isFolder, room }) => (isFolder && room ? String(room.used) : null),
  ],
  [
    keyOf({ ns: DAV_NS, local: 'lastmodified' }),
    ({ mtimeMs }) => String(Math.floor(mtimeMs / 1000)),
  ],
  [
    keyOf({ ns: APACHE, local: 'executable' }),
    ({ isFolder, mode }) => (isFolder ? null : (mode & EXECUTABLE_BITS) === 0 ? 'F' : 'T'),
  ],
  [
    keyOf({ ns: MICROSOFT, local: 'Win32LastModifiedTime' }),
    ({ mtimeMs }) => dateOf(Math.floor(mtimeMs / 1000)),
  ],
  [keyOf({ ns: OWNCLOUD, local: 'permissions' }), permissionsOf],
])

// R may be shared, G read, D deleted, N and V renamed and moved, W written, C and K get files and folders.
function permissionsOf({ isFolder, may }: EntryFacts): string {
  const letters: [string, Verb][] = [
    ['R', 'share'],
    ['G', 'download'],
    ['D', 'delete'],
    ['NV', 'rename'],
    ...(isFolder
      ? ([['CK', 'create']] as [string, Verb][])
      : ([['W', 'modify']] as [string, Verb][])),
  ]
  return letters.flatMap(([letter, verb]) => (may(verb) ? [letter] : [])).join('')
}

/** Gives a property of an entry as XML content, null where the entry has none; undefined for what is not live. */
export function liveProperty(name: XmlName): Write | undefined {
  return BY_KEY.get(keyOf(name))
}

/**
 * What a live property changes with: nothing but whether the entry is a folder (`kind`); the entry, and either all
 * entries of a kind have it or none (`entry`); or what holds at the moment, so that it may be there or not (`moment`).
 */
export function changesWith(name: XmlName): 'kind' | 'entry' | 'moment' {
  const key = keyOf(name)
  return BY_KIND.has(key) ? 'kind' : BY_MOMENT.has(key) ? 'moment' : 'entry'
}

const inDav = (...names: string[]) => names.map((local) => keyOf({ ns: DAV_NS, local }))
const BY_KIND = new Set(inDav('resourcetype', 'supportedlock'))
const BY_MOMENT = new Set(inDav('lockdiscovery', 'quota-available-bytes', 'quota-used-bytes'))

/** True for what only this server says. */
export function isLive(name: XmlName): boolean {
  return BY_KEY.has(keyOf(name))
}

/** The names of `allprop`. */
export const COMMON_NAMES: readonly XmlName[] = Object.keys(COMMON).map((local) => ({
  ns: DAV_NS,
  local,
}))

/** True where the room of the disk is to be asked. */
export function asksForRoom(names: readonly XmlName[]): boolean {
  return names.some(({ ns, local }) => ns === DAV_NS && local.startsWith('quota-'))
}
