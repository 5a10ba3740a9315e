// What travels of groups, of records of folders, and of what accounts are given (docs/http-api.md 3.1, 5, 32, 33): types only.
import type { Permissions, UserRecord, Verb } from './api-types.ts'

/** What stands beside the record of an account; sent where any of it is set. */
export interface AccountAccess {
  /** Ids of all groups that the account is in. */
  groups: number[]
  /** False for an account that sees the folders given to it and nothing else. */
  home: boolean
  /** Bytes; null where the groups decide. */
  homeQuota: number | null
}

/** An account as the API shows it; its permissions are its own. */
export interface AccountRecord extends UserRecord, Partial<AccountAccess> {
  /** With what the groups add. */
  effective?: { perm: Permissions; homeQuota: number | null }
}

/** Who is in a group, and who says so: an administrator here, a provider, or a directory. */
export interface GroupMember {
  userID: number
  from: 'admin' | 'oidc' | 'ldap'
}

/** `GET /api/groups` */
export interface GroupRecord {
  id: number
  name: string
  /** What it adds to the permissions of its members. */
  perm: Permissions
  /** Bytes that the home of a member may hold; null says nothing. */
  homeQuota: number | null
  /** Names of groups at a provider or in a directory whose people are members. */
  claims: string[]
  /** Once for each that says so. */
  members: GroupMember[]
}

/** `who` is `user:3`, `group:2` or `everyone`; a verb that is not there is unsaid. */
export type GrantRecord = { who: string } & Partial<Record<Verb, boolean>>

/** What is said of a folder. */
export interface FolderRecord {
  /** `/docs` in the served folder, `photos:/2024` in the root `photos`. */
  place: string
  /** Its name at the top of the trees of those to whom a grant says that they see it; empty for none. */
  as: string
  /** Bytes that it may hold; null for no limit. */
  quota: number | null
  grants: GrantRecord[]
}

/** `GET /api/folders` */
export interface FolderList {
  /** `hides`: names of the accounts in whose home an entry has the name `as`. */
  items: (FolderRecord & { isMissing?: true; usedBytes?: number; hides?: string[] })[]
  /** Besides the served folder. */
  roots: { name: string; isMissing: boolean }[]
}

/** What decided a verb; `place` and `group` where one did. */
export interface AccessReason {
  kind: 'account' | 'group' | 'everyone' | 'rule' | 'permission' | 'default' | 'see' | 'home'
  place?: string
  group?: { id: number; name: string }
}

/** `GET /api/access?user&path` */
export interface AccountVerdicts {
  user: { id: number; username: string }
  path: string
  place: string
  verbs: Record<Verb, { allowed: boolean; by: AccessReason }>
}

/** `GET /api/access?path` */
export interface FolderAccess {
  place: string
  items: { user: { id: number; username: string }; rights: Record<Verb, boolean> }[]
}

/** The `user` claim of a token. */
export type TokenUser = Omit<UserRecord, 'password' | 'scope' | 'sorting' | 'rules'> & {
  /** Where records of folders speak of the account: whether it may have links at all. */
  mayShare?: boolean
}

export interface TokenClaims {
  user: TokenUser
  /** Session id; the record on the server decides whether the token still counts. */
  sid: string
  iss: string
  /** Seconds since the epoch. */
  iat: number
  exp: number
}

/** Second factors as administrators see them (ours). */
export interface AccountFactorRecord {
  userID: number
  active: boolean
  /** An administrator wants this account to have one. */
  required: boolean
  /** How many it has; they count as second factor as well. */
  passkeys: number
}
