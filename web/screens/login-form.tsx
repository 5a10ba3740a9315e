// The form for signing in and for creating an account, used by the login page and by the question
// for the password when a session ends.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert } from 'lucide-react'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { boot } from '../lib/boot.ts'
import { logIn, signUp } from '../state/session.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Checkbox } from '../ui/toggle.tsx'
import { Captcha, type CaptchaHandle } from './captcha.tsx'
import './login.css'

export interface LoginFormProps {
  /** Known already, when a session is taken up again. */
  username?: string
  mode: 'login' | 'signup'
  /** Left out where creating an account makes no sense. */
  onMode?: (mode: 'login' | 'signup') => void
  onDone: () => void
}

export function LoginForm({ username: known, mode, onMode, onDone }: LoginFormProps) {
  const { t } = useLingui()
  const [username, setUsername] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [remember, setRemember] = useState(true)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ReactNode>(null)
  const captcha = useRef<CaptchaHandle | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const signup = mode === 'signup'
  const differs = signup && repeated !== '' && repeated !== password

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const gap = firstGap()
    if (gap) {
      setError(gap.text)
      form.current?.querySelector<HTMLInputElement>(`[name="${gap.field}"]`)?.focus()
      return
    }
    setBusy(true)
    setError(null)
    const recaptcha = captcha.current?.answer() ?? ''
    try {
      await (signup ? signUp : logIn)({ username: username.trim(), password, recaptcha, remember })
      onDone()
    } catch (problem) {
      captcha.current?.reset()
      setError(explain(problem))
      setBusy(false)
      form.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus()
    }
  }

  function firstGap() {
    if (username.trim() === '') return { field: 'username', text: t`Enter your username.` }
    if (password === '') return { field: 'password', text: t`Enter your password.` }
    if (signup && password !== repeated) {
      return { field: 'repeated', text: t`The two passwords differ.` }
    }
    // A check that is not there yet, or could not be loaded, is not answered either.
    if (boot.ReCaptcha && (captcha.current?.answer() ?? '') === '') {
      return { field: 'password', text: t`Confirm that you are human.` }
    }
    return null
  }

  function explain(problem: unknown): ReactNode {
    if (!(problem instanceof ApiError)) return messageOf(problem)
    if (problem.status === 409) return t`This username is taken.`
    if (problem.code === 'weak_password' || (signup && problem.status === 400)) {
      const least = boot.MinimumPasswordLength
      return [...password].length < least ? (
        <Plural
          value={least}
          one="The password must have at least # character."
          other="The password must have at least # characters."
        />
      ) : (
        t`This password is too easy to guess. Choose a longer or less common one.`
      )
    }
    if (problem.status === 403) return t`The username or the password is wrong.`
    if (problem.status === 429 && problem.retryAfterS !== undefined) {
      return (
        <Plural
          value={Math.max(1, Math.ceil(problem.retryAfterS / 60))}
          one="Too many attempts. Try again in # minute."
          other="Too many attempts. Try again in # minutes."
        />
      )
    }
    return messageOf(problem)
  }

  return (
    <form className="login-form" ref={form} onSubmit={(event) => void submit(event)} noValidate>
      {error && (
        <div className="note note--danger" role="alert" id="login-error">
          <CircleAlert className="i i-sm" aria-hidden />
          <span>{error}</span>
        </div>
      )}
      <TextField
        label={t`Username`}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        autoFocus={known === undefined}
        data-autofocus={known === undefined ? '' : undefined}
        readOnly={known !== undefined}
        value={username}
        onChange={setUsername}
      />
      <PasswordField
        label={t`Password`}
        name="password"
        autoComplete={signup ? 'new-password' : 'current-password'}
        autoFocus={known !== undefined}
        data-autofocus={known !== undefined ? '' : undefined}
        hint={
          signup ? (
            <Plural
              value={boot.MinimumPasswordLength}
              one="At least # character."
              other="At least # characters."
            />
          ) : undefined
        }
        value={password}
        onChange={setPassword}
      />
      {signup && (
        <PasswordField
          label={t`Repeat password`}
          name="repeated"
          autoComplete="new-password"
          error={differs ? t`The two passwords differ.` : null}
          ok={repeated !== '' && !differs}
          value={repeated}
          onChange={setRepeated}
        />
      )}
      {boot.ReCaptcha && (
        <Captcha
          onReady={(handle) => {
            captcha.current = handle
          }}
        />
      )}
      <Checkbox
        name="remember"
        label={t`Stay signed in`}
        checked={remember}
        onChange={setRemember}
      />
      <Button type="submit" tone="fill" size="lg" block busy={busy}>
        {signup ? t`Create account` : t`Log in`}
      </Button>
      {onMode && boot.Signup && (
        <p className="login-form__switch">
          {signup ? (
            <Trans>
              Have an account?{' '}
              <button type="button" onClick={() => onMode('login')}>
                Log in
              </button>
            </Trans>
          ) : (
            <Trans>
              New here?{' '}
              <button type="button" onClick={() => onMode('signup')}>
                Create an account
              </button>
            </Trans>
          )}
        </p>
      )}
    </form>
  )
}
