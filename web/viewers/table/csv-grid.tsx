// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, cells are its active descendants

// The grid of a table: only the rows and columns in sight are in the page. Rows may be more than a
// browser can scroll over, so the scroll bar then stands for the share and not for pixels.

import { useLingui } from '@lingui/react/macro'
import type { VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { isRtl } from '../../lib/i18n.ts'
import { useColumns } from '../../lib/page/use-rows.ts'
import { isNumeric } from '../../text/csv.ts'
import { focusQuietly } from '../frame/viewer-keys.ts'
import { type Cell, CellDetail, useChosenCell } from './chosen-cell.tsx'
import { useColumnWidths } from './column-widths.ts'
import type { CsvFacts, CsvRow, CsvSort } from './csv-client.ts'
import { HEAD_PX, HeadRow, type HeadRowProps } from './csv-head.tsx'

const ROW_PX = 32
/** Browsers give up on taller boxes, some of them a little above this. */
const MAX_HEIGHT_PX = 15_000_000
const OVERSCAN_ROWS = 6

interface CsvGridProps {
  label: string
  facts: CsvFacts
  rowCount: number
  sort: CsvSort | null
  rowAt(at: number): CsvRow | undefined
  onSort(sort: CsvSort | null): void
}

export function CsvGrid({ label, facts, rowCount, sort, rowAt, onSort }: CsvGridProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const numberPx = 20 + String(facts.rowCount).length * 8.5
  const { widths, resize } = useColumnWidths(box, facts.widths, numberPx)
  const columns = useColumns(() => box.current, widths, {
    paddingStart: numberPx,
    scrollPaddingStart: numberPx,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it has read the widths before
  useLayoutEffect(() => columns.measure(), [widths])
  const rows = useTallRows(box, rowCount)
  const isNumber = (column: number) => isNumeric(rowAt(0)?.cells[column] ?? '')
  const nameOf = (column: number) => facts.headings[column] || t`Column ${column + 1}`
  const { active, setActive, ...chosen } = useChosenCell({
    rows: rowCount,
    columns: widths.length,
    page: rows.page,
    isRtl: isRtl(),
    textOf: ({ row, column }) => rowAt(row)?.cells[column] ?? '',
    resize,
    bringIntoSight({ row, column }) {
      rows.bringIntoSight(row)
      columns.scrollToIndex(column)
    },
  })

  useEffect(() => focusQuietly(box.current), [])

  // Another order or another filter starts at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are the trigger
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0
    setActive(({ column }) => ({ row: 0, column }))
  }, [sort, rowCount, facts])

  return (
    <>
      <div
        className="csv vw-scroll"
        ref={box}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rowCount + 1}
        aria-colcount={widths.length + 1}
        aria-activedescendant={`csv-${active.row}-${active.column}`}
        onKeyDown={chosen.onKeyDown}
        data-own-keys
      >
        <Sheet
          {...{ rows, columns, numberPx, nameOf, isNumber, sort, onSort, rowAt, active }}
          onResize={(column, px) => resize(column, { px })}
          onChoose={chosen.choose}
        />
      </div>
      {chosen.open && rowCount > 0 && (
        <CellDetail
          name={nameOf(active.column)}
          rowNumber={rowAt(active.row)?.number ?? 0}
          text={chosen.text}
          onCopy={() => void chosen.copy()}
          onClose={chosen.close}
        />
      )}
    </>
  )
}

interface SheetProps extends Pick<CsvGridProps, 'rowAt'>, Omit<HeadRowProps, 'columns'> {
  rows: ReturnType<typeof useTallRows>
  columns: ReturnType<typeof useColumns>
  active: Cell
  onChoose(cell: Cell): void
}

