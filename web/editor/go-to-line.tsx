import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { formatNumber } from '../lib/format.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { cursor, goTo } from './code-pane.tsx'
import { currentView } from './current-file.ts'

export function GoToLine({ onClose }: { onClose(): void }) {
  const { t } = useLingui()
  const [typed, setTyped] = useState(`${cursor.line}`)
  const target = /^\s*(\d{1,9})(?:\s*[:,]\s*(\d{1,9}))?\s*$/.exec(typed)
  const last = formatNumber(cursor.lines)

  function go() {
    const view = currentView()
    if (target === null || view === null) return
    onClose()
    // The dialog gives the focus back to its opener first.
    requestAnimationFrame(() => goTo(view, Number(target[1]), Number(target[2] ?? 1)))
  }

  return (
    <Dialog
      title={<Trans>Go to line</Trans>}
      size="sm"
      top
      onClose={onClose}
      onSubmit={go}
      answers={
        <Button tone="fill" type="submit" disabled={target === null}>
          <Trans>Go</Trans>
        </Button>
      }
    >
      <TextField
        label={t`Line, or line:column`}
        hint={t`1 to ${last}`}
        inputMode="numeric"
        value={typed}
        onChange={setTyped}
        error={
          target === null && typed.trim() !== ''
            ? t`Enter a line number, such as 120 or 120:8.`
            : undefined
        }
      />
    </Dialog>
  )
}
