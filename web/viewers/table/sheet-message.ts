export const MAX_ROWS = 20_000
export const MAX_COLUMNS = 200
/** As many characters as a cell can hold in the programs that write these files. */
export const MAX_CELL_CHARS = 32_767
/**
 * Of all cells together. A file keeps a text once that many cells show; here each has its own copy.
 */
export const MAX_CHARS = 64_000_000
/** Of all sheets together, rows without any included: a file can name millions in a few bytes. */
export const MAX_CELLS = 8_000_000

export interface SheetTable {
  name: string
  /** Cells as the file formats them, up to the last of each row, and up to the last row, with text. */
  rows: string[][]
  columns: number
  /** True when the sheet goes on beyond what is shown. */
  cut: boolean
}

export type SheetReply = { tables: SheetTable[] } | { failed: 'encrypted' | 'damaged' }
