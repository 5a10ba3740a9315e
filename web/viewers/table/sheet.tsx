// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: cells are read, not operated
// Spreadsheets: the sheets as tables, values as the file formats them.

import { Trans, useLingui } from '@lingui/react/macro'
import type { VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { ApiError } from '../../api/client.ts'
import { extensionOf } from '../../lib/file-class.ts'
import { formatNumber } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useColumns, useRows } from '../../lib/page/use-rows.ts'
import { ZipError } from '../archive/zip-reader.ts'
import partsStyles from '../frame/parts.css?url'
import type { FileSource, ViewerProps } from '../frame/source.ts'
import { Busy, Message, UnreadReason } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { focusQuietly, useViewerKeys } from '../frame/viewer-keys.ts'
import { readWhole, repackOffice } from '../office/repack.ts'
import { ColumnEdge } from './column-edge.tsx'
import { useColumnWidths } from './column-widths.ts'
import sheetStyles from './sheet.css?url'
import workerUrl from './sheet.worker.ts?worker'
import type { SheetReply, SheetTable } from './sheet-message.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(sheetStyles)])

const PATIENCE_MS = 30_000
/** The binary formats of old are no archives and cannot be unpacked beforehand. */
const MAX_BINARY_BYTES = 24 * 1024 * 1024

type Failure = ZipError['reason'] | 'slow' | ApiError

