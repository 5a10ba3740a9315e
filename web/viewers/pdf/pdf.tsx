// PDF: continuous pages, search, outline, print.

import { Trans, useLingui } from '@lingui/react/macro'
import {
  ChevronDown,
  ChevronUp,
  MoveHorizontal,
  PanelLeft,
  Printer,
  Scan,
  Search,
  X,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import libraryStyles from 'pdfjs-dist/legacy/web/pdf_viewer.css?url'
import { type RefObject, use, useEffect, useRef, useState } from 'react'
import { isChanged } from '../../api/content.ts'
import { messageOf } from '../../api/error-text.ts'
import { keyLetter } from '../../lib/key-letter.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button } from '../../ui/button.tsx'
import partsStyles from '../frame/parts.css?url'
import { recallPosition, rememberPosition } from '../frame/positions.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Busy, Message, Tool, ToolGap, ToolRow } from '../frame/tools.tsx'
import { TryAgain } from '../frame/try-again.ts'
import { focusQuietly, scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import pdfStyles from './pdf.css?url'
import { openPdf, type PdfDocument } from './pdf-document.ts'
import { PdfOutline } from './pdf-outline.tsx'
import { printPdf } from './pdf-print.ts'
import { createPdfView, type PdfMatches, type PdfState, type PdfView } from './pdf-view.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(pdfStyles)])

/** Parts of the document that could not be read. */
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
  const [pdf, setPdf] = useState<PdfDocument | null>(null)
  const [failure, setFailure] = useState<{ error: unknown } | null>(null)
  const [lock, setLock] = useState<Lock | null>(null)
  const [lost, setLost] = useState<Lost | null>(null)
  const openAnew = use(TryAgain)

  useEffect(() => {
    const abort = new AbortController()
    setFailure(null)
    setPdf(null)
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
    Promise.all([
      openPdf({ source, entry, signal: abort.signal, askPassword, onLost }),
      loadStylesheet(libraryStyles),
    ]).then(
      ([opened]) => {
        if (abort.signal.aborted) return
        setLock(null)
        setPdf(opened)
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setFailure({ error })
      },
    )
    return () => abort.abort()
  }, [source, entry, openAnew])

  if (failure) {
    const { error } = failure
    return (
      <Message source={source} entry={entry} error={error} title={t`This PDF can’t be shown`}>
        <Trans>The file is damaged or is not a PDF.</Trans>
      </Message>
    )
  }
  if (pdf) return <Pages {...props} pdf={pdf} lost={lost} />
  if (lock) return <PasswordForm lock={lock} onDone={() => setLock(null)} />
  return <Busy />
}

function Pages(props: ViewerProps & { pdf: PdfDocument; lost: Lost | null }) {
  const { source, entry, pdf, lost, setFacts } = props
  const { t } = useLingui()
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<PdfView>(null)
  const [state, setState] = useState<PdfState>({ page: 1, pages: pdf.numPages, scale: 1 })
  const [matches, setMatches] = useState<PdfMatches | null>(null)
  const [outlineShown, setOutlineShown] = useState(false)
  const [searching, setSearching] = useState(false)
  const printing = useRef<AbortController>(null)
  const [printPage, setPrintPage] = useState(0)

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
  }, [pdf, source, entry])

  useEffect(() => {
    const { pages } = state
    setFacts(pages === 1 ? t`1 page` : t`${pages} pages`)
    rememberPosition(source, entry, state.page > 1 ? state.page : null)
  }, [state, setFacts, t, source, entry])

  useEffect(() => () => printing.current?.abort(), [])

  function endSearch() {
    setSearching(false)
    setMatches(null)
    view.current?.endFind()
    focusQuietly(container.current)
  }

  async function print() {
    if (printing.current !== null) return
    const abort = new AbortController()
    printing.current = abort
    try {
      await printPdf(pdf, setPrintPage, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) toastError(error)
    } finally {
      printing.current = null
      setPrintPage(0)
    }
  }

  useViewerKeys((event) => {
    const mod = event.ctrlKey || event.metaKey
    const key = keyLetter(event)
    if (mod && key === 'F') setSearching(true)
    else if (mod && key === 'P') void print()
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
      <ToolRow label={t`Document`}>
        <Tool
          icon={PanelLeft}
          flipIcon
          label={t`Contents`}
          pressed={outlineShown}
          onClick={() => setOutlineShown(!outlineShown)}
        />
        <ToolGap />
        <PageField state={state} onGo={(page) => view.current?.goToPage(page)} />
        <ToolGap />
        <Tool icon={ZoomOut} label={t`Zoom out`} onClick={() => view.current?.zoom(1 / 1.2)} />
        <output className="vw-percent" aria-label={t`Zoom`}>
          {t`${Math.round(state.scale * 100)}%`}
        </output>
        <Tool icon={ZoomIn} label={t`Zoom in`} onClick={() => view.current?.zoom(1.2)} />
        <Tool icon={MoveHorizontal} label={t`Fit width`} onClick={() => view.current?.fitWidth()} />
        <Tool icon={Scan} label={t`Fit page`} onClick={() => view.current?.fitPage()} />
        <ToolGap />
        <Tool
          icon={Search}
          label={t`Find in document`}
          pressed={searching}
          onClick={() => (searching ? endSearch() : setSearching(true))}
        />
        <Tool icon={Printer} label={t`Print`} onClick={() => void print()} />
      </ToolRow>
      {searching && <FindRow view={view} matches={matches} onClose={endSearch} />}
      <div className="vw-pdf">
        {outlineShown && (
          <PdfOutline
            pdf={pdf}
            onGo={(destination) => {
              view.current?.goTo(destination)
              if (innerWidth < 736) setOutlineShown(false)
            }}
          />
        )}
        <div className="vw-pdf-pages">
          <div
            className="vw-pdf-scroll"
            ref={container}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
            tabIndex={0}
            role="document"
          >
            <div className="pdfViewer" />
          </div>
        </div>
        {lost !== null && (
          <div className="vw-toast" role="alert">
            {messageOf(lost.error)}
            <Button size="sm" onClick={lost.retry}>
              <Trans>Try again</Trans>
            </Button>
          </div>
        )}
        {printPage > 0 && lost === null && (
          <div className="vw-toast" role="status">
            <Trans>
              Preparing page {printPage} of {state.pages}
            </Trans>
            <Button size="sm" onClick={() => printing.current?.abort()}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        )}
      </div>
    </>
  )
}

