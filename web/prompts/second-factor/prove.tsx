// Asks for the password and the second step before something that needs both, and tries it while the dialog is open.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { boot } from '../../lib/boot.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { session } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { explainStep, RecoveryField, SixDigits } from './code-field.tsx'

export function ProvePrompt(props: PromptProps<'proveFactor'>) {
  const { t } = useLingui()
  const asksPassword = boot.AuthMethod === 'json'
  const [password, setPassword] = useState('')
  const [typed, setTyped] = useState('')
  const [byRecovery, setByRecovery] = useState(false)
  const [error, setError] = useState<{ field: 'password' | 'code'; text: string } | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit() {
    if (busy) return
    const proof = byRecovery ? { recovery: typed } : { code: typed }
    setBusy(true)
    setError(null)
    try {
      await props.attempt(password, proof)
      props.answer(true)
    } catch (problem) {
      setBusy(false)
      const isPassword = problem instanceof ApiError && problem.code === 'invalid_password'
      setError(
        isPassword
          ? { field: 'password', text: t`Incorrect password.` }
          : { field: 'code', text: explainStep(problem, proof) },
      )
    }
  }

  function change(text: string) {
    setError(null)
    setTyped(text)
  }

  const errorOf = (field: 'password' | 'code') => (error?.field === field ? error.text : null)
  const step = { value: typed, onChange: change, error: errorOf('code') }
  return (
    <Dialog
      size="md"
      title={props.title}
      busy={busy}
      onClose={() => props.answer(null)}
      onSubmit={() => void submit()}
      answers={
        <Button type="submit" tone={props.tone ?? 'fill'} busy={busy}>
          {props.confirmLabel}
        </Button>
      }
    >
      <div className="dlg__stack">
        <p className="mid">{props.text}</p>
        {asksPassword && (
          <>
            {/* Password managers look for the name the password belongs to. */}
            <input hidden readOnly autoComplete="username" value={session.user?.username ?? ''} />
            <PasswordField
              label={t`Your current password`}
              autoComplete="current-password"
              value={password}
              error={errorOf('password')}
              onChange={(text) => {
                setError(null)
                setPassword(text)
              }}
            />
          </>
        )}
        {byRecovery ? <RecoveryField {...step} /> : <SixDigits {...step} />}
        <OtherWay
          byRecovery={byRecovery}
          onChange={(recovery) => {
            setByRecovery(recovery)
            change('')
          }}
        />
      </div>
    </Dialog>
  )
}

/** Goes from the app's code to the recovery codes, and back. */
export function OtherWay({
  byRecovery,
  onChange,
}: {
  byRecovery: boolean
  onChange(byRecovery: boolean): void
}) {
  return (
    <button type="button" className="other-way" onClick={() => onChange(!byRecovery)}>
      {byRecovery ? <Trans>Use the app instead</Trans> : <Trans>Use a recovery code</Trans>}
    </button>
  )
}
