// What a scope reads: facts, content, entries.
import { dirname } from 'node:path'
import type { Usage, Verb } from '../../api-types.ts'
import { AppError, fromErrno, unless } from '../../lib/errors.ts'
import { ROOT, type VPath } from '../../lib/vpath.ts'
import type { EntryStats } from '../disks/stat-many.ts'
import { type EntryKind, type EntryStat, kindOf, toEntryStat, WAY } from '../volume/entry-stat.ts'
import { LARGE_FOLDER_BYTES } from '../volume/read-folder.ts'
import { leadsToReserved, leadsToStore } from '../volume/reserved-name.ts'
import { entriesBelow } from './entries-below.ts'
import {
  createFolderReader,
  describeOpen,
  type FolderReader,
  type OpenFile,
  type ReadVerb,
} from './folder-reader.ts'
import { type Place, plainPath } from './jail.ts'
import { type DetailedEntry, type DirEntry, detailInSlices, listFolder } from './list-folder.ts'
import { createPathRules, type PathRules } from './path-rules.ts'
import {
  type At,
  guarded,
  isWay,
  notFound,
  openAsFolder,
  openToList,
  requireMay,
  type Tree,
  withEntry,
  within,
} from './tree.ts'
import { type Walked, type WalkOptions, walkTree } from './walk.ts'

export interface Identity {
  kind: EntryKind
  dev: bigint
  ino: bigint
  /** 0 where the disk does not tell. */
  birthtimeNs: bigint
  /** Never shown to clients. */
  realPath: string
}

export interface Reading {
  /** Opens a regular file for reading. FIFOs, sockets and devices are `unsupported`, unopened. */
  openRead(at: At, verb?: ReadVerb): Promise<OpenFile>
  /**
   * Like openRead, by the fewest calls: for a regular file that may be downloaded, has no link on its path and was
   * asked for a moment ago. Null for all else, which its place tells.
   */
  openPlain(vpath: VPath): Promise<OpenFile | null>
  /** A folder kept open, for reading many files in it without resolving each path anew. */
  openFolder(at: At): Promise<FolderReader>
  /** Facts about an entry; links are followed inside the scope. */
  stat(at: At): Promise<EntryStat>
  /** What a path leads to, told apart from anything that will have its name. */
  identify(at: At): Promise<Identity>
  exists(vpath: VPath): Promise<boolean>
  /** Allowed entries in byte order; links that leave the scope are left out. */
  list(at: At): Promise<DirEntry[]>
  /**
   * Every entry, denied and escaping ones included: for checks that a change to a folder must make
   * of all it holds. With `temps` the temporary files too. The result is never shown.
   */
  listAll(at: At, options?: { temps?: boolean }): Promise<DirEntry[]>
  /** What listAll gives of a folder and of all below it, however deep; see entriesBelow. */
  entriesBelow(
    at: At,
    options: { signal: AbortSignal; skipsUnreadable?: boolean },
  ): AsyncGenerator<DirEntry[], void>
  /**
   * The entries of list with facts, in slices that are not kept; those that cannot be read are left out.
   * Of a large folder the first slice is empty: the folder is open, and its names are still to be read.
   * A place is to stay open until the end.
   */
  listInSlices(at: At, signal: AbortSignal): AsyncGenerator<DetailedEntry[], void>
  /** Names of everything below a folder, in batches; the folder itself is not checked. */
  walk(vpath: VPath, options: WalkOptions): AsyncGenerator<Walked[], void>
  /** Facts of entries that walk has yielded, in their order. */
  statMany(entries: readonly Walked[], signal: AbortSignal): Promise<EntryStats[]>
  usage(at: At): Promise<Usage>
  /** Throws `no_space` when a file of this size does not fit there. */
  requireSpace(at: At, sizeBytes: number): Promise<void>
  /** Real host path of an entry itself, the last link not followed. Never shown to clients. */
  entryPath(vpath: VPath): Promise<string>
  /**
   * True when the entry is a mount of its own, which can be neither moved nor removed. Where nothing
   * tells, as on other systems than Linux, null.
   */
  isMountPoint(vpath: VPath): Promise<boolean | null>
  /** True when something is mounted below the entry; null where nothing tells. */
  holdsMount(vpath: VPath): Promise<boolean | null>
  /**
   * Host path of an entry by the text of its path alone: where it is, unless a link is on the way. Null where that tells
   * nothing.
   */
  textPath(vpath: VPath): string | null
  /** Host path for programs started in a folder (shell, hooks), of what is seen and may be treated so. */
  hostPath(at: At, ...verbs: readonly Verb[]): Promise<string>
}

