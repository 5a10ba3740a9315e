// What an authenticator app needs: the code to scan, and the same as text.

import { Trans, useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import type { Enrolment } from '../../../src/api-types.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { IconButton } from '../../ui/button.tsx'
import { Qr } from '../../ui/qr.tsx'
import styles from './second-factor.css?url'

await loadStylesheet(styles)

export function ScanCode({ enrolment }: { enrolment: Enrolment }) {
  const { t } = useLingui()
  const { secret, uri } = enrolment
  return (
    <div className="scan">
      <p className="mid">
        <Trans>Scan this with an authenticator app, or enter the key there.</Trans>
      </p>
      <Qr text={uri} sizePx={176} label={t`QR code`} />
      <div className="scan__key rounded">
        <code dir="ltr">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        <IconButton
          size="sm"
          icon={Copy}
          label={t`Copy key`}
          onClick={() => void copyWithToast(secret, t`Key copied`)}
        />
      </div>
    </div>
  )
}
