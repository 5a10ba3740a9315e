import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import libraryStyles from 'pdfjs-dist/legacy/web/pdf_viewer.css?url'
import { type RefObject, use, useEffect, useRef, useState } from 'react'
import { isChanged } from '../../api/content.ts'
import { messageOf } from '../../api/error-text.ts'
import { formatNumber } from '../../lib/format.ts'
import { keyLetter } from '../../lib/page/keys.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button } from '../../ui/button.tsx'
import partsStyles from '../frame/parts.css?url'
import { recallPosition, rememberPosition } from '../frame/positions.ts'
import type { ViewerProps } from '../frame/source.ts'
import { TryAgain, Unready } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { focusQuietly, scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import pdfStyles from './pdf.css?url'
import { openPdf, type PdfDocument } from './pdf-document.ts'
import { PdfPages } from './pdf-pages.tsx'
import { FindRow, PdfOutline, type PdfSide, Toolbar } from './pdf-tools.tsx'
import { createPdfView, type PdfMatches, type PdfState, type PdfView } from './pdf-view.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(pdfStyles)])

interface Lost {
  error: unknown
  retry(): void
}

interface Lock {
  wrong: boolean
  answer(password: string): void
}

export function PdfViewer(props: ViewerProps) {
  const { source, entry } = props
  const { t } = useLingui()
  const [lock, setLock] = useState<Lock | null>(null)
  const [lost, setLost] = useState<Lost | null>(null)
  const openAnew = use(TryAgain)

  const read = useFile(source, entry, async (signal) => {
    setLost(null)
    setLock(null)
    const askPassword = (answer: (password: string) => void, wrong: boolean) =>
      setLock({ answer, wrong })
    const onLost = (error: unknown, retry: () => void) => {
      setLost({
        error,
        retry() {
          setLost(null)
          if (isChanged(error)) openAnew?.()
          else retry()
        },
      })
    }
    const [pdf] = await Promise.all([
      openPdf({ source, entry, signal, askPassword, onLost }),
      loadStylesheet(libraryStyles),
    ])
    return pdf
  })

  if (read.state === 'ready') return <Pages {...props} pdf={read.value} lost={lost} />
  if (read.state === 'loading' && lock) {
    return <PasswordForm lock={lock} onDone={() => setLock(null)} />
  }
  return (
    <Unready title={t`This PDF can’t be shown`} {...{ source, entry, read }}>
      <Trans>The file is damaged or isn’t a PDF.</Trans>
    </Unready>
  )
}

function Pages(props: ViewerProps & { pdf: PdfDocument; lost: Lost | null }) {
  const { pdf, lost } = props
  const container = useRef<HTMLDivElement>(null)
  const { view, state, matches, setMatches } = usePdfView(container, props)
  const [side, setSide] = useState<PdfSide | null>(null)
  const [searching, setSearching] = useState(false)
  const printing = usePrint(pdf)

  /** On a phone the column lies over the page. */
  function uncover() {
    if (innerWidth < 736) setSide(null)
  }

  function endSearch() {
    setSearching(false)
    setMatches(null)
    view.current?.endFind()
    focusQuietly(container.current)
  }

  useViewerKeys((event) => {
    const mod = event.ctrlKey || event.metaKey
    const key = keyLetter(event)
    if (mod && key === 'F') setSearching(true)
    else if (mod && key === 'P') void printing.start()
    else if (mod || event.altKey) return false
    else if (key === '+' || key === '=') view.current?.zoom(1.2)
    else if (key === '-') view.current?.zoom(1 / 1.2)
    else if (key === '0') view.current?.fitPage()
    else if (key === 'Home') view.current?.goToPage(1)
    else if (key === 'End') view.current?.goToPage(state.pages)
    else if (key === 'Escape' && searching) endSearch()
    else return scrollByKey(event, container.current)
    return true
  })

  return (
    <>
      <Toolbar
        view={view}
        state={state}
        side={side}
        searching={searching}
        onSide={setSide}
        onSearch={() => (searching ? endSearch() : setSearching(true))}
        onPrint={() => void printing.start()}
      />
      {searching && <FindRow view={view} matches={matches} onClose={endSearch} />}
      <div className="vw-pdf vw-part">
        {side === 'outline' && (
          <PdfOutline
            pdf={pdf}
            onGo={(destination) => {
              view.current?.goTo(destination)
              uncover()
            }}
          />
        )}
        {side === 'pages' && (
          <PdfPages
            pdf={pdf}
            current={state.page}
            onGo={(page) => {
              view.current?.goToPage(page)
              uncover()
            }}
          />
        )}
        <div className="vw-pdf-pages grow relative">
          <div
            className="vw-pdf-scroll vw-scroll covers"
            ref={container}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
            tabIndex={0}
            role="document"
          >
            <div className="pdfViewer" />
          </div>
        </div>
        <Notes lost={lost} page={printing.page} state={state} onCancel={printing.cancel} />
      </div>
    </>
  )
}

function usePdfView(
  container: RefObject<HTMLDivElement | null>,
  { source, entry, pdf, setFacts }: ViewerProps & { pdf: PdfDocument },
) {
  const { t } = useLingui()
  const view = useRef<PdfView>(null)
  const [state, setState] = useState<PdfState>({ page: 1, pages: pdf.numPages, scale: 1 })
  const [matches, setMatches] = useState<PdfMatches | null>(null)

  useEffect(() => {
    if (!container.current) return
    const startPage = Number(recallPosition(source, entry)) || 1
    const made = createPdfView({
      container: container.current,
      pdf,
      startPage,
      onState: setState,
      onMatches: setMatches,
    })
    view.current = made
    focusQuietly(container.current)
    return () => {
      view.current = null
      made.destroy()
    }
  }, [container, pdf, source, entry])

  useEffect(() => {
    const { pages } = state
    setFacts(t`${plural(pages, { one: '# page', other: '# pages' })}`)
    rememberPosition(source, entry, state.page > 1 ? state.page : null)
  }, [state, setFacts, t, source, entry])
  return { view, state, matches, setMatches }
}

/** Printing the whole document; `page` is the one in preparation, 0 when none is. */
function usePrint(pdf: PdfDocument) {
  const [page, setPage] = useState(0)
  const abort = useRef<AbortController>(null)
  const cancel = () => abort.current?.abort()
  useEffect(() => () => abort.current?.abort(), [])

  async function start() {
    if (abort.current !== null) return
    const own = new AbortController()
    abort.current = own
    try {
      await printPdf(pdf, setPage, own.signal)
    } catch (error) {
      if (!own.signal.aborted) toastError(error)
    } finally {
      abort.current = null
      setPage(0)
    }
  }
  return { page, start, cancel }
}

interface NotesProps {
  lost: Lost | null
  page: number
  state: PdfState
  onCancel(): void
}

/** What could not be read, or how far printing is. */
function Notes({ lost, page, state, onCancel }: NotesProps) {
  if (lost !== null) {
    return (
      <div className="vw-toast row fs-md" role="alert">
        {messageOf(lost.error)}
        <Button size="sm" onClick={lost.retry}>
          <Trans>Try again</Trans>
        </Button>
      </div>
    )
  }
  if (page === 0) return null
  const printPage = formatNumber(page)
  return (
    <div className="vw-toast row fs-md" role="status">
      <Trans>
        Preparing page {printPage} of {formatNumber(state.pages)}
      </Trans>
      <Button size="sm" onClick={onCancel}>
        <Trans>Cancel</Trans>
      </Button>
    </div>
  )
}

function PasswordForm({ lock, onDone }: { lock: Lock; onDone(): void }) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  return (
    <form
      className="vw-message mid stack"
      onSubmit={(event) => {
        event.preventDefault()
        onDone()
        lock.answer(password)
      }}
    >
      <h2>
        <Trans>This document is locked</Trans>
      </h2>
      <p role={lock.wrong ? 'alert' : undefined}>
        {lock.wrong
          ? t`Incorrect password. Try again.`
          : t`Enter the password to open this document.`}
      </p>
      <input
        className="vw-field vw-field-wide"
        type="password"
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: nothing else can be done here
        autoFocus
        aria-label={t`Password`}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <div className="vw-message-actions">
        <Button tone="fill" type="submit">
          <Trans>Open</Trans>
        </Button>
      </div>
    </form>
  )
}

const PRINT_DPI = 150
const PDF_DPI = 72

/** Prepares all pages, then opens the browser's print dialog. `onPage` reports progress. */
async function printPdf(
  pdf: PdfDocument,
  onPage: (page: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const sheet = document.createElement('div')
  sheet.className = 'vw-print'
  const urls: string[] = []
  try {
    for (let number = 1; number <= pdf.numPages; number++) {
      signal.throwIfAborted()
      onPage(number)
      const page = await pdf.getPage(number)
      const viewport = page.getViewport({ scale: PRINT_DPI / PDF_DPI })
      const canvas = document.createElement('canvas')
      canvas.width = viewport.width
      canvas.height = viewport.height
      await page.render({ canvas, viewport, intent: 'print' }).promise
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
      if (!blob) throw new Error('the page could not be drawn')
      const url = URL.createObjectURL(blob)
      urls.push(url)
      const image = new Image()
      image.src = url
      await image.decode()
      sheet.append(image)
      page.cleanup()
    }
    document.body.append(sheet)
    document.documentElement.dataset.printing = 'true'
    window.print()
  } finally {
    delete document.documentElement.dataset.printing
    sheet.remove()
    for (const url of urls) URL.revokeObjectURL(url)
  }
}
