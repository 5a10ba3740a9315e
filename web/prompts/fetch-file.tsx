// Asks for the address of a file that the server is to fetch.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Job } from '../../src/job-types.ts'
import { messageOf } from '../api/error-text.ts'
import { startJob } from '../api/files.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'

export function FetchFilePrompt({ folder, operation, answer }: PromptProps<'fetchFile'>) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const url = addressIn(text)

  async function submit() {
    if (busy || url === null) return
    setBusy(true)
    setError(null)
    let job: Job
    try {
      job = await startJob({ kind: 'fetch', url, to: folder, conflict: 'rename' }, operation)
    } catch (problem) {
      setBusy(false)
      setError(messageOf(problem))
      return
    }
    answer(job)
  }

  return (
    <Dialog
      title={<Trans>Fetch from an address</Trans>}
      subtitle={<Trans>In “{folderTitle(folder)}”</Trans>}
      guarded={text !== ''}
      onClose={() => answer(null)}
      onSubmit={() => void submit()}
      answers={
        <Button tone="fill" type="submit" busy={busy} disabled={url === null}>
          <Trans>Fetch</Trans>
        </Button>
      }
    >
      <TextField
        label={t`Address`}
        type="url"
        dir="ltr"
        placeholder="https://"
        value={text}
        onChange={(value) => {
          setText(value)
          setError(null)
        }}
        error={error}
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Dialog>
  )
}

/** Null for what the server takes for no address. */
function addressIn(text: string): string | null {
  const url = URL.parse(text.trim())
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
