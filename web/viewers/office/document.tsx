// Word and OpenDocument texts, to be read and not to be edited.

import { Trans, useLingui } from '@lingui/react/macro'
import { ZoomIn, ZoomOut } from 'lucide-react'
import { useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { lostConnection } from '../../api/client.ts'
import { extensionOf } from '../../lib/file-class.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { ZipError } from '../archive/zip-reader.ts'
import type { FileSource, ViewerProps } from '../frame/source.ts'
import { Busy, Message, Tool, ToolRow, UnreadReason } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { focusQuietly, scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import { createMarkupBudget } from './markup-limits.ts'
import { openPackage } from './package-file.ts'
import paperStyles from './paper.css?url'
import { clickedHref, paperSheet, showInShadow } from './paper.ts'
import { repackOffice } from './repack.ts'
import { cleanSheet } from './safe-css.ts'
import { cleanMarkup, ID_PREFIX, openLinksOutside, outsideLink } from './safe-html.ts'

await loadStylesheet(paperStyles)

interface Rendered {
  content: DocumentFragment
  sheets: CSSStyleSheet[]
  release(): void
}

const MIN_ZOOM = 25
const MAX_ZOOM = 300
const ZOOMS = [MIN_ZOOM, 33, 50, 67, 80, 100, 125, 150, 200, MAX_ZOOM]

/** Percent at which a page of fixed width just fits; never larger than life. */
function zoomToFit(box: HTMLElement | null, view: HTMLElement | null): number {
  const page = box?.querySelector<HTMLElement>('section.docx')?.offsetWidth ?? 0
  if (!view || page === 0) return 100
  return Math.max(MIN_ZOOM, Math.min(100, Math.floor((view.clientWidth / (page + 16)) * 100)))
}

export function DocumentViewer({ source, entry }: ViewerProps) {
  const host = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(100)
  const read = useFile(source, entry, async (signal) => {
    const { content, sheets, release } = await render(source, entry, signal)
    if (signal.aborted || !host.current) return release()
    signal.addEventListener('abort', release)
    const box = showInShadow(host.current, content, sheets)
    setZoom(zoomToFit(box, scroller.current))
    focusQuietly(scroller.current)
  })

  function step(by: 1 | -1) {
    const next = by === 1 ? ZOOMS.find((z) => z > zoom) : ZOOMS.findLast((z) => z < zoom)
    setZoom(next ?? zoom)
  }

  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    if (event.key === '+' || event.key === '=') step(1)
    else if (event.key === '-') step(-1)
    else if (event.key === '0') setZoom(100)
    else return scrollByKey(event, scroller.current)
    return true
  })

  function onClick(event: React.MouseEvent) {
    const href = clickedHref(event)
    if (!href.startsWith('#')) return
    event.preventDefault()
    event.stopPropagation()
    host.current?.shadowRoot?.getElementById(ID_PREFIX + href.slice(1))?.scrollIntoView()
  }

  if (read.state === 'failed') {
    return <Failure source={source} entry={entry} error={read.error} />
  }
  return (
    <>
      <ZoomTools zoom={zoom} step={step} />
      <div
        className="vw-paper-scroll vw-scroll relative"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
        tabIndex={0}
      >
        {read.state === 'loading' && <Busy />}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: links inside work by keyboard themselves */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: only catches clicks on links inside */}
        <div
          className="vw-paper"
          data-plain={extensionOf(entry.name) === 'odt'}
          style={{ zoom: zoom / 100 }}
          ref={host}
          onClick={onClick}
        />
      </div>
    </>
  )
}

interface FailureProps extends Pick<ViewerProps, 'source' | 'entry'> {
  error: unknown
}

function Failure({ source, entry, error }: FailureProps) {
  const { t } = useLingui()
  const reason = error instanceof ZipError ? error.reason : 'damaged'
  return (
    <Message source={source} entry={entry} error={error} title={t`This document can’t be shown`}>
      <UnreadReason reason={reason}>
        <Trans>The file is damaged or in an older format.</Trans>
      </UnreadReason>
    </Message>
  )
}

function ZoomTools({ zoom, step }: { zoom: number; step(by: 1 | -1): void }) {
  const { t } = useLingui()
  return (
    <ToolRow label={t`Document`}>
      <Tool
        icon={ZoomOut}
        label={t`Zoom out`}
        disabled={zoom <= MIN_ZOOM}
        onClick={() => step(-1)}
      />
      <output className="vw-percent num nowrap fs-md" aria-label={t`Zoom`}>{t`${zoom}%`}</output>
      <Tool icon={ZoomIn} label={t`Zoom in`} disabled={zoom >= MAX_ZOOM} onClick={() => step(1)} />
    </ToolRow>
  )
}

/** Code that does not come is a lost connection, not a damaged file. */
async function loadCode<T>(loading: Promise<T>): Promise<T> {
  return loading.catch((error: unknown) => {
    throw lostConnection(error)
  })
}

async function render(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<Rendered> {
  const picture = (src: string) => (src.startsWith('blob:') ? src : null)
  const link = (href: string) => (href.startsWith('#') ? href : outsideLink(href))
  if (extensionOf(entry.name) === 'odt') {
    const file = await openPackage(source, entry, signal)
    const { renderOdt } = await loadCode(import('./odt.ts'))
    const { body, release } = await renderOdt(file)
    const content = cleanMarkup(body, { picture, link })
    openLinksOutside(content)
    return { content, sheets: [paperSheet('light', 100)], release }
  }
  const [bytes, { renderDocx }] = await Promise.all([
    repackOffice(source, entry, signal, createMarkupBudget()),
    loadCode(import('./docx.ts')),
  ])
  const { body, styles, release } = await renderDocx(bytes)
  const content = cleanMarkup(body, { picture, link })
  openLinksOutside(content)
  const own = new CSSStyleSheet()
  own.replaceSync(`
    :host { contain: content; display: block }
    .docx-wrapper { background: none !important; padding: 1.5rem 0 !important }
    .docx-wrapper > section.docx { box-shadow: 0 1px 2px rgb(0 0 0 / .5) !important; margin-block-end: 1.25rem !important; color: #1b222c }
    .document { overflow-wrap: anywhere }
  `)
  return { content, sheets: [...styles.map(cleanSheet), own], release }
}
