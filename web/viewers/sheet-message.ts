// What the spreadsheet worker and the page say to each other.

export const MAX_ROWS = 20_000
export const MAX_COLUMNS = 200

export interface SheetTable {
  name: string
  /** Cells as the file formats them. */
  rows: string[][]
  columns: number
  /** True when the sheet goes on beyond what is shown. */
  cut: boolean
}

export type SheetReply = { tables: SheetTable[] } | { failed: 'locked' | 'damaged' }
