import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CsvTable,
  type Delimiter,
  filterRows,
  isNumeric,
  MAX_COLUMNS,
  rowsOf,
  sniffDelimiter,
  sniffHeader,
  sortRows,
  toNumber,
} from '../../web/text/csv.ts'

function write(rows: readonly (readonly string[])[], delimiter: string, lineEnd: string): string {
  const quote = (cell: string) =>
    /["\r\n]/.test(cell) || cell.includes(delimiter) || cell === ''
      ? `"${cell.replaceAll('"', '""')}"`
      : cell
  return rows.map((row) => row.map(quote).join(delimiter)).join(lineEnd)
}

const all = (table: CsvTable) => Uint32Array.from({ length: table.rowCount }, (_, row) => row)

describe('reading a table', () => {
  it('gives back what was written, with every delimiter and line end', () => {
    const cell = fc.string({
      maxLength: 8,
      unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '\n', '|', ' '),
    })
    const rows = fc.integer({ min: 1, max: 5 }).chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 8,
      }),
    )
    const delimiter = fc.constantFrom<Delimiter>(',', ';', '\t', '|')
    fc.assert(
      fc.property(rows, delimiter, fc.constantFrom('\n', '\r\n', '\r'), (table, part, end) => {
        expect(rowsOf(write(table, part, end), part, 100)).toEqual(table)
      }),
    )
  })

  it('leaves out blank lines and accepts rows of different lengths', () => {
    const table = new CsvTable('a,b,c\n\n1\n1,2,3,4\n', ',')
    expect(table.rowCount).toBe(3)
    expect(table.width).toBe(4)
    expect(table.cell(1, 2)).toBe('')
  })

  it('does not lose its way on an open quote', () => {
    expect(rowsOf('a,"open\nb,c\n', ',', 9)).toEqual([['a', 'open\nb,c\n']])
    expect(rowsOf('say "hi",2', ',', 9)).toEqual([['say "hi"', '2']])
  })

  it('reads no more cells of a row than can be shown', () => {
    const table = new CsvTable(`${'a,'.repeat(5000)}end\nb,c\n`, ',')
    expect([table.rowCount, table.width]).toEqual([2, 5001])
    expect(table.cells(0)).toEqual(Array(MAX_COLUMNS).fill('a'))
    expect(table.cells(1)).toEqual(['b', 'c'])
  })

  it('parts cells at commas and semicolons alike where both are chosen', () => {
    expect(rowsOf('a,b;c\n"d;e",f\n', ',;', 9)).toEqual([
      ['a', 'b', 'c'],
      ['d;e', 'f'],
    ])
  })

  it('follows a "sep=" line and does not show it', () => {
    expect(sniffDelimiter('sep=;\r\na;b,c\r\n')).toBe(';')
    expect(rowsOf('sep=;\r\na;b', ';', 9)).toEqual([['a', 'b']])
  })
})

describe('guessing', () => {
  it.each<[string, Delimiter]>([
    ['name,age\nAnn,3\nBob,4\n', ','],
    ['name;price\nAnn;3,50\nBob;4,20\nCid;1,00\n', ';'],
    ['a\tb\tc\n1\t2\t3\n', '\t'],
    ['a|b|c\n1|2|3\n', '|'],
    ['"Doe, Jane";1\n"Roe, John";2\n', ';'],
    ['one column\nof words\n', ','],
    ['root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/no\n', ':'],
    ['time,text\n10:30:00,a\n11:45:10,b\n', ','],
  ])('finds the delimiter of %j', (text, delimiter) => {
    expect(sniffDelimiter(text)).toBe(delimiter)
  })

  it('sees whether the first row names the columns', () => {
    expect(
      sniffHeader([
        ['name', 'age'],
        ['Ann', '3'],
        ['Bob', '4'],
      ]),
    ).toBe(true)
    expect(
      sniffHeader([
        ['1', '2'],
        ['3', '4'],
      ]),
    ).toBe(false)
    expect(
      sniffHeader([
        ['city', 'country'],
        ['Oslo', 'Norway'],
        ['Rome', 'Italy'],
      ]),
    ).toBe(true)
    expect(
      sniffHeader([
        ['Oslo', 'Norway'],
        ['Bergen', 'Norway'],
      ]),
    ).toBe(false)
    expect(sniffHeader([['only']])).toBe(false)
  })

  it('knows numbers and dates as people write them', () => {
    for (const text of [
      '1',
      '-2.5',
      '1,234.50',
      '1.234,50',
      '12 %',
      '€ 3',
      '2026-11-20',
      '20.11.2026',
      '1e5',
    ]) {
      expect(isNumeric(text), text).toBe(true)
    }
    for (const text of ['', 'a1', '1-2-x', 'v1.2.3b']) expect(isNumeric(text), text).toBe(false)
    expect(['1.234,5', '1,234.5', '0,5', '1,234', '12%', 'x'].map(toNumber)).toEqual([
      1234.5,
      1234.5,
      0.5,
      1234,
      12,
      null,
    ])
  })
})

describe('sorting and filtering', () => {
  const table = new CsvTable('item 10,1.5\nitem 9,\nÄpfel,12\nbanane,-3\n', ',')

  it('sorts numbers by value and words as people do, empty cells last both ways', () => {
    const by = (column: number, up: boolean) =>
      [...sortRows(table, all(table), column, up, 'de')].map((row) => table.cell(row, column))
    expect(by(1, true)).toEqual(['-3', '1.5', '12', ''])
    expect(by(1, false)).toEqual(['12', '1.5', '-3', ''])
    expect(by(0, true)).toEqual(['Äpfel', 'banane', 'item 9', 'item 10'])
  })

  it('sorts more rows than a map can hold', () => {
    const last = 2 ** 24
    const rows = new Uint32Array(last + 1).map((_, row) => row)
    const many = { cell: (row: number) => (row === last ? 'a' : '') }
    const sorted = sortRows(many, rows, 0, true, 'en')
    expect(sorted).toHaveLength(last + 1)
    expect([sorted[0], sorted[1], sorted[2], sorted.at(-1)]).toEqual([last, 0, 1, last - 1])
  })

  it('finds rows by any cell without regard to case', () => {
    expect([...filterRows(table, 0, 'ITEM')]).toEqual([0, 1])
    expect([...filterRows(table, 1, 'äpf')]).toEqual([2])
    expect([...filterRows(new CsvTable('"say ""hi""",1\nb,2', ','), 0, 'say "h')]).toEqual([0])
  })
})
