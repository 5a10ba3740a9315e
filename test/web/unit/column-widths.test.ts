import { expect, it } from 'vitest'
import { columnWidths } from '../../../web/viewers/table/column-widths.ts'

it('columns take the room that is left, within reason, and none where there is none', () => {
  const natural = columnWidths([5, 10, 44], 0)
  expect(natural).toEqual([62, 100, 358])
  expect(columnWidths([5, 10, 44], 600)).toEqual([71, 115, 413])
  expect(columnWidths([5, 10, 44], 520)).toEqual(natural)
  expect(columnWidths([5], 5_000)).toEqual([99])
  expect(columnWidths([], 500)).toEqual([])
})
