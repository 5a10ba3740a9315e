// Range requests by RFC 9110 14.

import type { IncomingHttpHeaders } from 'node:http'
import { validatorHolds } from './conditions.ts'

export interface Range {
  start: number
  /** Exclusive. */
  end: number
}

/** What to send; null stands for the whole file. Ranges of another version than If-Range names are ignored. */
export function usableRanges(
  headers: IncomingHttpHeaders,
  { sizeBytes, mtimeMs }: { sizeBytes: number; mtimeMs?: number },
  etag: string | undefined,
): Range[] | 'unsatisfiable' | null {
  const value = headers.range
  // Some clients ask for a range of everything; of an empty file there is none, so it is sent whole.
  if (value === undefined || sizeBytes === 0) return null
  const ifRange = headers['if-range'] as string | undefined
  if (ifRange !== undefined && !validatorHolds(ifRange, mtimeMs, etag)) return null
  return parseRanges(value, sizeBytes)
}

/** Parses `bytes=…`. Null when the header is to be ignored. */
function parseRanges(value: string, sizeBytes: number): Range[] | 'unsatisfiable' | null {
  if (!value.startsWith('bytes=')) return 'unsatisfiable'
  const ranges: Range[] = []
  let any = false
  for (const part of value.slice(6).split(',')) {
    const spec = part.trim()
    if (spec === '') continue
    const match = /^(\d*)-(\d*)$/.exec(spec)
    if (!match || (match[1] === '' && match[2] === '')) return 'unsatisfiable'
    any = true
    const range = toRange(match[1] ?? '', match[2] ?? '', sizeBytes)
    if (range === 'invalid') return 'unsatisfiable'
    if (range) ranges.push(range)
  }
  if (ranges.length > 0) {
    const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
    // Overlapping ranges that ask for more than the file are an attack or a mistake.
    return total > sizeBytes && ranges.length > 1 ? null : ranges
  }
  return any ? 'unsatisfiable' : null
}

function toRange(from: string, to: string, sizeBytes: number): Range | 'invalid' | null {
  if (from === '') {
    const count = Math.min(Number(to), sizeBytes)
    return count === 0 ? null : { start: sizeBytes - count, end: sizeBytes }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return 'invalid'
  if (start >= sizeBytes) return null
  return { start, end: to === '' ? sizeBytes : Math.min(Number(to) + 1, sizeBytes) }
}
