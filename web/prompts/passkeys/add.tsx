// A new passkey: its name, who adds it, and then the browser's own question.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { addPasskey, beginPasskey } from '../../api/passkeys.ts'
import { isGivenUp, isThereAlready, makePasskey } from '../../operations/passkeys.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ConfirmField, useConfirming } from '../confirming.tsx'

export function AddPasskeyPrompt(props: PromptProps<'addPasskey'>) {
  const { t } = useLingui()
  const confirming = useConfirming()
  const [name, setName] = useState(props.name)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit(byPasskey?: true) {
    if (busy || confirming.ways === null) return
    if (name.trim() === '') return setError(t`Enter a name.`)
    setBusy(true)
    setError(null)
    try {
      await confirming.run(async () => {
        const response = await makePasskey(await beginPasskey(''))
        props.answer(await addPasskey(name, response))
      }, byPasskey)
    } catch (problem) {
      // Whoever closes the browser's question is back here.
      if (!isGivenUp(problem)) setError(explain(problem))
    }
    setBusy(false)
  }

  function explain(problem: unknown): string {
    if (isThereAlready(problem)) return t`This device already has a passkey for your account.`
    if (problem instanceof ApiError && problem.status === 409)
      return t`You have too many passkeys. Remove some first.`
    return messageOf(problem)
  }

  return (
    <Dialog
      size="md"
      title={t`Add a passkey`}
      busy={busy}
      onClose={() => props.answer(null)}
      onSubmit={() => void submit()}
      answers={
        <Button tone="fill" type="submit" busy={busy}>
          <Trans>Continue</Trans>
        </Button>
      }
    >
      <div className="dlg__stack">
        <TextField
          label={t`Name`}
          hint={t`A name to recognise it by, such as the device it’s on.`}
          value={name}
          error={error}
          onChange={(text) => {
            setError(null)
            setName(text)
          }}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
        <ConfirmField confirming={confirming} onPasskey={() => void submit(true)} />
      </div>
    </Dialog>
  )
}
