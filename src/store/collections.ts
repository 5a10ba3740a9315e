// The collections of this program. A new one needs only its declaration: the engine stores, indexes and
// migrates it by that.

import { vpathOf } from '../lib/vpath.ts'
import { type Folder, parseFolder } from './access/folder-record.ts'
import {
  type AccountHome,
  type AccountPreferences,
  type Group,
  type Membership,
  parseAccountHome,
  parseAccountPreferences,
  parseGroup,
  parseMembership,
} from './access/records.ts'
import type { Collection } from './collection.ts'
import type {
  ApiToken,
  Identity,
  ImportedFrom,
  KnownRoot,
  Passkey,
  SecondFactor,
  Session,
  Settings,
  Share,
  TrashedShare,
  User,
} from './document.ts'
import {
  parseApiToken,
  parseIdentity,
  parseImportedFrom,
  parseKnownRoot,
  parsePasskey,
  parseSecondFactor,
  parseSession,
  parseSettings,
  parseShare,
  parseTrashedShare,
  parseUser,
} from './parse-records.ts'
import { foldedHome, passwordKind } from './user-facts.ts'

export const SETTINGS: Collection<Settings, never> = {
  name: 'settings',
  life: 'kept',
  keyOf: () => '',
  indexes: {},
  unique: [],
  isSingle: true,
  parse: parseSettings,
}

/** By the name of the root. */
export const KNOWN_ROOTS: Collection<KnownRoot, never> = {
  name: 'roots',
  life: 'kept',
  keyOf: ({ name }) => name,
  indexes: {},
  unique: [],
  parse: parseKnownRoot,
}

/** Where the records came from when they were imported, for the warning about later changes. */
export const IMPORTED_FROM: Collection<ImportedFrom, never> = {
  name: 'importedFrom',
  life: 'kept',
  keyOf: () => '',
  indexes: {},
  unique: [],
  isSingle: true,
  parse: parseImportedFrom,
}

export const USERS: Collection<User, 'username' | 'home' | 'passwordKind' | 'admin'> = {
  name: 'users',
  life: 'kept',
  isLarge: true,
  mustBeLoaded: true,
  keyOf: ({ id }) => id,
  indexes: {
    username: ({ username }) => username,
    home: ({ scope }) => foldedHome(scope),
    passwordKind: ({ password }) => passwordKind(password) || undefined,
    admin: ({ perm }) => (perm.admin ? 1 : undefined),
  },
  ageOf: ({ id }) => id,
  unique: ['username'],
  parse: parseUser,
}

export const SHARES: Collection<Share, 'userID' | 'place' | 'path'> = {
  name: 'shares',
  life: 'kept',
  isLarge: true,
  mustBeLoaded: true,
  isGuessed: true,
  // What is done with files asks for shares again and again.
  wholeUpTo: 5_000,
  keyOf: ({ hash }) => hash,
  indexes: {
    userID: ({ userID }) => userID,
    place: ({ target }) => target?.place,
    path: ({ path }) => vpathOf(path),
  },
  unindexed: ['path'],
  // The first to expire.
  ageOf: ({ expire }) => expire || Number.MAX_SAFE_INTEGER,
  unique: [],
  parse: parseShare,
}

export const TRASHED_SHARES: Collection<TrashedShare, 'userID' | 'entry'> = {
  name: 'trashedShares',
  life: 'kept',
  keyOf: ({ share }) => share.hash,
  indexes: { userID: ({ share }) => share.userID, entry: ({ entry }) => entry },
  unique: [],
  parse: parseTrashedShare,
}

export const SESSIONS: Collection<Session, 'userID' | 'subject' | 'sid'> = {
  name: 'sessions',
  life: 'short',
  isLarge: true,
  isWrittenLazily: true,
  keyOf: ({ id }) => id,
  indexes: {
    userID: ({ userID }) => userID,
    // Where it was opened, and in which session there.
    subject: ({ origin }) => origin && identityKey(origin),
    sid: ({ origin }) => (origin?.sid ? JSON.stringify([origin.issuer, origin.sid]) : undefined),
  },
  ageOf: ({ lastSeenMs }) => lastSeenMs,
  unique: [],
  parse: parseSession,
}

