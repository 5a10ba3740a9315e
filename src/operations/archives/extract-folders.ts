// The folders that an archive is unpacked into: one is kept open, and all get bits and times when everything is there.
import type { BigIntStats } from 'node:fs'
import type { ArchivedEntry } from '../../files/extract/wire.ts'
import type { Scope } from '../../files/place/scope.ts'
import type { WriteFolder } from '../../files/place/write-folder.ts'
import type { Course, OnMade, SourceFacts } from '../../files/transfer/course.ts'
import type { EntryStat } from '../../files/volume/entry-stat.ts'
import { AppError, unless } from '../../lib/errors.ts'
import { baseName, parentOf, ROOT, type VPath } from '../../lib/vpath.ts'
import type { Actor } from '../actor.ts'
import { requireUnlocked } from '../locks.ts'

export interface Filler {
  /** The folder, made with those above it where they are missing. Open until another one is asked for, and while files are made in it. Throws `too_large` past as many as are remembered. */
  open(folder: VPath): Promise<WriteFolder>
  /** With what the archive says of it, at the end. */
  makeFolder(folder: VPath, entry: ArchivedEntry): Promise<void>
  /** A file has come. */
  note(vpath: VPath): void
  /** Where the numbers begin that a further file of this name may have: 0 for none. */
  numberFor(vpath: VPath): number
  /** The number is taken, and all below it. */
  noteNumber(vpath: VPath, number: number): void
  /** False where none has come in this run; true for a few others, too. */
  mayHaveCome(vpath: VPath): boolean
  /** True for a file that an earlier run has unpacked from this entry; true once. */
  ofEarlierRun(source: SourceFacts, vpath: VPath, found: BigIntStats): boolean
  /** Bits and times of folders. */
  end(): Promise<void>
  /** Takes back the folders that were made, unless a file has come. */
  drop(): Promise<void>
  close(): Promise<void>
}

/** Nothing is made above `top` but what it needs to be there. */
export function createFiller(
  actor: Actor,
  top: VPath,
  onMade: OnMade,
  course: Pick<Course, 'earlier' | 'hasMade'>,
): Filler {
  const { scope } = actor
  const kept = createKeptOpen(scope)
  const folders = new Map<VPath, FolderFacts>()
  let rememberedChars = 0
  const met = new Set<VPath>()
  const come = createCome()
  const held = createHeld(onMade)
  const note = (vpath: VPath) => {
    held.keep()
    come.add(vpath)
  }
  const make = async (folder: VPath): Promise<FolderFacts> => {
    const known = folders.get(folder)
    if (known) return known
    rememberedChars += folder.length
    if (rememberedChars > MAX_FOLDER_CHARS)
      throw new AppError('too_large', 'more folders than are remembered')
    if (folder !== top) await make(parentOf(folder))
    const found = await scope.stat(folder).catch(unless('not_found'))
    if (!found) await requireUnlocked(actor, folder, 'member')
    const missing = found || folder !== top ? [] : await missingAbove(scope, top)
    await scope.makeFolder(folder)
    // Whoever asked for it tells of those.
    for (const above of missing) held.add(above, await scope.stat(above), { isTold: true })
    const facts: FolderFacts = { isFresh: !found, mode: null, mtimeMs: null }
    folders.set(folder, facts)
    if (!found) held.add(folder, await scope.stat(folder), { isTold: false })
    else if (found.kind === 'dir' && (await isOfEarlierRun(scope, folder, course))) {
      facts.isFresh = true
      held.add(folder, found, { isTold: true })
    }
    return facts
  }
  return {
    open: async (folder) => {
      const open = kept.opened(folder)
      if (open) return open
      await kept.letGo()
      await make(folder)
      return kept.open(folder)
    },
    makeFolder: async (folder, { mode, mtimeMs }) => {
      Object.assign(await make(folder), { mode, mtimeMs })
    },
    ...createNumbers(),
    note,
    mayHaveCome: come.mayHave,
    ofEarlierRun: (source, vpath, found) => {
      if (met.has(vpath) || !found.isFile()) return false
      if (course.earlier(source, vpath, found) === null) return false
      met.add(vpath)
      // A further entry of its name is another file.
      note(vpath)
      return true
    },
    end: async () => {
      await kept.close()
      // From below, as one without the right to write could not be filled, and each change is one of its folder.
      for (const [folder, { isFresh, mode, mtimeMs }] of [...folders].reverse()) {
        if (!isFresh || mtimeMs === null) continue
        if (mode !== null) await scope.setMode(folder, (mode & 0o777) | 0o700)
        await scope.setTime(folder, BigInt(Math.round(mtimeMs)) * 1_000_000n)
      }
    },
    drop: async () => {
      for (const each of held.take()) {
        folders.delete(each.folder)
        await removeEmpty(actor, each)
      }
    },
    close: async () => {
      await kept.close()
      held.keep()
    },
  }
}

