// One's own preferences, password and signed-in devices.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import type { TokenUser } from '../../src/api-types.ts'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { updateUser } from '../api/users.ts'
import { switchableLanguages } from '../layout/switches.tsx'
import { boot } from '../lib/boot.ts'
import { formatMoment } from '../lib/format.ts'
import { loadLocale, matchLocale, rememberLocale } from '../lib/i18n.ts'
import { toastSuccess } from '../operations/toasts.ts'
import { prefs, setTheme, type ThemeChoice } from '../state/prefs.ts'
import { renewSession, session } from '../state/session.ts'
import { PasswordField, Select } from '../ui/field.tsx'
import { Segmented, Switch } from '../ui/toggle.tsx'
import { Devices } from './devices.tsx'
import { editorThemes } from './editor-themes.ts'
import { Line, SaveBar, Section } from './parts.tsx'
import { isTooShort, minimumPasswordLength } from './password-length.ts'
import { useForm } from './use-form.ts'

const FIELDS = [
  'hideDotfiles',
  'singleClick',
  'redirectAfterCopyMove',
  'dateFormat',
  'locale',
  'aceEditorTheme',
] as const

type Draft = Pick<TokenUser, (typeof FIELDS)[number]> & {
  newPassword: string
  repeated: string
}

const SAMPLE_MS = Date.UTC(2026, 10, 20, 18, 30)

function draftOf(user: TokenUser): Draft {
  const { hideDotfiles, singleClick, redirectAfterCopyMove, dateFormat, aceEditorTheme } = user
  return {
    hideDotfiles,
    singleClick,
    redirectAfterCopyMove,
    dateFormat,
    aceEditorTheme,
    locale: matchLocale(user.locale) ?? user.locale,
    newPassword: '',
    repeated: '',
  }
}

