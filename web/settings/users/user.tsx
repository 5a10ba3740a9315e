// One account: making it, changing it, deleting it.

import { plural, t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { FolderOpen, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import type { AccountRecord, GroupRecord } from '../../../src/access-types.ts'
import { listAccess, listGroups } from '../../api/access.ts'
import { ApiError } from '../../api/client.ts'
import { getSettings } from '../../api/settings.ts'
import { createUser, deleteUser, getUser, replaceUser } from '../../api/users.ts'
import { switchableLanguages } from '../../layout/switches.tsx'
import { boot } from '../../lib/boot.ts'
import { go } from '../../lib/page/navigate.ts'
import { ROOT } from '../../lib/paths.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { logOut, renewSession, session } from '../../state/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CodeField, PasswordField, Select, TextField } from '../../ui/field.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { confirmed } from '../confirmed.ts'
import { SaveBar, Section, WhenLoaded } from '../parts.tsx'
import { type Form, useForm } from '../use-form.ts'
import { useLoad } from '../use-load.ts'
import { WordField } from '../word-field.tsx'
import { isTooShort, minimumPasswordLength, setMinimumPasswordLength } from './password-length.ts'
import { PermissionFields } from './permission-fields.tsx'
import { problemOf, type RuleDraft, toDrafts } from './rule-draft.ts'
import { RulesEditor } from './rules.tsx'
import { blankUser, type UserDraft, userDraftOf, userOf } from './user-draft.ts'
import { UserFactor } from './user-factor.tsx'

interface Loaded {
  draft: UserDraft
  /** The instance makes home folders for new accounts. */
  makesHomes: boolean
  globalRules: RuleDraft[]
  groups: GroupRecord[]
  /** Loaded with the rest: what is typed would be lost with a form whose last part cannot come any more. */
  AccountAccess: typeof import('../access/account.tsx').AccountAccess
}

async function load(id: string, signal: AbortSignal): Promise<Loaded> {
  const [settings, groups, user, { AccountAccess }] = await Promise.all([
    getSettings(signal),
    listGroups(signal),
    id === 'new' ? null : getUser(Number(id), signal),
    import('../access/account.tsx'),
  ])
  setMinimumPasswordLength(settings.minimumPasswordLength)
  return {
    draft: user ? userDraftOf(user) : blankUser(settings),
    makesHomes: settings.createUserDir,
    globalRules: toDrafts(settings.rules),
    groups,
    AccountAccess,
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
  groups,
  AccountAccess,
  onName,
}: Loaded & { onName: (name: string) => void }) {
  const { t } = useLingui()
  const isNew = initial.id === 0
  const form = useForm<UserDraft>(initial, save)
  const { draft, set, field } = form
  const { username } = form.saved
  const title = isNew ? t`New user` : username
  useEffect(() => onName(title), [onName, title])

  async function save(next: UserDraft): Promise<UserDraft | null> {
    if (Object.values(problemsOf(next)).some(Boolean)) return null
    if (next.rules.some((rule) => problemOf(rule, null) !== null)) return null
    const record = userOf(next, form.saved)
    const id = await store(record)
    if (id === null) return null
    toastSuccess(isNew ? t`User created` : t`User saved`)
    if (record.id === session.user?.id) await renewSession()
    const stored = { ...next, username: record.username, password: '' }
    if (isNew) {
      form.reset(stored)
      const to = id > 0 ? `/settings/users/${id}` : '/settings/users'
      void go(to, { force: true })
    }
    return stored
  }

  return (
    <div className="form form--wide">
      <AccountSection form={form} makesHomes={makesHomes} />

      {!isNew && <UserFactor id={initial.id} username={username} />}

      <Section title={t`Permissions`}>
        <PermissionFields
          value={draft.perm}
          onChange={(perm) => set({ perm, ...(perm.admin && { lockPassword: false }) })}
        />
        {boot.EnableExec && (
          <WordField
            label={t`Commands`}
            hint={t`Exact names of the programs this user can run in the terminal.`}
            placeholder={t`Add a command`}
            {...field('commands')}
          />
        )}
      </Section>

      <AccountAccess form={form} groups={groups} />

      <Section
        title={t`Rules`}
        hint={t`Checked after the global rules, from top to bottom; the last match wins.`}
      >
        <RulesEditor before={globalRules} strict={form.attempts > 0} {...field('rules')} />
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
            <DeleteButton id={initial.id} username={username} />
          )
        }
      />
    </div>
  )
}

