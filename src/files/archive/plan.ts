// What an archive will hold, found before its first byte is sent: so its length and a validator are known, and
// any part of it can be made by itself. Entries are kept in pages of typed arrays, some 30 bytes and a name each.
import { createHash } from 'node:crypto'
import { AppError } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import { joinVPath, parentOf, type VPath } from '../../lib/vpath.ts'
import type { OpenFile } from '../place/folder-reader.ts'
import { type ArchiveEntry, entryName, type FileEntry, type Way } from './entries.ts'
import { LAYOUTS, type LaidOut, type Layout, type PlannedFormat } from './layout.ts'

export interface PlannedEntry extends LaidOut {
  index: number
  /** Where its head begins, and its line in the directory, each from the start of the archive. */
  offset: number
  lineOffset: number
  /** Where the next one begins. */
  endOffset: number
  vpath: VPath
  mtimeNs: bigint
  /** How a file is opened: by its path, or in its folder by the steps. */
  way: Way | null
}

export interface Plan {
  layout: Layout
  count: number
  sizeBytes: number
  /** Where the directory begins, and what comes behind it. */
  directoryOffset: number
  endOffset: number
  /** Strong: the same only for the same bytes, as far as times and sizes of files tell. */
  etag: string
  /** What it takes in memory. */
  memoryBytes: number
  /** When the file that changed last did; milliseconds since the epoch. */
  newestMs: number
  /** The entries from the one on to which a byte belongs, or whose line it belongs to. */
  from(offset: number): Generator<PlannedEntry, void>
  linesFrom(offset: number): Generator<PlannedEntry, void>
  /** The CRC-32 of a content, once somebody has read it. */
  sum(index: number): number | undefined
  noteSum(index: number, sum: number): void
}

export interface PlanLimits {
  entries: number
  bytes: number
}

/** Of the bytes that follow from the same entries. */
const VERSION = 1
const PAGE_ENTRIES = 1024
/** Files whose facts are asked for at a time. */
const IN_FLIGHT = 8
/** Of an entry that is kept as an object, besides its names. */
const ODD_BYTES = 300

const FILE = 1
/** It lies in an open folder under its own name. */
const IN_FOLDER = 2
/** Below a name that is not UTF-8. */
const ODD = 4
const SUM_KNOWN = 8

interface Page {
  offset: number
  /** Of its first line, from the start of the directory. */
  lineOffset: number
  count: number
  flags: Uint8Array
  modes: Uint16Array
  sizes: Float64Array
  mtimes: BigInt64Array
  /** Of the folder that it lies in. */
  folders: Uint32Array
  /** Its name ends here in `names`. */
  ends: Uint32Array
  names: Buffer
  sums: Uint32Array
}

/** What is kept as it is found, since it follows from no path. */
interface Odd {
  name: string
  vpath: VPath
  way: Way | null
}

interface Draft {
  format: PlannedFormat
  common: VPath
  limits: PlanLimits
  pages: Page[]
  /** Of the page that is being filled. */
  pieces: Buffer[]
  folders: VPath[]
  odds: Map<number, Odd>
  memoryBytes: number
  offset: number
  directoryBytes: number
  count: number
  newestMs: number
}

/**
 * Walks `entries`, whose names begin below `common`, and lays them out. Each file is opened for a moment: what cannot be read is
 * left out, as from an archive that is sent at once. Throws `too_large` beyond the limits, and the signal's reason.
 */
export async function makePlan(
  entries: AsyncIterable<ArchiveEntry>,
  { format, common }: { format: PlannedFormat; common: VPath },
  limits: PlanLimits,
  signal: AbortSignal,
): Promise<Plan> {
  const draft: Draft = {
    format,
    common,
    limits,
    pages: [],
    pieces: [],
    folders: [],
    odds: new Map(),
    memoryBytes: 0,
    offset: 0,
    directoryBytes: 0,
    count: 0,
    newestMs: 0,
  }
  const folderNumbers = new Map<VPath, number>()
  const hash = createHash('sha256').update(`${VERSION} ${format}`)
  const turn = createTurns()
  const queue: { entry: ArchiveEntry; facts: Promise<Facts | null> }[] = []
  const source = entries[Symbol.asyncIterator]()
  try {
    for (let more = true; more || queue.length > 0; ) {
      signal.throwIfAborted()
      const next = more && queue.length < IN_FLIGHT ? await source.next() : undefined
      if (next?.done) more = false
      else if (next?.value) queue.push({ entry: next.value, facts: factsOf(next.value) })
      if (more && queue.length < IN_FLIGHT) continue
      const oldest = queue.shift()
      const facts = await oldest?.facts
      if (oldest && facts) hash.update(add(draft, folderNumbers, oldest.entry, facts))
      const others = turn()
      if (others) await others
    }
  } finally {
    await Promise.allSettled(queue.map(({ facts }) => facts))
    await source.return?.()
  }
  closePage(draft)
  return planOf(draft, `"${hash.digest('hex').slice(0, 40)}"`)
}