/** Keeps one folder open, and that before it while files are made in it. */
function createKeptOpen(scope: Scope) {
  let current: { folder: VPath; into: WriteFolder } | null = null
  let closing: Promise<void> = Promise.resolve()
  /** Waits for the one before. */
  const letGo = async () => {
    const before = closing
    closing = current?.into.close() ?? Promise.resolve()
    // Seen when it is waited for.
    closing.catch(() => {})
    current = null
    await before
  }
  return {
    opened: (folder: VPath) => (current?.folder === folder ? current.into : null),
    open: async (folder: VPath) => {
      const into = await scope.openFolderToWrite(folder)
      current = { folder, into }
      return into
    },
    letGo,
    close: () => letGo().finally(() => closing),
  }
}

interface Held {
  folder: VPath
  stats: EntryStat
  /** The history knows of it, or will by others. */
  isTold: boolean
}

/** Folders that were made by this job, which are told of, and stay, once a file has come. */
function createHeld(onMade: OnMade) {
  let held: Held[] | null = []
  return {
    add(folder: VPath, stats: EntryStat, { isTold }: Pick<Held, 'isTold'>) {
      if (held) held.push({ folder, stats, isTold })
      else if (!isTold) onMade(folder, stats, null)
    },
    keep() {
      const kept = held ?? []
      held = null
      for (const { folder, stats, isTold } of kept) if (!isTold) onMade(folder, stats, null)
    },
    /** Those that may be taken back, each before what is above it. */
    take(): Held[] {
      const taken = (held ?? []).reverse()
      held = null
      return taken
    },
  }
}

async function isOfEarlierRun(
  scope: Scope,
  folder: VPath,
  { hasMade }: Pick<Course, 'hasMade'>,
): Promise<boolean> {
  using place = await scope.place(folder)
  return Boolean(place.stats && hasMade(folder, place.stats))
}

async function missingAbove(scope: Scope, folder: VPath): Promise<VPath[]> {
  const missing: VPath[] = []
  // A rule may allow what lies in a folder that it denies.
  const isMissing = async (at: VPath) =>
    (await scope.exists(at).catch(unless('forbidden'))) === false
  for (let up = parentOf(folder); up !== ROOT && (await isMissing(up)); up = parentOf(up))
    missing.unshift(up)
  return missing
}

// Not by the scope: who may create here may not be allowed to delete.
async function removeEmpty({ scope, services }: Actor, { folder, stats }: Held): Promise<void> {
  const { volume } = services
  using above = await scope.place(parentOf(folder))
  const opened = await volume.openFolder(above.realPath)
  try {
    const found = await volume.stat(opened, baseName(folder))
    if (found?.ino === stats.ino) await volume.removeSingle(opened, baseName(folder), null)
  } finally {
    await opened.close()
  }
}

function createNumbers(): Pick<Filler, 'numberFor' | 'noteNumber'> {
  const numbers = new Map<VPath, number>()
  return {
    numberFor: (vpath) => numbers.get(vpath) ?? 0,
    noteNumber: (vpath, number) => {
      numbers.delete(vpath)
      numbers.set(vpath, number + 1)
      if (numbers.size > MAX_NUMBERED) numbers.delete(numbers.keys().next().value as VPath)
    },
  }
}

interface FolderFacts {
  /** Made by this job. */
  isFresh: boolean
  /** As the archive has them; null where it says nothing. */
  mode: number | null
  mtimeMs: number | null
}

/** Of the paths of all folders of an archive. */
const MAX_FOLDER_CHARS = 32 * 1024 * 1024
/** Names of which several have come; of the others it is tried out which number is free. */
const MAX_NUMBERED = 4_096
/** All names of a million would take a hundred megabytes. */
const COME_BITS = 2 ** 23

function createCome() {
  const bits = new Uint8Array(COME_BITS / 8)
  return {
    add(vpath: VPath) {
      const bit = bitOf(vpath)
      bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7))
    },
    mayHave(vpath: VPath): boolean {
      const bit = bitOf(vpath)
      return ((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
    },
  }
}

/** The same for names that some disks take for one. */
function bitOf(vpath: VPath): number {
  let hash = 0x811c9dc5
  for (const char of vpath.normalize('NFC').toLowerCase())
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0) % COME_BITS
}
