// Asks people for their own password before something that needs it, and tries the thing while the
// dialog is still open, so that a wrong password can be corrected in place.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PasswordField } from '../ui/field.tsx'

export function CurrentPasswordPrompt(props: PromptProps<'currentPassword'>) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit() {
    if (busy) return
    setBusy(true)
    setError(null)
    try {
      await props.attempt?.(password)
      props.answer(password)
    } catch (problem) {
      setBusy(false)
      const wrong = problem instanceof ApiError && problem.code === 'invalid_password'
      setError(
        wrong
          ? t`This is not your current password.`
          : (props.explain?.(problem) ?? messageOf(problem)),
      )
    }
  }

  // What is under way happens all the same, and who asked for it has to learn how it ends.
  function cancel() {
    if (!busy) props.answer(null)
  }

  return (
    <Dialog
      size="md"
      title={props.title}
      guarded={busy}
      onClose={cancel}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button tone="line" disabled={busy} onClick={cancel}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" tone={props.tone ?? 'fill'} busy={busy}>
            {props.confirmLabel}
          </Button>
        </>
      }
    >
      <div className="dlg__stack">
        {props.text && <p className="mid">{props.text}</p>}
        <PasswordField
          label={t`Your current password`}
          autoComplete="current-password"
          value={password}
          error={error}
          onChange={setPassword}
        />
      </div>
    </Dialog>
  )
}
