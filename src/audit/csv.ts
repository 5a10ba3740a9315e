// The audit log for spreadsheet programs: RFC 4180, UTF-8 with a byte order mark, which Excel needs.
import type { AuditRecord } from '../audit-types.ts'

const COLUMNS = [
  'time',
  'user',
  'via',
  'by',
  'address',
  'action',
  'path',
  'to',
  'place',
  'target',
  'names',
  'selected',
  'result',
  'status',
  'bytes',
  'times',
] as const satisfies readonly (keyof AuditRecord)[]

/** The mark and the names of the columns. */
export function csvHeader(): string {
  return `\ufeff${COLUMNS.join(',')}\r\n`
}

/** One record as a line. */
export function csvLine(record: AuditRecord): string {
  return `${COLUMNS.map((column) => cell(record[column])).join(',')}\r\n`
}

// A cell that begins like a formula would be run as one: an apostrophe in front makes it text (OWASP, CSV
// injection).
function cell(value: string | number | readonly string[] | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : value.join('\n')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
