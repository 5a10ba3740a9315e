import { describe, expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import {
  columnsFor,
  indexesInBox,
  layOut,
  lineAt,
  linesBetween,
  lineTop,
  pageNeighbour,
  placeOf,
  verticalNeighbour,
} from '../../../web/listing/grid/geometry.ts'
import { measure } from '../../../web/listing/grid/metrics.ts'
import { daysOf } from '../../../web/listing/taken/days.ts'
import { groupUnder } from '../../../web/listing/taken/group-under.ts'

const grid = layOut([
  { group: 'folders', count: 5, columns: 4, linePx: 68, headingPx: 40 },
  { group: 'files', count: 7, columns: 3, linePx: 200, headingPx: 40 },
])
const list = layOut([
  { group: 'folders', count: 2, columns: 1, linePx: 44, headingPx: 32 },
  { group: 'files', count: 100_000, columns: 1, linePx: 44, headingPx: 32 },
])

describe('geometry of a view', () => {
  it('adds up headings and lines', () => {
    expect(grid.lines).toBe(1 + 2 + 1 + 3)
    expect(grid.totalPx).toBe(40 + 2 * 68 + 40 + 3 * 200)
    expect(layOut([]).totalPx).toBe(0)
  })

  it('finds the line at any height, and its top', () => {
    for (const geometry of [grid, list]) {
      const lines = geometry === grid ? geometry.lines : 50
      for (let line = 0; line < lines; line++) {
        expect(lineAt(geometry, lineTop(geometry, line))).toBe(line)
        expect(lineAt(geometry, lineTop(geometry, line) + 1)).toBe(line)
      }
      expect(lineAt(geometry, geometry.totalPx + 1000)).toBe(geometry.lines - 1)
      expect(lineAt(geometry, -5)).toBe(0)
    }
  })

  it('lists headings and rows with the entries they hold', () => {
    expect(
      linesBetween(grid, 0, 99).map((line) =>
        line.kind === 'row' ? [line.first, line.count] : line.group,
      ),
    ).toEqual(['folders', [0, 4], [4, 1], 'files', [5, 3], [8, 3], [11, 1]])
  })

  it('knows where an entry is', () => {
    expect(placeOf(grid, 4)).toEqual({ topPx: 40 + 68, heightPx: 68 })
    expect(placeOf(grid, 5)).toEqual({ topPx: 40 + 136 + 40, heightPx: 200 })
  })

  it('moves up and down in columns, across the groups, and stops at the ends', () => {
    expect(verticalNeighbour(grid, 0, 1)).toBe(4)
    expect(verticalNeighbour(grid, 3, 1)).toBe(4)
    expect(verticalNeighbour(grid, 4, 1)).toBe(5)
    expect(verticalNeighbour(grid, 7, -1)).toBe(4)
    expect(verticalNeighbour(grid, 11, 1)).toBe(11)
    expect(verticalNeighbour(grid, 2, -1)).toBe(2)
    expect(verticalNeighbour(list, 1, 1)).toBe(2)
  })

  it('moves one screen at a time', () => {
    expect(pageNeighbour(list, 0, 1, 440)).toBe(9)
    expect(pageNeighbour(list, 100_001, 1, 440)).toBe(100_001)
  })

  it('finds what a rubber band touches, and nothing in the gaps', () => {
    // three columns of 200 px with 12 px between, on 624 px
    expect(indexesInBox(grid, { left: 0, top: 216, right: 10, bottom: 230 }, 624, 12)).toEqual([5])
    expect(indexesInBox(grid, { left: 203, top: 216, right: 210, bottom: 230 }, 624, 12)).toEqual(
      [],
    )
    expect(indexesInBox(grid, { left: 0, top: 0, right: 624, bottom: 2000 }, 624, 12)).toHaveLength(
      12,
    )
  })

  it('counts the columns from the right where text runs that way', () => {
    const box = { left: 614, top: 216, right: 624, bottom: 230 }
    expect(indexesInBox(grid, box, 624, 12, true)).toEqual([5])
    expect(indexesInBox(grid, { ...box, left: 0, right: 421 }, 624, 12, true)).toEqual([6, 7])
    expect(indexesInBox(grid, { ...box, left: 413, right: 421 }, 624, 12, true)).toEqual([])
  })

  it('never has less than one column', () => {
    expect(columnsFor(100, 188, 12)).toBe(1)
    expect(columnsFor(388, 188, 12)).toBe(2)
  })
})

describe('pictures by day', () => {
  const taken = new Map(
    ['2024-05-05T14:22:00', '2024-05-05T09:00:00', '2023-12-31T23:59:59', ''].map((text, n) => [
      `/${n}`,
      { modified: '', taken: text },
    ]),
  )
  const files = [...taken.keys(), '/unread'].map((path) => ({ path }) as FileEntry)
  const given = { phone: false, compact: false, widthPx: 1000, remPx: 16 }
  const { geometry, columns, coverPx } = measure({
    ...given,
    view: 'mosaic gallery',
    folders: 1,
    files: files.length,
    days: daysOf(files, taken),
  })

  it('begin a line with each day, and those without one are last', () => {
    expect(daysOf(files, taken)).toEqual([
      { day: '2024-05-05', count: 2 },
      { day: '2023-12-31', count: 1 },
      { day: '', count: 2 },
    ])
    const lines = linesBetween(geometry, 0, geometry.lines)
    expect(lines.map((line) => (line.kind === 'heading' ? line.day : line.first))).toEqual([
      ...[undefined, 0],
      ...['2024-05-05', 1],
      ...['2023-12-31', 3],
      ...['', 4],
    ])
    expect(columns).toBeGreaterThan(2)
    expect(verticalNeighbour(geometry, 2, 1)).toBe(3)
  })

  it('are under the heading of their day while they scroll', () => {
    const [, first, second] = geometry.groups
    const firstTop = first?.topPx ?? 0
    expect(groupUnder(geometry, 0)).toBe(undefined)
    expect(groupUnder(geometry, firstTop)?.day).toBe(undefined)
    expect(groupUnder(geometry, firstTop + 1)?.day).toBe('2024-05-05')
    expect(groupUnder(geometry, (second?.topPx ?? 0) + 100)?.day).toBe('2023-12-31')
    expect(coverPx).toBe(40)
  })
})
