// The sheets of a parsed workbook as tables of text, as much of each as is shown.

import { type CellObject, utils, type WorkBook, type WorkSheet } from '@e965/xlsx'
import {
  MAX_CELL_CHARS,
  MAX_CELLS,
  MAX_CHARS,
  MAX_COLUMNS,
  MAX_ROWS,
  type SheetTable,
} from './sheet-message.ts'

/** What all sheets together may still hold. */
interface Room {
  chars: number
  cells: number
}

/** What goes beyond a limit is left out, and its table is marked as cut. */
export function tablesOf(book: WorkBook): SheetTable[] {
  const room: Room = { chars: MAX_CHARS, cells: MAX_CELLS }
  return book.SheetNames.map((name) => toTable(name, book.Sheets[name], room))
}

/** Goes by the cells there are: the range a sheet declares may be of millions that are not. */
function toTable(name: string, sheet: WorkSheet | undefined, room: Room): SheetTable {
  const ref = sheet?.['!ref']
  const table: SheetTable = { name, rows: [], columns: 0, cut: false }
  if (!sheet || !ref) return table
  const full = utils.decode_range(sheet['!fullref'] ?? ref)
  table.cut = full.e.r >= MAX_ROWS || full.e.c >= MAX_COLUMNS
  for (const address of Object.keys(sheet)) {
    if (address.startsWith('!')) continue
    const cell: CellObject | undefined = sheet[address]
    const text = String(cell?.w ?? cell?.v ?? '')
    if (text === '') continue
    const { r, c } = utils.decode_cell(address)
    if (r >= MAX_ROWS || c >= MAX_COLUMNS) {
      table.cut = true
      continue
    }
    const missing = Math.max(0, r + 1 - table.rows.length) + c + 1 - (table.rows[r]?.length ?? 0)
    if (missing > room.cells) {
      table.cut = true
      continue
    }
    const shown = text.slice(0, Math.min(MAX_CELL_CHARS, room.chars))
    if (shown.length < text.length) table.cut = true
    room.chars -= shown.length
    room.cells -= Math.max(0, missing)
    put(table, r, c, shown)
  }
  return table
}

function put(table: SheetTable, r: number, c: number, text: string): void {
  while (table.rows.length <= r) table.rows.push([])
  const row = table.rows[r] ?? []
  while (row.length <= c) row.push('')
  row[c] = text
  table.columns = Math.max(table.columns, c + 1)
}
