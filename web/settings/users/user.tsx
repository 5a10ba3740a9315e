// One account: making it, changing it, deleting it.

import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { ApiError } from '../../api/client.ts'
import { getSettings } from '../../api/settings.ts'
import { createUser, deleteUser, getUser, replaceUser } from '../../api/users.ts'
import { switchableLanguages } from '../../layout/switches.tsx'
import { boot } from '../../lib/boot.ts'
import { go } from '../../lib/page/navigate.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { logOut, renewSession, session } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField, Select, TextField } from '../../ui/field.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { SaveBar, Section, WhenLoaded } from '../parts.tsx'
import { isTooShort, minimumPasswordLength, setMinimumPasswordLength } from '../password-length.ts'
import { useForm } from '../use-form.ts'
import { useLoad } from '../use-load.ts'
import { WordField } from '../word-field.tsx'
import { PermissionFields } from './permission-fields.tsx'
import { problemOf, type RuleDraft, toDrafts } from './rule-draft.ts'
import { RulesEditor } from './rules.tsx'
import { blankUser, type UserDraft, userDraftOf, userOf } from './user-draft.ts'

interface Loaded {
  draft: UserDraft
  /** The instance makes home folders for new accounts. */
  makesHomes: boolean
  globalRules: RuleDraft[]
}

async function load(id: string, signal: AbortSignal): Promise<Loaded> {
  const [settings, user] = await Promise.all([
    getSettings(signal),
    id === 'new' ? null : getUser(Number(id), signal),
  ])
  setMinimumPasswordLength(settings.minimumPasswordLength)
  return {
    draft: user ? userDraftOf(user) : blankUser(settings),
    makesHomes: settings.createUserDir,
    globalRules: toDrafts(settings.rules),
  }
}

export function UserPage({ id, onName }: { id: string; onName: (name: string) => void }) {
  const loaded = useLoad(`user ${id}`, (signal) => load(id, signal))
  return <WhenLoaded loaded={loaded}>{(data) => <UserForm {...data} onName={onName} />}</WhenLoaded>
}

