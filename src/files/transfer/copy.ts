// Copying entries. What a change would touch is checked as a whole before the first
// byte moves; a copy goes through a temporary sibling, so a target is never half a file.
import type { Verb } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import { MAX_PATH_BYTES } from '../../lib/host-path.ts'
import { createTurns } from '../../lib/turns.ts'
import {
  baseName,
  isWithin,
  joinVPath,
  parentOf,
  ROOT,
  suffixOf,
  type VPath,
} from '../../lib/vpath.ts'
import type { DirEntry } from '../place/list-folder.ts'
import type { Scope } from '../place/scope.ts'
import type { EntryStat } from '../volume/entry-stat.ts'
import { leadsToReserved } from '../volume/reserved-name.ts'
import { leadsToTemp } from '../volume/temp-name.ts'
import { type Branches, createBranches } from './branches.ts'
import { type CopyOptions, copyFileIn, copyOneFile, oneByOne } from './copy-file.ts'
import { copySmallFiles } from './copy-small.ts'

/** Refuses what could never end well: the root, a folder into itself (`bad_request`). */
export function checkSourceAndTarget(source: VPath, target: VPath): void {
  if (source === ROOT || target === ROOT)
    throw new AppError('forbidden', 'the root can be neither source nor target')
  if (source !== target && isWithin(source, target)) throw sourceIsParent()
}

/** Refuses a folder that would go into itself. */
export function sourceIsParent(): AppError {
  return new AppError('bad_request', 'source is parent', { expose: true })
}

/**
 * Walks a tree and refuses when an entry must not be treated so, or nothing may come to where it would go, or a link
 * leaves the scope (GHSA-77x8-73f4-5485). Links are checked, not followed.
 */
export async function checkTree(
  scope: Scope,
  {
    source,
    verbs,
    target,
  }: {
    source: VPath
    verbs: readonly Verb[]
    target?: { vpath: VPath; verbs: readonly Verb[] }
  },
  signal: AbortSignal,
): Promise<void> {
  const { kind, isSymlink } = await scope.stat(source)
  // A link is moved and deleted where it lies, and what it leads to stays.
  const isTaken = verbs.includes('rename') || verbs.includes('delete')
  const may = await scope.mayBelow(source, { itself: isSymlink && isTaken })
  const mayTarget = target && (await scope.mayBelow(target.vpath))
  const check = (vpath: VPath, isEscaping: boolean) => {
    const future = target && (`${target.vpath}${vpath.slice(source.length)}` as VPath)
    const isFree = ['see' as const, ...verbs].every((verb) => may(vpath, verb))
    const fits = target?.verbs.every((verb) => mayTarget?.(future as VPath, verb)) ?? true
    // What belongs to the server is left out; uploads under way go along.
    if (!isFree && (isTaken ? leadsToTemp(vpath) : leadsToReserved(vpath))) return
    if (isEscaping || !isFree || !fits)
      throw new AppError('forbidden', `${vpath} must not be touched`)
  }
  signal.throwIfAborted()
  check(source, false)
  if (kind !== 'dir' || isSymlink) return
  for await (const entries of scope.entriesBelow(source, { signal }))
    for (const { vpath, kind } of entries) check(vpath, kind === 'escapingLink')
}

/**
 * Copies an entry. Folders merge into an existing folder, files replace only with `replace`. Goes
 * on after the failure of single entries and reports them as `internal` at the end. An abort
 * leaves what was copied so far, whole files only.
 */
