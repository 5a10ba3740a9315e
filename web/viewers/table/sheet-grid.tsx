// The cells of one sheet as a grid that scrolls both ways.

// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: cells are read, not operated

import { useLingui } from '@lingui/react/macro'
import type { VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { useColumns, useRows } from '../../lib/page/use-rows.ts'
import { focusQuietly, useViewerKeys } from '../frame/viewer-keys.ts'
import type { SheetTable } from './sheet-message.ts'

const ROW_PX = 30
const HEAD_COLUMN_PX = 56

/** One sheet; only the cells in sight exist in the page. */
export function SheetGrid({ table }: { table: SheetTable }) {
  const { t } = useLingui()
  const scroller = useRef<HTMLDivElement>(null)
  const [widths] = useState(() => columnWidths(table))
  const rows = useRows(() => scroller.current, table.rows.length, ROW_PX, { paddingStart: ROW_PX })
  const columns = useColumns(() => scroller.current, widths, {
    isRtl: false,
    paddingStart: HEAD_COLUMN_PX,
  })

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
          <span className="vw-grid-corner" role="columnheader" />
          {visible.map((column) => (
            <span
              key={column.key}
              role="columnheader"
              className="vw-grid-cell trunc"
              style={{ width: column.size, transform: `translateX(${column.start}px)` }}
            >
              {letters(column.index)}
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

/** By the longest of the first rows, within bounds. */
function columnWidths(table: SheetTable): number[] {
  const widths = new Array<number>(table.columns).fill(72)
  for (const row of table.rows.slice(0, 200)) {
    for (const [index, text] of row.entries()) {
      widths[index] = Math.min(340, Math.max(widths[index] ?? 72, text.length * 8.5 + 28))
    }
  }
  return widths
}

function isNumber(text: string): boolean {
  return /^[-+(]?[\p{Sc}]?\s?\d[\d.,'\s]*\)?\s?[%\p{Sc}]?$/u.test(text)
}

/** 0 is A, 25 is Z, 26 is AA. */
function letters(index: number): string {
  const first = Math.floor(index / 26)
  return (first > 0 ? letters(first - 1) : '') + String.fromCharCode(65 + (index % 26))
}
