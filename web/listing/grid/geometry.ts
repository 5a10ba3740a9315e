// Where every line of a view sits, by arithmetic alone: line heights are fixed, so that a folder of
// 100,000 entries costs as much to lay out as one of ten.

export type Group = 'folders' | 'files'

interface GroupSpec {
  group: Group
  /** Of files that stand by the day they were taken: as `2024-05-05`, '' for those that do not tell. */
  day?: string | undefined
  /** Entries in this group; a group without entries takes no room. */
  count: number
  columns: number
  /** Height of one line including the gap below it, in px. */
  linePx: number
  /** Height of the heading above the group, 0 for none. */
  headingPx: number
}

export interface PlacedGroup extends GroupSpec {
  first: number
  /** Number of the group's heading line, or of its first row when it has no heading. */
  firstLine: number
  topPx: number
  rows: number
}

export interface Geometry {
  groups: PlacedGroup[]
  count: number
  lines: number
  totalPx: number
}

export type Line =
  | (Pick<GroupSpec, 'group' | 'day' | 'count'> & {
      kind: 'heading'
      line: number
      heightPx: number
    })
  | { kind: 'row'; group: Group; line: number; first: number; count: number; heightPx: number }

export function layOut(specs: readonly GroupSpec[]): Geometry {
  const groups: PlacedGroup[] = []
  let first = 0
  let firstLine = 0
  let topPx = 0
  for (const spec of specs) {
    if (spec.count === 0) continue
    const rows = Math.ceil(spec.count / spec.columns)
    groups.push({ ...spec, first, firstLine, topPx, rows })
    first += spec.count
    firstLine += rows + (spec.headingPx > 0 ? 1 : 0)
    topPx += spec.headingPx + rows * spec.linePx
  }
  return { groups, count: first, lines: firstLine, totalPx: topPx }
}

function headingLines(group: PlacedGroup): number {
  return group.headingPx > 0 ? 1 : 0
}

/** The line covering `y`, clamped to the first and last. */
export function lineAt(geometry: Geometry, y: number): number {
  let line = 0
  for (const group of geometry.groups) {
    if (y < group.topPx) break
    const inside = y - group.topPx - group.headingPx
    const row = Math.min(Math.max(Math.floor(inside / group.linePx), -1), group.rows - 1)
    line = group.firstLine + (inside < 0 ? 0 : row + headingLines(group))
  }
  return line
}

export function lineTop(geometry: Geometry, line: number): number {
  const group = groupOfLine(geometry, line)
  if (group === undefined) return 0
  const row = line - group.firstLine - headingLines(group)
  return row < 0 ? group.topPx : group.topPx + group.headingPx + row * group.linePx
}

/** Lines `from` to `to`, both inclusive. */
export function linesBetween(geometry: Geometry, from: number, to: number): Line[] {
  const out: Line[] = []
  for (let line = Math.max(from, 0); line <= Math.min(to, geometry.lines - 1); line++) {
    const group = groupOfLine(geometry, line)
    if (group === undefined) break
    const row = line - group.firstLine - headingLines(group)
    if (row < 0) {
      const { group: name, day, count, headingPx: heightPx } = group
      out.push({ kind: 'heading', group: name, day, count, line, heightPx })
    } else {
      const before = row * group.columns
      out.push({
        kind: 'row',
        group: group.group,
        line,
        first: group.first + before,
        count: Math.min(group.columns, group.count - before),
        heightPx: group.linePx,
      })
    }
  }
  return out
}

/** Top and height of the line that holds the entry at `index`. */
export function placeOf(geometry: Geometry, index: number): { topPx: number; heightPx: number } {
  const group = geometry.groups.findLast(({ first }) => index >= first)
  if (group === undefined) return { topPx: 0, heightPx: 0 }
  const row = Math.floor((index - group.first) / group.columns)
  return {
    topPx: group.topPx + group.headingPx + row * group.linePx,
    heightPx: group.linePx,
  }
}

/** The entry reached from `index` by one line up or down, keeping the column where there is one. */
export function verticalNeighbour(geometry: Geometry, index: number, step: -1 | 1): number {
  const at = geometry.groups.findIndex(
    (group) => index >= group.first && index < group.first + group.count,
  )
  const group = geometry.groups[at]
  if (group === undefined) return Math.min(Math.max(index, 0), Math.max(geometry.count - 1, 0))
  const offset = index - group.first
  const column = offset % group.columns
  const row = Math.floor(offset / group.columns) + step
  if (row >= 0 && row < group.rows) {
    return group.first + Math.min(row * group.columns + column, group.count - 1)
  }
  const other = geometry.groups[at + step]
  if (other === undefined) return index
  const otherRow = step === 1 ? 0 : other.rows - 1
  const otherColumn = Math.min(column, other.columns - 1)
  return other.first + Math.min(otherRow * other.columns + otherColumn, other.count - 1)
}

/** The entry about one screen further, for PageUp and PageDown. */
export function pageNeighbour(
  geometry: Geometry,
  index: number,
  step: -1 | 1,
  viewportPx: number,
): number {
  const { heightPx } = placeOf(geometry, index)
  const lines = Math.max(1, Math.floor(viewportPx / Math.max(heightPx, 1)) - 1)
  let at = index
  for (let i = 0; i < lines; i++) at = verticalNeighbour(geometry, at, step)
  return at
}

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/**
 * Entries touched by a rubber band. `box` is relative to the content; `widthPx` is the content's width.
 * `gapPx` between cards does not count as part of a card. `mirrored`: columns run from the right.
 */
export function indexesInBox(
  geometry: Geometry,
  box: Box,
  widthPx: number,
  gapPx: number,
  mirrored = false,
): number[] {
  const out: number[] = []
  const left = mirrored ? widthPx - box.right : box.left
  const right = mirrored ? widthPx - box.left : box.right
  for (const group of geometry.groups) {
    const top = group.topPx + group.headingPx
    const firstRow = Math.max(0, Math.floor((box.top - top) / group.linePx))
    const lastRow = Math.min(group.rows - 1, Math.floor((box.bottom - top) / group.linePx))
    const columnPx = (widthPx + gapPx) / group.columns
    const firstColumn = Math.max(0, Math.floor((left + gapPx) / columnPx))
    const lastColumn = Math.min(group.columns - 1, Math.floor(right / columnPx))
    for (let row = firstRow; row <= lastRow; row++) {
      for (let column = firstColumn; column <= lastColumn; column++) {
        const offset = row * group.columns + column
        if (offset < group.count) out.push(group.first + offset)
      }
    }
  }
  return out
}

/** How many cards of at least `minPx` fit beside each other. */
export function columnsFor(widthPx: number, minPx: number, gapPx: number): number {
  return Math.max(1, Math.floor((widthPx + gapPx) / (minPx + gapPx)))
}

function groupOfLine(geometry: Geometry, line: number): PlacedGroup | undefined {
  return geometry.groups.findLast((group) => line >= group.firstLine)
}
