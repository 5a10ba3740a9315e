// The records of a collection that changes often, as a log beside the document: each line is what one
// transaction has changed of it. A transaction that changes several files names itself in its lines
// (`tx`) and then in the document; where the document does not name it, it has never happened.
import type { Key } from './collection.ts'
import { parseRecord } from './document-file.ts'
import { readLog, readSmallLog, toLine } from './log.ts'
import { type Entry, listOf, setEntry, type Table } from './table.ts'

/** Records in one line of a log that is written anew. */
export const RECORDS_PER_LINE = 100

interface Line {
  tx?: string
  del?: Key[]
  put?: object[]
  /** Of records that stay in place the fields that changed. */
  set?: [Key, object][]
}

/** Lines that count, and the position behind them. */
export interface ReadLines {
  lines: Line[]
  end: number
}

/**
 * Reads what was appended since `from`; `commit` is the transaction that the document names. `atOnce`: where there is nobody
 * to hold up.
 */
export async function readLines(
  file: string,
  from: number,
  commit: string | undefined,
  atOnce = false,
): Promise<ReadLines> {
  const lines: Line[] = []
  let end = from
  // The last transaction over several files; a line behind it proves that the document named it.
  let last: ReadLines = { lines: [], end: from }
  let lastTx: string | undefined
  const settle = () => {
    lines.push(...last.lines)
    end = last.end
    last = { lines: [], end }
  }
  const read = (atOnce && from === 0 && readSmallLog(file)) || readLog(file, from)
  for await (const { value, end: at } of read) {
    const line = (value ?? {}) as Line
    if (line.tx !== lastTx) settle()
    lastTx = line.tx
    last.lines.push(line)
    last.end = at
  }
  if (lastTx === undefined || lastTx === commit) settle()
  return { lines, end }
}

/**
 * Applies lines to a table; gives the entries before, of the keys that they name. Damaged records are
 * left out.
 */
export function applyLines(table: Table, lines: readonly Line[]): Map<Key, Entry | undefined> {
  const { collection } = table
  const before = new Map<Key, Entry | undefined>()
  const set = (key: Key, entry: Entry | undefined) => {
    if (!before.has(key)) before.set(key, table.entries.get(key))
    setEntry(table, key, entry)
  }
  const put = (value: unknown, key?: Key) => {
    try {
      const record = parseRecord(collection, value, collection.name)
      const its = collection.keyOf(record)
      if (key !== undefined && its !== key) return
      const order = table.entries.get(its)?.order ?? table.nextOrder
      set(its, { record, order })
    } catch {
      // A line that somebody else has written, or a bad disk.
    }
  }
  for (const line of lines) {
    for (const key of line.del ?? []) set(key, undefined)
    for (const record of line.put ?? []) put(record)
    for (const [key, fields] of line.set ?? []) {
      const entry = table.entries.get(key)
      if (entry) put({ ...entry.record, ...fields }, key)
    }
  }
  return before
}

/** What has changed in a table, as a line; empty when that is nothing. */
export function lineOf(
  table: Table,
  before: ReadonlyMap<Key, Entry | undefined> = new Map(),
  tx?: string,
): string {
  const del: Key[] = []
  const put: Entry[] = []
  const set: [Key, object][] = []
  for (const [key, was] of before) {
    const is = table.entries.get(key)
    if (was && (!is || is.order !== was.order)) del.push(key)
    if (!is) continue
    const fields = was?.order === is.order ? changedFields(was.record, is.record) : null
    if (fields) set.push([key, fields])
    else put.push(is)
  }
  if (del.length + put.length + set.length === 0) return ''
  return toLine({
    ...(tx !== undefined && { tx }),
    ...(del.length > 0 && { del }),
    // A key that was removed and inserted again comes behind those inserted in between.
    ...(put.length > 0 && {
      put: put.sort((a, b) => a.order - b.order).map(({ record }) => record),
    }),
    ...(set.length > 0 && { set }),
  })
}

/** The fields that differ; null when one has gone, which they could not tell. */
function changedFields(before: object, after: object): object | null {
  const names = Object.keys(after)
  if (Object.keys(before).some((name) => !(name in after))) return null
  const was = before as Record<string, unknown>
  const is = after as Record<string, unknown>
  return Object.fromEntries(
    names.filter((name) => was[name] !== is[name]).map((name) => [name, is[name]]),
  )
}

/** All records of a table, as the lines of a new log. */
export function* linesOf(table: Table): Generator<string> {
  const records = listOf(table)
  for (let at = 0; at < records.length; at += RECORDS_PER_LINE)
    yield toLine({ put: records.slice(at, at + RECORDS_PER_LINE) })
}