/** The reading part of a scope. */
export function readingOf(tree: Tree): Reading {
  const { volume, rules, jail } = tree
  return {
    openRead: (at, verb = 'download') =>
      within(tree, at, async (place) => {
        await requireMay(tree, place, verb)
        return openRead(tree, place)
      }),
    openPlain: (vpath) => guarded(vpath, () => openPlain(tree, vpath)),
    openFolder: (at) =>
      within(tree, at, async (place, vpath) => {
        const { folder, may } = await openToList(tree, place)
        return createFolderReader(volume, folder, vpath, may)
      }),
    stat: (at) =>
      within(tree, at, async (place) => {
        const found = statOf(place)
        return (await isWay(tree, place)) ? wayStat(found, place.vpath) : found
      }),
    identify: (at) =>
      within(tree, at, async (place) => {
        await requireMay(tree, place, 'see')
        return identityOf(place)
      }),
    exists: (vpath) =>
      withEntry(tree, vpath, async ({ stats }) => stats !== null)
        .catch(unless('not_found'))
        .then(Boolean),
    list: (at) => within(tree, at, (place) => listBy(tree, rules, place)),
    listAll: (at, { temps = false } = {}) =>
      within(tree, at, (place) => listBy(tree, everything(tree, temps), place, true)),
    entriesBelow: async function* (at, options) {
      const folder = await within(tree, at, (place) => openAsFolder(tree, place))
      const vpath = typeof at === 'string' ? at : at.vpath
      yield* entriesBelow(jail, everything(tree), folder, vpath, options)
    },
    listInSlices: (at, signal) => listInSlices(tree, at, signal),
    walk: (vpath, options) => walkTree(tree, vpath, options),
    statMany: (entries, signal) =>
      guarded(ROOT, () =>
        volume.statPaths(
          entries.map(({ realPath }) => realPath),
          signal,
        ),
      ),
    usage: (at) =>
      within(tree, at, async (place, vpath) => {
        const { realPath, stats } = place
        await requireMay(tree, place, 'see')
        if (!stats) throw notFound(vpath)
        if (!stats.isDirectory()) return { total: 0, used: 0 }
        const { totalBytes, freeBytes } = await volume.space(realPath)
        const room = await volume.room(realPath)
        if (!room) return { total: totalBytes, used: totalBytes - freeBytes }
        const { limitBytes, usedBytes } = room
        // The disk may be full before the limit is reached; 0 is one that does not tell.
        const atMost = totalBytes > 0 ? usedBytes + freeBytes : limitBytes
        return { total: Math.min(limitBytes, atMost), used: usedBytes }
      }),
    requireSpace: (at, sizeBytes) =>
      within(tree, at, async ({ folder, realPath }) =>
        volume.requireSpace(dirname(realPath), sizeBytes, folder),
      ),
    entryPath: (vpath) => withEntry(tree, vpath, async ({ realPath }) => realPath),
    isMountPoint: (vpath) =>
      withEntry(tree, vpath, async ({ realPath }) => volume.isMountPoint(realPath)),
    holdsMount: (vpath) =>
      withEntry(tree, vpath, async ({ realPath }) => volume.holdsMount(realPath)),
    textPath: (vpath) => plainPath(jail, vpath),
    hostPath: (at, ...verbs) =>
      within(tree, at, async (place) => {
        await requireMay(tree, place, 'see', ...verbs)
        return place.realPath
      }),
  }
}

function statOf({ stats, link, vpath }: Place): EntryStat {
  if (stats) return toEntryStat(stats, link ?? stats, link !== null)
  if (link) return { ...toEntryStat(link, link, true), kind: 'brokenLink' }
  throw notFound(vpath)
}

// Nothing of a way but its name.
function wayStat(found: EntryStat, vpath: VPath): EntryStat {
  // A file or a link leads to nothing that is seen.
  if (found.kind !== 'dir' || found.isSymlink) throw new AppError('forbidden', `${vpath} is denied`)
  return { ...found, ...WAY }
}

function identityOf({ stats, realPath, vpath }: Place): Identity {
  if (!stats) throw notFound(vpath)
  const { mode, dev, ino, birthtimeNs } = stats
  return { kind: kindOf(Number(mode)), dev, ino, birthtimeNs, realPath }
}

async function openRead(
  { volume }: Tree,
  { folder, name, stats, vpath }: Place,
): Promise<OpenFile> {
  if (!folder || !stats) throw notFound(vpath)
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? 'a folder' : 'not a regular file'
    throw new AppError('unsupported', `${vpath} is ${what}`, { status: 500 })
  }
  return describeOpen(await volume.openFile(folder, name, { direct: true }), vpath)
}

// What is checked is the text: where the file is open, that is where it is.
async function openPlain(
  { jail, rules, volume, isCaseless, isKept }: Tree,
  vpath: VPath,
): Promise<OpenFile | null> {
  if (isCaseless() || !rules.may(vpath, 'download')) return null
  await jail.requirePresent?.()
  const path = plainPath(jail, vpath)
  if (path === null || (!isKept && volume.isInStore(path))) return null
  const handle = volume.openPlainFile(path)
  // What took its place meanwhile is no file.
  return handle && describeOpen(handle, vpath).catch(unless('unsupported'))
}

// Nothing is held back; temporary files are left out but where they were asked for.
function everything({ jail }: Tree, temps = false): PathRules {
  return createPathRules(
    jail,
    (vpath) => !(temps ? leadsToStore(vpath) : leadsToReserved(vpath)),
    undefined,
  )
}

async function listBy(
  tree: Tree,
  rules: PathRules,
  place: Place,
  escaping = false,
): Promise<DirEntry[]> {
  const { vpath } = place
  const { folder, may } = await openToList(tree, place, rules)
  return listFolder(tree.jail, rules, folder, { vpath, may, escaping }).finally(folder.close)
}

async function* listInSlices(
  tree: Tree,
  at: At,
  signal: AbortSignal,
): AsyncGenerator<DetailedEntry[], void> {
  const { folder, may, isLarge, vpath } = await within(tree, at, async (place, vpath) => ({
    ...(await openToList(tree, place)),
    isLarge: (place.stats?.size ?? 0n) > LARGE_FOLDER_BYTES,
    vpath,
  }))
  try {
    if (isLarge) yield []
    yield* detailInSlices(tree.jail, tree.rules, folder, { vpath, may, signal })
  } catch (error) {
    throw fromErrno(error, vpath)
  } finally {
    await folder.close()
  }
}
