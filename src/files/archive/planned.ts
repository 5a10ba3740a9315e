// Any part of a planned archive. Entries that it does not touch are not read; those that it does are opened anew, with
// the rights of now, and have to be as they were planned.
import { crc32 } from 'node:zlib'
import { AppError } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import type { VPath } from '../../lib/vpath.ts'
import type { FolderReader, OpenFile } from '../place/folder-reader.ts'
import type { DirEntry } from '../place/list-folder.ts'
import type { Scope } from '../place/scope.ts'
import { type ByteSink, createBatchingSink } from './byte-sink.ts'
import { type Content, readAhead } from './content.ts'
import type { ArchiveEntry } from './entries.ts'
import { type Plan, type PlannedEntry, requirePlanned } from './plan.ts'

/** Contents whose sums are missing in a directory are read for so many lines before these are sent. */
const LINES = 256

/**
 * Writes bytes [start, end) of an archive. Throws `precondition_failed` at a file that is not as it was planned, what
 * opening a file throws, and the signal's reason.
 */
export async function writePlanned(
  plan: Plan,
  { start, end }: { start: number; end: number },
  scope: Scope,
  sink: ByteSink,
  signal: AbortSignal,
): Promise<void> {
  const batches = createBatchingSink(sink)
  const part = createPart(batches, start, end)
  if (start < plan.directoryOffset) await writeEntries(plan, part, scope, signal)
  if (start < plan.endOffset && end > plan.directoryOffset)
    await writeDirectory(plan, part, scope, signal)
  if (end > plan.endOffset) {
    const { count, directoryOffset, endOffset } = plan
    part.moveTo(endOffset)
    await part.write(plan.layout.end(count, directoryOffset, endOffset - directoryOffset))
  }
  await batches.end()
}

/** Passes on what lies within the range. */
interface Part extends ByteSink {
  start: number
  end: number
  /** Where the next bytes belong. */
  moveTo(offset: number): void
  touches(from: number, to: number): boolean
}

function createPart(sink: ByteSink, start: number, end: number): Part {
  let position = 0
  return {
    start,
    end,
    moveTo: (offset) => {
      position = offset
    },
    touches: (from, to) => from < end && to > start,
    write: async (chunk) => {
      const from = Math.max(0, start - position)
      const to = Math.min(chunk.length, end - position)
      position += chunk.length
      if (from < to) await sink.write(chunk.subarray(from, to))
    },
  }
}

/** A planned entry and where its content lies. */
interface Located {
  entry: PlannedEntry
  head: Buffer
  contentAt: number
  tailAt: number
}

async function writeEntries(
  plan: Plan,
  part: Part,
  scope: Scope,
  signal: AbortSignal,
): Promise<void> {
  const { layout } = plan
  const waiting: Located[] = []
  const open = createOpener(scope)
  const source = async function* (): AsyncGenerator<ArchiveEntry, void> {
    for (const entry of plan.from(part.start)) {
      if (entry.offset >= part.end) return
      const head = layout.head(entry)
      const contentAt = entry.offset + head.length
      const located = { entry, head, contentAt, tailAt: contentAt + entry.sizeBytes }
      waiting.push(located)
      yield needsContent(plan, located, part) ? open.file(entry) : asFolder(entry)
    }
  }
  try {
    for await (const ready of readAhead(source(), signal)) {
      const { entry, head, contentAt, tailAt } = waiting.shift() as Located
      part.moveTo(entry.offset)
      await part.write(head)
      const content = ready.kind === 'file' ? ready.content : null
      if (content) await writeContent(plan, part, { entry, contentAt, tailAt }, content)
      part.moveTo(tailAt)
      const tail = layout.tail(entry, plan.sum(entry.index) ?? 0)
      if (tail.length > 0) await part.write(tail)
    }
  } finally {
    await open.close()
  }
}

// Nothing of it is read.
function asFolder({ name, vpath, mode, mtimeMs }: PlannedEntry): ArchiveEntry {
  return { kind: 'dir', name, vpath, mode, mtimeMs }
}

function needsContent(plan: Plan, { entry, contentAt, tailAt }: Located, part: Part): boolean {
  if (entry.kind !== 'file') return false
  if (entry.sizeBytes === 0 || part.touches(contentAt, tailAt)) return true
  return plan.layout.hasSums && part.end > tailAt && plan.sum(entry.index) === undefined
}

