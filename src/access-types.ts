// What travels of groups and of what accounts are given (docs/http-api.md 5, 32): types only.
import type { Permissions, UserRecord } from './api-types.ts'

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
