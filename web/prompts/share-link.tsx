// One existing link of the share dialog: its address, how long it lives, and what to do with it.

import { Trans, useLingui } from '@lingui/react/macro'
import { Clock, Copy, Download, Link, Lock, QrCode, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import type { ShareRecord } from '../../src/api-types.ts'
import { directLinkOf, sharePageUrl } from '../api/shares.ts'
import { useMinute } from '../lib/clock.ts'
import { formatEndInText, formatMoment } from '../lib/format.ts'
import { copyWithToast } from '../operations/copy-text.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { tintOf } from '../ui/file-icon.tsx'
import { Qr } from '../ui/qr.tsx'

interface ShareLinkProps {
  link: ShareRecord
  /** Known for a link that has just been made. */
  password: string | undefined
  isDir: boolean
  onCopy: () => void
  onDelete: () => void
}

export function ShareLink({ link, password, isDir, onCopy, onDelete }: ShareLinkProps) {
  const { t } = useLingui()
  const [showQr, setShowQr] = useState(false)
  const qrId = useId()
  const nowMs = useMinute()
  const page = sharePageUrl(link.hash)
  const endsMs = link.expire * 1000
  const ends = formatEndInText(endsMs, nowMs)
  const expired = link.expire !== 0 && endsMs <= nowMs

  const copyDirect = () => copyWithToast(directLinkOf(link.hash), t`Direct link copied`)

  return (
    <li className="share__link row wraps rounded">
      <span className="tile" style={tintOf(link.hasPassword ? 'slides' : 'folder')} aria-hidden>
        {link.hasPassword ? <Lock className="i" /> : <Link className="i" />}
      </span>
      <div className="grow share__facts">
        <a className="mono trunc" href={page} target="_blank" rel="noreferrer" data-native>
          <bdi dir="ltr">{page.replace(/^https?:\/\//, '')}</bdi>
        </a>
        <small>
          {link.expire === 0 ? (
            <Trans>Permanent</Trans>
          ) : (
            <>
              <Clock className="i i-xs" aria-hidden />
              <time dateTime={new Date(endsMs).toISOString()} data-tip={formatMoment(endsMs)}>
                {expired ? <Trans>Expired</Trans> : <Trans>Expires: {ends}</Trans>}
              </time>
            </>
          )}
          {link.hasPassword && (
            <>
              {' · '}
              <Trans>password protected</Trans>
            </>
          )}
        </small>
      </div>
      <span className="share__acts">
        <IconButton size="sm" icon={Copy} label={t`Copy link`} onClick={onCopy} />
        <IconButton
          size="sm"
          icon={QrCode}
          label={t`QR code`}
          pressed={showQr}
          aria-expanded={showQr}
          aria-controls={qrId}
          onClick={() => setShowQr(!showQr)}
        />
        <IconButton
          size="sm"
          icon={Download}
          label={isDir ? t`Copy direct link to an archive` : t`Copy direct download link`}
          disabled={link.hasPassword ? t`Direct links don’t work with a password` : false}
          onClick={() => void copyDirect()}
        />
        <IconButton
          size="sm"
          tone="danger"
          icon={Trash2}
          label={t`Delete link`}
          onClick={onDelete}
        />
      </span>
      {password !== undefined && <GivenPassword page={page} password={password} />}
      {showQr && (
        <div className="share__qr row fs-md" id={qrId}>
          <Qr text={page} sizePx={160} label={t`QR code of the link`} />
          <p className="mid">
            <Trans>Scan to open this link on another device.</Trans>
          </p>
        </div>
      )}
    </li>
  )
}

function GivenPassword({ page, password }: { page: string; password: string }) {
  const { t } = useLingui()
  const text = t`Password: ${password}`
  const copyBoth = () => copyWithToast(`${page}\n${text}`, t`Link and password copied`)
  return (
    <div className="share__given row wraps fs-md">
      <span className="grow">{text}</span>
      <Button size="sm" tone="line" icon={Copy} onClick={() => void copyBoth()}>
        <Trans>Copy link and password</Trans>
      </Button>
    </div>
  )
}
