import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowLeft, Download, ExternalLink, Eye, Link } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import type { FileInfo } from '../../src/api-types.ts'
import { directLinkOf, sharedDownloadUrl, sharePageUrl } from '../api/shares.ts'
import { useMinute } from '../lib/clock.ts'
import { classIcons, fileClassOf } from '../lib/file-class.ts'
import { formatDistanceInText, formatMoment, formatSize } from '../lib/format.ts'
import { useDocumentKeys } from '../lib/page/keys.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { nameOf, parentOf, ROOT } from '../lib/paths.ts'
import { copyLink } from '../operations/copy-text.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PageIcon } from '../ui/file-icon.tsx'
import { Qr } from '../ui/qr.tsx'
import { Boundary } from '../viewers/frame/boundary.tsx'
import { viewers } from '../viewers/frame/index.ts'
import { kindOf } from '../viewers/frame/kinds.ts'
import { FileOverlay, type OpenFile } from '../viewers/frame/overlay.tsx'
import type { FileSource, ViewerKind } from '../viewers/frame/source.ts'
import { Busy } from '../viewers/frame/tools.tsx'
import { keysAreTaken, offerKey } from '../viewers/frame/viewer-keys.ts'
import viewerStyles from '../viewers/frame/viewers.css?url'
import { LinkLife } from './link-life.tsx'
import { shareHref } from './share-address.ts'
import { createShareSource } from './share-source.ts'
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
              <Trans>Modified {changed}</Trans>
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
              <Trans>Scan to open on your phone. You’ll need the password there, too.</Trans>
            ) : (
              <Trans>Scan to download on your phone</Trans>
            )}
          </p>
        </div>
        <LinkLife expiresAtMs={expiresAtMs} />
      </section>
      {open !== null && <FileOverlay source={source} file={open} onChange={setOpen} />}
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

await loadStylesheet(viewerStyles)

interface StageProps {
  source: FileSource
  entry: FileInfo
  /** The full viewer lies over the page: keys and sound are its alone. */
  covered: boolean
  onOpenAs: (kind: ViewerKind) => void
}

function Stage({ source, entry, covered, onOpenAs }: StageProps) {
  const kind = kindOf(entry)
  const Viewer = viewers[kind]

  useDocumentKeys((event) => {
    if (covered || keysAreTaken(event) || isPressOfControl(event) || isForPage(event)) return
    if (offerKey(event)) event.preventDefault()
  })

  if (covered) {
    return (
      <div className="pubstage center sunken">
        <PageIcon entry={entry} className="pubstage__page" />
      </div>
    )
  }
  return (
    <div className="pubstage vw" data-kind={kind}>
      <div className="vw-stage relative">
        <div className="vw-content col covers">
          <Boundary source={source} entry={entry}>
            <Suspense fallback={<Busy />}>
              <Viewer
                key={entry.path}
                source={source}
                entry={entry}
                siblings={noSiblings}
                navigate={ignore}
                close={ignore}
                setFacts={ignore}
                openAs={onOpenAs}
              />
            </Suspense>
          </Boundary>
        </div>
      </div>
    </div>
  )
}

/** Links and buttons beside the stage are pressed by the keys that play a film. */
function isPressOfControl(event: KeyboardEvent): boolean {
  if (event.key !== ' ' && event.key !== 'Enter') return false
  return event.target instanceof Element && event.target.closest('a, button') !== null
}

const pageKeys = new Set(['PageDown', 'PageUp', 'Home', 'End'])

/** These keys belong to the page as long as nobody works in the stage. */
function isForPage(event: KeyboardEvent): boolean {
  if (!pageKeys.has(event.key)) return false
  return !(event.target instanceof Element && event.target.closest('.pubstage'))
}

const noSiblings: never[] = []

function ignore() {}
