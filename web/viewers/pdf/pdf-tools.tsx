import { Trans, useLingui } from '@lingui/react/macro'
import {
  ChevronDown,
  ChevronUp,
  GalleryVertical,
  MoveHorizontal,
  PanelLeft,
  Printer,
  Scan,
  Search,
  X,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import { type RefObject, useState } from 'react'
import { useRead } from '../../lib/page/use-read.ts'
import { Tool, ToolGap, ToolRow } from '../frame/tools.tsx'
import type { PdfDocument } from './pdf-document.ts'
import { type OutlineItem, withinLimits } from './pdf-outline-items.ts'
import type { PdfMatches, PdfState, PdfView } from './pdf-view.ts'

/** What the column beside the document shows. */
export type PdfSide = 'pages' | 'outline'

interface ToolbarProps {
  view: RefObject<PdfView | null>
  state: PdfState
  side: PdfSide | null
  searching: boolean
  onSide(side: PdfSide | null): void
  onSearch(): void
  onPrint(): void
}

export function Toolbar({ view, state, side, searching, ...on }: ToolbarProps) {
  const { t } = useLingui()
  return (
    <ToolRow label={t`Document`}>
      <Tool
        icon={GalleryVertical}
        label={t`Pages`}
        pressed={side === 'pages'}
        onClick={() => on.onSide(side === 'pages' ? null : 'pages')}
      />
      <Tool
        icon={PanelLeft}
        flipIcon
        label={t`Table of contents`}
        pressed={side === 'outline'}
        onClick={() => on.onSide(side === 'outline' ? null : 'outline')}
      />
      <ToolGap />
      <PageField state={state} onGo={(page) => view.current?.goToPage(page)} />
      <ToolGap />
      <Tool icon={ZoomOut} label={t`Zoom out`} onClick={() => view.current?.zoom(1 / 1.2)} />
      <output className="vw-percent num nowrap fs-md" aria-label={t`Zoom`}>
        {t`${Math.round(state.scale * 100)}%`}
      </output>
      <Tool icon={ZoomIn} label={t`Zoom in`} onClick={() => view.current?.zoom(1.2)} />
      <Tool icon={MoveHorizontal} label={t`Fit width`} onClick={() => view.current?.fitWidth()} />
      <Tool icon={Scan} label={t`Fit page`} onClick={() => view.current?.fitPage()} />
      <ToolGap />
      <Tool icon={Search} label={t`Find in document`} pressed={searching} onClick={on.onSearch} />
      <Tool icon={Printer} label={t`Print`} onClick={on.onPrint} />
    </ToolRow>
  )
}

function PageField({ state, onGo }: { state: PdfState; onGo(page: number): void }) {
  const { t } = useLingui()
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <form
      className="vw-page num row fs-md mid"
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

export function FindRow({ view, matches, onClose }: FindRowProps) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const found = matches?.total ?? 0
  const current = matches?.current ?? 0
  return (
    <search className="vw-row row line-bottom">
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
      <span className="vw-count num fs-md mid" role="status">
        {text === '' || matches?.searching
          ? ''
          : found === 0
            ? t`No matches`
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

export function PdfOutline({ pdf, onGo }: { pdf: PdfDocument; onGo(destination: unknown): void }) {
  const { t } = useLingui()
  const read = useRead([pdf], async () => withinLimits((await pdf.getOutline()) ?? []))
  // A damaged outline is as good as none; the pages are still there.
  const items = read.state === 'ready' ? read.value : read.state === 'failed' ? [] : null

  return (
    <nav className="vw-side rigid sunken" aria-label={t`Table of contents`} data-gestures="own">
      {items?.length === 0 && (
        <p className="vw-side-empty dim">
          <Trans>This document has no table of contents.</Trans>
        </p>
      )}
      {items && <Level items={items} depth={0} onGo={onGo} />}
    </nav>
  )
}

interface LevelProps {
  items: OutlineItem[]
  depth: number
  onGo(destination: unknown): void
}

function Level({ items, depth, onGo }: LevelProps) {
  if (items.length === 0) return null
  return (
    <ul>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outline entries have no identity
        <li key={index}>
          <button
            type="button"
            className="vw-item mid"
            disabled={!item.dest}
            style={{ paddingInlineStart: `${0.75 + depth * 0.9}rem` }}
            onClick={() => onGo(item.dest)}
          >
            {item.title}
          </button>
          <Level items={item.items} depth={depth + 1} onGo={onGo} />
        </li>
      ))}
    </ul>
  )
}
