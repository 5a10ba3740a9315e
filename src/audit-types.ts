// What travels of the audit log (docs/http-api.md 28): types only.

/** What somebody did, in the audit log. */
export type AuditAction =
  | 'sign-in'
  /** The second step is still to come. */
  | 'password-accepted'
  | 'sign-out'
  | 'sign-up'
  /** A session was ended from another one. */
  | 'session-end'
  | 'upload'
  | 'save'
  | 'make-folder'
  | 'delete'
  /** Out of the trash, to where it was or elsewhere. */
  | 'restore'
  /** Out of the trash, for good. */
  | 'erase'
  | 'copy'
  | 'move'
  /** Of permission bits. */
  | 'mode'
  | 'undo'
  /** Of WebDAV, as `unlock`. */
  | 'lock'
  | 'unlock'
  /** Times and notes that a client of WebDAV sets. */
  | 'properties'
  /** A version that stays however old it gets, until it is released. */
  | 'version-keep'
  | 'version-release'
  /** One that was not complete. */
  | 'upload-discard'
  | 'download'
  /** The page of a share was opened. */
  | 'visit'
  | 'share'
  | 'unshare'
  | 'user-add'
  | 'user-change'
  | 'user-delete'
  | 'group-add'
  | 'group-change'
  | 'group-delete'
  | 'folder-change'
  | 'folder-delete'
  | 'settings'
  | 'token-add'
  | 'token-delete'
  | 'second-factor-on'
  | 'second-factor-off'
  | 'passkey-add'
  | 'passkey-change'
  | 'passkey-delete'
  /** Proved again who they are, before something that asks for it. */
  | 'confirm'
  /** New ones; those of before count no more. */
  | 'recovery-codes'
  /** Somebody at a provider opens the account from now on. */
  | 'connect'
  | 'disconnect'
  /** A line for the shell panel. */
  | 'shell'
  /** Lines of this log, as a file. */
  | 'audit-export'
  /** `filebrowser` on the command line changed the database. */
  | 'command-line'
  /** The disk was too slow, full or gone; `times` is how many lines are missing. */
  | 'lines-lost'

/** `refused`: not allowed. `failed`: not possible. `broken`: the answer did not arrive as a whole. */
export type AuditResult = 'ok' | 'refused' | 'failed' | 'broken'

/** A line of the audit log. What does not apply is absent. */
export interface AuditRecord {
  /** ISO 8601, UTC. */
  time: string
  /** Name of the account; as it was typed for sign-ins that were refused. */
  user?: string
  /** How they came: `session`, `token`, `share`, `command line`, or for a sign-in its method. */
  via?: string
  /** First characters of the session, id of the token, fingerprint of the link, or user of the system. */
  by?: string
  address?: string
  action: AuditAction
  /** The path as they see it. */
  path?: string
  /** Where it was copied or moved. */
  to?: string
  /** The path below the served folder. */
  place?: string
  /** Account, token or link concerned, when it is not a path. */
  target?: string
  /** Names of a selection, the first of them. */
  names?: string[]
  /** How many were selected. */
  selected?: number
  result: AuditResult
  /** HTTP status, or exit code on the command line. */
  status?: number
  /** Sent or received. */
  bytes?: number
  /** Equal acts within a minute, when there were several. */
  times?: number
}

/** `GET /api/audit` */
export interface AuditPage {
  /** The newest first. */
  lines: AuditRecord[]
  /** For `before`: where older lines go on; null when there are none. */
  next: string | null
  /** Where lines go: only those of a file can be read back. */
  target: 'file' | 'stdout' | 'off'
}
