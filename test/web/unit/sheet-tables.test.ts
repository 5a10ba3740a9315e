import { utils, type WorkSheet } from '@e965/xlsx'
import { expect, it } from 'vitest'
import {
  MAX_CELL_CHARS,
  MAX_CELLS,
  MAX_CHARS,
  MAX_COLUMNS,
  MAX_ROWS,
} from '../../../web/viewers/table/sheet-message.ts'
import { tablesOf } from '../../../web/viewers/table/sheet-tables.ts'

function book(...sheets: unknown[][][]) {
  const made = utils.book_new()
  for (const rows of sheets) utils.book_append_sheet(made, utils.aoa_to_sheet(rows))
  return made
}

it('shows cells as they are, and what is longer than any program writes cut', () => {
  const [table] = tablesOf(
    book([
      ['a', 1],
      ['', 'x'.repeat(MAX_CELL_CHARS + 1)],
    ]),
  )
  expect(table).toEqual({
    ...{ name: 'Sheet1', columns: 2, cut: true },
    rows: [
      ['a', '1'],
      ['', 'x'.repeat(MAX_CELL_CHARS)],
    ],
  })
  expect(tablesOf(book([['a', 'b']]))[0]?.cut).toBe(false)
})

it('copies one long text of many cells so often only as there is room for', () => {
  const shared = 'y'.repeat(30_000)
  const rows = Array.from({ length: 2000 }, () => [shared])
  const tables = tablesOf(book(rows, rows))
  const chars = tables.flatMap((table) => table.rows.flat()).join('').length
  expect(chars).toBe(MAX_CHARS)
  expect(tables.map(({ cut }) => cut)).toEqual([false, true])
})

const last = utils.encode_cell({ r: MAX_ROWS - 1, c: MAX_COLUMNS - 1 })
const cell = { t: 's', v: 'x' }
/** As a file of a few bytes can say of millions of cells. */
const declared = { '!ref': `A1:${last}` }

it('holds no cells for the empty rest of a row or of a sheet', () => {
  const made = utils.book_new()
  utils.book_append_sheet(made, { ...declared, B2: cell })
  utils.book_append_sheet(made, { ...declared, B2: cell, [last]: cell })
  const [near, far] = tablesOf(made)
  expect(near).toMatchObject({ rows: [[], ['', 'x']], columns: 2, cut: false })
  expect(far).toMatchObject({ columns: MAX_COLUMNS, cut: false })
  expect([far?.rows.length, far?.rows.flat().length]).toEqual([MAX_ROWS, 2 + MAX_COLUMNS])
})

it('stops at so many cells of all sheets together, and says so', () => {
  const made = utils.book_new()
  const sheet: WorkSheet = { ...declared }
  for (let r = 0; r < MAX_ROWS; r++) sheet[utils.encode_cell({ r, c: MAX_COLUMNS - 1 })] = cell
  for (let n = 0; n < 3; n++) utils.book_append_sheet(made, sheet)
  const tables = tablesOf(made)
  const rows = tables.flatMap((table) => table.rows)
  const cells = rows.reduce((sum, row) => sum + row.length, rows.length)
  expect(cells).toBeLessThanOrEqual(MAX_CELLS)
  expect(tables.map(({ cut }) => cut)).toEqual([false, true, true])
})
