// Reading one folder: names, kinds and, for listings, facts of every entry.
//
// Facts are read with synchronous lstat in slices of a few milliseconds, which on a local disk is
// three times as fast as the thread pool and never blocks longer than a slice; where a first
// sample shows a slow disk (network, asleep) the thread pool takes over.
import { type BigIntStats, type Dirent, lstatSync } from 'node:fs'
import { lstat, opendir, readdir, readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AppError, errnoOf, isLostEntry } from '../errors.ts'
import { type EntryStat, toEntryStat } from './entry-stat.ts'
import { inFolder, inHeld, type Jail, lookVerified } from './jail.ts'
import type { Judgement } from './judgement.ts'
import { compareBytes, nextTurn, sortInSlices } from './sort.ts'
import { joinVPath, ROOT, type VPath } from './vpath.ts'

export interface DirEntry {
  name: string
  vpath: VPath
  /**
   * `link` leads inside the scope; stat tells what it leads to. `escapingLink` occurs only where it
   * was asked for.
   */
  kind: 'file' | 'dir' | 'link' | 'brokenLink' | 'escapingLink' | 'other'
  /** The bytes of a name that is not UTF-8: shown, but no address can name it. */
  rawName?: Buffer
}

export interface DetailedEntry extends DirEntry {
  stat: EntryStat
}

/** Allowed entries of a located folder in byte order; links that leave the scope are left out. */
export async function listFolder(
  jail: Jail,
  judgement: Judgement,
  vpath: VPath,
  realPath: string,
  { escaping = false } = {},
): Promise<DirEntry[]> {
  const allow = await judgement.below(vpath, realPath)
  const { dirents, rawNames } = await inFolder(realPath, readEntries)
  const entries: DirEntry[] = []
  let sliceStart = performance.now()
  for (const dirent of dirents) {
    if (performance.now() - sliceStart > SLICE_MS) {
      await nextTurn()
      sliceStart = performance.now()
    }
    const child = joinVPath(vpath, dirent.name)
    if (!allow(child)) continue
    if (dirent.isSymbolicLink()) {
      const kind = await linkKind(jail, judgement, join(realPath, dirent.name))
      if (kind) entries.push({ name: dirent.name, vpath: child, kind })
      else if (escaping) entries.push({ name: dirent.name, vpath: child, kind: 'escapingLink' })
    } else {
      const kind = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : 'other'
      const rawName = rawNames.get(dirent)
      entries.push({ name: dirent.name, vpath: child, kind, ...(rawName && { rawName }) })
    }
  }
  return sortInSlices(entries, (a, b) => compareBytes(a.name, b.name))
}

/**
 * Everything in an open folder, or what was `read` of it before. Names that are not UTF-8 come with
 * U+FFFD in place of what was wrong; `rawNames` has their bytes.
 */
export async function readEntries(
  ref: string,
  read?: Dirent[],
): Promise<{ dirents: Dirent[]; rawNames: Map<Dirent, Buffer> }> {
  const rawNames = new Map<Dirent, Buffer>()
  const dirents = read ?? (await readdir(ref, { withFileTypes: true }))
  if (!dirents.some(({ name }) => name.includes('\ufffd'))) return { dirents, rawNames }
  const named: Dirent[] = []
  // In parts, between which others get their turn: a buffer for each name costs its time.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: NAMES_AT_ONCE }
  for await (const entry of await opendir(ref, options)) {
    const bytes = entry.name as unknown as Buffer
    const name = bytes.toString('utf8')
    // The same record with its name as text: the rest of it is what both kinds have.
    const dirent = Object.assign(entry, { name })
    if (name.includes('\ufffd') && !Buffer.from(name).equals(bytes)) rawNames.set(dirent, bytes)
    named.push(dirent)
  }
  return { dirents: named, rawNames }
}

/** Bytes made text in some two milliseconds. */
const NAMES_AT_ONCE = 2_000

const SLICE_MS = 4
const SAMPLE = 32
/** A sample slower than this means that the disk answers slowly. */
const SLOW_SAMPLE_MS = 8
const POOL_IN_FLIGHT = 64

/**
 * The entries of listFolder with their facts. An entry that vanished or cannot be read is left
 * out. Stops with the signal's reason between slices.
 */
