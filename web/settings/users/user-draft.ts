// An account while it is edited.

import type { AccountAccess, AccountRecord } from '../../../src/access-types.ts'
import type { SettingsRecord, UserRecord } from '../../../src/api-types.ts'
import { matchLocale } from '../../lib/i18n.ts'
import { withImplied } from './permission-fields.tsx'
import { type RuleDraft, toDrafts, toRules } from './rule-draft.ts'

export interface UserDraft extends Omit<UserRecord, 'rules'>, AccountAccess {
  rules: RuleDraft[]
  /** The server derives the scope from the name and makes the folder; new accounts only. */
  makeHome: boolean
}

/** An account of which nothing is said. */
const NOTHING_SAID: AccountAccess = { groups: [], home: true, homeQuota: null }

export function userDraftOf({ effective: _, ...user }: AccountRecord): UserDraft {
  return {
    ...NOTHING_SAID,
    ...user,
    locale: matchLocale(user.locale) ?? user.locale,
    password: '',
    rules: toDrafts(user.rules),
    makeHome: false,
  }
}

/** A new account with the defaults of the instance. */
export function blankUser(settings: SettingsRecord): UserDraft {
  return {
    ...NOTHING_SAID,
    ...settings.defaults,
    id: 0,
    username: '',
    password: '',
    lockPassword: false,
    perm: withImplied(settings.defaults.perm),
    rules: [],
    makeHome: settings.createUserDir,
  }
}

/**
 * The record to send. An empty scope asks for a home folder; what is `saved` of groups and home stays away, so that
 * nothing is recorded for an account of which nothing is said.
 */
export function userOf(draft: UserDraft, saved: AccountAccess): AccountRecord {
  const { makeHome, rules, groups, home, homeQuota, ...user } = draft
  return {
    ...user,
    username: user.username.trim(),
    scope: makeHome ? '' : user.scope.trim(),
    perm: withImplied(user.perm),
    lockPassword: user.lockPassword && !user.perm.admin,
    rules: toRules(rules),
    ...(groups.join() !== saved.groups.join() && { groups }),
    ...(home !== saved.home && { home }),
    ...(homeQuota !== saved.homeQuota && { homeQuota }),
  }
}
