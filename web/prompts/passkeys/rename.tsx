// Another name for a passkey.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { renamePasskey } from '../../api/passkeys.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { NameDialog } from '../name-dialog.tsx'

export function RenamePasskeyPrompt({ passkey, answer }: PromptProps<'renamePasskey'>) {
  const { t } = useLingui()
  const [name, setName] = useState(passkey.name)
  return (
    <NameDialog
      title={t`Rename passkey`}
      subtitle={<bdi>{passkey.name}</bdi>}
      label={t`Name`}
      text={name}
      onChange={setName}
      error={name.trim() === '' ? t`Enter a name.` : null}
      ready={name.trim() !== passkey.name}
      name={name}
      submitLabel={<Trans>Rename</Trans>}
      submit={async () => {
        await renamePasskey(passkey.id, name)
        return name
      }}
      answer={(done) => answer(done === null ? null : true)}
    />
  )
}
