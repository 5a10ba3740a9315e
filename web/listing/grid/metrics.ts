// Sizes of rows and cards. Line heights must be known without looking at the page, or a folder of
// 100,000 entries could not be scrolled to its end at once; the style sheet uses the same figures.

import type { ViewMode } from '../../../src/api-types.ts'
import { columnsFor, type Geometry, layOut } from './geometry.ts'

type Layout = 'list' | 'column' | 'touch' | 'mosaic' | 'gallery'

export interface Metrics {
  layout: Layout
  geometry: Geometry
  /** Space between cards, 0 in lists. */
  gapPx: number
  columns: number
  /** Height of the heading that stays at the upper edge, 0 where none does. */
  coverPx: number
}

export interface Day {
  day: string
  count: number
}

interface Given {
  view: ViewMode
  /** It is one of several side by side: only names are shown, without headings. */
  column?: boolean
  phone: boolean
  /** Lower rows in the list; rows for fingers stay as they are. */
  compact: boolean
  /** Lists have no headings: folders and files are not told apart. */
  isFlat?: boolean
  widthPx: number
  folders: number
  files: number
  /** How many of them were taken on each day, in their order; null where they stand together. */
  days: readonly Day[] | null
  /** Pixels of one rem: people enlarge text. */
  remPx: number
}

const CAPTION_REM = 3.5
const PICTURE_RATIO = 10.2 / 16

export function layoutOf(view: ViewMode, phone: boolean, column = false): Layout {
  if (column) return 'column'
  if (view === 'mosaic') return 'mosaic'
  if (view === 'mosaic gallery') return 'gallery'
  return phone ? 'touch' : 'list'
}

export function measure(given: Given): Metrics {
  const { view, column, phone, compact, isFlat, widthPx, folders, files, days, remPx } = given
  const layout = layoutOf(view, phone, column)
  const px = (rem: number) => Math.round(rem * remPx)
  if (layout === 'list' || layout === 'touch' || layout === 'column') {
    const isLow = compact || layout === 'column'
    const linePx = px(layout === 'touch' ? 3.75 : isLow ? 2.25 : 2.75)
    const headingPx = layout === 'list' && !isFlat ? px(2) : 0
    const geometry = layOut([
      { group: 'folders', count: folders, columns: 1, linePx, headingPx },
      { group: 'files', count: files, columns: 1, linePx, headingPx },
    ])
    return { layout, geometry, gapPx: 0, columns: 1, coverPx: 0 }
  }
  const gapPx = px(layout === 'mosaic' ? 0.75 : 0.625)
  const least = layout === 'mosaic' ? (phone ? 9.5 : 11.75) : phone ? 9.5 : 14.5
  const columns = columnsFor(widthPx, px(least), gapPx)
  const columnPx = (widthPx - gapPx * (columns - 1)) / columns
  const picturePx =
    layout === 'mosaic' ? Math.round(columnPx * PICTURE_RATIO) + px(CAPTION_REM) : px(11)
  const headingPx = px(2.5)
  const geometry = layOut([
    { group: 'folders', count: folders, columns, linePx: px(3.5) + gapPx, headingPx },
    ...(days ?? [{ day: undefined, count: files }]).map(({ day, count }) => {
      const group = 'files' as const
      return { group, day, count, columns, linePx: picturePx + gapPx, headingPx }
    }),
  ])
  return { layout, geometry, gapPx, columns, coverPx: days === null ? 0 : headingPx }
}