function UserForm({
  draft: initial,
  makesHomes,
  globalRules,
  onName,
}: Loaded & { onName: (name: string) => void }) {
  const { t } = useLingui()
  const isNew = initial.id === 0
  const asksPassword = boot.AuthMethod === 'json'
  const form = useForm<UserDraft>(initial, save)
  const { draft, set } = form
  const { username } = form.saved
  const title = isNew ? t`New user` : username
  useEffect(() => onName(title), [onName, title])

  const late = form.attempts > 0
  const noName = draft.username.trim() === ''
  const noPassword = isNew && draft.password === ''
  const tooShort = isTooShort(draft.password)

  async function save(next: UserDraft): Promise<UserDraft | null> {
    if (noName || noPassword || tooShort) return null
    if (next.rules.some((rule) => problemOf(rule, null) !== null)) return null
    const record = userOf(next)
    let createdId = 0
    const send = async (ownPassword: string) => {
      if (isNew) createdId = await createUser(record, ownPassword)
      else await replaceUser(record, ownPassword)
    }
    if (asksPassword) {
      const answer = await openPrompt('currentPassword', {
        title: isNew ? t`Create this user?` : t`Save this user?`,
        text: t`Confirm with your own password.`,
        confirmLabel: isNew ? t`Create user` : t`Save changes`,
        attempt: send,
        explain,
      })
      if (answer === null) return null
    } else {
      try {
        await send('')
      } catch (error) {
        const known = explain(error)
        if (known === null) throw error
        toastError(known)
        return null
      }
    }
    toastSuccess(isNew ? t`User created` : t`User saved`)
    if (record.id === session.user?.id) await renewSession()
    const stored = { ...next, username: record.username, password: '' }
    if (isNew) {
      form.reset(stored)
      const to = createdId > 0 ? `/settings/users/${createdId}` : '/settings/users'
      void go(to, { force: true })
    }
    return stored
  }

  function explain(error: unknown): string | null {
    if (!(error instanceof ApiError)) return null
    return error.code === 'exists' || error.status === 409 ? t`This username is taken.` : null
  }

  async function remove() {
    const isSelf = initial.id === session.user?.id
    const text = isSelf
      ? t`This is your own account: you will be logged out. Files stay where they are.`
      : t`“${username}” can no longer log in. Files stay where they are.`
    const label = t`Delete user`
    const attempt = (password: string) => deleteUser(initial.id, password)
    if (asksPassword) {
      const prompt = { title: t`Delete this user?`, text, confirmLabel: label, attempt }
      if ((await openPrompt('currentPassword', { ...prompt, tone: 'danger' })) === null) return
    } else {
      const answer = await openPrompt('confirm', {
        title: t`Delete this user?`,
        text,
        answers: [{ id: 'delete', label, tone: 'danger' }],
      })
      if (answer === null) return
      await attempt('')
    }
    if (isSelf) return logOut()
    toastSuccess(t`User deleted`)
    await go('/settings/users', { force: true })
  }

  return (
    <div className="form form--wide">
      <Section title={t`Account`}>
        <div className="pair">
          <TextField
            label={t`Username`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={draft.username}
            error={late && noName ? t`Enter a username.` : null}
            onChange={(username) => set({ username })}
          />
          <PasswordField
            label={t`Password`}
            autoComplete="new-password"
            placeholder={isNew ? undefined : t`Leave blank to keep the current one`}
            value={draft.password}
            error={
              late && noPassword
                ? t`Enter a password.`
                : tooShort
                  ? t`At least ${minimumPasswordLength()} characters.`
                  : null
            }
            onChange={(password) => set({ password })}
          />
          <TextField
            className="mono-field"
            label={t`Scope`}
            hint={
              draft.makeHome
                ? t`Made from the username when the user is created.`
                : t`The folder this user sees as the root.`
            }
            dir="ltr"
            spellCheck={false}
            disabled={draft.makeHome}
            value={draft.makeHome ? '' : draft.scope}
            onChange={(scope) => set({ scope })}
          />
          <Select
            label={t`Language`}
            value={draft.locale}
            onChange={(locale) => set({ locale })}
            options={switchableLanguages(draft.locale)}
          />
        </div>
        {isNew && makesHomes && (
          <Switch
            label={t`Create a home folder`}
            checked={draft.makeHome}
            onChange={(makeHome) => set({ makeHome })}
          />
        )}
        <Switch
          label={t`Lock password`}
          hint={
            draft.perm.admin
              ? t`Administrators can always change their password.`
              : t`The user cannot change it.`
          }
          checked={draft.lockPassword}
          disabled={draft.perm.admin}
          onChange={(lockPassword) => set({ lockPassword })}
        />
      </Section>

      <Section title={t`Permissions`}>
        <PermissionFields
          perm={draft.perm}
          onChange={(perm) => set({ perm, ...(perm.admin && { lockPassword: false }) })}
        />
        {boot.EnableExec && (
          <WordField
            label={t`Commands`}
            hint={t`Programs this user may run in the shell, by exact name.`}
            placeholder={t`Add a command`}
            words={draft.commands}
            onChange={(commands) => set({ commands })}
          />
        )}
      </Section>

      <Section
        title={t`Rules`}
        hint={t`Read from top to bottom; the last match wins. They come after the global rules.`}
      >
        <RulesEditor
          rules={draft.rules}
          before={globalRules}
          strict={late}
          onChange={(rules) => set({ rules })}
        />
      </Section>

      <SaveBar
        form={form}
        always
        {...(isNew && { saveLabel: t`Create user` })}
        lead={
          isNew ? (
            <a className="btn btn--ghost" href={`${boot.BaseURL}/settings/users`}>
              <Trans>Cancel</Trans>
            </a>
          ) : (
            <Button
              tone="danger-text"
              icon={Trash2}
              onClick={() => void remove().catch(toastError)}
            >
              <Trans>Delete user</Trans>
            </Button>
          )
        }
      />
    </div>
  )
}
