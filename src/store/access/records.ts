// Groups of accounts, who is in them, whether an account has a home and what it prefers: shapes, and how they are read from disk.
import type { Permissions } from '../../api-types.ts'
import type { OnDelete, Preferences } from '../../keep-types.ts'
import { asString, ParseError, type Reader, readLike, zeroOf } from '../../lib/parse.ts'
import { defaultPermissions } from '../document.ts'

export interface Group {
  /** Never given again: it stands in grants and in the audit log. */
  id: number
  name: string
  /** What it adds to the permissions of its members. */
  perm: Permissions
  /** Bytes that the home of a member may hold, where neither the account nor another group allows more; null says nothing. */
  homeQuota: number | null
  /** Names of groups at a provider or in a directory, whose people are members. */
  claims: string[]
}

export const MEMBERSHIP_SOURCES = ['admin', 'oidc', 'ldap'] as const

/** Who says that somebody is in a group: an administrator here, a provider, or a directory. */
export type MembershipSource = (typeof MEMBERSHIP_SOURCES)[number]

/** How the issuer of identities from a directory begins. */
export const DIRECTORY_ISSUER = 'ldap:'

/** Who speaks for the people of an issuer. */
export function sourceOf(issuer: string): MembershipSource {
  return issuer.startsWith(DIRECTORY_ISSUER) ? 'ldap' : 'oidc'
}

export interface Membership {
  userID: number
  groupID: number
  from: MembershipSource
}

/** Accounts without such a record have a home, and no limit of their own. */
export interface AccountHome {
  userID: number
  /** False for accounts that see the folders given to them and nothing else. */
  home: boolean
  /** Bytes; null where the groups decide. */
  homeQuota: number | null
}

/** What the page does for an account, where that is not the usual. */
export interface AccountPreferences extends Preferences {
  userID: number
}

const ON_DELETE: readonly OnDelete[] = ['trash', 'ask', 'gone']

/** What is usual. */
export const USUAL_PREFERENCES: Preferences = { onDelete: 'trash', openTarget: false }

/** Those that are named. Throws ParseError. */
export function parsePreferenceFields(r: Reader): Partial<Preferences> {
  const fields: Partial<Preferences> = {}
  if (r.has('onDelete')) fields.onDelete = parseOnDelete(r)
  if (r.has('openTarget')) fields.openTarget = r.bool('openTarget', false)
  return fields
}

function parseOnDelete(r: Reader): OnDelete {
  const onDelete = ON_DELETE.find((word) => word === r.str('onDelete'))
  if (!onDelete) throw new ParseError(`${r.at}.onDelete must be one of ${ON_DELETE.join(', ')}`)
  return onDelete
}

export function parseAccountPreferences(r: Reader): AccountPreferences {
  const userID = r.int('userID', 0, { min: 1 })
  return { userID, ...USUAL_PREFERENCES, ...parsePreferenceFields(r) }
}

export function parseGroup(r: Reader): Group {
  const name = r.str('name')
  if (!name) throw new ParseError(`${r.at}.name must not be empty`)
  return {
    id: r.int('id', 0, { min: 1 }),
    name,
    perm: r.obj('perm', (p) => readLike(p, zeroOf(defaultPermissions()))),
    homeQuota: parseQuota(r, 'homeQuota'),
    claims: r.list('claims', asString),
  }
}

export function parseMembership(r: Reader): Membership {
  return { ...parseMember(r), groupID: r.int('groupID', 0, { min: 1 }) }
}

/** Without the group; `from` is an administrator where it is absent. Throws ParseError. */
export function parseMember(r: Reader): Omit<Membership, 'groupID'> {
  const word = r.str('from', 'admin')
  const from = MEMBERSHIP_SOURCES.find((known) => known === word)
  if (!from) throw new ParseError(`${r.at}.from must be ${MEMBERSHIP_SOURCES.join(', ')}`)
  return { userID: r.int('userID', 0, { min: 1 }), from }
}

export function parseAccountHome(r: Reader): AccountHome {
  return {
    userID: r.int('userID', 0, { min: 1 }),
    home: r.bool('home', true),
    homeQuota: parseQuota(r, 'homeQuota'),
  }
}

/** Bytes, or null where none is said. Throws ParseError. */
export function parseQuota(r: Reader, key: string): number | null {
  return r.has(key) ? r.int(key, 0, { min: 0 }) : null
}
