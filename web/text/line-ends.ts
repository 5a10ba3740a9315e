// Line ends of a file, kept line by line: an editor works on lines, and a file whose lines end in
// different ways must come out as it went in.

export type LineEnd = '\n' | '\r\n' | '\r'

export interface LineEnds {
  /** What most lines end with, and what new lines get; `\n` when there is only one line. */
  usual: LineEnd
  /** Lines, counted from 0, that end otherwise. Empty in nearly every file. */
  others: readonly { line: number; end: LineEnd }[]
}

interface SplitText {
  /** Without their ends; a final line end gives an empty last line. */
  lines: string[]
  ends: LineEnds
}

const LF = 10
const CR = 13

/** Cuts text at `\n`, `\r\n` and `\r`, and at nothing else: U+2028 stays within its line. */
export function splitLines(text: string): SplitText {
  const lines: string[] = []
  const found: LineEnd[] = []
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  let start = 0
  let nextCr = text.indexOf('\r')
  let nextLf = text.indexOf('\n')
  while (nextCr !== -1 || nextLf !== -1) {
    const isLf = nextCr === -1 || (nextLf !== -1 && nextLf < nextCr)
    const at = isLf ? nextLf : nextCr
    const end: LineEnd = isLf ? '\n' : text.charCodeAt(at + 1) === LF ? '\r\n' : '\r'
    lines.push(text.slice(start, at))
    found.push(end)
    counts[end] += 1
    start = at + end.length
    if (nextLf !== -1 && nextLf < start) nextLf = text.indexOf('\n', start)
    if (nextCr !== -1 && nextCr < start) nextCr = text.indexOf('\r', start)
  }
  lines.push(text.slice(start))
  const usual = usualOf(counts)
  const others = found.flatMap((end, line) => (end === usual ? [] : [{ line, end }]))
  return { lines, ends: { usual, others } }
}

function usualOf(counts: Record<LineEnd, number>): LineEnd {
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n'
  return counts['\r'] > counts['\n'] ? '\r' : '\n'
}

/** The inverse of splitLines. */
export function joinLines(lines: readonly string[], ends: LineEnds): string {
  if (ends.others.length === 0) return lines.join(ends.usual)
  const special = new Map(ends.others.map(({ line, end }) => [line, end]))
  const parts: string[] = []
  for (const [line, text] of lines.entries()) {
    parts.push(text)
    if (line < lines.length - 1) parts.push(special.get(line) ?? ends.usual)
  }
  return parts.join('')
}

/** Short name for the status bar, the same in every language. */
export function lineEndLabel(end: LineEnd): 'LF' | 'CRLF' | 'CR' {
  if (end === '\n') return 'LF'
  return end.charCodeAt(0) === CR && end.length === 2 ? 'CRLF' : 'CR'
}
