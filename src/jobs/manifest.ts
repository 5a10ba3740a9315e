// The manifest of a job: what it has made, line by line, so that it goes on after the end of the server.
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { HalfCopy } from '../files/transfer/course.ts'
import { isTempName } from '../files/volume/temp-name.ts'
import { type Made, parseRow, rowOf } from '../history/record.ts'
import type { VPath } from '../lib/vpath.ts'
import { readLog } from '../store/log.ts'

/** Lines wait this long for others. */
const BATCH_MS = 100
const BATCH_BYTES = 64 * 1024

/** How far an item has come. */
export interface ItemSoFar {
  /** Where it was begun to be put; null where nothing is. */
  target: VPath | null
  isOver: boolean
  /** The commands before it ran, and let it pass. */
  hasRunCommands: boolean
  /** What was made below the target by its path there, of an item that is not over. */
  made: Map<string, Entry>
  /** Paths of what the history does not know yet. */
  unnoted: Set<string>
  /** Of an item that is over. */
  files: number
  bytes: number
}

export interface Entry {
  made: Made
  /** The time of its source; null where nothing was copied. */
  sourceMtimeNs: string | null
}

type Line =
  | { item: number; target: VPath }
  | { item: number; over: true; files: number; bytes: number }
  | { item: number; commands: true }
  /** The history knows what was made up to here. */
  | { item: number; noted: true }
  /** So far a large file has come. */
  | ({ half: VPath } & HalfCopy)

/** Copies that are not whole, by their targets. */
export type Halves = Map<string, HalfCopy>

export interface Manifest {
  add(line: Line): void
  addMade(item: number, entry: Entry): void
  /** Waits until all of it is with the system. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Reads how far each item has come; those that were not begun are absent. A missing file has none. */
export async function readManifest(
  file: string,
): Promise<{ items: Map<number, ItemSoFar>; halves: Halves }> {
  const halves: Halves = new Map()
  const items = new Map<number, ItemSoFar>()
  const itemOf = (at: number) => {
    const known = items.get(at)
    if (known) return known
    const item: ItemSoFar = {
      target: null,
      isOver: false,
      hasRunCommands: false,
      made: new Map(),
      unnoted: new Set(),
      files: 0,
      bytes: 0,
    }
    items.set(at, item)
    return item
  }
  for await (const { value } of readLog(file)) {
    if (Array.isArray(value)) {
      const [at, sourceMtimeNs, ...row] = value as [number, string | null, ...unknown[]]
      const made = parseRow(row)
      if (!made) continue
      itemOf(at).made.set(made.path, { made, sourceMtimeNs })
      itemOf(at).unnoted.add(made.path)
      halves.delete(`${itemOf(at).target}${made.path}`)
    } else if (isHalf(value)) {
      const { half, ...copy } = value
      halves.set(half, copy)
    } else if (typeof value === 'object' && value !== null && 'item' in value) {
      const line = value as Exclude<Line, { half: VPath }>
      const item = itemOf(line.item)
      if ('target' in line) item.target = line.target
      if ('commands' in line) item.hasRunCommands = true
      if ('noted' in line || 'over' in line) item.unnoted.clear()
      if (!('over' in line)) continue
      const { files, bytes } = line
      Object.assign(item, { isOver: true, made: new Map(), files, bytes })
    }
  }
  return { items, halves }
}

function isHalf(value: unknown): value is { half: string } & HalfCopy {
  const { half, path } = (value ?? {}) as Record<string, unknown>
  return typeof half === 'string' && typeof path === 'string' && isTempName(basename(path))
}

/** Makes the file with the first line, for the server's account alone, and not before `held`. `onError` is told once when it cannot be written. */
export function openManifest(
  file: string,
  onError: (error: unknown) => void,
  held: Promise<void> | null = null,
): Manifest {
  let isHeld = held !== null
  let waiting = ''
  let handle: FileHandle | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let isBroken = false

  const write = async () => {
    clearTimeout(timer)
    timer = undefined
    if (isHeld) return
    const text = waiting
    waiting = ''
    if (text === '' || isBroken) return
    try {
      // A line that a crash cut off ends here.
      if (!handle) {
        handle = await open(file, 'a', 0o600)
        await handle.appendFile('\n')
      }
      await handle.appendFile(text)
    } catch (error) {
      isBroken = true
      onError(error)
    }
  }
  const flush = () => {
    writing = writing.then(write)
    return writing
  }
  const put = (line: object) => {
    waiting += `${JSON.stringify(line)}\n`
    if (waiting.length >= BATCH_BYTES) void flush()
    else timer ??= setTimeout(() => void flush(), BATCH_MS).unref()
  }
  let isClosed = false
  void held?.then(() => {
    isHeld = false
    // What was over before it is kept nowhere.
    return isClosed ? undefined : flush()
  })
  return {
    add: put,
    addMade: (item, { made, sourceMtimeNs }) => put([item, sourceMtimeNs, ...rowOf(made)]),
    flush,
    async close() {
      isClosed = true
      await flush()
      await handle?.close()
    },
  }
}
