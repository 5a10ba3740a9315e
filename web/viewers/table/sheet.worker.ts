// Reads a spreadsheet outside the page: a file that takes too long is stopped by ending this worker.

import { read } from '@e965/xlsx'
import { MAX_ROWS, type SheetReply } from './sheet-message.ts'
import { tablesOf } from './sheet-tables.ts'

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
    reply = { tables: tablesOf(book) }
  } catch (error) {
    const locked = /password|encrypt/i.test(String(error))
    reply = { failed: locked ? 'encrypted' : 'damaged' }
  }
  postMessage(reply)
})
