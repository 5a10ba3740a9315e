// Reads a spreadsheet outside the page: a file that takes too long is stopped by ending this worker.

import { read, utils, type WorkSheet } from '@e965/xlsx'
import { MAX_COLUMNS, MAX_ROWS, type SheetReply, type SheetTable } from './sheet-message.ts'

addEventListener('message', (event: MessageEvent<ArrayBuffer>) => {
  let reply: SheetReply
  try {
    const book = read(event.data, {
      type: 'array',
      // Rows beyond what is shown are not even parsed; formulas, scripts and styles neither.
      sheetRows: MAX_ROWS + 1,
      cellFormula: false,
      cellHTML: false,
      cellStyles: false,
      bookVBA: false,
      cellDates: false,
    })
    reply = { tables: book.SheetNames.map((name) => toTable(name, book.Sheets[name])) }
  } catch (error) {
    const locked = /password|encrypt/i.test(String(error))
    reply = { failed: locked ? 'locked' : 'damaged' }
  }
  postMessage(reply)
})

function toTable(name: string, sheet: WorkSheet | undefined): SheetTable {
  const ref = sheet?.['!ref']
  if (!sheet || !ref) return { name, rows: [], columns: 0, cut: false }
  const full = utils.decode_range(sheet['!fullref'] ?? ref)
  const range = utils.decode_range(ref)
  const lastRow = Math.min(range.e.r, MAX_ROWS - 1)
  const lastColumn = Math.min(range.e.c, MAX_COLUMNS - 1)
  const rows: string[][] = []
  for (let r = 0; r <= lastRow; r++) {
    const row: string[] = []
    for (let c = 0; c <= lastColumn; c++) {
      const cell = sheet[utils.encode_cell({ r, c })]
      row.push(cell ? String(cell.w ?? cell.v ?? '') : '')
    }
    rows.push(row)
  }
  const cut = full.e.r > lastRow || full.e.c > lastColumn
  return { name, rows, columns: lastColumn + 1, cut }
}