async function writeContent(
  plan: Plan,
  part: Part,
  { entry, contentAt, tailAt }: Pick<Located, 'entry' | 'contentAt' | 'tailAt'>,
  content: Content,
): Promise<void> {
  const { index, sizeBytes } = entry
  part.moveTo(contentAt)
  if (content.whole) {
    if (plan.layout.hasSums) plan.noteSum(index, crc32(content.whole))
    return part.write(content.whole)
  }
  const from = Math.max(0, part.start - contentAt)
  const to = Math.min(sizeBytes, part.end - contentAt)
  let sum = 0
  if (from < to) {
    part.moveTo(contentAt + from)
    const write = (chunk: Uint8Array) => {
      if (plan.layout.hasSums) sum = crc32(chunk, sum)
      return part.write(chunk)
    }
    await content.copyTo({ write }, from, to)
  }
  if (!plan.layout.hasSums || plan.sum(index) !== undefined) return
  if (from === 0 && to === sizeBytes) plan.noteSum(index, sum)
  else if (part.end > tailAt) plan.noteSum(index, await sumOf(content))
}

async function sumOf(content: Content): Promise<number> {
  if (content.whole) return crc32(content.whole)
  let sum = 0
  const write = async (chunk: Uint8Array) => {
    sum = crc32(chunk, sum)
  }
  await content.copyTo({ write })
  return sum
}

async function writeDirectory(
  plan: Plan,
  part: Part,
  scope: Scope,
  signal: AbortSignal,
): Promise<void> {
  let lines: PlannedEntry[] = []
  const turn = createTurns()
  const flush = async () => {
    const missing = lines.filter(
      ({ kind, sizeBytes, index }) =>
        kind === 'file' && sizeBytes > 0 && plan.sum(index) === undefined,
    )
    if (missing.length > 0) await readSums(plan, missing, scope, signal)
    for (const entry of lines) {
      part.moveTo(entry.lineOffset)
      await part.write(plan.layout.line(entry, entry.offset, plan.sum(entry.index) ?? 0))
    }
    lines = []
    await turn()
  }
  for (const entry of plan.linesFrom(Math.max(part.start, plan.directoryOffset))) {
    if (entry.lineOffset >= part.end) break
    lines.push(entry)
    if (lines.length === LINES) await flush()
  }
  await flush()
}

async function readSums(
  plan: Plan,
  entries: readonly PlannedEntry[],
  scope: Scope,
  signal: AbortSignal,
): Promise<void> {
  const open = createOpener(scope)
  const source = async function* (): AsyncGenerator<ArchiveEntry, void> {
    for (const entry of entries) yield open.file(entry)
  }
  let at = 0
  try {
    for await (const ready of readAhead(source(), signal)) {
      const entry = entries[at++] as PlannedEntry
      if (ready.kind === 'file') plan.noteSum(entry.index, await sumOf(ready.content))
    }
  } finally {
    await open.close()
  }
}

interface Held {
  base: VPath
  reader: Promise<FolderReader>
  users: number
}

/** Opens files of a plan; the folder of the last is kept open for the next. */
function createOpener(scope: Scope) {
  let current = null as Held | null
  const close = (held: Held) => held.reader.then((folder) => folder.close()).catch(() => {})
  const take = async (base: VPath): Promise<Held> => {
    if (current?.base === base) {
      current.users++
      return current
    }
    const former = current
    const held = { base, reader: scope.openFolder(base), users: 1 }
    current = held
    // Awaited by whoever has taken it.
    held.reader.catch(() => {})
    if (former?.users === 0) await close(former)
    return held
  }
  const give = async (held: Held) => {
    held.users--
    if (held.users === 0 && held !== current) await close(held)
  }
  const openNow = async ({ vpath, way }: PlannedEntry): Promise<OpenFile> => {
    if (!way) return await scope.openRead(vpath)
    const held = await take(way.base)
    const entered: FolderReader[] = []
    try {
      let folder = await held.reader
      for (const step of way.steps.slice(0, -1)) {
        folder = await folder.enter(step)
        entered.push(folder)
      }
      return await folder.openRead(way.steps.at(-1) as DirEntry)
    } finally {
      for (const inner of entered.reverse()) await inner.close()
      await give(held)
    }
  }
  const openPlanned = async (entry: PlannedEntry): Promise<OpenFile> => {
    const file = await openNow(entry).catch((error) => {
      if (error instanceof AppError && error.code === 'not_found') throw gone(entry)
      throw error
    })
    try {
      await requirePlanned(entry, file)
      return file
    } catch (error) {
      await file.handle.close()
      throw error
    }
  }
  return {
    file: (entry: PlannedEntry): ArchiveEntry => ({
      kind: 'file',
      name: entry.name,
      vpath: entry.vpath,
      open: () => openPlanned(entry),
      verify: (file) => requirePlanned(entry, file),
    }),
    close: async () => {
      if (current) await close(current)
    },
  }
}

function gone({ vpath }: PlannedEntry): AppError {
  return new AppError('precondition_failed', `${vpath} is gone since the archive was planned`)
}