export async function copyTree(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<void> {
  await copyAll(scope, source, target, options, null)
}

/** True for two spellings of one name on a file system that ignores case or Unicode form. */
export async function isSameEntry(scope: Scope, a: VPath, b: VPath): Promise<boolean> {
  if (a === b) return true
  if (a.normalize('NFC').toLowerCase() !== b.normalize('NFC').toLowerCase()) return false
  if (!(await scope.exists(b))) return false
  const [x, y] = [await scope.stat(a), await scope.stat(b)]
  return x.ino === y.ino && x.dev === y.dev && (await listsOnly(scope, a, b))
}

// Two hard links that differ in case only are two entries, not one.
async function listsOnly(scope: Scope, a: VPath, b: VPath): Promise<boolean> {
  const parent = parentOf(a)
  const names = new Set((await scope.list(parent)).map(({ name }) => joinVPath(parent, name)))
  return !(names.has(a) && names.has(b))
}

/** The first free `base(N)ext` beside `target`, or `target` itself when it is free. */
export async function freeName(scope: Scope, target: VPath): Promise<VPath> {
  if (!(await scope.exists(target))) return target
  const name = baseName(target)
  const extension = suffixOf(name)
  const base = name.slice(0, name.length - extension.length)
  for (let n = 1; ; n++) {
    const candidate = joinVPath(parentOf(target), `${base}(${n})${extension}`)
    if (!(await scope.exists(candidate))) return candidate
  }
}

/** An entry whose copy has arrived, with the time it had before. Folders follow what they hold. */
export interface Copied {
  vpath: VPath
  mtimeNs: bigint
  isFolder: boolean
}

// Refused before the first byte. An unreadable folder is reported by the copy itself, after its
// siblings were copied.
async function checkCopy(
  scope: Scope,
  source: VPath,
  target: VPath,
  signal: AbortSignal,
): Promise<void> {
  if ((await scope.stat(source)).kind !== 'dir') return
  const hostPaths = [await scope.hostPath(source), await scope.hostPath(target)]
  const maxBytes = MAX_PATH_BYTES - Math.max(...hostPaths.map((path) => Buffer.byteLength(path)))
  for await (const entries of scope.entriesBelow(source, { signal, skipsUnreadable: true }))
    for (const { vpath, kind } of entries) {
      if (kind === 'escapingLink')
        throw new AppError('forbidden', `${vpath} leads out of the scope`)
      if (Buffer.byteLength(vpath.slice(source.length)) >= maxBytes)
        throw new AppError('invalid_name', `${source} is too deep to be copied`)
    }
}

interface Copying {
  scope: Scope
  options: CopyOptions
  failures: string[]
  /** Copied entries that a move may remove; null for a copy, and behind a link. */
  copied: Copied[] | null
  /** Behind a link. */
  isElsewhere: boolean
  /** False for an entry whose name the caller may not learn. */
  isSeen(entry: DirEntry): boolean
  /** Folders told instead of such entries. */
  told: Set<VPath>
  turn: ReturnType<typeof createTurns>
  branches: Branches
  largeFiles: ReturnType<typeof oneByOne>
}

/** Copies an entry like copyTree and gathers what has arrived; null where nobody asks. */
export async function copyAll(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
  copied: Copied[] | null,
): Promise<void> {
  if (source === target) throw new AppError('same_place', 'source and target are the same')
  await checkCopy(scope, source, target, options.signal)
  const failures: string[] = []
  const branches = createBranches(FOLDERS_IN_FLIGHT)
  const tools = { turn: createTurns(), branches, largeFiles: oneByOne(), told: new Set<VPath>() }
  const copying = {
    scope,
    options,
    failures,
    copied,
    isElsewhere: false,
    isSeen: () => true,
    ...tools,
  }
  await copyEntry(copying, source, target, [])
  if (failures.length > 0)
    throw new AppError('incomplete', `${failures.length} entries were not copied: ${failures[0]}`)
}

// `above` are the folders on the way here, and the one that the copy goes to.
async function copyEntry(
  copying: Copying,
  source: VPath,
  target: VPath,
  above: readonly EntryStat[],
): Promise<void> {
  const { scope, options, copied } = copying
  options.signal.throwIfAborted()
  const found = await scope.stat(source)
  if (found.kind === 'file') {
    const hasArrived = await copyOneFile(scope, source, target, options)
    if (hasArrived) copied?.push({ vpath: source, mtimeNs: found.ownMtimeNs, isFolder: false })
    return
  }
  if (found.kind !== 'dir')
    throw new AppError('unsupported', `${source} is not a file`, { status: 500 })
  if (above.some(({ ino, dev }) => ino === found.ino && dev === found.dev))
    throw new AppError('same_place', `${source} leads back to where it is`)
  // Behind a link nothing was asked by the text of the path.
  const isElsewhere = found.isSymlink || copying.isElsewhere
  if (isElsewhere) await scope.hostPath(source, 'download')
  // Denied ones too: they are reported as not copied, not left out in silence.
  const { entries: children, isSeen } = await allIn(scope, source)
  const isNew = await isNewFolder(scope, target, options)
  await scope.makeFolder(target)
  const made = above.length === 0 || options.onMade ? await scope.stat(target) : null
  const chain = above.length === 0 && made ? [made, found] : [...above, found]
  if (isNew && made) options.onMade?.(target, made, null)
  const isLink = found.isSymlink && { copied: null, isElsewhere }
  const below = { ...copying, ...isLink, isSeen }
  const later = await copyFiles(below, source, target, children)
  await copying.branches.each(later, async (entry) => {
    const { name, vpath, rawName } = entry
    await copying.turn()
    await unlessFatal(below, entry, () => {
      if (!rawName) return copyEntry(below, vpath, joinVPath(target, name), chain)
      // Decoded lossily, the name could match another entry.
      throw new AppError('invalid_name', `the name of ${vpath} is not UTF-8`)
    })
  })
  // Last, since a folder without the write bit could not be filled.
  if (isNew) await scope.setMode(target, found.mode)
  if (isNew && options.course) await scope.setTime(target, found.mtimeNs)
  copied?.push({ vpath: source, mtimeNs: found.ownMtimeNs, isFolder: !found.isSymlink })
}

/** All entries of a folder, and which of them the caller may know: of one place, as another may come there meanwhile. */
export async function allIn(
  scope: Scope,
  vpath: VPath,
): Promise<{ entries: DirEntry[]; isSeen: (entry: DirEntry) => boolean }> {
  using place = await scope.place(vpath)
  const may = await scope.mayBelow(place)
  return { entries: await scope.listAll(place), isSeen: ({ vpath }) => may(vpath, 'see') }
}

// One that an earlier run has made is filled and gets its bits and its time like a new one.
async function isNewFolder(scope: Scope, target: VPath, { course }: CopyOptions): Promise<boolean> {
  if (!course) return !(await scope.exists(target))
  using place = await scope.place(target)
  return !place.stats || course.hasMade(target, place.stats)
}

/** Of small folders most of the time is spent waiting: for the disk, or a thread. */
const FOLDERS_IN_FLIGHT = 4

/** One thread of the pool stays for others. Files that take their time go one by one. */
const FILES_IN_FLIGHT = 3

// The regular files of a folder, through both folders kept open and let go before another one is
// entered: depth costs nothing. Returns the entries that are left to be copied by their paths.
async function copyFiles(
  copying: Copying,
  source: VPath,
  target: VPath,
  children: DirEntry[],
): Promise<DirEntry[]> {
  const { scope, options, copied, turn, largeFiles } = copying
  const isPlain = ({ kind, rawName }: DirEntry) => kind === 'file' && !rawName
  const left = children.filter((entry) => !isPlain(entry))
  if (left.length === children.length) return left
  const from = await scope.openFolder(source)
  try {
    const into = await scope.openFolderToWrite(target)
    try {
      const plain = children.filter(isPlain)
      const onCopied = ({ vpath }: DirEntry, mtimeNs: bigint) =>
        void copied?.push({ vpath, mtimeNs, isFolder: false })
      const others = await copySmallFiles({ from, into, target }, plain, options, onCopied)
      await inParallel(others, async (entry) => {
        options.signal.throwIfAborted()
        await turn()
        await unlessFatal(copying, entry, async () => {
          const how = { ...options, largeFiles, target: joinVPath(target, entry.name) }
          const end = await copyFileIn(from, into, entry, how)
          if (end === 'link') left.push(entry)
          else if (end !== 'left') onCopied(entry, end)
        })
      })
    } finally {
      await into.close()
    }
  } finally {
    await from.close()
  }
  return left
}

// After a failure nothing more is begun; what is under way comes to its end first.
async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  let failed = false
  const worker = async () => {
    for (const item of rest) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: FILES_IN_FLIGHT }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Nothing more would fit. */
const FULL: readonly string[] = ['no_space', 'quota_exceeded']

async function unlessFatal(
  copying: Copying,
  entry: DirEntry,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError) || FULL.includes(error.code)) throw error
    fail(copying, entry, error)
  }
}

function fail(copying: Copying, entry: DirEntry, error: AppError): void {
  const { failures, options, told } = copying
  failures.push(error.message)
  // Of a link that may not be followed the name is not listed.
  const isDenied = entry.kind !== 'file' && entry.kind !== 'dir' && error.code === 'forbidden'
  const isHidden = isDenied || !copying.isSeen(entry)
  const path = isHidden ? parentOf(entry.vpath) : entry.vpath
  if (isHidden && told.has(path)) return
  if (isHidden) told.add(path)
  options.course?.failed(path, error)
}