interface Facts {
  mode: number
  mtimeNs: bigint
  sizeBytes: number
}

function factsOf(entry: ArchiveEntry): Promise<Facts | null> {
  const facts = entry.kind === 'dir' ? Promise.resolve(folderFacts(entry)) : fileFacts(entry)
  // Awaited in order; a failure meanwhile must not count as unhandled.
  facts.catch(() => {})
  return facts
}

function folderFacts({ mode, mtimeMs }: { mode: number; mtimeMs: number }): Facts {
  return { mode, mtimeNs: BigInt(mtimeMs) * 1_000_000n, sizeBytes: 0 }
}

async function fileFacts(entry: FileEntry): Promise<Facts | null> {
  const file = await entry.open({ direct: true })
  if (!file) return null
  const { mode, mtimeNs, sizeBytes } = file
  await file.handle.close()
  return { mode, mtimeNs, sizeBytes }
}

/** Adds an entry; the result is all that the validator depends on. */
function add(
  draft: Draft,
  folderNumbers: Map<VPath, number>,
  entry: ArchiveEntry,
  { mode, mtimeNs, sizeBytes }: Facts,
): Buffer {
  let page = draft.pages.at(-1)
  if (!page || page.count === PAGE_ENTRIES) page = openPage(draft)
  const { vpath, way } = entry
  const at = page.count++
  const index = draft.count++
  const isOdd = (way?.steps.length ?? 0) > 1 || way?.steps[0]?.rawName !== undefined
  const folder = parentOf(vpath)
  let number = folderNumbers.get(folder)
  if (number === undefined) {
    number = draft.folders.push(folder) - 1
    folderNumbers.set(folder, number)
    draft.memoryBytes += 2 * folder.length + 64
  }
  if (isOdd) {
    const { name } = entry
    draft.odds.set(index, { name, vpath, way: way ?? null })
    draft.memoryBytes += ODD_BYTES + 2 * (name.length + vpath.length)
  }
  const piece = Buffer.from(vpath.slice(folder.length > 1 ? folder.length + 1 : 1))
  draft.pieces.push(piece)
  page.flags[at] = (entry.kind === 'file' ? FILE : 0) | (isOdd ? ODD : way ? IN_FOLDER : 0)
  page.modes[at] = mode & 0xffff
  page.sizes[at] = sizeBytes
  page.mtimes[at] = mtimeNs
  page.folders[at] = number
  page.ends[at] = (page.ends[at - 1] ?? 0) + piece.length
  draft.memoryBytes += piece.length
  if (draft.count > draft.limits.entries || draft.memoryBytes > draft.limits.bytes)
    throw new AppError('too_large', 'too many entries to be planned')
  const layout = LAYOUTS[draft.format]
  const mtimeMs = Number(mtimeNs / 1_000_000n)
  if (entry.kind === 'file') draft.newestMs = Math.max(draft.newestMs, mtimeMs)
  const laidOut = { kind: entry.kind, name: entry.name, mode, mtimeMs, sizeBytes }
  const offset = draft.offset
  draft.offset += lengthOf(layout, laidOut)
  draft.directoryBytes += layout.line(laidOut, offset, 0).length
  const time = Buffer.alloc(16)
  time.writeBigInt64LE(mtimeNs)
  time.writeDoubleLE(sizeBytes, 8)
  return Buffer.concat([layout.head(laidOut), time])
}

function openPage(draft: Draft): Page {
  closePage(draft)
  const page: Page = {
    offset: draft.offset,
    lineOffset: draft.directoryBytes,
    count: 0,
    flags: new Uint8Array(PAGE_ENTRIES),
    modes: new Uint16Array(PAGE_ENTRIES),
    sizes: new Float64Array(PAGE_ENTRIES),
    mtimes: new BigInt64Array(PAGE_ENTRIES),
    folders: new Uint32Array(PAGE_ENTRIES),
    ends: new Uint32Array(PAGE_ENTRIES),
    names: Buffer.alloc(0),
    sums: new Uint32Array(LAYOUTS[draft.format].hasSums ? PAGE_ENTRIES : 0),
  }
  draft.pages.push(page)
  draft.memoryBytes += PAGE_ENTRIES * 31 + 1024
  return page
}

