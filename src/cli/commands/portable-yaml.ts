// YAML as the original writes it, so that exports compare line by line: block style, columns in
// steps of four, sequences indented below their key.
import { stringify } from 'yaml'
import { parseYaml } from '../../config/read-yaml.ts'

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

// Words that YAML 1.1 readers take for something else: booleans, times in base 60, dates.
const OTHER_IN_1_1 = /^(y|n|yes|no|on|off)$|^[-+]?\d+(:\d+)+(\.\d*)?$|^\d{4}-\d\d?-\d\d?/i

function scalar(value: unknown): string {
  if (typeof value !== 'string') return stringify(value).trimEnd()
  // Double quotes for what would read as another type, single quotes for what would not read.
  if (/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/.test(value)) return doubleQuoted(value)
  if (OTHER_IN_1_1.test(value)) return doubleQuoted(value)
  const plain = stringify(value, { lineWidth: 0 }).trimEnd()
  if (isOtherType(value)) return doubleQuoted(value)
  return plain === value ? value : `'${value.replaceAll("'", "''")}'`
}

function doubleQuoted(value: string): string {
  return stringify(value, { defaultStringType: 'QUOTE_DOUBLE', lineWidth: 0 }).trimEnd()
}

function isOtherType(text: string): boolean {
  try {
    return typeof parseYaml(text) !== 'string' && !/^\s*#/.test(text)
  } catch {
    // Not readable at all without quotes, so not another type either.
    return false
  }
}
