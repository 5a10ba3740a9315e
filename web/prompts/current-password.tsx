// Asks people to prove who they are before something that needs it, and tries the thing while the
// dialog is still open, so that a wrong password can be corrected in place.

import { useState } from 'react'
import { messageOf } from '../api/error-text.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ConfirmField, useConfirming } from './confirming.tsx'

export function CurrentPasswordPrompt(props: PromptProps<'currentPassword'>) {
  const confirming = useConfirming()
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit(byPasskey?: true) {
    if (busy || confirming.ways === null) return
    setBusy(true)
    setError(null)
    try {
      if (await confirming.run(props.attempt, byPasskey)) return props.answer(true)
    } catch (problem) {
      setError(props.explain?.(problem) ?? messageOf(problem))
    }
    setBusy(false)
  }

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
        {props.text && <p className="mid">{props.text}</p>}
        <ConfirmField confirming={confirming} onPasskey={() => void submit(true)} />
        {error !== null && (
          <p className="err" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  )
}
