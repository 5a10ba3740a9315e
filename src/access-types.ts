// What travels of groups and of what accounts are given (docs/http-api.md 5, 30): types only.
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