function Sheet({ rows, columns, rowAt, active, onChoose, ...head }: SheetProps) {
  const inSight = columns.getVirtualItems()
  const inlineSize = columns.getTotalSize()
  return (
    <div
      className="csv-sheet relative"
      role="none"
      style={{ blockSize: rows.heightPx + HEAD_PX, inlineSize }}
    >
      <HeadRow columns={inSight} {...head} />
      <div
        role="rowgroup"
        style={{
          position: 'absolute',
          insetBlockStart: HEAD_PX,
          transform: `translateY(${rows.shiftPx}px)`,
        }}
      >
        {rows.indexes.map((at) => (
          <Row
            key={at}
            at={at}
            row={rowAt(at)}
            columns={inSight}
            numberPx={head.numberPx}
            inlineSize={inlineSize}
            activeColumn={active.row === at ? active.column : null}
            onChoose={(column) => onChoose({ row: at, column })}
          />
        ))}
      </div>
    </div>
  )
}

/**
 * Which rows are in sight, by arithmetic: all have the same height. Tables taller than browsers can
 * scroll over are mapped onto a lower box, whose scroll bar then stands for the share.
 */
function useTallRows(box: RefObject<HTMLDivElement | null>, count: number) {
  const { top, height } = useScroll(box)
  const viewPx = Math.max(0, height - HEAD_PX)
  const fullPx = count * ROW_PX
  const heightPx = Math.min(fullPx, MAX_HEIGHT_PX)
  const exact = fullPx === heightPx
  /** Pixels of the table for one pixel of the scroll bar. */
  const scale = exact ? 1 : Math.max(0, fullPx - viewPx) / Math.max(1, heightPx - viewPx)
  const topPx = top * scale
  const first = Math.max(0, Math.floor(topPx / ROW_PX) - (exact ? OVERSCAN_ROWS : 0))
  const end = Math.min(count, Math.ceil((topPx + viewPx) / ROW_PX) + OVERSCAN_ROWS)
  return {
    indexes: Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset),
    heightPx,
    /** Where the first row is drawn, below the heading. */
    shiftPx: first * ROW_PX + top - topPx,
    page: Math.max(1, Math.floor(viewPx / ROW_PX) - 1),
    bringIntoSight(row: number) {
      const element = box.current
      const rowTopPx = row * ROW_PX
      if (element === null) return
      // What was drawn last is older than the key before.
      const seenPx = element.scrollTop * scale
      if (rowTopPx < seenPx) element.scrollTop = rowTopPx / scale
      else if (rowTopPx + ROW_PX > seenPx + viewPx) {
        element.scrollTop = (rowTopPx + ROW_PX - viewPx) / scale
      }
    },
  }
}

function useScroll(box: RefObject<HTMLDivElement | null>) {
  const [scroll, setScroll] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    let frame = 0
    const measure = () => {
      frame = 0
      setScroll({ top: element.scrollTop, height: element.clientHeight })
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    const observer = new ResizeObserver(later)
    observer.observe(element)
    element.addEventListener('scroll', later, { passive: true })
    measure()
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
      element.removeEventListener('scroll', later)
    }
  }, [box])
  return scroll
}

interface RowProps {
  at: number
  /** Undefined while it is read. */
  row: CsvRow | undefined
  columns: readonly VirtualItem[]
  numberPx: number
  inlineSize: number
  activeColumn: number | null
  onChoose(column: number): void
}

function Row({ at, row, columns, numberPx, inlineSize, activeColumn, onChoose }: RowProps) {
  return (
    <div
      className="csv-row line-bottom relative"
      role="row"
      aria-rowindex={at + 2}
      data-odd={at % 2 === 1}
      style={{ blockSize: ROW_PX, inlineSize }}
    >
      <span className="csv-number num" role="rowheader" style={{ inlineSize: numberPx }}>
        {row === undefined ? '' : formatNumber(row.number)}
      </span>
      {columns.map((column) => {
        const text = row?.cells[column.index] ?? ''
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
          <span
            key={column.index}
            id={`csv-${at}-${column.index}`}
            className={isNumeric(text) ? 'csv-cell num' : 'csv-cell'}
            role="gridcell"
            aria-selected={activeColumn === column.index}
            style={{ insetInlineStart: column.start, inlineSize: column.size }}
            onClick={() => onChoose(column.index)}
          >
            {/* Its own direction; that of the cell is where the cell is counted from. */}
            <bdi className="trunc">{text.length > 200 ? `${text.slice(0, 200)}…` : text}</bdi>
          </span>
        )
      })}
    </div>
  )
}
