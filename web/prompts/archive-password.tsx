// Asks for the password of an archive.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { nameOf, shownName } from '../lib/paths.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PasswordField } from '../ui/field.tsx'

export function ArchivePasswordPrompt({
  archive,
  isWrong,
  answer,
}: PromptProps<'archivePassword'>) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  const name = shownName(nameOf(archive))
  return (
    <Dialog
      title={t`“${name}” is protected by a password.`}
      onClose={() => answer(null)}
      onSubmit={() => password !== '' && answer(password)}
      answers={
        <Button tone="fill" type="submit" disabled={password === ''}>
          <Trans>Extract</Trans>
        </Button>
      }
    >
      <PasswordField
        label={t`Password`}
        value={password}
        onChange={setPassword}
        error={isWrong && password === '' ? t`Incorrect password. Try again.` : null}
        autoComplete="off"
        data-autofocus
      />
    </Dialog>
  )
}
