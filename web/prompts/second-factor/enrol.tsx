// Setting two-step sign-in up: the password, the code to scan, the first six digits.

import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { Enrolment } from '../../../src/api-types.ts'
import { messageOf } from '../../api/error-text.ts'
import { beginEnrol, finishEnrol } from '../../api/second-factor.ts'
import { boot } from '../../lib/boot.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ConfirmField, useConfirming } from '../confirming.tsx'
import { explainStep, SixDigits } from './code-field.tsx'
import { ScanCode } from './scan.tsx'

/** What is typed, what is wrong with it, and the two calls. */
function useEnrolling(answer: PromptProps<'enrolFactor'>['answer']) {
  const { t } = useLingui()
  const confirming = useConfirming(asksPassword())
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function attempt(work: () => Promise<void>, explain: (error: unknown) => string) {
    if (busy) return
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (problem) {
      setError(explain(problem))
    }
    setBusy(false)
  }
  const begin = (byPasskey?: true) =>
    attempt(async () => {
      await confirming.run(async () => setEnrolment(await beginEnrol('')), byPasskey)
    }, messageOf)
  const finish = (digits: string) =>
    attempt(
      async () => answer(await finishEnrol(digits)),
      (problem) => {
        setCode('')
        return explainStep(problem, { code: digits })
      },
    )

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where no password is asked
  useEffect(() => {
    if (!asksPassword()) void begin()
  }, [])

  function submit() {
    if (enrolment === null) void begin()
    else if (code.length === 6) void finish(code)
    else setError(t`Enter the code from your authenticator app.`)
  }
  return { confirming, begin, enrolment, code, setCode, error, busy, finish, submit }
}

/** Who signs in with a password here confirms with it. */
const asksPassword = () => boot.AuthMethod === 'json'

export function EnrolPrompt({ answer }: PromptProps<'enrolFactor'>) {
  const { t } = useLingui()
  const enrolling = useEnrolling(answer)
  const { confirming, begin, enrolment, code, setCode, error, busy, finish, submit } = enrolling

  function cancel() {
    if (!busy) answer(null)
  }

  return (
    <Dialog
      fullOnPhone
      size="md"
      title={t`Two-step sign-in`}
      subtitle={t`A code from an app on your phone, in addition to your password.`}
      guarded={busy || enrolment !== null}
      onClose={cancel}
      onSubmit={submit}
      footer={
        <>
          <Button tone="line" disabled={busy} onClick={cancel}>
            <Trans>Cancel</Trans>
          </Button>
          <Button tone="fill" type="submit" busy={busy}>
            {enrolment ? <Trans>Switch on</Trans> : <Trans>Continue</Trans>}
          </Button>
        </>
      }
    >
      {enrolment ? (
        <div className="dlg__stack">
          <ScanCode enrolment={enrolment} />
          <SixDigits
            value={code}
            onChange={setCode}
            onComplete={(digits) => void finish(digits)}
            error={error}
          />
        </div>
      ) : (
        <div className="dlg__stack">
          <ConfirmField confirming={confirming} onPasskey={() => void begin(true)} />
          {error !== null && (
            <p className="err" role="alert">
              {error}
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}
