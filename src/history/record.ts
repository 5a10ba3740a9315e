// What the history holds: one line of JSON for each step of a change, and one for each record that was undone.
import { randomBytes } from 'node:crypto'
import type { HistoryKind, HistoryVia } from '../history-types.ts'
import { lineTime } from '../lib/log-file.ts'
import type { PlaceText } from '../lib/places.ts'

/** An entry that a change has left somewhere, as it was then. */
export interface Made {
  /** Below the target of the step, beginning with a slash; empty for the target itself. */
  path: string
  /** Inode number. Devices are not compared: their numbers change with each mount. */
  ino: string
  /** Null for a folder. */
  sizeBytes: number | null
  mtimeNs: string
  /** Permission bits before and after, where these were changed. */
  modes?: [before: number, after: number]
  /** Something was there before: its version, or null where none was kept. */
  replaced?: string | null
}

/** Who changes something, and by what. */
export interface Origin {
  via: HistoryVia
  /** Of a session or token: changes of one kind in one folder, one after the other, belong together. */
  session: string
  /** As the client names what it does: all changes of that name are one record. */
  operation?: string | undefined
  /** The record that is being undone. */
  undoes?: string | undefined
}

export interface Step extends Omit<Origin, 'session'> {
  /** The record that it is a part of, and how many were before it there. */
  id: string
  n: number
  atMs: number
  userID: number
  kind: HistoryKind
  path: PlaceText
  /** Where it went, of what is copied or moved. */
  to?: PlaceText | undefined
  files: number
  bytes: number
  made: Made[]
  /** The file that lists what was made, instead of `made`. */
  manifest?: string | undefined
  /** Ids of entries of the trash. */
  kept: string[]
}

/** A line that says of a record that it was undone. */
export interface Undone {
  userID: number
  undone: string
}

type Row = [path: string, ino: string, sizeBytes: number | null, mtimeNs: string, more?: RowFacts]
type RowFacts = Pick<Made, 'modes' | 'replaced'>

/** As it stands in a line or a manifest. */
export function rowOf({ path, ino, sizeBytes, mtimeNs, modes, replaced }: Made): Row {
  if (modes === undefined && replaced === undefined) return [path, ino, sizeBytes, mtimeNs]
  const more = { ...(modes && { modes }), ...(replaced !== undefined && { replaced }) }
  return [path, ino, sizeBytes, mtimeNs, more]
}

/** Null for what is no row. */
export function parseRow(value: unknown): Made | null {
  if (!Array.isArray(value)) return null
  const [path, ino, sizeBytes, mtimeNs, more] = value as Row
  if (typeof path !== 'string' || typeof ino !== 'string') return null
  return { path, ino, sizeBytes, mtimeNs, ...more }
}

/** The account comes right behind the time, where readers look for it. */
export function lineOf(step: Step): string {
  const { atMs, userID, id, n, via, operation, undoes, kind, path, to, manifest } = step
  const { files, bytes, made, kept } = step
  // One is made for each small file of many, and an object of all this would take twice as long.
  const who = `"time":"${lineTime(atMs)}","user":${userID},"id":"${id}","n":${n},"via":"${via}"`
  const what = `,"kind":"${kind}","path":${JSON.stringify(path)}${field('to', to)}`
  const held = `${field('manifest', manifest)}${list('made', made.map(rowOf))}${list('kept', kept)}`
  const how = field('operation', operation) + field('undoes', undoes)
  return `{${who}${how}${what},"files":${files},"bytes":${bytes}${held}}\n`
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
}

function list(name: string, values: readonly unknown[]): string {
  return values.length === 0 ? '' : `,"${name}":${JSON.stringify(values)}`
}

/** The line of a record that was undone. */
export function undoneLineOf({ userID, undone }: Undone): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ time, user: userID, undone })}\n`
}

/** The bytes by which lines of an account are found. */
export function needleOf(userID: number): Buffer {
  return Buffer.from(`","user":${userID},`)
}

/** Null for what is no line of ours, such as one that a crash cut off. */
export function parseLine(text: string): Step | Undone | null {
  try {
    const { time, user, made, kept, ...rest } = JSON.parse(text) as Record<string, unknown>
    if (typeof user !== 'number') return null
    if (typeof rest.undone === 'string') return { userID: user, undone: rest.undone }
    if (typeof rest.id !== 'string' || typeof rest.path !== 'string') return null
    return {
      ...(rest as unknown as Step),
      userID: user,
      atMs: Date.parse(String(time)),
      made: Array.isArray(made) ? made.flatMap((row) => parseRow(row) ?? []) : [],
      kept: Array.isArray(kept) ? kept.map(String) : [],
    }
  } catch {
    return null
  }
}

const TIME_DIGITS = 9

/** Sorts by time, which is in milliseconds. */
export function createId(atMs: number): string {
  const time = atMs.toString(36).padStart(TIME_DIGITS, '0')
  return time + randomBytes(8).toString('hex')
}

/** True for what `createId` makes. */
export function isRecordId(text: string): boolean {
  return timeOfId(text) !== null
}

/** Null where it holds none. */
export function timeOfId(id: string): number | null {
  return /^[0-9a-z]{9}[0-9a-f]{16}$/.test(id) ? Number.parseInt(id.slice(0, TIME_DIGITS), 36) : null
}