export function SheetViewer({ source, entry, setFacts }: ViewerProps) {
  const { t } = useLingui()
  const read = useFile(source, entry, (signal) =>
    readSheets(source, entry, signal).catch((error): Failure => {
      if (error instanceof ApiError) return error
      return error instanceof ZipError ? error.reason : 'damaged'
    }),
  )
  const [shown, setShown] = useState(0)
  const tables = read.state === 'ready' && Array.isArray(read.value) ? read.value : null
  const table = tables?.[shown]

  useEffect(() => {
    if (!table) return
    const rows = formatNumber(table.rows.length)
    const columns = formatNumber(table.columns)
    setFacts(t`${rows} rows × ${columns} columns`)
  }, [table, setFacts, t])

  if (read.state !== 'ready') return <Busy />
  if (tables === null) {
    const failure = read.value
    return (
      <Message source={source} entry={entry} error={failure} title={t`This table can’t be shown`}>
        {failure === 'slow' ? (
          <Trans>The file took too long to open.</Trans>
        ) : (
          <UnreadReason reason={failure} />
        )}
      </Message>
    )
  }
  return (
    <div className="vw-sheet vw-part col">
      {table && table.rows.length > 0 ? (
        <SheetGrid key={shown} table={table} />
      ) : (
        !table?.cut && (
          <p className="vw-side-empty dim">
            <Trans>This sheet is empty.</Trans>
          </p>
        )
      )}
      {table?.cut && (
        <p className="vw-note rigid fs-md tone-warn" role="note">
          <Trans>Only part of this sheet is shown. Download the file to see all of it.</Trans>
        </p>
      )}
      {tables.length > 1 && (
        <div className="vw-sheet-tabs" role="tablist" aria-label={t`Sheets`} data-gestures="own">
          {tables.map(({ name }, index) => (
            <button
              type="button"
              role="tab"
              key={name}
              aria-selected={index === shown}
              onClick={() => setShown(index)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

async function readSheets(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<SheetTable[] | Failure> {
  const binary = extensionOf(entry.name) === 'xls'
  const bytes = binary
    ? await readWhole(source, entry, MAX_BINARY_BYTES, signal)
    : (await repackOffice(source, entry, signal)).buffer
  const worker = new Worker(workerUrl, { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => resolve('slow'), PATIENCE_MS)
      signal.addEventListener('abort', () => reject(signal.reason))
      worker.onmessage = ({ data }: MessageEvent<SheetReply>) =>
        resolve('tables' in data ? data.tables : data.failed)
      worker.onerror = () => resolve('damaged')
      worker.postMessage(bytes, [bytes])
    })
  } finally {
    clearTimeout(timer)
    worker.terminate()
  }
}

const ROW_PX = 30
const HEAD_COLUMN_PX = 56
const LEAST_CHARS = 6
const MOST_CHARS = 42
const ROWS_LOOKED_AT = 200

/** One sheet; only the cells in sight exist in the page. */
function SheetGrid({ table }: { table: SheetTable }) {
  const { t } = useLingui()
  const scroller = useRef<HTMLDivElement>(null)
  const [chars] = useState(() => columnChars(table))
  const { widths, resize } = useColumnWidths(scroller, chars, HEAD_COLUMN_PX)
  const rows = useRows(() => scroller.current, table.rows.length, ROW_PX, { paddingStart: ROW_PX })
  const columns = useColumns(() => scroller.current, widths, {
    isRtl: false,
    paddingStart: HEAD_COLUMN_PX,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it has read the widths before
  useLayoutEffect(() => columns.measure(), [widths])

  useEffect(() => focusQuietly(scroller.current), [])
  useViewerKeys((event) => {
    const view = scroller.current
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return false
    const steps: Record<string, [number, number]> = {
      ArrowUp: [0, -ROW_PX],
      ArrowDown: [0, ROW_PX],
      ArrowLeft: [-100, 0],
      ArrowRight: [100, 0],
      PageUp: [0, -view.clientHeight + ROW_PX * 2],
      PageDown: [0, view.clientHeight - ROW_PX * 2],
      Home: [0, -view.scrollHeight],
      End: [0, view.scrollHeight],
    }
    const step = steps[event.key]
    if (!step) return false
    view.scrollBy({ left: step[0], top: step[1] })
    return true
  })

  const visible = columns.getVirtualItems()
  return (
    <div
      className="vw-scroll fs-md"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
      tabIndex={0}
      role="table"
      aria-label={table.name || t`Table`}
      aria-rowcount={table.rows.length}
      aria-colcount={table.columns}
      dir="ltr"
    >
      <div
        className="vw-grid-body relative"
        style={{ width: columns.getTotalSize(), height: rows.getTotalSize() }}
      >
        <div className="vw-grid-row vw-grid-head dim" role="row">
          <span className="vw-grid-corner" role="columnheader">
            <span className="sr">{t`Row`}</span>
          </span>
          {visible.map((column) => (
            <span
              key={column.key}
              role="columnheader"
              className="vw-grid-cell"
              style={{ width: column.size, transform: `translateX(${column.start}px)` }}
            >
              {letters(column.index)}
              <ColumnEdge px={column.size} onResize={(px) => resize(column.index, { px })} />
            </span>
          ))}
        </div>
        {rows.getVirtualItems().map((row) => (
          <SheetRow
            key={row.key}
            index={row.index}
            startPx={row.start}
            cells={table.rows[row.index] ?? []}
            columns={visible}
          />
        ))}
      </div>
    </div>
  )
}

interface SheetRowProps {
  index: number
  startPx: number
  cells: readonly string[]
  columns: readonly VirtualItem[]
}

function SheetRow({ index, startPx, cells, columns }: SheetRowProps) {
  return (
    <div
      className="vw-grid-row"
      role="row"
      aria-rowindex={index + 1}
      style={{ transform: `translateY(${startPx}px)` }}
    >
      <span className="vw-grid-number" role="rowheader">
        {index + 1}
      </span>
      {columns.map((column) => {
        const text = cells[column.index] ?? ''
        return (
          <span
            key={column.key}
            role="cell"
            aria-colindex={column.index + 1}
            className="vw-grid-cell trunc"
            data-number={isNumber(text)}
            title={text.length > 24 ? text : undefined}
            style={{ width: column.size, transform: `translateX(${column.start}px)` }}
          >
            {text}
          </span>
        )
      })}
    </div>
  )
}

/** How long the texts of each column are, as far as its width goes by them. */
function columnChars(table: SheetTable): number[] {
  const chars = new Array<number>(table.columns).fill(LEAST_CHARS)
  for (const row of table.rows.slice(0, ROWS_LOOKED_AT)) {
    for (const [index, text] of row.entries()) {
      chars[index] = Math.max(chars[index] ?? LEAST_CHARS, Math.min(MOST_CHARS, text.length))
    }
  }
  return chars
}

function isNumber(text: string): boolean {
  return /^[-+(]?[\p{Sc}]?\s?\d[\d.,'\s]*\)?\s?[%\p{Sc}]?$/u.test(text)
}

/** 0 is A, 25 is Z, 26 is AA. */
function letters(index: number): string {
  const first = Math.floor(index / 26)
  return (first > 0 ? letters(first - 1) : '') + String.fromCharCode(65 + (index % 26))
}
