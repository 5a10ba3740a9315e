// YAML as the original writes it, so that exports compare line by line: block style, columns in
// steps of four, sequences indented below their key.
import { stringify } from 'yaml'

const STEP = 4

/** The text of a document, trailing newline included. */
export function toYaml(value: unknown): string {
  const block = emit(value, 0)
  return `${block.inline ?? block.lines.join('\n')}\n`
}

/** Either a value that fits behind its key, or lines that already carry their indent. */
interface Block {
  inline?: string
  lines: string[]
}

function emit(value: unknown, column: number): Block {
  if (Array.isArray(value)) {
    if (value.length === 0) return { inline: '[]', lines: [] }
    return { lines: value.flatMap((item) => emitItem(item, column)) }
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
    if (entries.length === 0) return { inline: '{}', lines: [] }
    return { lines: entries.flatMap(([key, child]) => emitEntry(key, child, column)) }
  }
  return { inline: scalar(value), lines: [] }
}

function emitEntry(key: string, child: unknown, column: number): string[] {
  const indent = ' '.repeat(column)
  const block = emit(child, nextStop(column))
  if (block.inline !== undefined) return [`${indent}${scalar(key)}: ${block.inline}`]
  return [`${indent}${scalar(key)}:`, ...block.lines]
}

function emitItem(item: unknown, column: number): string[] {
  const indent = ' '.repeat(column)
  const block = emit(item, column + 2)
  if (block.inline !== undefined) return [`${indent}- ${block.inline}`]
  const [first = '', ...others] = block.lines
  return [`${indent}- ${first.trimStart()}`, ...others]
}

// Columns are multiples of four, also below the two columns of a dash.
function nextStop(column: number): number {
  return (Math.floor(column / STEP) + 1) * STEP
}

function scalar(value: unknown): string {
  // Version 1.1 also quotes yes, no, on and off, which other readers take for booleans.
  return stringify(value, { version: '1.1', lineWidth: 0, blockQuote: false }).trimEnd()
}
