// A file nothing else can show: what is known of it, its checksums, and the ways to look inside.

import { Trans, useLingui } from '@lingui/react/macro'
import { Binary, Copy, Download, TextAlignStart } from 'lucide-react'
import { messageOf } from '../../api/error-text.ts'
import { type ChecksumAlgorithm, fetchChecksum } from '../../api/files.ts'
import { formatDayAndTime, formatNumber, formatSize } from '../../lib/format.ts'
import { kindName } from '../../lib/kind-name.ts'
import { useAsked } from '../../lib/page/use-asked.ts'
import { parentOf } from '../../lib/paths.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Fact } from '../../ui/fact.tsx'
import { PageIcon } from '../../ui/file-icon.tsx'
import { Spinner } from '../../ui/progress.tsx'
import type { ViewerProps } from './source.ts'

const algorithms: readonly { algorithm: ChecksumAlgorithm; name: string }[] = [
  { algorithm: 'sha256', name: 'SHA-256' },
  { algorithm: 'md5', name: 'MD5' },
  { algorithm: 'sha1', name: 'SHA-1' },
  { algorithm: 'sha512', name: 'SHA-512' },
]

export function FallbackViewer({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const exact = formatNumber(entry.size)
  const { download } = source.permissions
  return (
    <div className="fb center covers scrolls" data-gestures="own">
      <div className="fb-card stack">
        <PageIcon entry={entry} className="fb-icon" />
        <h2 className="fb-name">
          <bdi>{entry.name}</bdi>
        </h2>
        <p className="mid">
          {download ? (
            <Trans>No preview available for this kind of file.</Trans>
          ) : (
            <Trans>You don’t have permission to download this file.</Trans>
          )}
        </p>
        {download && (
          <div className="fb-actions wraps">
            <Button tone="fill" icon={Download} onClick={() => source.download(entry)}>
              <Trans>Download</Trans>
            </Button>
            <Button tone="line" icon={TextAlignStart} onClick={() => openAs('text')}>
              <Trans>Open as text</Trans>
            </Button>
            <Button tone="line" icon={Binary} onClick={() => openAs('hex')}>
              <Trans>Show bytes</Trans>
            </Button>
          </div>
        )}
        <dl className="fb-facts fs-md">
          <Fact label={t`Size`}>
            {formatSize(entry.size)}
            {entry.size >= 1024 && (
              <span className="dim">
                {' '}
                <Trans>({exact} B)</Trans>
              </span>
            )}
          </Fact>
          <Fact label={t`Modified`}>
            <time dateTime={entry.modified}>{formatDayAndTime(entry.modified)}</time>
          </Fact>
          {kindName(entry) !== '' && <Fact label={t`Kind`}>{kindName(entry)}</Fact>}
          <Fact label={t`Location`}>
            <bdi>{parentOf(entry.path)}</bdi>
          </Fact>
          {source.kind === 'files' &&
            download &&
            algorithms.map((each) => (
              <Fact key={each.algorithm} label={each.name}>
                <Checksum path={entry.path} {...each} />
              </Fact>
            ))}
        </dl>
      </div>
    </div>
  )
}

/** Calculated when asked for: the server reads the whole file each time. */
function Checksum({ path, algorithm, name }: (typeof algorithms)[number] & { path: string }) {
  const { t } = useLingui()
  const { value, busy, ask } = useAsked(
    (signal) => fetchChecksum(path, algorithm, signal),
    (error) =>
      toastError(t`Couldn’t calculate the checksum. ${messageOf(error)}`, { report: true }),
  )
  if (value !== null) {
    return (
      <span className="fb-sum">
        <code dir="ltr">{value}</code>
        <IconButton
          size="sm"
          icon={Copy}
          label={t`Copy ${name}`}
          onClick={() => void copyWithToast(value, t`Checksum copied`)}
        />
      </span>
    )
  }
  if (busy) return <Spinner />
  return (
    <button type="button" className="fb-link" onClick={ask}>
      <Trans>Calculate</Trans>
      <span className="sr">{name}</span>
    </button>
  )
}
