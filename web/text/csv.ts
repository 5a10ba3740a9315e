// Tables in text files: which character parts the cells, where rows begin, what a cell says. A table
// is kept as its text and the offsets of its rows; cells are read when they are shown.

/** Characters each of which parts cells; most tables have one. */
export type Delimiter = ',' | ';' | ',;' | '\t' | '|' | ':' | ' '

export const delimiters: readonly Delimiter[] = [',', ';', ',;', '\t', '|', ':', ' ']
/** Those that are guessed: of blanks and pairs nobody could be sure. */
const guessed: readonly Delimiter[] = [',', ';', '\t', '|', ':']

/** A row is read up to here: a line of nothing but commas is otherwise millions of cells. */
export const MAX_COLUMNS = 2000

const QUOTE = 0x22
const LF = 10
const CR = 13
const SNIFF_CHARS = 256 * 1024
const SNIFF_ROWS = 200

/**
 * The delimiter that cuts the first rows into the same number of cells most of the time; the comma
 * when nothing does. A `sep=;` line, as Excel writes it, decides.
 */
export function sniffDelimiter(text: string): Delimiter {
  const head = text.slice(0, SNIFF_CHARS)
  const told = separatorLine(head)
  if (told !== null) return told.delimiter
  let best: { delimiter: Delimiter; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of guessed) {
    const widths = rowsOf(head, delimiter, SNIFF_ROWS).map((row) => row.length)
    // The last row of a cut text may be incomplete.
    if (head.length < text.length) widths.pop()
    const score = consistency(widths)
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** How many rows share the commonest width, wider counting a little more; 0 for one column. */
function consistency(widths: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1)
  let [common, most] = [1, 0]
  for (const [width, count] of counts)
    if (width > 1 && count > most) [common, most] = [width, count]
  return common === 1 ? 0 : (most / widths.length) * (1 + Math.log2(common) / 10)
}

function separatorLine(text: string): { delimiter: Delimiter; length: number } | null {
  const match = /^\ufeff?"?sep=([,;|:\t ])"?\r?\n/i.exec(text)
  return match === null ? null : { delimiter: match[1] as Delimiter, length: match[0].length }
}

/**
 * Whether the first row names the columns: its cells are words, no two alike, and below at least one
 * of them stands something of another sort (a number, a date, nothing of the kind above).
 */
export function sniffHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...rest] = rows
  if (first === undefined || rest.length === 0) return false
  if (first.some((cell) => cell.trim() === '' || isNumeric(cell) || cell.length > 80)) return false
  if (new Set(first.map((cell) => cell.trim().toLowerCase())).size < first.length) return false
  const typed = first.some((_, column) => {
    const cells = rest.map((row) => row[column] ?? '').filter((cell) => cell.trim() !== '')
    return cells.length > 0 && cells.filter(isNumeric).length / cells.length > 0.8
  })
  if (typed) return true
  // All words: a heading is unlike the rest if it does not come up again below.
  return first.every((cell, column) => rest.every((row) => row[column] !== cell))
}

