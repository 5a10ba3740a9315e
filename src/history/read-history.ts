// Reads the history back, the newest first: records are put together from their steps, which may lie between
// those of others.
import { join } from 'node:path'
import type { HistoryKind, HistoryVia } from '../history-types.ts'
import { blocksBackwards, NEWLINE, piecesOf } from '../lib/log-pieces.ts'
import type { PlaceText } from '../lib/places.ts'
import { readLog } from '../store/log.ts'
import type { HistoryFiles } from './history-files.ts'
import {
  type Made,
  needleOf,
  parseLine,
  parseRow,
  type Step,
  timeOfId,
  type Undone,
} from './record.ts'

/** A record as a list shows it. */
export interface Summary {
  id: string
  atMs: number
  kind: HistoryKind
  via: HistoryVia
  /** What was changed, or the folder that holds all of it. */
  path: PlaceText
  to: PlaceText | undefined
  files: number
  bytes: number
  /** So often one and the same file was changed; 1 for several. */
  times: number
  isUndone: boolean
  undoes: string | undefined
  /** Its latest steps, a few, from which it is told whether it can be undone. */
  steps: Step[]
}

/** Steps that are looked at to tell whether a record can be undone. */
const MAX_LOOKED_AT = 20
/** Clocks are set back a little now and then. */
const DISORDER_MS = 120_000

type Files = Pick<HistoryFiles, 'log' | 'ageMs' | 'manifests'>

/**
 * Up to `limit` records of an account, the newest first, from before the record `before`, or from the newest on
 * without one. `next` is the last one of these where there are more.
 */
export async function readRecords(
  files: Files,
  userID: number,
  { before, limit, signal }: { before: string; limit: number; signal: AbortSignal },
): Promise<{ records: Summary[]; next: string | null }> {
  const undone = new Set<string>()
  const found = new Map<string, Summary>()
  let whole = 0
  for await (const line of linesBackwards(files, userID, signal)) {
    if ('undone' in line) undone.add(line.undone)
    else if (before === '' || line.id < before) {
      add(found, line)
      if (line.n === 0) whole++
      // Those whose beginning was not met are older than all that was.
      if (whole > limit) break
    }
  }
  const records = [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
  const page = records.slice(0, limit)
  for (const record of page) record.isUndone = undone.has(record.id)
  return { records: page, next: records.length > limit ? (page.at(-1)?.id ?? null) : null }
}

function add(found: Map<string, Summary>, step: Step): void {
  const { id, atMs, kind, via, path, to, undoes } = step
  const before = found.get(id)
  if (!before) {
    const { files, bytes } = step
    const facts = { id, atMs, kind, via, path, to, files, bytes, times: 1, undoes }
    found.set(id, { ...facts, isUndone: false, steps: [step] })
    return
  }
  before.atMs = atMs
  if (before.steps.length < MAX_LOOKED_AT) before.steps.push(step)
  // It made room for what was put there.
  if (kind === 'delete' && before.to === path) return
  // Of the first step, which comes last here; folders are made on the way to something.
  if (kind !== 'folder') before.kind = kind
  before.bytes += step.bytes
  const isAgain = before.files === 1 && step.files === 1 && before.path === path && before.to === to
  if (isAgain) before.times++
  else {
    before.files += step.files + before.times - 1
    before.times = 1
  }
  before.path = folderOfBoth(before.path, path)
  before.to = to && before.to && folderOfBoth(before.to, to)
}

function folderOfBoth(a: PlaceText, b: PlaceText): PlaceText {
  const [x, y] = [a.split('/'), b.split('/')]
  let same = 0
  while (same < Math.min(x.length, y.length) && x[same] === y[same]) same++
  const text = x.slice(0, same).join('/')
  return (text === '' || text.endsWith(':') ? `${text}/` : text) as PlaceText
}

/** All steps of a record of an account, the latest first; null where there is none. `name` may be that of an operation. */
export async function readRecord(
  files: Files,
  userID: number,
  name: string,
  signal: AbortSignal,
): Promise<{ id: string; steps: Step[]; isUndone: boolean } | null> {
  const undone = new Set<string>()
  const steps: Step[] = []
  const sinceMs = timeOfId(name) ?? 0
  let id: string | undefined
  for await (const line of linesBackwards(files, userID, signal, sinceMs)) {
    if ('undone' in line) {
      undone.add(line.undone)
      continue
    }
    if (id === undefined && (line.id === name || line.operation === name)) id = line.id
    if (line.id !== id) continue
    steps.push(line)
    if (line.n === 0) break
  }
  return id === undefined ? null : { id, steps, isUndone: undone.has(id) }
}

/** What a step has made, from its line or its list. */
export async function madeBy(files: Files, { made, manifest }: Step): Promise<Made[]> {
  if (manifest === undefined || !/^[0-9a-z]+\.jsonl$/.test(manifest)) return made
  const rows: Made[] = []
  for await (const { value } of readLog(join(files.manifests, manifest))) {
    const row = parseRow(value)
    if (row) rows.push(row)
  }
  return rows
}

async function* linesBackwards(
  { log, ageMs }: Files,
  userID: number,
  signal: AbortSignal,
  sinceMs = 0,
): AsyncGenerator<Step | Undone> {
  const oldestMs = Math.max(Date.now() - ageMs(), sinceMs - DISORDER_MS)
  const needle = needleOf(userID)
  for await (const piece of piecesOf(log))
    for await (const { bytes } of blocksBackwards(piece, piece.sizeBytes)) {
      signal.throwIfAborted()
      for (let end = bytes.length; end > 0; ) {
        const hit = bytes.lastIndexOf(needle, end - 1)
        if (hit < 0) break
        const start = bytes.lastIndexOf(NEWLINE, hit) + 1
        const newline = bytes.indexOf(NEWLINE, hit)
        const line = parseLine(bytes.toString('utf8', start, newline < 0 ? bytes.length : newline))
        end = start
        if (line?.userID !== userID) continue
        if ('atMs' in line && line.atMs < oldestMs) return
        yield line
      }
    }
}