function closePage({ pages, pieces }: Draft): void {
  const last = pages.at(-1)
  if (last) last.names = Buffer.concat(pieces)
  pieces.length = 0
}

function planOf(draft: Draft, etag: string): Plan {
  const { format, pages, count, offset: directoryOffset, directoryBytes } = draft
  const layout = LAYOUTS[format]
  const endOffset = directoryOffset + directoryBytes
  const sizeBytes = endOffset + layout.end(count, directoryOffset, directoryBytes).length
  const place = (index: number) => {
    const page = pages[Math.floor(index / PAGE_ENTRIES)] as Page
    return { page, at: index % PAGE_ENTRIES }
  }
  const entriesFrom = function* (first: number): Generator<PlannedEntry, void> {
    for (let number = first; number < pages.length; number++) {
      const page = pages[number] as Page
      let { offset } = page
      let lineOffset = directoryOffset + page.lineOffset
      for (let at = 0; at < page.count; at++) {
        const found = entryAt(draft, number * PAGE_ENTRIES + at, page, at)
        const endOffset = offset + lengthOf(layout, found)
        const entry = { ...found, offset, lineOffset, endOffset }
        lineOffset += layout.line(entry, offset, 0).length
        offset = endOffset
        yield entry
      }
    }
  }
  return {
    layout,
    count,
    sizeBytes,
    directoryOffset,
    endOffset,
    etag,
    memoryBytes: draft.memoryBytes,
    newestMs: draft.newestMs,
    from: function* (offset) {
      const first = pages.findLastIndex((page) => page.offset <= offset)
      for (const entry of entriesFrom(Math.max(0, first))) if (entry.endOffset > offset) yield entry
    },
    linesFrom: function* (offset) {
      const inDirectory = offset - directoryOffset
      const first = pages.findLastIndex(({ lineOffset }) => lineOffset <= inDirectory)
      for (const entry of entriesFrom(Math.max(0, first))) {
        const { length } = layout.line(entry, entry.offset, 0)
        if (entry.lineOffset + length > offset) yield entry
      }
    },
    sum: (index) => {
      const { page, at } = place(index)
      return (page.flags[at] ?? 0) & SUM_KNOWN ? page.sums[at] : undefined
    },
    noteSum: (index, sum) => {
      const { page, at } = place(index)
      page.sums[at] = sum
      page.flags[at] = (page.flags[at] ?? 0) | SUM_KNOWN
    },
  }
}

function lengthOf(layout: Layout, entry: LaidOut): number {
  return layout.head(entry).length + entry.sizeBytes + layout.tail(entry, 0).length
}

function entryAt(
  { common, folders, odds }: Draft,
  index: number,
  page: Page,
  at: number,
): Omit<PlannedEntry, 'offset' | 'lineOffset' | 'endOffset'> {
  const flags = page.flags[at] ?? 0
  const mtimeNs = page.mtimes[at] ?? 0n
  const rest = {
    index,
    kind: flags & FILE ? ('file' as const) : ('dir' as const),
    mode: page.modes[at] ?? 0,
    mtimeNs,
    mtimeMs: Number(mtimeNs / 1_000_000n),
    sizeBytes: page.sizes[at] ?? 0,
  }
  const odd = odds.get(index)
  if (odd) return { ...rest, ...odd }
  const base = folders[page.folders[at] ?? 0] as VPath
  const name = page.names.toString('utf8', at === 0 ? 0 : page.ends[at - 1], page.ends[at])
  const vpath = joinVPath(base, name)
  const way = flags & IN_FOLDER ? { base, steps: [{ name, vpath, kind: 'file' as const }] } : null
  return { ...rest, name: entryName(vpath, common), vpath, way }
}

/** Throws `precondition_failed` where a file is not (any more) what was planned. */
export async function requirePlanned(
  { mtimeNs, sizeBytes, vpath }: PlannedEntry,
  { handle }: Pick<OpenFile, 'handle'>,
): Promise<void> {
  const now = await handle.stat()
  if (now.mtimeNs !== mtimeNs || Number(now.size) !== sizeBytes)
    throw new AppError('precondition_failed', `${vpath} has changed since the archive was planned`)
}
