// Reading one folder: names, kinds and, for listings, facts of every entry.
//
// Facts are read with synchronous lstat in slices of a few milliseconds, which on a local disk is
// three times as fast as the thread pool and never blocks longer than a slice; where a first
// sample shows a slow disk (network, asleep) the thread pool takes over.
import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errnoOf } from '../errors.ts'
import { inFolder, type Jail } from './jail.ts'
import { type EntryStat, toEntryStat } from './entry-stat.ts'
import { compareBytes } from './sort.ts'
import { joinVPath, type VPath } from './vpath.ts'

export interface DirEntry {
  name: string
  vpath: VPath
  /**
   * `link` leads inside the scope; stat tells what it leads to. `escapingLink` occurs only where it
   * was asked for.
   */
  kind: 'file' | 'dir' | 'link' | 'brokenLink' | 'escapingLink' | 'other'
}

export interface DetailedEntry extends DirEntry {
  stat: EntryStat
}

type Allow = (vpath: VPath) => boolean

/** Allowed entries of a located folder in byte order; links that leave the scope are left out. */
export async function listFolder(
  jail: Jail,
  allow: Allow,
  vpath: VPath,
  realPath: string,
  { escaping = false } = {},
): Promise<DirEntry[]> {
  const dirents = await inFolder(realPath, (ref) => readdir(ref, { withFileTypes: true }))
  const entries: DirEntry[] = []
  for (const dirent of dirents) {
    const child = joinVPath(vpath, dirent.name)
    if (!allow(child)) continue
    if (dirent.isSymbolicLink()) {
      const kind = await linkKind(jail, allow, join(realPath, dirent.name))
      if (kind) entries.push({ name: dirent.name, vpath: child, kind })
      else if (escaping) entries.push({ name: dirent.name, vpath: child, kind: 'escapingLink' })
    } else {
      const kind = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : 'other'
      entries.push({ name: dirent.name, vpath: child, kind })
    }
  }
  return entries.sort((a, b) => compareBytes(a.name, b.name))
}

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
  allow: Allow,
  vpath: VPath,
  realPath: string,
  signal: AbortSignal,
): Promise<DetailedEntry[]> {
  const entries = await listFolder(jail, allow, vpath, realPath)
  const detailed: DetailedEntry[] = []
  const add = (entry: DirEntry, target: BigIntStats | null, own: BigIntStats | null) => {
    if (!own) return
    const isSymlink = entry.kind === 'link' || entry.kind === 'brokenLink'
    if (entry.kind === 'link' && !target) return
    detailed.push({ ...entry, stat: toEntryStat(target ?? own, own, isSymlink) })
  }
  let i = 0
  let slow = false
  let sliceStart = performance.now()
  for (; i < entries.length && !slow; i++) {
    const entry = entries[i] as DirEntry
    const path = join(realPath, entry.name)
    if (entry.kind === 'link') add(entry, await statLink(jail, path), await lstatOrNull(path))
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
        const path = join(realPath, entry.name)
        const own = await lstatOrNull(path)
        return { own, target: entry.kind === 'link' ? await statLink(jail, path) : own }
      }),
    )
    for (const [k, entry] of part.entries()) {
      const found = stats[k]
      if (found) add(entry, found.target, found.own)
    }
  }
  return detailed
}

// Null for a link that leaves the scope, leads to a denied path or cannot be resolved at all.
async function linkKind(
  jail: Jail,
  allow: Allow,
  realPath: string,
): Promise<'link' | 'brokenLink' | null> {
  try {
    const landed = await jail.landing(realPath)
    const target = jail.vpathOf(landed.realPath, await jail.root())
    if (target === null && !jail.follows) return null
    if (target !== null && !allow(target)) return null
    return landed.exists ? 'link' : 'brokenLink'
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') return 'brokenLink'
    if (['EACCES', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error))) return null
    if (error instanceof AppError) return null
    throw error
  }
}

async function statLink(jail: Jail, path: string): Promise<BigIntStats | null> {
  const landed = await jail.landing(path)
  return landed.exists ? lstatOrNull(landed.realPath) : null
}

async function lstatOrNull(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    return tolerate(error)
  }
}

function lstatOrNullSync(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    return tolerate(error)
  }
}

function tolerate(error: unknown): null {
  if (['ENOENT', 'EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'EIO'].includes(errnoOf(error))) return null
  throw error
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