export function ProfilePage() {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const { theme } = useSnapshot(prefs)
  // No change by itself, so not in the draft: password managers fill it in without being asked.
  const [currentPassword, setCurrentPassword] = useState('')
  const [refusal, setRefusal] = useState<{ field: 'current' | 'new'; text: string } | null>(null)
  const form = useForm<Draft>(draftOf(user as TokenUser), save)
  const { draft, set } = form
  if (!user) return null

  // Only accounts that sign in with a password here have one to change.
  const changesPassword = boot.LoginPage && !boot.NoAuth && !user.lockPassword
  const asksCurrent = boot.AuthMethod === 'json'
  const touched = draft.newPassword !== '' || draft.repeated !== ''
  const tooShort = isTooShort(draft.newPassword)
  const differs = draft.repeated !== '' && draft.repeated !== draft.newPassword
  const matches = draft.repeated !== '' && !differs && !tooShort
  const late = form.attempts > 0

  async function save(next: Draft): Promise<Draft | null> {
    const id = session.user?.id
    if (id === undefined) return null
    setRefusal(null)
    if (touched) {
      if (next.newPassword === '' || tooShort || next.newPassword !== next.repeated) return null
      if (asksCurrent && currentPassword === '') return null
      if (!(await savePassword(id, next.newPassword))) return null
      // It is changed, whatever becomes of the rest: saving once more must not try it with the old one.
      clearPasswords()
    }
    const { newPassword, repeated, ...fields } = next
    await updateUser(id, fields)
    await renewSession()
    await loadLocale(fields.locale)
    rememberLocale(fields.locale)
    toastSuccess(touched ? t`Password and settings saved` : t`Settings saved`)
    return { ...fields, newPassword: '', repeated: '' }
  }

  function clearPasswords() {
    setCurrentPassword('')
    set({ newPassword: '', repeated: '' })
  }

  async function savePassword(id: number, password: string): Promise<boolean> {
    try {
      await updateUser(id, { password }, asksCurrent ? currentPassword : undefined)
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      const isCurrent = error.code === 'invalid_password'
      setRefusal({
        field: isCurrent ? 'current' : 'new',
        text: isCurrent
          ? t`This is not your current password.`
          : error.code === 'weak_password'
            ? t`This password is too easy to guess. Choose a longer or less common one.`
            : messageOf(error),
      })
      return false
    }
  }

  const change = (next: Partial<Draft>) => {
    setRefusal(null)
    set(next)
  }

  function discard() {
    form.discard()
    setCurrentPassword('')
    setRefusal(null)
  }

  function submitPassword() {
    // Who presses Enter after the current password alone wants to change it, and saves nothing else.
    if (!touched && currentPassword !== '') {
      setRefusal({ field: 'new', text: t`Enter a new password.` })
    } else void form.submit()
  }

  return (
    <div className="form">
      <Section title={t`Browsing`}>
        <Switch
          label={t`Hide dotfiles`}
          hint={t`Names that start with a dot stay out of listings.`}
          checked={draft.hideDotfiles}
          onChange={(hideDotfiles) => set({ hideDotfiles })}
        />
        <Switch
          label={t`Open with a single click`}
          hint={t`Select with the check box, Ctrl or a long press.`}
          checked={draft.singleClick}
          onChange={(singleClick) => set({ singleClick })}
        />
        <Switch
          label={t`Go to the target after copy or move`}
          checked={draft.redirectAfterCopyMove}
          onChange={(redirectAfterCopyMove) => set({ redirectAfterCopyMove })}
        />
        <Switch
          label={t`Show exact dates`}
          hint={t`${formatMoment(SAMPLE_MS)} instead of “2 hours ago”.`}
          checked={draft.dateFormat}
          onChange={(dateFormat) => set({ dateFormat })}
        />
      </Section>

      <Section title={t`Appearance and language`}>
        <Line label={t`Theme`} hint={t`Kept in this browser.`}>
          <Segmented<ThemeChoice>
            label={t`Theme`}
            value={theme}
            onChange={setTheme}
            options={[
              { value: 'system', label: t`System` },
              { value: 'light', label: t`Light` },
              { value: 'dark', label: t`Dark` },
            ]}
          />
        </Line>
        <Line label={t`Language`}>
          <Select
            label={t`Language`}
            hideLabel
            value={draft.locale}
            onChange={(locale) => set({ locale })}
            options={switchableLanguages(draft.locale)}
          />
        </Line>
        <Line label={t`Editor theme`}>
          <Select
            label={t`Editor theme`}
            hideLabel
            value={draft.aceEditorTheme}
            onChange={(aceEditorTheme) => set({ aceEditorTheme })}
            options={[
              { value: '', label: t`Match the interface` },
              ...editorThemes(draft.aceEditorTheme),
            ]}
          />
        </Line>
      </Section>

      {changesPassword && (
        <Section
          title={t`Password`}
          hint={
            <Plural
              value={minimumPasswordLength()}
              one="At least # character."
              other="At least # characters."
            />
          }
        >
          <form
            className={asksCurrent ? 'pair pair--three' : 'pair'}
            onSubmit={(event) => {
              event.preventDefault()
              submitPassword()
            }}
          >
            {/* Password managers look for the name the password belongs to. */}
            <input hidden readOnly autoComplete="username" value={user.username} />
            {asksCurrent && (
              <PasswordField
                label={t`Current password`}
                autoComplete="current-password"
                value={currentPassword}
                onChange={(current) => {
                  setRefusal(null)
                  setCurrentPassword(current)
                }}
                error={
                  refusal?.field === 'current'
                    ? refusal.text
                    : late && touched && currentPassword === ''
                      ? t`Enter your current password.`
                      : null
                }
              />
            )}
            <PasswordField
              label={t`New password`}
              autoComplete="new-password"
              value={draft.newPassword}
              onChange={(newPassword) => change({ newPassword })}
              ok={matches && refusal?.field !== 'new'}
              bad={differs}
              error={
                refusal?.field === 'new'
                  ? refusal.text
                  : tooShort && (late || draft.repeated !== '')
                    ? t`This is too short.`
                    : late && touched && draft.newPassword === ''
                      ? t`Enter a new password.`
                      : null
              }
            />
            <PasswordField
              label={t`Repeat new password`}
              autoComplete="new-password"
              value={draft.repeated}
              onChange={(repeated) => change({ repeated })}
              ok={matches}
              error={
                differs || (late && draft.newPassword !== draft.repeated)
                  ? t`The two passwords differ.`
                  : null
              }
            />
            {/* Enter in a field saves; with several fields that needs a submit button. */}
            <button type="submit" hidden />
          </form>
        </Section>
      )}
      {user.lockPassword && (
        <Section title={t`Password`}>
          <p className="mid">
            <Trans>An administrator has locked your password. Ask them to change it.</Trans>
          </p>
        </Section>
      )}

      <Devices />
      <SaveBar form={{ ...form, discard }} />
    </div>
  )
}
