// What a key means in a tree, by the pattern of WAI-ARIA: https://www.w3.org/WAI/ARIA/apg/patterns/treeview/

import type { TreeRow } from '../../state/folder-tree.ts'

export type TreeMove = { to: number } | { toggle: number; expanded: boolean } | { open: number }

interface Press {
  key: string
  /** Right to left: Left goes deeper. */
  rtl: boolean
  /** Rows that PageDown passes. */
  page: number
}

/** Null where the key means nothing. `at` is the row with the focus, -1 before there is one. */
export function treeMove(
  rows: readonly TreeRow[],
  at: number,
  { key, rtl, page }: Press,
): TreeMove | null {
  const last = rows.length - 1
  if (last < 0) return null
  const go = (index: number) => ({ to: Math.min(last, Math.max(0, index)) })
  const row = rows[at]
  switch (key) {
    case 'ArrowDown':
      return go(at + 1)
    case 'ArrowUp':
      return go(at - 1)
    case 'Home':
      return go(0)
    case 'End':
      return go(last)
    case 'PageDown':
      return go(at + page)
    case 'PageUp':
      return go(at - page)
    case 'Enter':
    case ' ':
      return row === undefined ? null : { open: at }
    case 'ArrowLeft':
    case 'ArrowRight':
      if (row === undefined) return go(0)
      return (key === 'ArrowRight') === rtl ? outwards(rows, at, row) : inwards(at, row)
    default:
      return null
  }
}

function inwards(at: number, row: TreeRow): TreeMove | null {
  if (row.hasChildren === false) return null
  return row.expanded ? { to: at + 1 } : { toggle: at, expanded: true }
}

function outwards(rows: readonly TreeRow[], at: number, row: TreeRow): TreeMove | null {
  if (row.expanded) return { toggle: at, expanded: false }
  const above = rows.findLastIndex((other, i) => i < at && other.level < row.level)
  return above < 0 ? null : { to: above }
}
