// Recovery codes that were just made: the only moment in which they can be kept.

import { Trans, useLingui } from '@lingui/react/macro'
import { Copy, Download, Printer } from 'lucide-react'
import { instanceName } from '../../lib/boot.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { saveBlob } from '../../lib/save-url.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './second-factor.css?url'

await loadStylesheet(styles)

export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useLingui()
  const text = `${codes.join('\n')}\n`

  function save() {
    const head = `${instanceName} · ${t`Recovery codes`}\n\n`
    saveBlob(new Blob([head, text], { type: 'text/plain' }), 'recovery-codes.txt')
  }

  return (
    <div className="codes">
      <p className="mid">
        <Trans>
          Each code works once, without your phone. Keep them safe: they’re shown only now.
        </Trans>
      </p>
      <ul className="codes__list fs-md stack rounded" dir="ltr">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="codes__acts row wraps">
        <Button
          size="sm"
          tone="line"
          icon={Copy}
          onClick={() => void copyWithToast(text, t`Codes copied`)}
        >
          <Trans>Copy</Trans>
        </Button>
        <Button size="sm" tone="line" icon={Download} onClick={save}>
          <Trans>Download</Trans>
        </Button>
        <Button size="sm" tone="line" icon={Printer} onClick={() => window.print()}>
          <Trans>Print</Trans>
        </Button>
      </div>
    </div>
  )
}

export function RecoveryCodesPrompt({ codes, answer }: PromptProps<'recoveryCodes'>) {
  const { t } = useLingui()
  return (
    <Dialog
      alert
      title={t`Recovery codes`}
      onClose={() => answer(null)}
      footer={
        <Button tone="fill" onClick={() => answer(null)}>
          <Trans>Done</Trans>
        </Button>
      }
    >
      <RecoveryCodes codes={codes} />
    </Dialog>
  )
}
