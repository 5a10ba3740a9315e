// The chosen cell of a table: moved by arrows, its column made wider by Shift and an arrow, and all of its text below.

import { useLingui } from '@lingui/react/macro'
import { Copy, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { keyLetter } from '../../lib/page/keys.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { IconButton } from '../../ui/button.tsx'

/** Shift and an arrow make a column wider or narrower by this. */
const RESIZE_STEP_PX = 24

/** Row and column, from 0 on. */
export interface Cell {
  row: number
  column: number
}

interface TableCells {
  rows: number
  columns: number
  /** How many rows a page key passes. */
  page: number
  isRtl: boolean
  textOf(cell: Cell): string
  resize(column: number, to: { byPx: number }): void
  bringIntoSight(cell: Cell): void
}

/** Which cell of a table is chosen, whether all of its text is shown, and the keys of the table. */
export function useChosenCell(table: TableCells) {
  const { t } = useLingui()
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 })
  const [open, setOpen] = useState(false)
  const text = table.textOf(active)
  const copy = () => copyWithToast(text, t`Cell copied`)

  function onKeyDown(event: KeyboardEvent) {
    if ((event.ctrlKey || event.metaKey) && keyLetter(event) === 'C') {
      if (getSelection()?.isCollapsed) void copy()
      return
    }
    const move = event.altKey ? undefined : moveOf(event, table)
    if (move !== undefined && event.shiftKey && /^Arrow(Left|Right)$/.test(event.key)) {
      table.resize(active.column, { byPx: move[1] * RESIZE_STEP_PX })
    } else if (move !== undefined) {
      const row = clamp(active.row + move[0], table.rows)
      const column = clamp(active.column + move[1], table.columns)
      setActive({ row, column })
      table.bringIntoSight({ row, column })
    } else if (event.key === 'Enter' && event.target === event.currentTarget) setOpen(!open)
    else if (event.key === 'Escape' && open) setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    active,
    setActive,
    open,
    text,
    onKeyDown,
    copy,
    close: () => setOpen(false),
    choose(cell: Cell) {
      setActive(cell)
      setOpen(true)
    },
  }
}

function moveOf(
  event: KeyboardEvent,
  { rows, columns, page, isRtl }: TableCells,
): readonly [rows: number, columns: number] | undefined {
  const side = isRtl ? -1 : 1
  const moves: Record<string, readonly [number, number]> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    PageDown: [page, 0],
    PageUp: [-page, 0],
    ArrowRight: [0, side],
    ArrowLeft: [0, -side],
    Home: event.ctrlKey ? [-rows, 0] : [0, -columns],
    End: event.ctrlKey ? [rows, 0] : [0, columns],
  }
  return moves[event.key]
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value))
}

interface CellDetailProps {
  /** Of its column. */
  name: string
  rowNumber: number
  text: string
  onCopy(): void
  onClose(): void
}

/** All of a cell's text, below the table. */
export function CellDetail({ name, rowNumber, text, onCopy, onClose }: CellDetailProps) {
  const { t } = useLingui()
  return (
    <aside className="csv-detail rigid line-top scrolls" aria-label={t`Cell`}>
      <div className="csv-detail__head row">
        <strong className="trunc">{name}</strong>
        <span className="dim num">{t`Row ${formatNumber(rowNumber)}`}</span>
        <span className="grow" />
        <IconButton size="sm" icon={Copy} label={t`Copy cell`} onClick={onCopy} />
        <IconButton size="sm" icon={X} label={t`Close`} onClick={onClose} />
      </div>
      <p className="csv-detail__text" dir="auto">
        {text === '' ? <span className="dim">{t`Empty`}</span> : text}
      </p>
    </aside>
  )
}
