// Reading one folder: names, kinds and, for listings, facts of every entry.
import type { BigIntStats, Dirent } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AppError, errnoOf, isLostEntry } from '../../lib/errors.ts'
import { joinVPath, ROOT, type VPath } from '../../lib/vpath.ts'
import type { Device } from '../disks/device.ts'
import { readDirents, readInParts } from '../disks/read-dirents.ts'
import { asLost, type Looked, statMany } from '../disks/stat-many.ts'
import { type EntryStat, toEntryStat, unreachableStat } from '../place/entry-stat.ts'
import { holdFolder, inFolder, inHeld, type Jail, lookVerified } from '../place/jail.ts'
import type { Judgement } from '../place/judgement.ts'
import { compareBytes, nextTurn, sortInSlices } from './sort.ts'

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

/** Allowed entries of a located folder in byte order; links that leave the scope are left out. */
export async function listFolder(
  jail: Jail,
  judgement: Judgement,
  vpath: VPath,
  realPath: string,
  { escaping = false } = {},
): Promise<DirEntry[]> {
  const allow = await judgement.below(vpath, realPath)
  const { dirents, rawNames } = await inFolder(jail.disks, realPath, (ref, device) =>
    readEntries(ref, device),
  )
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
  device: Device,
  read?: Dirent[],
): Promise<{ dirents: Dirent[]; rawNames: Map<Dirent, Buffer> }> {
  const rawNames = new Map<Dirent, Buffer>()
  const dirents = read ?? (await readDirents(ref, device))
  if (!dirents.some(({ name }) => name.includes('\ufffd'))) return { dirents, rawNames }
  const named: Dirent[] = []
  for (const entry of await readInParts(ref, device, 'buffer')) {
    const bytes = entry.name as unknown as Buffer
    const name = bytes.toString('utf8')
    // The same record with its name as text: the rest of it is what both kinds have.
    const dirent = Object.assign(entry, { name })
    if (name.includes('\ufffd') && !Buffer.from(name).equals(bytes)) rawNames.set(dirent, bytes)
    named.push(dirent)
  }
  return { dirents: named, rawNames }
}

const SLICE_MS = 4

/**
 * The entries of listFolder with their facts. An entry that vanished or cannot be read is left
 * out; one on a disk that does not answer stays, as unreachable. Stops with the signal's reason
 * between slices.
 */
export async function listFolderDetailed(
  jail: Jail,
  judgement: Judgement,
  vpath: VPath,
  realPath: string,
  signal: AbortSignal,
): Promise<DetailedEntry[]> {
  const entries = await listFolder(jail, judgement, vpath, realPath)
  // Through the open folder: its path may lead elsewhere by now.
  const folder = await holdFolder(jail.disks, realPath)
  const nameOf = (i: number) => (entries[i] as DirEntry).rawName ?? (entries[i] as DirEntry).name
  const paths = entries.map((_, i) => inHeld(folder.ref, nameOf(i)))
  const mounted = jail.disks.mountedIn(realPath)
  const deviceOf = (i: number) =>
    (mounted.size > 0 && mounted.get(nameOf(i).toString())) || folder.device
  const looked = await statMany(paths, deviceOf, signal).finally(folder.close)
  const detailed: DetailedEntry[] = []
  for (const [i, entry] of entries.entries()) {
    const own = looked[i] as Looked
    const isLink = entry.kind === 'link' && !entry.rawName
    const target = isLink ? await statLink(jail, join(realPath, entry.name)) : own
    if (!own || !target) continue
    detailed.push(describe(entry, own, target))
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

/** Whether the text of a link leads inside: what counts while its disk does not answer. */
export async function pointsInside(jail: Jail, realPath: string): Promise<boolean> {
  if (jail.follows) return true
  const target = await jail.disks
    .of(realPath)
    .query(() => readlink(realPath))
    .catch(unlessLost)
  if (target === null) return false
  return jail.vpathOf(resolve(dirname(realPath), target), await jail.root()) !== null
}

async function statLink(jail: Jail, path: string): Promise<Looked> {
  try {
    const landed = await jail.landing(path)
    const isInside = jail.vpathOf(landed.realPath, await jail.root()) !== null
    if (!landed.exists || !(isInside || jail.follows)) return null
    return await lookVerified(jail.disks, landed.realPath)
  } catch (error) {
    if (error instanceof AppError) return null
    return asLost(error)
  }
}

function unlessLost(error: unknown): null {
  if (isLostEntry(error)) return null
  throw error
}
