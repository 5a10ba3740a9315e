// Keeps a table away from the page: cutting it into rows, sorting and filtering take seconds for a
// large one. Rows are sent as they come into sight.

import { answerCalls } from '../../lib/worker-calls.ts'
import {
  CsvTable,
  type Delimiter,
  filterRows,
  MAX_COLUMNS,
  rowsOf,
  sniffDelimiter,
  sniffHeader,
  sortRows,
} from '../../text/csv.ts'
import { decodeAs, detectEncoding, startsWith } from '../../text/decode.ts'
import { bomOf, type TextEncoding } from '../../text/encodings.ts'
import type { CsvFacts, CsvRequest, CsvSort } from './csv-client.ts'

let bytes = new Uint8Array()
let table: CsvTable | null = null
let hasHeader = false
/** Rows in the order shown; null while that is the order of the file. */
let shown: Uint32Array | null = null

const SAMPLE_ROWS = 200
/** Widths in characters, within which columns are made. */
const MIN_CHARS = 5
const MAX_CHARS = 44

function open(request: Extract<CsvRequest, { kind: 'open' }>): CsvFacts {
  if (request.data) bytes = new Uint8Array(request.data)
  const encoding: TextEncoding = request.encoding
    ? { name: request.encoding, bom: startsWith(bytes, bomOf(request.encoding)) }
    : detectEncoding(bytes)
  const text = decodeAs(bytes, encoding)
  const delimiter: Delimiter = request.delimiter ?? sniffDelimiter(text)
  hasHeader = request.header ?? sniffHeader(rowsOf(text, delimiter, 50))
  table = new CsvTable(text, delimiter)
  shown = null
  return {
    encoding: encoding.name,
    delimiter,
    header: hasHeader,
    rowCount: bodyRows(table).length,
    headings: hasHeader && table.rowCount > 0 ? table.cells(0) : [],
    columnCount: table.width,
    widths: columnWidths(table),
  }
}

function bodyRows(from: CsvTable): { length: number; first: number } {
  const first = hasHeader ? 1 : 0
  return { length: Math.max(0, from.rowCount - first), first }
}

function columnWidths(from: CsvTable): number[] {
  const widths = Array.from({ length: Math.min(from.width, MAX_COLUMNS) }, () => MIN_CHARS)
  const step = Math.max(1, Math.floor(from.rowCount / SAMPLE_ROWS))
  for (let row = 0; row < from.rowCount; row = row === 0 ? 1 : row + step) {
    for (const [column, cell] of from.cells(row).entries()) {
      const chars = Math.min(MAX_CHARS, cell.length + (row === 0 ? 3 : 0))
      widths[column] = Math.max(widths[column] ?? 0, chars)
    }
  }
  return widths
}

function arrange(filter: string, sort: CsvSort | null, locale: string): number {
  if (table === null) return 0
  const body = bodyRows(table)
  shown = null
  if (filter !== '') shown = filterRows(table, body.first, filter)
  if (sort !== null) {
    const rows = shown ?? Uint32Array.from({ length: body.length }, (_, row) => row + body.first)
    shown = sortRows(table, rows, sort.column, sort.ascending, locale)
  }
  return shown?.length ?? body.length
}

function rows(from: number, to: number): { numbers: number[]; cells: string[][] } {
  const numbers: number[] = []
  const cells: string[][] = []
  if (table === null) return { numbers, cells }
  const body = bodyRows(table)
  const last = Math.min(to, shown?.length ?? body.length)
  for (let at = from; at < last; at++) {
    const row = shown?.[at] ?? at + body.first
    numbers.push(row - body.first + 1)
    cells.push(table.cells(row))
  }
  return { numbers, cells }
}

function answer(request: CsvRequest) {
  if (request.kind === 'open') return open(request)
  if (request.kind === 'arrange') return arrange(request.filter, request.sort, request.locale)
  return rows(request.from, request.to)
}

answerCalls(answer)
