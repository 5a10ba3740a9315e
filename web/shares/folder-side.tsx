// Beside a shared folder: the chosen file, and a code for the phone.

import { Trans, useLingui } from '@lingui/react/macro'
import { MousePointerClick } from 'lucide-react'
import type { FileEntry } from '../../src/api-types.ts'
import { directLinkOf, type ShareAccess, sharePageUrl } from '../api/shares.ts'
import { formatDay, formatSize } from '../lib/format.ts'
import { PageIcon } from '../ui/file-icon.tsx'
import { Qr } from '../ui/qr.tsx'
import { kindOf } from '../viewers/frame/kinds.ts'
import type { FileSource } from '../viewers/frame/source.ts'
import { LinkLife } from './link-life.tsx'

const QR_PX = 100

interface FolderSideProps {
  access: ShareAccess
  inner: string
  entry: FileEntry | undefined
  source: FileSource
  expiresAtMs: number | null
  onPreview: (entry: FileEntry) => void
}

export function FolderSide({
  access,
  inner,
  entry,
  source,
  expiresAtMs,
  onPreview,
}: FolderSideProps) {
  const { t } = useLingui()
  const guarded = access.password !== ''
  const address = guarded ? sharePageUrl(access.hash, inner) : directLinkOf(access.hash, inner)
  return (
    <aside className="pubside stack" aria-label={t`Preview and QR code`}>
      <section className="panel pubside__card">
        {entry === undefined ? (
          <>
            <div className="pubside__pic center dim">
              <MousePointerClick className="i i-lg" aria-hidden />
            </div>
            <p className="pubside__facts pubside__empty dim fs-md">
              <Trans>Select a file to preview it.</Trans>
            </p>
          </>
        ) : (
          <>
            <Picture entry={entry} source={source} onPreview={onPreview} />
            <div className="pubside__facts">
              <strong>
                <bdi>{entry.name}</bdi>
              </strong>
              <p className="dim num">
                {!entry.isDir && `${formatSize(entry.size)} · `}
                {formatDay(entry.modified)}
              </p>
            </div>
          </>
        )}
      </section>
      <section className="panel pubside__qr row fs-md">
        <Qr
          text={address}
          sizePx={QR_PX}
          label={guarded ? t`QR code of this page` : t`QR code of the download link`}
        />
        <div className="mid">
          <p>
            {guarded ? (
              <Trans>Scan to open this page on your phone.</Trans>
            ) : (
              <Trans>Scan to download the whole folder.</Trans>
            )}
          </p>
          <LinkLife expiresAtMs={expiresAtMs} />
        </div>
      </section>
    </aside>
  )
}

function Picture({
  entry,
  source,
  onPreview,
}: Pick<FolderSideProps, 'source' | 'onPreview'> & { entry: FileEntry }) {
  const { t } = useLingui()
  const kind = kindOf(entry)
  if (entry.isDir) {
    return (
      <div className="pubside__pic center">
        <PageIcon entry={entry} className="pubside__icon" />
      </div>
    )
  }
  if (kind === 'video') {
    return (
      <div className="pubside__pic center pubside__pic--dark">
        {/* biome-ignore lint/a11y/useMediaCaption: a small preview; the viewer has the captions */}
        <video
          key={entry.path}
          src={source.rawUrl(entry, { inline: true })}
          controls
          preload="metadata"
          playsInline
        />
      </div>
    )
  }
  if (kind === 'audio') {
    return (
      <div className="pubside__pic center">
        <PageIcon entry={entry} className="pubside__icon" />
        {/* biome-ignore lint/a11y/useMediaCaption: sound files have no captions */}
        <audio
          key={entry.path}
          src={source.rawUrl(entry, { inline: true })}
          controls
          preload="metadata"
        />
      </div>
    )
  }
  const picture =
    kind === 'image'
      ? (source.previewUrl(entry, 'big') ?? source.rawUrl(entry, { inline: true }))
      : null
  return (
    <button
      type="button"
      className="pubside__pic center"
      aria-label={t`Preview ${entry.name}`}
      onClick={() => onPreview(entry)}
    >
      {picture === null ? (
        <PageIcon entry={entry} className="pubside__icon" />
      ) : (
        <img key={picture} src={picture} alt="" decoding="async" />
      )}
    </button>
  )
}
