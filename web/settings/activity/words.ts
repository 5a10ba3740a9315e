// Acts and their results in words.

import { useLingui } from '@lingui/react/macro'
import type { AuditAction, AuditRecord, AuditResult } from '../../../src/audit-types.ts'

export function useActionWords(): Record<AuditAction, string> {
  const { t } = useLingui()
  return {
    upload: t`Uploaded`,
    save: t({ message: 'Saved', context: 'activity' }),
    'make-folder': t`Created a folder`,
    delete: t`Deleted`,
    restore: t`Restored`,
    erase: t`Deleted for good`,
    copy: t`Copied`,
    move: t`Moved`,
    mode: t`Changed permissions`,
    undo: t`Undid a change`,
    lock: t`Set a lock`,
    unlock: t`Ended a lock`,
    properties: t`Changed properties`,
    'version-keep': t`Kept a version`,
    'version-release': t`Released a version`,
    'upload-discard': t`Discarded an upload`,
    download: t`Downloaded`,
    visit: t`Visited a link`,
    share: t`Created a link`,
    unshare: t`Deleted a link`,
    'sign-in': t`Signed in`,
    'password-accepted': t`Entered the password`,
    'sign-out': t({ message: 'Signed out', context: 'activity' }),
    'sign-up': t`Signed up`,
    'session-end': t`Ended sessions`,
    'user-add': t`Added a user`,
    'user-change': t`Changed a user`,
    'user-delete': t`Deleted a user`,
    'group-add': t`Added a group`,
    'group-change': t`Changed a group`,
    'group-delete': t`Deleted a group`,
    'folder-change': t`Changed the rights of a folder`,
    'folder-delete': t`Removed the rights of a folder`,
    settings: t`Changed settings`,
    'token-add': t`Created a token`,
    'token-delete': t`Removed a token`,
    'second-factor-on': t`Set up two-step sign-in`,
    'second-factor-off': t`Removed two-step sign-in`,
    'passkey-add': t`Added a passkey`,
    'passkey-change': t`Renamed a passkey`,
    'passkey-delete': t`Removed a passkey`,
    connect: t`Connected a provider account`,
    disconnect: t`Disconnected a provider account`,
    confirm: t`Confirmed who they are`,
    'recovery-codes': t`Created recovery codes`,
    shell: t`Ran a command`,
    'audit-export': t`Exported the activity`,
    'command-line': t`Used the command line`,
    'lines-lost': t`Entries are missing`,
  }
}

export function useResultWords(): Record<AuditResult, string> {
  const { t } = useLingui()
  return {
    ok: t`Succeeded`,
    refused: t`Refused`,
    failed: t`Failed`,
    broken: t`Interrupted`,
  }
}

/** Who did it, where there is no account. */
export function useVisitorWords() {
  const { t } = useLingui()
  return ({ user, via }: AuditRecord): string | undefined => {
    if (user !== undefined) return user
    if (via === 'share') return t`Visitor`
    return via === 'command line' ? t`Command line` : undefined
  }
}
