// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, cells are its active descendants
// The grid of a sheet: only the cells in sight are in the page.

import { useLingui } from '@lingui/react/macro'
import type { VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useColumns, useRows } from '../../lib/page/use-rows.ts'
import { focusQuietly } from '../frame/viewer-keys.ts'
import { type Cell, CellDetail, useChosenCell } from './chosen-cell.tsx'
import { ColumnEdge } from './column-edge.tsx'
import { useColumnWidths } from './column-widths.ts'
import type { SheetTable } from './sheet-message.ts'

const ROW_PX = 30
const HEAD_COLUMN_PX = 56
const LEAST_CHARS = 6
const MOST_CHARS = 42
const ROWS_LOOKED_AT = 200

/** One sheet; only the cells in sight exist in the page. */
export function SheetGrid({ table }: { table: SheetTable }) {
  const { t } = useLingui()
  const scroller = useRef<HTMLDivElement>(null)
  const [chars] = useState(() => columnChars(table))
  const { widths, resize } = useColumnWidths(scroller, chars, HEAD_COLUMN_PX)
  const rows = useRows(() => scroller.current, table.rows.length, ROW_PX, {
    paddingStart: ROW_PX,
    scrollPaddingStart: ROW_PX,
  })
  const columns = useColumns(() => scroller.current, widths, {
    isRtl: false,
    paddingStart: HEAD_COLUMN_PX,
    scrollPaddingStart: HEAD_COLUMN_PX,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it has read the widths before
  useLayoutEffect(() => columns.measure(), [widths])

  const { active, ...chosen } = useChosenCell({
    rows: table.rows.length,
    columns: table.columns,
    page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2),
    isRtl: false,
    textOf: ({ row, column }) => table.rows[row]?.[column] ?? '',
    resize,
    bringIntoSight({ row, column }) {
      rows.scrollToIndex(row)
      columns.scrollToIndex(column)
    },
  })

  useEffect(() => focusQuietly(scroller.current), [])

  const visible = columns.getVirtualItems()
  return (
    <>
      <div
        className="vw-scroll fs-md"
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={table.name || t`Table`}
        aria-rowcount={table.rows.length}
        aria-colcount={table.columns}
        aria-activedescendant={cellId(active)}
        onKeyDown={chosen.onKeyDown}
        data-own-keys
        dir="ltr"
      >
        <div
          className="vw-grid-body relative"
          style={{ width: columns.getTotalSize(), height: rows.getTotalSize() }}
        >
          <Heads columns={visible} onResize={(column, px) => resize(column, { px })} />
          {rows.getVirtualItems().map((row) => (
            <SheetRow
              key={row.key}
              index={row.index}
              startPx={row.start}
              cells={table.rows[row.index] ?? []}
              columns={visible}
              activeColumn={active.row === row.index ? active.column : null}
              onChoose={chosen.choose}
            />
          ))}
        </div>
      </div>
      {chosen.open && (
        <CellDetail
          name={letters(active.column)}
          rowNumber={active.row + 1}
          text={chosen.text}
          onCopy={() => void chosen.copy()}
          onClose={chosen.close}
        />
      )}
    </>
  )
}

interface HeadsProps {
  columns: readonly VirtualItem[]
  onResize(column: number, px: number): void
}

function Heads({ columns, onResize }: HeadsProps) {
  const { t } = useLingui()
  return (
    <div className="vw-grid-row vw-grid-head dim" role="row">
      <span className="vw-grid-corner" role="columnheader">
        <span className="sr">{t`Row`}</span>
      </span>
      {columns.map((column) => (
        <span
          key={column.key}
          role="columnheader"
          className="vw-grid-cell"
          style={{ width: column.size, transform: `translateX(${column.start}px)` }}
        >
          {letters(column.index)}
          <ColumnEdge px={column.size} onResize={(px) => onResize(column.index, px)} />
        </span>
      ))}
    </div>
  )
}

interface SheetRowProps {
  index: number
  startPx: number
  cells: readonly string[]
  columns: readonly VirtualItem[]
  activeColumn: number | null
  onChoose(cell: Cell): void
}

function SheetRow(props: SheetRowProps) {
  const { index, startPx, cells, columns, activeColumn, onChoose } = props
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
        const cell = { row: index, column: column.index }
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
          <span
            key={column.key}
            id={cellId(cell)}
            role="gridcell"
            aria-selected={activeColumn === column.index}
            aria-colindex={column.index + 1}
            className="vw-grid-cell trunc"
            data-number={isNumber(text)}
            title={text.length > 24 ? text : undefined}
            style={{ width: column.size, transform: `translateX(${column.start}px)` }}
            onClick={() => onChoose(cell)}
          >
            {text}
          </span>
        )
      })}
    </div>
  )
}

const cellId = ({ row, column }: Cell) => `sheet-${row}-${column}`

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
