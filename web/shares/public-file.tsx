// A shared file: what it is, and the ways to get it.

import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowLeft, Download, ExternalLink, Eye, Link } from 'lucide-react'
import { useMemo, useState } from 'react'
import { directLinkOf, sharedDownloadUrl, sharePageUrl } from '../api/shares.ts'
import { useMinute } from '../lib/clock.ts'
import { classIcons, fileClassOf } from '../lib/file-class.ts'
import { formatDistanceInText, formatMoment, formatSize } from '../lib/format.ts'
import { nameOf, parentOf, ROOT } from '../lib/paths.ts'
import { copyLink } from '../operations/copy-text.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Qr } from '../ui/qr.tsx'
import { LinkLife } from './link-life.tsx'
import { type OpenFile, ShareOverlay } from './overlay.tsx'
import { shareHref } from './share-address.ts'
import { createShareSource } from './share-source.ts'
import { Stage } from './stage.tsx'
import type { ShareReady } from './use-share.ts'

const QR_PX = 200

export function PublicFile({ access, inner, info, expiresAtMs }: ShareReady) {
  const { t } = useLingui()
  const nowMs = useMinute()
  const source = useMemo(() => createShareSource(access, () => null), [access])
  const [open, setOpen] = useState<OpenFile | null>(null)
  const icon = classIcons[fileClassOf(info)]
  const guarded = access.password !== ''
  const folder = parentOf(inner)
  const changed = formatDistanceInText(info.modified, nowMs)
  // Whoever scans it or is sent it has no password in the address: a protected file leads to its page.
  const page = sharePageUrl(access.hash, inner)
  const direct = guarded ? page : directLinkOf(access.hash, inner)

  return (
    <div className="pubfile panel">
      <Stage
        source={source}
        entry={info}
        covered={open !== null}
        onOpenAs={(kind) => setOpen({ entry: info, as: kind })}
      />
      <section className="pubfile__side col">
        <div>
          {inner === ROOT ? (
            <Badge icon={icon}>
              <Trans>Shared file</Trans>
            </Badge>
          ) : (
            <a className="pubfile__back" href={shareHref({ hash: access.hash, inner: folder })}>
              <ArrowLeft className="i i-sm flip" aria-hidden />
              {folder === ROOT ? <Trans>All files</Trans> : <bdi>{nameOf(folder)}</bdi>}
            </a>
          )}
          <h1 className="pubfile__name">
            <bdi>{info.name}</bdi>
          </h1>
          <p className="mid num">
            {formatSize(info.size)}
            {' · '}
            <time dateTime={info.modified} data-tip={formatMoment(info.modified)}>
              <Trans>changed: {changed}</Trans>
            </time>
          </p>
        </div>
        <Actions
          access={access}
          inner={inner}
          name={info.name}
          onOpen={() => setOpen({ entry: info })}
        />
        <hr />
        <div className="pubfile__qr fs-sm">
          <Qr
            text={direct}
            sizePx={QR_PX}
            label={guarded ? t`QR code of this page` : t`QR code of the download link`}
          />
          <p className="dim">
            {guarded ? (
              <Trans>Scan to open on your phone. The password is asked for there, too.</Trans>
            ) : (
              <Trans>Scan to download on your phone</Trans>
            )}
          </p>
        </div>
        <LinkLife expiresAtMs={expiresAtMs} />
      </section>
      {open !== null && <ShareOverlay source={source} file={open} onChange={setOpen} />}
    </div>
  )
}

interface ActionsProps extends Pick<ShareReady, 'access' | 'inner'> {
  name: string
  onOpen(): void
}

function Actions({ access, inner, name, onOpen }: ActionsProps) {
  const page = sharePageUrl(access.hash, inner)
  return (
    <div className="pubfile__acts">
      <a
        className="btn btn--fill btn--lg btn--block"
        href={sharedDownloadUrl(access, inner)}
        download={name}
        data-native
      >
        <Download className="i" aria-hidden />
        <Trans>Download</Trans>
      </a>
      <div className="pubfile__two stack">
        {access.password !== '' ? (
          // A new tab would show the ticket in its address; the viewer here does not.
          <Button tone="line" icon={Eye} onClick={onOpen}>
            <Trans>Open</Trans>
          </Button>
        ) : (
          <a
            className="btn btn--line"
            href={directLinkOf(access.hash, inner)}
            target="_blank"
            rel="noreferrer"
            data-native
          >
            <ExternalLink className="i i-sm" aria-hidden />
            <Trans>Open</Trans>
          </a>
        )}
        <Button tone="line" icon={Link} onClick={() => void copyLink(page)}>
          <Trans>Copy link</Trans>
        </Button>
      </div>
    </div>
  )
}
