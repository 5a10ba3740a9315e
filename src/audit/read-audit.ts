// Reads the audit log back: block by block, so that a hundred megabytes take little memory and time. A line
// is parsed only when it holds the bytes that are asked for.
import type { AuditAction, AuditRecord, AuditResult } from '../audit-types.ts'
import { badRequest } from '../lib/errors.ts'
import {
  type Block,
  blocksBackwards,
  blocksForwards,
  NEWLINE,
  piecesOf,
} from '../lib/log-pieces.ts'
import type { AuditTarget } from './audit-target.ts'
import { parseLine, quoted } from './event.ts'

const TIME_AT = '{"time":"'.length
const TIME_LENGTH = '2026-11-23T12:00:00.000Z'.length
/** Merged acts are written up to a minute late, so times are in order but for this much. */
const DISORDER_MS = 120_000

/** Empty fields ask for nothing. */
export interface AuditFilter {
  user: string
  action: AuditAction | ''
  /** Part of `path`, `to` or `place`. */
  path: string
  result: AuditResult | ''
  /** Fingerprint of a link; see AuditRecord.by. */
  share: string
  /** Milliseconds since 1970; `fromMs` is included, `toMs` is not. */
  fromMs: number
  toMs: number
}

interface Found {
  record: AuditRecord
  /** Where its line begins. */
  offset: number
}

/**
 * Up to `limit` lines, the newest first, from before `before`, which is empty or a `next` of an earlier
 * page. Throws `bad_request` for another text; where that piece is gone, so are those before it.
 */
export async function readPage(
  target: AuditTarget,
  filter: AuditFilter,
  { before, limit, signal }: { before: string; limit: number; signal: AbortSignal },
): Promise<{ lines: AuditRecord[]; next: string | null }> {
  const start = before === '' ? null : parseCursor(before)
  const asked = sinceKept(filter, target)
  const lines: AuditRecord[] = []
  let next: string | null = null
  let isBelow = start === null
  for await (const piece of piecesOf(target.path)) {
    if (!isBelow && piece.inode !== start?.inode) continue
    const end = isBelow ? piece.sizeBytes : Math.min(start?.offset ?? 0, piece.sizeBytes)
    isBelow = true
    for await (const block of blocksBackwards(piece, end)) {
      signal.throwIfAborted()
      for (const { record, offset } of findIn(block, asked).reverse()) {
        // One more than asked for tells that there are more.
        if (lines.length === limit) return { lines, next }
        lines.push(record)
        next = `${piece.inode.toString(36)}-${offset.toString(36)}`
      }
      if (isOlder(block, asked.fromMs)) return { lines, next: null }
    }
  }
  return { lines, next: null }
}

/** All lines that are asked for, the oldest first, some at a time. */
export async function* readAll(
  target: AuditTarget,
  filter: AuditFilter,
): AsyncGenerator<AuditRecord[]> {
  const asked = sinceKept(filter, target)
  for await (const piece of piecesOf(target.path, true)) {
    for await (const block of blocksForwards(piece)) {
      const found = findIn(block, asked)
      if (found.length > 0) yield found.map(({ record }) => record)
    }
  }
}

/** Lines beyond the age that is kept wait to be removed, and are not shown. */
function sinceKept(filter: AuditFilter, { ageMs }: AuditTarget): AuditFilter {
  return { ...filter, fromMs: Math.max(filter.fromMs, Date.now() - ageMs) }
}

function parseCursor(text: string): { inode: bigint; offset: number } {
  const [, inode, offset] = /^([0-9a-z]{1,13})-([0-9a-z]{1,10})$/.exec(text) ?? []
  if (inode === undefined || offset === undefined)
    throw badRequest('before is no cursor of this log')
  const digits = [...inode].map((digit) => BigInt(Number.parseInt(digit, 36)))
  return {
    inode: digits.reduce((sum, digit) => sum * 36n + digit, 0n),
    offset: Number.parseInt(offset, 36),
  }
}

/** The lines of a block that are asked for, in its order. */
function findIn({ bytes, offset }: Block, filter: AuditFilter): Found[] {
  const found: Found[] = []
  if (timeAt(bytes, 0) - DISORDER_MS >= filter.toMs) return found
  const needle = needleOf(filter)
  for (let at = 0; at < bytes.length; ) {
    const hit = needle === null ? at : bytes.indexOf(needle, at)
    if (hit < 0) break
    const from = needle === null ? at : bytes.lastIndexOf(NEWLINE, hit) + 1
    const lineEnd = bytes.indexOf(NEWLINE, hit)
    const to = lineEnd < 0 ? bytes.length : lineEnd
    at = to + 1
    const atMs = timeAt(bytes, from)
    if (atMs < filter.fromMs || atMs >= filter.toMs) continue
    const record = parseLine(bytes.toString('utf8', from, to))
    if (record && isAskedFor(record, filter)) found.push({ record, offset: offset + from })
  }
  return found
}

/** The rarest of the bytes that each line must hold. */
function needleOf({ user, path, share, action, result }: AuditFilter): Buffer | null {
  if (path !== '') return Buffer.from(quoted(path).slice(1, -1))
  if (share !== '') return Buffer.from(`"by":${quoted(share)}`)
  if (user !== '') return Buffer.from(`"user":${quoted(user)}`)
  if (action !== '') return Buffer.from(`"action":"${action}"`)
  return result === '' ? null : Buffer.from(`"result":"${result}"`)
}

/** True for a record that the filter asks for. */
export function isAskedFor(record: AuditRecord, filter: AuditFilter): boolean {
  const { user, action, path, result, share, fromMs, toMs } = filter
  const atMs = Date.parse(record.time)
  return (
    atMs >= fromMs &&
    atMs < toMs &&
    (user === '' || record.user === user) &&
    (action === '' || record.action === action) &&
    (result === '' || record.result === result) &&
    (share === '' || (record.via === 'share' && record.by === share)) &&
    (path === '' || [record.path, record.to, record.place].some((text) => text?.includes(path)))
  )
}

/** True when all lines before the block are from before that time as well. */
function isOlder({ bytes }: Block, fromMs: number): boolean {
  return timeAt(bytes, 0) < fromMs - DISORDER_MS
}

/**
 * The time of the line at an offset, in milliseconds since 1970; NaN in a damaged one. It is the first
 * field, and reading it alone is ten times quicker than reading the line.
 */
function timeAt(bytes: Buffer, offset: number): number {
  return Date.parse(bytes.toString('latin1', offset + TIME_AT, offset + TIME_AT + TIME_LENGTH))
}