/** Creates or replaces an account and gives its id; null when that was refused or given up. */
async function store(record: AccountRecord): Promise<number | null> {
  const isNew = record.id === 0
  let { id } = record
  const send = async () => {
    if (isNew) id = await createUser(record, '')
    else await replaceUser(record, '')
  }
  const question = {
    title: isNew ? t`Create this user?` : t`Save this user?`,
    text: t`Confirm with your own password.`,
    confirmLabel: isNew ? t`Create user` : t`Save changes`,
    explain: explainRefusal,
  }
  try {
    return (await confirmed(question, send)) ? id : null
  } catch (error) {
    const known = explainRefusal(error)
    if (known === null) throw error
    toastError(known)
    return null
  }
}

function explainRefusal(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null
  return error.code === 'exists' || error.status === 409 ? t`This username is taken.` : null
}

function problemsOf(draft: UserDraft) {
  return {
    noName: draft.username.trim() === '',
    noPassword: draft.id === 0 && draft.password === '',
    tooShort: isTooShort(draft.password),
  }
}

function AccountSection({ form, makesHomes }: { form: Form<UserDraft>; makesHomes: boolean }) {
  const { t } = useLingui()
  const { draft, field, toggle } = form
  const isNew = draft.id === 0
  const late = form.attempts > 0
  const { noName, noPassword, tooShort } = problemsOf(draft)
  return (
    <Section title={t`Account`}>
      <div className="pair stack">
        <TextField
          label={t`Username`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...field('username')}
          error={late && noName && t`Enter a username.`}
        />
        <PasswordField
          label={t`Password`}
          autoComplete="new-password"
          placeholder={isNew ? undefined : t`Leave blank to keep the current one`}
          {...field('password')}
          error={
            late && noPassword
              ? t`Enter a password.`
              : tooShort
                ? t`${plural(minimumPasswordLength(), { one: 'At least # character.', other: 'At least # characters.' })}`
                : null
          }
        />
        <ScopeField form={form} />
        <Select
          label={t`Language`}
          {...field('locale')}
          options={switchableLanguages(draft.locale)}
        />
      </div>
      {isNew && makesHomes && <Switch label={t`Create a home folder`} {...toggle('makeHome')} />}
      <Switch
        label={t`Prevent password changes`}
        hint={
          draft.perm.admin
            ? t`Administrators can always change their password.`
            : t`The user can’t change their password.`
        }
        disabled={draft.perm.admin}
        {...toggle('lockPassword')}
      />
    </Section>
  )
}

function ScopeField({ form }: { form: Form<UserDraft> }) {
  const { t } = useLingui()
  const { draft, field, set } = form

  async function choose() {
    const folder = await openPrompt('transfer', { kind: 'choose', items: [], folder: ROOT })
    if (folder === null) return
    try {
      // One's own tree may begin elsewhere, and have folders of other places at its top.
      const { place } = await listAccess(folder)
      if (place.startsWith('/')) set({ scope: place })
      else toastError(t`This folder can’t be a root folder.`)
    } catch (error) {
      toastError(error)
    }
  }

  return (
    <CodeField
      label={t`Root folder`}
      hint={
        draft.makeHome
          ? t`Created from the username when you add the user.`
          : t`The top-level folder for this user (scope).`
      }
      disabled={draft.makeHome}
      {...field('scope')}
      {...(draft.makeHome && { value: '' })}
      end={
        <IconButton
          size="sm"
          icon={FolderOpen}
          label={t`Choose folder`}
          disabled={draft.makeHome}
          onClick={() => choose()}
        />
      }
    />
  )
}

function DeleteButton({ id, username }: { id: number; username: string }) {
  const { t } = useLingui()

  async function remove() {
    const isSelf = id === session.user?.id
    const text = isSelf
      ? t`This is your own account. You’ll be signed out. Your files won’t be deleted.`
      : t`“${username}” will no longer be able to sign in. Their files won’t be deleted.`
    const question = {
      title: t`Delete this user?`,
      text,
      confirmLabel: t`Delete user`,
      tone: 'danger',
    } as const
    if (!(await confirmed(question, () => deleteUser(id, '')))) return
    if (isSelf) return logOut()
    toastSuccess(t`User deleted`)
    await go('/settings/users', { force: true })
  }

  return (
    <Button tone="danger-text" icon={Trash2} onClick={() => remove().catch(toastError)}>
      <Trans>Delete user</Trans>
    </Button>
  )
}