/** Numbers as people write them, with either decimal sign, and dates. */
export function isNumeric(cell: string): boolean {
  const text = cell.trim()
  return (
    /^[+-]?[$€£¥]?\s?\d{1,3}(?:[.,'\s\u00a0\u202f]?\d{3})*(?:[.,]\d+)?(?:e[+-]?\d+)?\s?[%$€£¥]?$/i.test(
      text,
    ) ||
    /^[+-]?\d*[.,]?\d+(?:e[+-]?\d+)?$/i.test(text) ||
    /^\d{4}-\d\d(-\d\d)?([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text) ||
    /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/.test(text)
  )
}

/** A number for sorting, or null. `1.234,5` and `1,234.5` are told apart by their last sign. */
export function toNumber(cell: string): number | null {
  let text = cell.trim().replace(/[\s\u00a0\u202f'%$€£¥]/g, '')
  if (!/^[+-]?[\d.,]*\d[\d.,]*(e[+-]?\d+)?$/i.test(text)) return null
  const [comma, dot] = [text.lastIndexOf(','), text.lastIndexOf('.')]
  if (comma > dot) {
    const groups = text.split(',')
    const grouped =
      groups.length > 2 ||
      (groups.length === 2 && groups[1]?.length === 3 && dot === -1 && !/^[+-]?0,/.test(text))
    text =
      grouped && dot === -1 ? text.replaceAll(',', '') : text.replaceAll('.', '').replace(',', '.')
  } else {
    text = text.replaceAll(',', '')
    if (text.split('.').length > 2) text = text.replaceAll('.', '')
  }
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

export function rowsOf(text: string, delimiter: Delimiter, most: number): string[][] {
  const table = new CsvTable(text, delimiter, most)
  return Array.from({ length: table.rowCount }, (_, row) => table.cells(row))
}

export class CsvTable {
  readonly text: string
  readonly #part: number
  readonly #otherPart: number
  /** Offsets of the rows, and after the last one its end. */
  readonly #starts: Uint32Array
  readonly rowCount: number
  /** Cells of the widest row, also when they are more than MAX_COLUMNS. */
  readonly width: number

  /** Blank lines are left out. `most` stops after so many rows. */
  constructor(text: string, delimiter: Delimiter, most = Number.POSITIVE_INFINITY) {
    this.text = text
    this.#part = delimiter.charCodeAt(0)
    this.#otherPart = delimiter.charCodeAt(delimiter.length - 1)
    let starts = new Uint32Array(Math.min(most, 1024) + 1)
    let count = 0
    let width = 0
    let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
    at = Math.max(at, separatorLine(text.slice(0, 16))?.length ?? 0)
    while (at < text.length && count < most) {
      const { end, cells } = this.#rowEnd(at)
      if (end > at) {
        if (count + 1 >= starts.length) {
          const larger = new Uint32Array(starts.length * 2)
          larger.set(starts)
          starts = larger
        }
        starts[count] = at
        count += 1
        width = Math.max(width, cells)
      }
      at = end + 1
      if (text.charCodeAt(end) === CR && text.charCodeAt(at) === LF) at += 1
    }
    this.#starts = starts
    this.rowCount = count
    this.width = width
  }

  /** Offset of the line end after the row at `start`, line ends within quotes left aside. */
  #rowEnd(start: number): { end: number; cells: number } {
    const { text } = this
    let cells = 1
    let at = start
    let fresh = true
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code === QUOTE && fresh) {
        at = this.#quoteEnd(at) + 1
        fresh = false
        continue
      }
      if (code === LF || code === CR) break
      fresh = this.#isPart(code)
      if (fresh) cells += 1
      at += 1
    }
    return { end: at, cells }
  }

  /** Offset of the quote that closes the one at `start`; the end of the text when none does. */
  #quoteEnd(start: number): number {
    const { text } = this
    let at = start + 1
    for (;;) {
      at = text.indexOf('"', at)
      if (at === -1) return text.length
      if (text.charCodeAt(at + 1) !== QUOTE) return at
      at += 2
    }
  }

  /** What the cells of a row say, without their quotes; MAX_COLUMNS of them at most. */
  cells(row: number): string[] {
    const { text } = this
    const cells: string[] = []
    let at = this.#starts[row] ?? 0
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        const end = this.#quoteEnd(at)
        let rest = end + 1
        while (rest < text.length && !this.#isBreak(rest)) rest += 1
        cells.push(text.slice(at + 1, end).replaceAll('""', '"') + text.slice(end + 1, rest))
        at = rest
      } else {
        let end = at
        while (end < text.length && !this.#isBreak(end)) end += 1
        cells.push(text.slice(at, end))
        at = end
      }
      if (cells.length >= MAX_COLUMNS) return cells
      if (at >= text.length || !this.#isPart(text.charCodeAt(at))) return cells
      at += 1
    }
  }

  #isPart(code: number): boolean {
    return code === this.#part || code === this.#otherPart
  }

  #isBreak(at: number): boolean {
    const code = this.text.charCodeAt(at)
    return this.#isPart(code) || code === LF || code === CR
  }

  cell(row: number, column: number): string {
    return this.cells(row)[column] ?? ''
  }

  /** The text of a row as it stands in the file, for searching. */
  rawRow(row: number): string {
    const start = this.#starts[row] ?? 0
    return this.text.slice(start, this.#rowEnd(start).end)
  }
}

/** Rows in another order: by a column, numbers as numbers; empty cells last. */
export function sortRows(
  table: Pick<CsvTable, 'cell'>,
  rows: Uint32Array,
  column: number,
  ascending: boolean,
  locale: string,
): Uint32Array {
  // By place in `rows`. No maps: they hold 2²⁴ at most, and a file may have more rows.
  const cells: string[] = []
  const numbers = new Float64Array(rows.length)
  /** Places: first of the cells with text, then of those without. */
  const order = new Uint32Array(rows.length)
  let filled = 0
  let numberCount = 0
  for (let place = 0; place < rows.length; place++) {
    const cell = table.cell(rows[place] ?? 0, column).trim()
    cells.push(cell)
    if (cell === '') continue
    order[filled] = place
    filled += 1
    const value = toNumber(cell)
    numbers[place] = value ?? Number.NaN
    if (value !== null) numberCount += 1
  }
  const numeric = numberCount > rows.length * 0.5
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' })
  const sign = ascending ? 1 : -1
  order.subarray(0, filled).sort((a, b) => {
    const [x = Number.NaN, y = Number.NaN] = [numbers[a], numbers[b]]
    const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)]
    if (numeric && noX !== noY) return noX ? 1 : -1
    const byValue = numeric && !noX
    const compared = byValue ? x - y : collator.compare(cells[a] ?? '', cells[b] ?? '')
    return compared === 0 ? a - b : compared * sign
  })
  for (let place = 0; place < rows.length; place++) {
    if (cells[place] !== '') continue
    order[filled] = place
    filled += 1
  }
  return order.map((place) => rows[place] ?? 0)
}

/** Rows in which some cell holds the text, whatever its case. */
export function filterRows(table: CsvTable, from: number, wanted: string): Uint32Array {
  const found = new Uint32Array(table.rowCount - from)
  let count = 0
  const needle = wanted.toLocaleLowerCase()
  const quoted = needle.replaceAll('"', '""')
  for (let row = from; row < table.rowCount; row++) {
    const raw = table.rawRow(row).toLocaleLowerCase()
    if (raw.includes(needle) || (quoted !== needle && raw.includes(quoted))) {
      found[count] = row
      count += 1
    }
  }
  return found.slice(0, count)
}
