// The form for signing in and for creating an account, used by the login page and by the question
// for the password when a session ends.

import { t } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert } from 'lucide-react'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { SecondStep } from '../../src/api-types.ts'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { boot } from '../lib/boot.ts'
import { onDemandAtOnce, onDemandBeside } from '../lib/page/on-demand.tsx'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { logIn, signUp } from '../state/session.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Checkbox } from '../ui/toggle.tsx'
import { Captcha, type CaptchaHandle } from './captcha.tsx'
import styles from './login.css?url'

await loadStylesheet(styles)

// Loaded with the first account that has a second step.
const SecondStepForm = onDemandAtOnce(
  async () => (await import('./second-step.tsx')).SecondStepForm,
)

// Loaded where somebody has a passkey for this address.
const PasskeyLogin = onDemandBeside(async () => (await import('./passkey-login.tsx')).PasskeyLogin)

type Mode = 'login' | 'signup'

interface LoginFormProps {
  /** Known already, when a session is taken up again. */
  username?: string
  mode: Mode
  /** Left out where creating an account makes no sense. */
  onMode?: (mode: Mode) => void
  onDone: () => void
  /** The second step has begun, or was left. */
  onStep?: (step: SecondStep | null) => void
}

export function LoginForm(props: LoginFormProps) {
  const [step, setStep] = useState<SecondStep | null>(null)
  const [reason, setReason] = useState('')
  const [username, setUsername] = useState(props.username ?? '')

  function show(next: SecondStep | null, why = '') {
    setStep(next)
    setReason(why)
    props.onStep?.(next)
  }

  if (step === null)
    return (
      <FirstStep
        {...props}
        typed={username}
        reason={reason}
        onSecond={(next, name) => {
          setUsername(name)
          show(next)
        }}
      />
    )
  return <SecondStepForm step={step} onDone={props.onDone} onBack={(why) => show(null, why)} />
}

/** A passkey where there is no form. */
export function FormlessLogin({ onDone }: Pick<LoginFormProps, 'onDone'>) {
  const [error, setError] = useState<string | null>(null)
  return (
    <div className="login-form">
      {error && <Problem>{error}</Problem>}
      <PasskeyLogin remember onDone={onDone} onProblem={setError} />
    </div>
  )
}

interface FirstStepProps extends LoginFormProps {
  /** Why one is back here. */
  reason: string
  onSecond: (step: SecondStep, username: string) => void
  /** The name from before. */
  typed: string
}

function FirstStep(props: FirstStepProps) {
  const { username: known, mode, onMode, onDone, typed, reason, onSecond } = props
  const { t } = useLingui()
  const [username, setUsername] = useState(typed)
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [remember, setRemember] = useState(true)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ReactNode>(reason || null)
  const captcha = useRef<CaptchaHandle | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const signup = mode === 'signup'

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const recaptcha = captcha.current?.answer() ?? ''
    const gap = firstGap({ username, password, repeated: signup ? repeated : password, recaptcha })
    if (gap) {
      setError(gap.text)
      form.current?.querySelector<HTMLInputElement>(`[name="${gap.field}"]`)?.focus()
      return
    }
    setBusy(true)
    setError(null)
    try {
      const credentials = { username: username.trim(), password, recaptcha, remember }
      const step = await (signup ? signUp : logIn)(credentials)
      step === null ? onDone() : onSecond(step, username)
    } catch (problem) {
      captcha.current?.reset()
      setError(explain(problem, password, signup))
      setBusy(false)
      form.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus()
    }
  }

  return (
    <form className="login-form" ref={form} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={t`Username`}
        name="username"
        autoComplete={boot.Passkeys ? 'username webauthn' : 'username'}
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
        hint={signup && <LeastLength />}
        value={password}
        onChange={setPassword}
      />
      {signup && <RepeatedField password={password} value={repeated} onChange={setRepeated} />}
      {boot.ReCaptcha && (
        <Captcha
          onReady={(handle) => {
            captcha.current = handle
          }}
        />
      )}
      <div className="login-form__stay">
        {error && <FieldProblem>{error}</FieldProblem>}
        <StaySignedIn checked={remember} onChange={setRemember} />
      </div>
      <Button type="submit" tone="fill" size="lg" block busy={busy}>
        {signup ? t`Create account` : t`Sign in`}
      </Button>
      {boot.Passkeys && !signup && (
        <PasskeyLogin remember={remember} onDone={onDone} onProblem={setError} />
      )}
      {onMode && boot.Signup && <ModeSwitch signup={signup} onMode={onMode} />}
    </form>
  )
}

function StaySignedIn(props: { checked: boolean; onChange(on: boolean): void }) {
  const { t } = useLingui()
  return <Checkbox name="remember" label={t`Stay signed in`} {...props} />
}

function LeastLength() {
  return (
    <Plural
      value={boot.MinimumPasswordLength}
      one="At least # character."
      other="At least # characters."
    />
  )
}

/** Where there is room for it: nothing moves. */
function FieldProblem({ children }: { children: ReactNode }) {
  return (
    <div className="login-form__problem err" role="alert" id="login-error">
      <CircleAlert className="i i-xs" aria-hidden />
      <span>{children}</span>
    </div>
  )
}

function Problem({ children }: { children: ReactNode }) {
  return (
    <div className="note tone-danger" role="alert" id="login-error">
      <CircleAlert className="i i-sm" aria-hidden />
      <span>{children}</span>
    </div>
  )
}

interface RepeatedFieldProps {
  password: string
  value: string
  onChange(value: string): void
}

function RepeatedField({ password, value, onChange }: RepeatedFieldProps) {
  const { t } = useLingui()
  const differs = value !== '' && value !== password
  return (
    <PasswordField
      label={t`Confirm password`}
      name="repeated"
      autoComplete="new-password"
      error={differs ? t`Passwords don’t match.` : null}
      ok={value !== '' && !differs}
      value={value}
      onChange={onChange}
    />
  )
}

function ModeSwitch({ signup, onMode }: { signup: boolean; onMode(mode: Mode): void }) {
  return (
    <p className="login-form__switch">
      {signup ? (
        <Trans>
          Have an account?{' '}
          <button type="button" onClick={() => onMode('login')}>
            Sign in
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
  )
}

interface Typed {
  username: string
  password: string
  repeated: string
  recaptcha: string
}

/** The first field that keeps the form from being sent. */
function firstGap({ username, password, repeated, recaptcha }: Typed) {
  if (username.trim() === '') return { field: 'username', text: t`Enter your username.` }
  if (password === '') return { field: 'password', text: t`Enter your password.` }
  if (password !== repeated) return { field: 'repeated', text: t`Passwords don’t match.` }
  // A check that is not there yet, or could not be loaded, is not answered either.
  if (boot.ReCaptcha && recaptcha === '') {
    return { field: 'password', text: t`Confirm that you’re not a robot.` }
  }
  return null
}

function explain(problem: unknown, password: string, signup: boolean): ReactNode {
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
  if (problem.status === 403) return t`Incorrect username or password.`
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
