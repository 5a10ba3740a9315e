// The second step of signing in: the code of an app, a recovery code, or setting one of them up first.

import { t } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Fingerprint } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Enrolment, SecondStep } from '../../src/api-types.ts'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { beginPasskeyLogin } from '../api/passkeys.ts'
import { beginEnrolAtLogin, finishEnrolAtLogin, postSecondStep } from '../api/second-factor.ts'
import { isGivenUp, knowsPasskeys, signWithPasskey } from '../operations/passkeys.ts'
import { explainStep, RecoveryField, SixDigits } from '../prompts/second-factor/code-field.tsx'
import { OtherWay } from '../prompts/second-factor/prove.tsx'
import { RecoveryCodes } from '../prompts/second-factor/recovery-codes.tsx'
import { ScanCode } from '../prompts/second-factor/scan.tsx'
import { enterWith } from '../state/session.ts'
import { Button } from '../ui/button.tsx'

interface SecondStepProps {
  step: SecondStep
  onDone: () => void
  /** To name and password; with why, when it was not the person's wish. */
  onBack: (reason?: string) => void
}

export function SecondStepForm(props: SecondStepProps) {
  const { methods } = props.step
  if (methods.includes('enrol')) return <EnrolFirst {...props} />
  return methods.includes('code') ? <Prove {...props} /> : <ProveByPasskey {...props} />
}

async function enterByPasskey({ step, onDone }: SecondStepProps): Promise<void> {
  const passkey = await signWithPasskey(await beginPasskeyLogin(step.ticket))
  enterWith(await postSecondStep(step.ticket, { passkey }))
  onDone()
}

/** For accounts that have no codes; there may be no passkey for this address either. */
function ProveByPasskey(props: SecondStepProps) {
  const { busy, error, attempt } = useAttempt(props.onBack, () => {})
  const fits = props.step.methods.includes('passkey') && knowsPasskeys()
  return (
    <div className="login-form">
      {error && (
        <p className="err" role="alert">
          {error}
        </p>
      )}
      {fits ? (
        <Button
          tone="fill"
          size="lg"
          block
          autoFocus
          busy={busy}
          icon={Fingerprint}
          onClick={() => void attempt(() => enterByPasskey(props), {})}
        >
          <Trans>Use a passkey</Trans>
        </Button>
      ) : (
        <p className="mid">
          <Trans>
            Your passkeys don’t work at this address. Open the one where you added them.
          </Trans>
        </p>
      )}
      <div className="login-form__ways row">
        <button type="button" className="other-way" onClick={() => props.onBack()}>
          <Trans>Back</Trans>
        </button>
      </div>
    </div>
  )
}

/** Tries a step at a time, and says why it was refused. */
function useAttempt(onBack: SecondStepProps['onBack'], onRefused: () => void) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ReactNode>(null)

  async function attempt(work: () => Promise<void>, proof: { code?: string; recovery?: string }) {
    if (busy) return
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (problem) {
      if (isGivenUp(problem)) return setBusy(false)
      if (problem instanceof ApiError && problem.status === 401)
        return onBack(t`This took too long. Sign in again.`)
      setError(explain(problem, proof))
      setBusy(false)
      onRefused()
    }
  }
  return { busy, error, setError, attempt }
}

function explain(problem: unknown, proof: { code?: string; recovery?: string }): ReactNode {
  if (!(problem instanceof ApiError)) return messageOf(problem)
  const isTyped = proof.code !== undefined || proof.recovery !== undefined
  if (problem.status === 403 && !isTyped) return t`This passkey wasn’t accepted.`
  if (problem.status !== 429 || problem.retryAfterS === undefined)
    return explainStep(problem, proof)
  return (
    <Plural
      value={Math.max(1, Math.ceil(problem.retryAfterS / 60))}
      one="Too many attempts. Try again in # minute."
      other="Too many attempts. Try again in # minutes."
    />
  )
}

function Prove(props: SecondStepProps) {
  const { step, onDone, onBack } = props
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const [byRecovery, setByRecovery] = useState(false)
  // A recovery code is corrected, a code is typed anew.
  const onRefused = () => byRecovery || setTyped('')
  const { busy, error, setError, attempt } = useAttempt(onBack, () => void onRefused())

  function send(text: string) {
    const proof = byRecovery ? { recovery: text } : { code: text }
    return attempt(async () => {
      enterWith(await postSecondStep(step.ticket, proof))
      onDone()
    }, proof)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (byRecovery ? typed.trim() !== '' : typed.length === 6) void send(typed)
    else if (!byRecovery) setError(t`Enter the code from your authenticator app.`)
  }

  function change(text: string) {
    setError(null)
    setTyped(text)
  }

  return (
    <form className="login-form" onSubmit={submit} noValidate>
      {byRecovery ? (
        <RecoveryField value={typed} onChange={change} error={error} />
      ) : (
        <SixDigits
          value={typed}
          onChange={change}
          onComplete={(code) => void send(code)}
          error={error}
          hint={t`Enter the code from your authenticator app.`}
        />
      )}
      <Button type="submit" tone="fill" size="lg" block busy={busy}>
        <Trans>Sign in</Trans>
      </Button>
      {step.methods.includes('passkey') && knowsPasskeys() && (
        <Button
          tone="line"
          size="lg"
          block
          disabled={busy}
          icon={Fingerprint}
          onClick={() => void attempt(() => enterByPasskey(props), {})}
        >
          <Trans>Use a passkey</Trans>
        </Button>
      )}
      <div className="login-form__ways row">
        <OtherWay
          byRecovery={byRecovery}
          onChange={(recovery) => {
            setByRecovery(recovery)
            change('')
          }}
        />
        <button type="button" className="other-way" onClick={() => onBack()}>
          <Trans>Back</Trans>
        </button>
      </div>
    </form>
  )
}

function EnrolFirst({ step, onDone, onBack }: SecondStepProps) {
  const { t } = useLingui()
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [made, setMade] = useState<{ token: string; recovery: string[] } | null>(null)
  const [code, setCode] = useState('')
  const { busy, error, setError, attempt } = useAttempt(onBack, () => setCode(''))
  const begun = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each ticket
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    beginEnrolAtLogin(step.ticket).then(setEnrolment, (problem) => onBack(messageOf(problem)))
  }, [])

  function send(digits: string) {
    return attempt(async () => setMade(await finishEnrolAtLogin(step.ticket, digits)), {
      code: digits,
    })
  }

  if (made) {
    return (
      <div className="login-form">
        <RecoveryCodes codes={made.recovery} />
        <Button
          tone="fill"
          size="lg"
          block
          onClick={() => {
            enterWith(made.token)
            onDone()
          }}
        >
          <Trans>Continue</Trans>
        </Button>
      </div>
    )
  }
  return (
    <form
      className="login-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === 6) void send(code)
        else setError(t`Enter the code from your authenticator app.`)
      }}
      noValidate
    >
      <p className="mid">
        <Trans>This account needs a second step. Set it up to continue.</Trans>
      </p>
      {enrolment && <ScanCode enrolment={enrolment} />}
      <SixDigits
        value={code}
        onChange={(text) => {
          setError(null)
          setCode(text)
        }}
        onComplete={(digits) => void send(digits)}
        error={error}
      />
      <Button type="submit" tone="fill" size="lg" block busy={busy}>
        <Trans>Continue</Trans>
      </Button>
      <div className="login-form__ways row">
        <button type="button" className="other-way" onClick={() => onBack()}>
          <Trans>Back</Trans>
        </button>
      </div>
    </form>
  )
}
