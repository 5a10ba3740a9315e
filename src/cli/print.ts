// Plain text in aligned columns, as the original's tabwriter makes it; scripts cut it by position.

const GAP = 2

/**
 * Aligns tab-separated cells: a cell is as wide as the widest of its column over adjacent lines
 * that have the cell, plus two; the last cell of a line is not padded.
 */
export function alignColumns(lines: readonly string[]): string[] {
  const rows = lines.map((line) => line.split('\t'))
  const widths = rows.map((row) => new Array<number>(row.length).fill(0))
  // A cell counts when another follows it; a column block ends where a line lacks the cell.
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0) - 1
  for (let column = 0; column < columns; column++) {
    let from = 0
    while (from < rows.length) {
      if ((rows[from]?.length ?? 0) <= column + 1) {
        from += 1
        continue
      }
      let to = from
      let width = 0
      while (to < rows.length && (rows[to]?.length ?? 0) > column + 1) {
        width = Math.max(width, cellWidth(rows[to]?.[column]))
        to += 1
      }
      for (let i = from; i < to; i++) {
        const line = widths[i]
        if (line) line[column] = width + GAP
      }
      from = to
    }
  }
  return rows.map((row, i) =>
    row.map((cell, column) => cell + ' '.repeat(padding(cell, widths[i]?.[column]))).join(''),
  )
}

function padding(cell: string, width = 0): number {
  return Math.max(0, width - cellWidth(cell))
}

// Counted in code points, as the original counts.
function cellWidth(cell = ''): number {
  return [...cell].length
}
