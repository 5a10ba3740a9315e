// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, cells are its active descendants

// The head of a table: columns are sorted by their names and made wider by their edges.

import { useLingui } from '@lingui/react/macro'
import type { VirtualItem } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { ColumnEdge } from './column-edge.tsx'
import type { CsvSort } from './csv-client.ts'

export const HEAD_PX = 36

export interface HeadRowProps {
  columns: readonly VirtualItem[]
  numberPx: number
  nameOf(column: number): string
  /** Whether the heads stand over numbers, which end where the column ends. */
  isNumber(column: number): boolean
  sort: CsvSort | null
  onSort(sort: CsvSort | null): void
  onResize(column: number, px: number): void
}

export function HeadRow(props: HeadRowProps) {
  const { columns, numberPx, nameOf, isNumber, sort, onSort, onResize } = props
  const { t } = useLingui()
  return (
    <div className="csv-head sunken" role="row" aria-rowindex={1} style={{ blockSize: HEAD_PX }}>
      <span className="csv-corner" style={{ inlineSize: numberPx }} role="columnheader">
        <span className="sr">{t`Row`}</span>
      </span>
      {columns.map((column) => (
        <Heading
          key={column.index}
          name={nameOf(column.index)}
          column={column}
          isNumber={isNumber(column.index)}
          sort={sort?.column === column.index ? sort : null}
          onSort={onSort}
          onResize={(px) => onResize(column.index, px)}
        />
      ))}
    </div>
  )
}

interface HeadingProps {
  name: string
  column: VirtualItem
  isNumber: boolean
  sort: CsvSort | null
  onSort(sort: CsvSort | null): void
  onResize(px: number): void
}

/** Up, down, and back to the order of the file. */
function Heading({ name, column, isNumber, sort, onSort, onResize }: HeadingProps) {
  const { index } = column
  const next =
    sort === null
      ? { column: index, ascending: true }
      : sort.ascending
        ? { column: index, ascending: false }
        : null
  const order = sort === null ? 'none' : sort.ascending ? 'ascending' : 'descending'
  return (
    <span
      className={isNumber ? 'csv-heading csv-heading--number' : 'csv-heading'}
      role="columnheader"
      aria-sort={order}
      style={{ insetInlineStart: column.start, inlineSize: column.size }}
    >
      <button type="button" onClick={() => onSort(next)} title={name}>
        <bdi className="trunc">{name}</bdi>
        {sort?.ascending === true && <ArrowUp className="i i-xs" aria-hidden />}
        {sort?.ascending === false && <ArrowDown className="i i-xs" aria-hidden />}
      </button>
      <ColumnEdge px={column.size} onResize={onResize} />
    </span>
  )
}