export async function listFolderDetailed(
  jail: Jail,
  judgement: Judgement,
  vpath: VPath,
  realPath: string,
  signal: AbortSignal,
): Promise<DetailedEntry[]> {
  const entries = await listFolder(jail, judgement, vpath, realPath)
  return inFolder(realPath, (ref) => addFacts(jail, realPath, ref, entries, signal))
}

// Through the open folder `ref`: its path may lead elsewhere by now.
async function addFacts(
  jail: Jail,
  realPath: string,
  ref: string,
  entries: DirEntry[],
  signal: AbortSignal,
): Promise<DetailedEntry[]> {
  const detailed: DetailedEntry[] = []
  const add = (entry: DirEntry, target: BigIntStats | null, own: BigIntStats | null) => {
    if (!own) return
    const isSymlink = entry.kind === 'link' || entry.kind === 'brokenLink'
    if (entry.kind === 'link' && !target) return
    // The entry itself is completed: a copy of each would double the garbage of a large folder.
    detailed.push(Object.assign(entry, { stat: toEntryStat(target ?? own, own, isSymlink) }))
  }
  let i = 0
  let slow = false
  let sliceStart = performance.now()
  for (; i < entries.length && !slow; i++) {
    const entry = entries[i] as DirEntry
    const path = entryPath(ref, entry)
    if (entry.kind === 'link' && !entry.rawName)
      add(entry, await statLink(jail, join(realPath, entry.name)), await lstatOrNull(path))
    else {
      const own = lstatOrNullSync(path)
      add(entry, own, own)
    }
    if (i === SAMPLE && performance.now() - sliceStart > SLOW_SAMPLE_MS) slow = true
    if (performance.now() - sliceStart > SLICE_MS) {
      await nextTurn()
      signal.throwIfAborted()
      sliceStart = performance.now()
    }
  }
  for (; i < entries.length; i += POOL_IN_FLIGHT) {
    signal.throwIfAborted()
    const part = entries.slice(i, i + POOL_IN_FLIGHT)
    const stats = await Promise.all(
      part.map(async (entry) => {
        const own = await lstatOrNull(entryPath(ref, entry))
        const isLink = entry.kind === 'link' && !entry.rawName
        return { own, target: isLink ? await statLink(jail, join(realPath, entry.name)) : own }
      }),
    )
    for (const [k, entry] of part.entries()) {
      const found = stats[k]
      if (found) add(entry, found.target, found.own)
    }
  }
  return detailed
}

// Null for a link that leaves the scope, leads to a denied path or cannot be resolved at all. On a
// disk that fails its text decides: what it may lead to inside is missing, not out of place.
async function linkKind(
  jail: Jail,
  judgement: Judgement,
  realPath: string,
): Promise<'link' | 'brokenLink' | null> {
  try {
    const landed = await jail.landing(realPath)
    const target = jail.vpathOf(landed.realPath, await jail.root())
    if (target === null && !jail.follows) return null
    if (!(await judgement.at(landed.realPath))(ROOT)) return null
    return landed.exists ? 'link' : 'brokenLink'
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') return 'brokenLink'
    if (error instanceof AppError || NO_WAY.has(errnoOf(error))) return null
    if (!isLostEntry(error)) throw error
    return (await pointsInside(jail, realPath)) ? 'link' : null
  }
}

const NO_WAY = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ENAMETOOLONG'])

async function pointsInside(jail: Jail, realPath: string): Promise<boolean> {
  if (jail.follows) return true
  const target = await readlink(realPath).catch(unlessLost)
  if (target === null) return false
  return jail.vpathOf(resolve(dirname(realPath), target), await jail.root()) !== null
}

async function statLink(jail: Jail, path: string): Promise<BigIntStats | null> {
  try {
    const landed = await jail.landing(path)
    const isInside = jail.vpathOf(landed.realPath, await jail.root()) !== null
    return landed.exists && (isInside || jail.follows) ? await lookVerified(landed.realPath) : null
  } catch (error) {
    if (error instanceof AppError) return null
    return unlessLost(error)
  }
}

function entryPath(ref: string, { name, rawName }: DirEntry): string | Buffer {
  return inHeld(ref, rawName ?? name)
}

async function lstatOrNull(path: string | Buffer): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    return unlessLost(error)
  }
}

function lstatOrNullSync(path: string | Buffer): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    return unlessLost(error)
  }
}

function unlessLost(error: unknown): null {
  if (isLostEntry(error)) return null
  throw error
}
