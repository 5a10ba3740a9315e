// The sheets of a parsed workbook as tables of text, as much of each as is shown.

import { utils, type WorkBook, type WorkSheet } from '@e965/xlsx'
import {
  MAX_CELL_CHARS,
  MAX_CHARS,
  MAX_COLUMNS,
  MAX_ROWS,
  type SheetTable,
} from './sheet-message.ts'

/** What goes beyond a limit is left out, and its table is marked as cut. */
export function tablesOf(book: WorkBook): SheetTable[] {
  let roomChars = MAX_CHARS
  return book.SheetNames.map((name) => {
    const { table, chars } = toTable(name, book.Sheets[name], roomChars)
    roomChars -= chars
    return table
  })
}

function toTable(name: string, sheet: WorkSheet | undefined, maxChars: number) {
  const ref = sheet?.['!ref']
  const empty: SheetTable = { name, rows: [], columns: 0, cut: false }
  if (!sheet || !ref) return { table: empty, chars: 0 }
  const full = utils.decode_range(sheet['!fullref'] ?? ref)
  const range = utils.decode_range(ref)
  const lastRow = Math.min(range.e.r, MAX_ROWS - 1)
  const lastColumn = Math.min(range.e.c, MAX_COLUMNS - 1)
  let cut = full.e.r > lastRow || full.e.c > lastColumn
  let chars = 0
  const rows: string[][] = []
  for (let r = 0; r <= lastRow; r++) {
    const row: string[] = []
    for (let c = 0; c <= lastColumn; c++) {
      const cell = sheet[utils.encode_cell({ r, c })]
      const text = cell ? String(cell.w ?? cell.v ?? '') : ''
      const shown = text.slice(0, Math.min(MAX_CELL_CHARS, maxChars - chars))
      if (shown.length < text.length) cut = true
      chars += shown.length
      row.push(shown)
    }
    rows.push(row)
  }
  const table: SheetTable = { name, rows, columns: lastColumn + 1, cut }
  return { table, chars }
}
