// Reading one folder: names, kinds and, for listings, facts of every entry.
import type { BigIntStats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AppError, errnoOf, isLostEntry } from '../../lib/errors.ts'
import { MAX_PATH_BYTES } from '../../lib/host-path.ts'
import { sortByName } from '../../lib/sort-in-slices.ts'
import { createTurns } from '../../lib/turns.ts'
import { joinVPath, ROOT, type VPath } from '../../lib/vpath.ts'
import { asLost, type EntryStats } from '../disks/stat-many.ts'
import { type EntryStat, toEntryStat, unreachableStat, WAY } from '../volume/entry-stat.ts'
import type { OpenFolder } from '../volume/open-folder.ts'
import type { Entries } from '../volume/read-folder.ts'
import { type Jail, landing, placeAt, rootOf, vpathIn } from './jail.ts'
import type { May, PathRules } from './path-rules.ts'

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
  /** It lies on a disk that does not answer: its facts are made up, of size and time zero. */
  isUnreachable?: true
}

/** How the entries of a folder are listed: under which path, and which of them. */
interface ListOptions {
  vpath: VPath
  may: May
  /** Links that leave the scope are listed too. */
  escaping?: boolean
}

/** Allowed entries of an open folder in byte order; links that leave the scope are left out. */
export async function listFolder(
  jail: Jail,
  rules: PathRules,
  folder: OpenFolder,
  options: ListOptions,
): Promise<DirEntry[]> {
  return toEntries(jail, rules, folder, await jail.volume.list(folder), options)
}

/** The entries of an open folder as listFolder gives them, of what was read of it. */
export async function toEntries(
  jail: Jail,
  rules: PathRules,
  folder: OpenFolder,
  { dirents, rawNames }: Entries,
  { vpath, may, escaping = false }: ListOptions,
): Promise<DirEntry[]> {
  const entries: DirEntry[] = []
  const turn = createTurns()
  for (const [i, dirent] of dirents.entries()) {
    if (i % CLOCK_STEP === 0) await turn()
    const child = joinVPath(vpath, dirent.name)
    if (!may(child, dirent.isDirectory() ? 'pass' : 'see')) continue
    if (dirent.isSymbolicLink()) {
      const kind = await linkKind(jail, rules, folder, dirent.name)
      if (kind) entries.push({ name: dirent.name, vpath: child, kind })
      else if (escaping) entries.push({ name: dirent.name, vpath: child, kind: 'escapingLink' })
    } else {
      const kind = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : 'other'
      const rawName = rawNames.get(dirent)
      entries.push({ name: dirent.name, vpath: child, kind, ...(rawName && { rawName }) })
    }
  }
  return sortByName(entries)
}

/** Entries after which the time is checked. */
const CLOCK_STEP = 64
/** Entries whose facts are given together. */
const SLICE = 1_000

interface DetailOptions {
  vpath: VPath
  may: May
  signal: AbortSignal
}

/**
 * The entries of listFolder with their facts, in slices that are not kept. An entry that vanished or
 * cannot be read is left out; one on a disk that does not answer stays, as unreachable. Stops with the
 * signal's reason between slices.
 */
export async function* detailInSlices(
  jail: Jail,
  rules: PathRules,
  folder: OpenFolder,
  { vpath, may, signal }: DetailOptions,
): AsyncGenerator<DetailedEntry[], void> {
  const { dirents, rawNames } = await jail.volume.list(folder)
  // Of a large folder no more is held than what was read of it: what is made of an entry is gone with its slice.
  const sorted = await sortByName(dirents)
  const turn = createTurns()
  while (sorted.length > 0) {
    signal.throwIfAborted()
    const read = { dirents: sorted.splice(0, SLICE), rawNames }
    const entries = await toEntries(jail, rules, folder, read, { vpath, may })
    yield await detail(jail, folder, entries, { may, signal })
    await turn()
  }
}

async function detail(
  jail: Jail,
  folder: OpenFolder,
  entries: readonly DirEntry[],
  { may, signal }: Pick<DetailOptions, 'may' | 'signal'>,
): Promise<DetailedEntry[]> {
  const names = entries.map(({ name, rawName }) => rawName ?? name)
  const found = await jail.volume.statMany(folder, names, signal)
  const detailed: DetailedEntry[] = []
  for (const [i, entry] of entries.entries()) {
    const own = found[i] as EntryStats
    const isLink = entry.kind === 'link' && !entry.rawName
    const target = isLink
      ? await statLink(jail, join(folder.realDir, entry.name), entry.vpath)
      : own
    if (!own || !target) continue
    const described = describe(entry, own, target)
    if (entry.kind === 'dir' && !may(entry.vpath, 'see')) Object.assign(described.stat, WAY)
    detailed.push(described)
    if (isLink) signal.throwIfAborted()
  }
  return detailed
}

// The entry itself is completed: a copy of each would double the garbage of a large folder.
function describe(
  entry: DirEntry,
  own: BigIntStats | 'unreachable',
  target: BigIntStats | 'unreachable',
): DetailedEntry {
  const isSymlink = entry.kind === 'link' || entry.kind === 'brokenLink'
  if (own !== 'unreachable' && target !== 'unreachable')
    return Object.assign(entry, { stat: toEntryStat(target, own, isSymlink) })
  const stat = unreachableStat(entry.kind === 'dir', isSymlink)
  return Object.assign(entry, { stat, isUnreachable: true as const })
}

// Null for a link that leaves the scope, leads to a denied path or cannot be resolved at all. If the
// disk fails, the link text decides; a target inside counts as missing.
async function linkKind(
  jail: Jail,
  rules: PathRules,
  folder: OpenFolder,
  name: string,
): Promise<'link' | 'brokenLink' | null> {
  const realPath = join(folder.realDir, name)
  // Nobody can follow it here; its text tells where it would lead.
  if (Buffer.byteLength(realPath) >= MAX_PATH_BYTES)
    return (await pointsInside(jail, realPath, folder)) ? 'link' : null
  try {
    const landed = await landing(jail.volume, realPath)
    const target = vpathIn(await rootOf(jail), landed.realPath)
    if (target === null && !jail.follows) return null
    if (!(await rules.at(landed.realPath))(ROOT, 'see')) return null
    return landed.exists ? 'link' : 'brokenLink'
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') return 'brokenLink'
    if (error instanceof AppError || NO_WAY.has(errnoOf(error))) return null
    if (!isLostEntry(error)) throw error
    return (await pointsInside(jail, realPath)) ? 'link' : null
  }
}

const NO_WAY = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ENAMETOOLONG'])

/**
 * Whether the text of a link leads inside: what counts while its disk does not answer. `folder`: the open
 * one that it lies in.
 */
export async function pointsInside(
  jail: Jail,
  realPath: string,
  folder?: OpenFolder,
): Promise<boolean> {
  if (jail.follows) return true
  const target = await jail.volume.readLink(realPath, folder).catch(unlessLost)
  if (target === null) return false
  return vpathIn(await rootOf(jail), resolve(dirname(realPath), target)) !== null
}

async function statLink(jail: Jail, path: string, vpath: VPath): Promise<EntryStats> {
  try {
    const landed = await landing(jail.volume, path)
    const isInside = vpathIn(await rootOf(jail), landed.realPath) !== null
    if (!landed.exists || !(isInside || jail.follows)) return null
    using place = await placeAt(jail.volume, landed.realPath, vpath)
    return place.stats
  } catch (error) {
    if (error instanceof AppError) return null
    return asLost(error)
  }
}

function unlessLost(error: unknown): null {
  if (isLostEntry(error)) return null
  throw error
}
