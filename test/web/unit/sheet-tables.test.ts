import { utils } from '@e965/xlsx'
import { expect, it } from 'vitest'
import { MAX_CELL_CHARS, MAX_CHARS } from '../../../web/viewers/sheet-message.ts'
import { tablesOf } from '../../../web/viewers/sheet-tables.ts'

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
