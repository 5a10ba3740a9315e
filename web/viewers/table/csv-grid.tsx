// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, cells are its active descendants

// The grid of a table: only the rows and columns in sight are in the page. Rows may be more than a
// browser can scroll over, so the scroll bar then stands for the share and not for pixels.

import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp, Copy, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { formatNumber } from '../../lib/format.ts'
import { keyLetter } from '../../lib/key-letter.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { isNumeric } from '../../text/csv.ts'
import { IconButton } from '../../ui/button.tsx'
import { focusQuietly } from '../frame/viewer-keys.ts'
import type { CsvFacts, CsvRow, CsvSort } from './csv-client.ts'

const ROW_PX = 32
const HEAD_PX = 36
const CHAR_PX = 7.6
const CELL_PADDING_PX = 24
/** Browsers give up on taller boxes, some of them a little above this. */
const MAX_HEIGHT_PX = 15_000_000
const OVERSCAN_PX = 400

interface CsvGridProps {
  label: string
  facts: CsvFacts
  rowCount: number
  sort: CsvSort | null
  rowAt(at: number): CsvRow | undefined
  onSort(sort: CsvSort | null): void
}

interface Scroll {
  top: number
  left: number
  width: number
  height: number
}

export function CsvGrid({ label, facts, rowCount, sort, rowAt, onSort }: CsvGridProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState<Scroll>({ top: 0, left: 0, width: 1200, height: 800 })
  const [active, setActive] = useState({ row: 0, column: 0 })
  const [open, setOpen] = useState(false)
  const numberPx = 20 + String(facts.rowCount).length * 8.5
  const columns = useMemo(() => layOut(facts.widths), [facts.widths])

  const full = rowCount * ROW_PX
  const height = Math.min(full, MAX_HEIGHT_PX)
  const view = Math.max(0, scroll.height - HEAD_PX)
  const exact = full === height
  const range = Math.max(1, height - view)
  const virtualTop = exact ? scroll.top : (scroll.top / range) * Math.max(0, full - view)
  const firstRow = Math.max(0, Math.floor(virtualTop / ROW_PX) - (exact ? 6 : 0))
  const lastRow = Math.min(rowCount, Math.ceil((virtualTop + view) / ROW_PX) + 6)
  const shift = exact ? firstRow * ROW_PX : scroll.top - (virtualTop - firstRow * ROW_PX)
  const seen = columns.list.filter(
    (column) =>
      column.left + column.width > scroll.left - OVERSCAN_PX &&
      column.left < scroll.left + scroll.width + OVERSCAN_PX,
  )

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    let frame = 0
    const measure = () => {
      frame = 0
      setScroll({
        top: element.scrollTop,
        left: Math.abs(element.scrollLeft),
        width: element.clientWidth,
        height: element.clientHeight,
      })
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
  }, [])

  useEffect(() => focusQuietly(box.current), [])

  // Another order or another filter starts at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are the trigger
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0
    setActive(({ column }) => ({ row: 0, column }))
  }, [sort, rowCount, facts])

  function bringIntoSight(row: number, column: number) {
    const element = box.current
    if (element === null) return
    const top = row * ROW_PX
    if (top < virtualTop) element.scrollTop = exact ? top : (top / Math.max(1, full - view)) * range
    else if (top + ROW_PX > virtualTop + view) {
      const wanted = top + ROW_PX - view
      element.scrollTop = exact ? wanted : (wanted / Math.max(1, full - view)) * range
    }
    const place = columns.list[column]
    if (place === undefined) return
    const room = element.clientWidth - numberPx
    const sign = document.documentElement.dir === 'rtl' ? -1 : 1
    if (place.left < scroll.left) element.scrollLeft = place.left * sign
    else if (place.left + place.width > scroll.left + room) {
      element.scrollLeft = (place.left + place.width - room) * sign
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if ((event.ctrlKey || event.metaKey) && keyLetter(event) === 'C') {
      if (getSelection()?.isCollapsed) void copyCell()
      return
    }
    const page = Math.max(1, Math.floor(view / ROW_PX) - 1)
    const side = document.documentElement.dir === 'rtl' ? -1 : 1
    const moves: Record<string, readonly [rows: number, columns: number]> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      PageDown: [page, 0],
      PageUp: [-page, 0],
      ArrowRight: [0, side],
      ArrowLeft: [0, -side],
      Home: event.ctrlKey ? [-rowCount, 0] : [0, -columns.list.length],
      End: event.ctrlKey ? [rowCount, 0] : [0, columns.list.length],
    }
    const move = moves[event.key]
    if (move !== undefined) {
      const row = clamp(active.row + move[0], rowCount)
      const column = clamp(active.column + move[1], columns.list.length)
      setActive({ row, column })
      bringIntoSight(row, column)
    } else if (event.key === 'Enter') setOpen(!open)
    else if (event.key === 'Escape' && open) setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const cell = rowAt(active.row)?.cells[active.column] ?? ''
  async function copyCell() {
    try {
      await copyText(cell)
      toastSuccess(t`Cell copied`)
    } catch (error) {
      toastError(error instanceof Error ? error.message : error)
    }
  }

  const nameOf = (column: number) => facts.headings[column] || t`Column ${column + 1}`
  const lastColumn = columns.list.length
  return (
    <>
      <div
        className="csv"
        ref={box}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rowCount + 1}
        aria-colcount={lastColumn + 1}
        aria-activedescendant={`csv-${active.row}-${active.column}`}
        onKeyDown={onKeyDown}
        data-own-keys
      >
        <div
          className="csv-sheet"
          role="none"
          style={{ blockSize: height + HEAD_PX, inlineSize: columns.width + numberPx }}
        >
          <div className="csv-head" role="row" aria-rowindex={1} style={{ blockSize: HEAD_PX }}>
            <span
              className="csv-corner"
              style={{ inlineSize: numberPx }}
              role="columnheader"
              aria-label={t`Row`}
            />
            {seen.map((column) => (
              <Heading
                key={column.index}
                name={nameOf(column.index)}
                index={column.index}
                start={column.left + numberPx}
                width={column.width}
                sort={sort?.column === column.index ? sort : null}
                onSort={onSort}
              />
            ))}
          </div>
          <div
            role="rowgroup"
            style={{
              position: 'absolute',
              insetBlockStart: HEAD_PX,
              transform: `translateY(${shift}px)`,
            }}
          >
            {Array.from({ length: Math.max(0, lastRow - firstRow) }, (_, offset) => {
              const at = firstRow + offset
              const row = rowAt(at)
              return (
                <div
                  key={at}
                  className="csv-row"
                  role="row"
                  aria-rowindex={at + 2}
                  data-odd={at % 2 === 1}
                  style={{ blockSize: ROW_PX, inlineSize: columns.width + numberPx }}
                >
                  <span
                    className="csv-number num"
                    role="rowheader"
                    style={{ inlineSize: numberPx }}
                  >
                    {row === undefined ? '' : formatNumber(row.number)}
                  </span>
                  {seen.map((column) => {
                    const text = row?.cells[column.index] ?? ''
                    const chosen = active.row === at && active.column === column.index
                    return (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
                      <span
                        key={column.index}
                        id={`csv-${at}-${column.index}`}
                        className={isNumeric(text) ? 'csv-cell num' : 'csv-cell'}
                        role="gridcell"
                        aria-selected={chosen}
                        style={{
                          insetInlineStart: column.left + numberPx,
                          inlineSize: column.width,
                        }}
                        onClick={() => {
                          setActive({ row: at, column: column.index })
                          setOpen(true)
                        }}
                      >
                        {/* Its own direction; that of the cell is where the cell is counted from. */}
                        <bdi className="trunc">
                          {text.length > 200 ? `${text.slice(0, 200)}…` : text}
                        </bdi>
                      </span>
                    )
                  })}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {open && rowCount > 0 && (
        <aside className="csv-detail" aria-label={t`Cell`}>
          <div className="csv-detail__head">
            <strong className="trunc">{nameOf(active.column)}</strong>
            <span className="dim num">{t`Row ${formatNumber(rowAt(active.row)?.number ?? 0)}`}</span>
            <span className="grow" />
            <IconButton
              size="sm"
              icon={Copy}
              label={t`Copy cell`}
              onClick={() => void copyCell()}
            />
            <IconButton size="sm" icon={X} label={t`Close`} onClick={() => setOpen(false)} />
          </div>
          <p className="csv-detail__text" dir="auto">
            {cell === '' ? <span className="dim">{t`Empty`}</span> : cell}
          </p>
        </aside>
      )}
    </>
  )
}

interface HeadingProps {
  name: string
  index: number
  start: number
  width: number
  sort: CsvSort | null
  onSort(sort: CsvSort | null): void
}

/** Up, down, and back to the order of the file. */
function Heading({ name, index, start, width, sort, onSort }: HeadingProps) {
  const next =
    sort === null
      ? { column: index, ascending: true }
      : sort.ascending
        ? { column: index, ascending: false }
        : null
  const order = sort === null ? 'none' : sort.ascending ? 'ascending' : 'descending'
  return (
    <span
      className="csv-heading"
      role="columnheader"
      aria-sort={order}
      style={{ insetInlineStart: start, inlineSize: width }}
    >
      <button type="button" onClick={() => onSort(next)} title={name}>
        <bdi className="trunc">{name}</bdi>
        {sort?.ascending === true && <ArrowUp className="i i-xs" aria-hidden />}
        {sort?.ascending === false && <ArrowDown className="i i-xs" aria-hidden />}
      </button>
    </span>
  )
}

function layOut(widths: readonly number[]) {
  let left = 0
  const list = widths.map((chars, index) => {
    const width = Math.round(chars * CHAR_PX + CELL_PADDING_PX)
    const column = { index, left, width }
    left += width
    return column
  })
  return { list, width: left }
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value))
}