function PageField({ state, onGo }: { state: PdfState; onGo(page: number): void }) {
  const { t } = useLingui()
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <form
      className="vw-page"
      onSubmit={(event) => {
        event.preventDefault()
        const page = Number.parseInt(typed ?? '', 10)
        if (page > 0) onGo(page)
        setTyped(null)
      }}
    >
      <input
        className="vw-field"
        inputMode="numeric"
        aria-label={t`Page`}
        size={Math.max(2, String(state.pages).length)}
        value={typed ?? state.page}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setTyped(null)}
      />
      <span>/ {state.pages}</span>
    </form>
  )
}

interface FindRowProps {
  view: RefObject<PdfView | null>
  matches: PdfMatches | null
  onClose(): void
}

function FindRow({ view, matches, onClose }: FindRowProps) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const found = matches?.total ?? 0
  const current = matches?.current ?? 0
  return (
    <search className="vw-row">
      <input
        className="vw-field vw-field-wide"
        type="search"
        // biome-ignore lint/a11y/noAutofocus: the row opens because somebody asked to search
        autoFocus
        aria-label={t`Find in document`}
        placeholder={t`Find in document`}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          view.current?.find(event.currentTarget.value, 'new')
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') view.current?.find(text, event.shiftKey ? 'previous' : 'next')
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <span className="vw-count" role="status">
        {text === '' || matches?.searching
          ? ''
          : found === 0
            ? t`Not found`
            : t`${current} of ${found}`}
      </span>
      <Tool
        icon={ChevronUp}
        label={t`Previous match`}
        onClick={() => view.current?.find(text, 'previous')}
      />
      <Tool
        icon={ChevronDown}
        label={t`Next match`}
        onClick={() => view.current?.find(text, 'next')}
      />
      <Tool icon={X} label={t`Close search`} onClick={onClose} />
    </search>
  )
}

function PasswordForm({ lock, onDone }: { lock: Lock; onDone(): void }) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  return (
    <form
      className="vw-message"
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
        {lock.wrong ? t`That password is wrong. Try again.` : t`Enter its password to open it.`}
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