export const API_TOKENS: Collection<ApiToken, 'userID' | 'top'> = {
  name: 'tokens',
  life: 'short',
  isLarge: true,
  belongsTo: { owner: 'users', by: 'userID' },
  keyOf: ({ id }) => id,
  indexes: {
    userID: ({ userID }) => userID,
    // The name at the top of its owner's tree that it may see alone.
    top: ({ folder }) => vpathOf(folder).split('/')[1] || undefined,
  },
  unique: [],
  parse: parseApiToken,
}

/** A program that does not know it would sign people in without asking for their second factor. */
export const SECOND_FACTORS: Collection<SecondFactor, never> = {
  name: 'secondFactors',
  life: 'short',
  isLarge: true,
  belongsTo: { owner: 'users' },
  keyOf: ({ userID }) => userID,
  indexes: {},
  unique: [],
  isRequired: true,
  parse: parseSecondFactor,
}

/** The key of an identity. */
export function identityKey({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string {
  return JSON.stringify([issuer, subject])
}

export const IDENTITIES: Collection<Identity, 'userID'> = {
  name: 'identities',
  life: 'short',
  isLarge: true,
  belongsTo: { owner: 'users', by: 'userID' },
  keyOf: identityKey,
  indexes: { userID: ({ userID }) => userID },
  unique: [],
  parse: parseIdentity,
}

/** A program that does not know it would take an account for one without a second step, and let it be set up anew. */
export const PASSKEYS: Collection<Passkey, 'userID' | 'rpID'> = {
  name: 'passkeys',
  life: 'short',
  isLarge: true,
  belongsTo: { owner: 'users', by: 'userID' },
  keyOf: ({ id }) => id,
  indexes: { userID: ({ userID }) => userID, rpID: ({ rpID }) => rpID },
  unique: [],
  isRequired: true,
  parse: parsePasskey,
}

/** A program that does not know it would let people do less and, where groups administrate, lock all out. */
export const GROUPS: Collection<Group, 'name' | 'admin'> = {
  name: 'groups',
  life: 'kept',
  keyOf: ({ id }) => id,
  indexes: { name: ({ name }) => name, admin: ({ perm }) => (perm.admin ? 1 : undefined) },
  unique: ['name'],
  isRequired: true,
  parse: parseGroup,
}

/** The key of a membership. */
export function membershipKey({ userID, groupID, from }: Membership): string {
  return `${userID} ${groupID} ${from}`
}

export const MEMBERSHIPS: Collection<Membership, 'userID' | 'groupID'> = {
  name: 'memberships',
  life: 'kept',
  isLarge: true,
  belongsTo: { owner: 'users', by: 'userID' },
  keyOf: membershipKey,
  indexes: { userID: ({ userID }) => userID, groupID: ({ groupID }) => groupID },
  unique: [],
  isRequired: true,
  parse: parseMembership,
}

/** A program that does not know it would open a home to who has none. */
export const HOMES: Collection<AccountHome, 'limit'> = {
  name: 'homes',
  life: 'kept',
  isLarge: true,
  belongsTo: { owner: 'users' },
  keyOf: ({ userID }) => userID,
  indexes: { limit: ({ homeQuota }) => (homeQuota === null ? undefined : 1) },
  unique: [],
  isRequired: true,
  parse: parseAccountHome,
}

/** Of those who want something else than the usual. */
export const PREFERENCES: Collection<AccountPreferences, never> = {
  name: 'preferences',
  life: 'kept',
  isLarge: true,
  belongsTo: { owner: 'users' },
  keyOf: ({ userID }) => userID,
  indexes: {},
  unique: [],
  parse: parseAccountPreferences,
}

/** A program that does not know it would open what is closed there. */
export const FOLDERS: Collection<Folder, 'as'> = {
  name: 'folders',
  life: 'kept',
  keyOf: ({ place }) => place,
  indexes: { as: ({ as }) => (as === '' ? undefined : foldedHome(as)) },
  unique: ['as'],
  isRequired: true,
  parse: parseFolder,
}

export const COLLECTIONS: readonly Collection[] = [
  SETTINGS,
  KNOWN_ROOTS,
  USERS,
  SHARES,
  TRASHED_SHARES,
  SESSIONS,
  API_TOKENS,
  SECOND_FACTORS,
  IDENTITIES,
  PASSKEYS,
  GROUPS,
  MEMBERSHIPS,
  HOMES,
  PREFERENCES,
  FOLDERS,
  IMPORTED_FROM,
] as Collection[]
