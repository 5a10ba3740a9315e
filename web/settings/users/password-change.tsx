// The part of the profile in which one's own password is changed.

import { Plural, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { getConfirmWays } from '../../api/passkeys.ts'
import { updateUser } from '../../api/users.ts'
import { boot } from '../../lib/boot.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { PasswordField } from '../../ui/field.tsx'
import { Section } from '../parts.tsx'
import type { Form } from '../use-form.ts'
import { useLoad } from '../use-load.ts'
import { isTooShort, minimumPasswordLength } from './password-length.ts'

export interface PasswordDraft {
  newPassword: string
  repeated: string
}

type PasswordChange = ReturnType<typeof usePasswordChange>

/** What is typed in the three fields of a form, what is wrong with it, and how it is stored. */
export function usePasswordChange<T extends PasswordDraft>(form: Form<T>) {
  const { t } = useLingui()
  // No change by itself, so not in the draft: password managers fill it in without being asked.
  const [current, setCurrent] = useState('')
  const [refusal, setRefusal] = useState<{ field: 'current' | 'new'; text: string } | null>(null)
  const { newPassword, repeated } = form.draft
  // Some have none that anybody knows: they came from a provider, or by passkey alone.
  const ways = useLoad('ways to confirm', getConfirmWays)
  const isKnown = ways.data?.methods.includes('password') ?? true
  const asksCurrent = boot.AuthMethod === 'json' && isKnown
  const touched = newPassword !== '' || repeated !== ''
  const tooShort = isTooShort(newPassword)
  const differs = repeated !== '' && repeated !== newPassword
  const late = form.attempts > 0

  const set = (change: Partial<PasswordDraft>) => {
    setRefusal(null)
    form.set(change as Partial<T>)
  }
  function clear() {
    setCurrent('')
    set({ newPassword: '', repeated: '' })
  }

  /** True when there is nothing to store, or it is stored. */
  async function save(id: number): Promise<boolean> {
    setRefusal(null)
    if (!touched) return true
    if (newPassword === '' || tooShort || newPassword !== repeated) return false
    if (asksCurrent && current === '') return false
    try {
      if (!(await send(id))) return false
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      const isCurrent = error.code === 'invalid_password'
      const text = isCurrent ? t`Incorrect password.` : messageOf(error)
      setRefusal({ field: isCurrent ? 'current' : 'new', text })
      return false
    }
    // It is changed, whatever becomes of the rest: saving once more must not try it with the old one.
    clear()
    return true
  }

  async function send(id: number): Promise<boolean> {
    const change = (own?: string) => updateUser(id, { password: newPassword }, own)
    if (boot.AuthMethod !== 'json' || isKnown) {
      await change(asksCurrent ? current : undefined)
      return true
    }
    const prompt = { title: t`Password`, confirmLabel: t`Save changes`, attempt: () => change('') }
    return (await openPrompt('currentPassword', prompt)) !== null
  }

  function submit() {
    // Who presses Enter after the current password alone wants to change it, and saves nothing else.
    if (!touched && current !== '') setRefusal({ field: 'new', text: t`Enter a new password.` })
    else void form.submit()
  }

  const refused = (field: 'current' | 'new') => (refusal?.field === field ? refusal.text : null)
  const empty = late && touched
  const errors = {
    current: refused('current') ?? (empty && current === '' && t`Enter your current password.`),
    new:
      refused('new') ??
      (tooShort && (late || repeated !== '')
        ? t`Password is too short.`
        : empty && newPassword === '' && t`Enter a new password.`),
    repeated: (differs || (late && newPassword !== repeated)) && t`Passwords don’t match.`,
  }
  const matches = repeated !== '' && !differs && !tooShort
  return {
    ...{ current, newPassword, repeated, asksCurrent, touched, differs, matches, errors },
    setCurrent(value: string) {
      setRefusal(null)
      setCurrent(value)
    },
    ...{ set, clear, save, submit },
  }
}

export function PasswordSection({
  username,
  change,
}: {
  username: string
  change: PasswordChange
}) {
  const { t } = useLingui()
  const { errors, asksCurrent, differs, matches } = change
  return (
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
        className={asksCurrent ? 'pair pair--three stack' : 'pair stack'}
        onSubmit={(event) => {
          event.preventDefault()
          change.submit()
        }}
      >
        {/* Password managers look for the name the password belongs to. */}
        <input hidden readOnly autoComplete="username" value={username} />
        {asksCurrent && (
          <PasswordField
            label={t`Current password`}
            autoComplete="current-password"
            value={change.current}
            onChange={change.setCurrent}
            error={errors.current}
          />
        )}
        <PasswordField
          label={t`New password`}
          autoComplete="new-password"
          value={change.newPassword}
          onChange={(newPassword) => change.set({ newPassword })}
          ok={matches && !errors.new}
          bad={differs}
          error={errors.new}
        />
        <PasswordField
          label={t`Confirm new password`}
          autoComplete="new-password"
          value={change.repeated}
          onChange={(repeated) => change.set({ repeated })}
          ok={matches}
          error={errors.repeated}
        />
        {/* Enter in a field saves; with several fields that needs a submit button. */}
        <button type="submit" hidden />
      </form>
    </Section>
  )
}
