// An account while it is edited.

import type { SettingsRecord, UserRecord } from '../../../src/api-types.ts'
import { matchLocale } from '../../lib/i18n.ts'
import { withImplied } from './permission-fields.tsx'
import { type RuleDraft, toDrafts, toRules } from './rule-draft.ts'

export interface UserDraft extends Omit<UserRecord, 'rules'> {
  rules: RuleDraft[]
  /** The server derives the scope from the name and makes the folder; new accounts only. */
  makeHome: boolean
}

export function userDraftOf(user: UserRecord): UserDraft {
  return {
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

/** The record to send. An empty scope asks for a home folder. */
export function userOf(draft: UserDraft): UserRecord {
  const { makeHome, rules, ...user } = draft
  return {
    ...user,
    username: user.username.trim(),
    scope: makeHome ? '' : user.scope.trim(),
    perm: withImplied(user.perm),
    lockPassword: user.lockPassword && !user.perm.admin,
    rules: toRules(rules),
  }
}
