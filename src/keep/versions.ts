// Versions: the old content of each file that is replaced, by a further name and so without copying a byte.
import { dirname, join, sep } from 'node:path'
import { describeOpen } from '../files/place/folder-reader.ts'
import type { OpenFile } from '../files/place/scope.ts'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { KeptOld } from '../files/volume/temp-file.ts'
import { leadsToTemp, VERSIONS_NAME } from '../files/volume/temp-name.ts'
import type { EntryName } from '../files/volume/volume.ts'
import { AppError, errnoOf, isFullDisk, unless } from '../lib/errors.ts'
import { contains } from '../lib/host-path.ts'
import type { Logger } from '../lib/log.ts'
import type { VPath } from '../lib/vpath.ts'
import { allBases, type Bases, basesOf } from './bases.ts'
import type { Kept } from './retention.ts'
import { ALL_MS, surplusOf } from './thinning.ts'
import { nameOfVersion, versionID } from './version-name.ts'
import {
  mergeInto,
  openVersionStore,
  outsidePath,
  pathInStore,
  removeEmpty,
  SAME_MILLISECOND,
  type Version,
  versionsIn,
} from './version-places.ts'
import { filesWithVersions, versionsToLeave } from './version-sweep.ts'

export type { Version }

export interface Versions {
  /** They are made. */
  isOn(): boolean
  /**
   * Keeps the content that a file in an open folder has now, before it is replaced; with `inPlace` before it is written. Throws
   * `no_space` where there is no room for a copy, or nothing takes it.
   */
  keep(file: EntryName, owner: number | null, how: { inPlace: boolean }): Promise<KeptOld>
  /** Takes the versions of an entry along, and of what lies in it. Fails never. */
  moved(fromReal: string, toReal: string): Promise<void>
  /** The versions of the file at a real path, the newest first. */
  list(realPath: string): Promise<Version[]>
  /** Opens one to be read, by the caller's path; `not_found` without it. */
  open(realPath: string, id: string, vpath: VPath): Promise<OpenFile>
  /** Sets or takes off the mark that it stays; `not_found` without it. */
  mark(realPath: string, id: string, isKept: boolean): Promise<void>
  /** Removes one for good; `not_found` without it. */
  drop(realPath: string, id: string): Promise<void>
  /** All files of which there are versions, with those; `isGone`: the file is not there any more. */
  all(): AsyncGenerator<FileVersions>
  /** All that may leave for its age or for room; removes what is too many on the way. */
  kept(): Promise<Kept[]>
  /** Waits for what is under way. */
  close(): Promise<void>
}

/** The versions of a file in one store. */
export interface FileVersions {
  realPath: string
  versions: Version[]
  isGone: boolean
}

interface VersionsOptions extends Bases {
  /** A folder of the server's own for files above which no folder takes any; made when it is needed. */
  spare: string
  isOn: () => boolean
  log: Pick<Logger, 'warn'>
  now?: () => number
}

/** Where a folder takes no versions. */
const REFUSED = ['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOTDIR', 'forbidden']
/** What link(2) fails with where there are no hard links, or none of this file may be made. */
const NO_LINK = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS']
/** A file that is replaced again and again has few more by then; reading all of them takes as long as some replacements. */
const THINNED_EVERY_MS = ALL_MS
const OPEN_MS = 1_000
/** Whether it is where it was is asked this often. */
const IN_PLACE_MS = 50
const MAX_REMEMBERED = 1_000

interface Keeping extends VersionsOptions {
  now: () => number
  /** The folder whose store took the last version of what lies in a folder. */
  taking: Map<string, string>
  thinnedAt: Map<string, number>
  running: Set<Promise<void>>
  /** The store that was used last, for a moment: opening it takes longer than what is done there. */
  store: { base: string; folder: OpenFolder; timer: NodeJS.Timeout; seenMs: number } | null
}

/** Makes them. Touches no disk before the first change. */
export function createVersions(options: VersionsOptions): Versions {
  const keeping: Keeping = {
    ...options,
    now: options.now ?? Date.now,
    taking: new Map(),
    thinnedAt: new Map(),
    running: new Set(),
    store: null,
  }
  const { volume, isOn } = options
  return {
    isOn,
    keep: (file, owner, how) => keep(keeping, file, owner, how),
    moved: (fromReal, toReal) => moved(keeping, fromReal, toReal),
    list: (realPath) => list(keeping, realPath),
    open: (realPath, id, vpath) =>
      withVersion(keeping, realPath, id, async ({ folder, name }) =>
        describeOpen(await volume.openFile(folder, name, { direct: false }), vpath),
      ),
    mark: (realPath, id, isKept) =>
      withVersion(keeping, realPath, id, async ({ folder, name }) => {
        const marked = nameOfVersion(id, isKept)
        if (marked !== name)
          await volume.rename({ folder, name }, { folder, name: marked }, { replace: false })
      }),
    drop: (realPath, id) => drop(keeping, realPath, id),
    all: () => allFiles(keeping),
    kept: () => allKept(keeping),
    close: async () => {
      await forgetStore(keeping)
      await Promise.all(keeping.running)
    },
  }
}

async function keep(
  keeping: Keeping,
  file: EntryName,
  owner: number | null,
  { inPlace }: { inPlace: boolean },
): Promise<KeptOld> {
  const { volume, tops, stores, taking, spare, log } = keeping
  const { realDir } = file.folder
  const realPath = join(realDir, file.name)
  const done = async (base: string, id: string): Promise<KeptOld> => {
    if (taking.get(realDir) !== base) await stores.add(base)
    if (taking.size >= MAX_REMEMBERED) taking.clear()
    taking.set(realDir, base)
    thinLater(keeping, realPath)
    return { id, drop: () => drop(keeping, realPath, id) }
  }
  const last = taking.get(realDir)
  const lastID =
    last === undefined ? null : await keepIn(keeping, last, file, { realPath, owner, inPlace })
  if (last !== undefined && lastID !== null) return done(last, lastID)
  const bases = basesOf(volume, await tops(), realDir)
  for (const copies of inPlace ? [true] : [false, true])
    for (const base of bases) {
      const id = await keepIn(keeping, base, file, { realPath, owner, inPlace: copies })
      if (id !== null) return done(base, id)
    }
  await volume.makeFolders(spare, 0o700).catch(unless(...REFUSED))
  const id = await keepIn(keeping, spare, file, { realPath, owner, inPlace: true })
  if (id !== null) return done(spare, id)
  log.warn(`${realPath} is not replaced: neither a folder above it nor ${spare} takes a version`)
  throw new AppError('no_space', `nothing takes a version of ${realPath}`)
}

/** Null where the store of this folder does not take it. */
async function keepIn(
  keeping: Keeping,
  base: string,
  file: EntryName,
  { realPath, owner, inPlace }: { realPath: string; owner: number | null; inPlace: boolean },
): Promise<string | null> {
  const { volume, now } = keeping
  const path = pathInStore(base, realPath)
  if (path === null) return null
  const direct = file.folder.device.isDirect
  const store = await storeToKeepIn(keeping, base, direct).catch(unless(...REFUSED))
  if (!store) return null
  let isLinked = !inPlace
  try {
    for (let time = now(), tries = SAME_MILLISECOND; ; time++, tries--) {
      const id = versionID(time, owner)
      const to = { folder: store, name: path + sep + id }
      try {
        await (isLinked ? volume.link(file, to, { direct }) : volume.copyFile(file, to))
        return id
      } catch (error) {
        const errno = errnoOf(error)
        if (isLinked && NO_LINK.includes(errno)) isLinked = false
        // Else it is another one of this millisecond.
        else if (errno !== 'EEXIST' || tries === 0) throw error
      }
    }
  } catch (error) {
    const errno = errnoOf(error)
    await forgetStore(keeping)
    // It was deleted while it was open.
    if (errno === 'ENOENT' && !volume.isInPlace(store))
      return await keepIn(keeping, base, file, { realPath, owner, inPlace })
    await removeEmpty(volume, base, path)
    if (errno === 'EXDEV' || REFUSED.includes(errno)) return null
    if (!isFullDisk(error)) throw error
    const message = `no room for a version in ${base}`
    throw new AppError('no_space', message, { cause: error })
  } finally {
    await store.close()
  }
}

async function storeToKeepIn(
  keeping: Keeping,
  base: string,
  direct: boolean,
): Promise<OpenFolder | null> {
  const { store, volume } = keeping
  if (store?.base === base) {
    const nowMs = performance.now()
    if (nowMs - store.seenMs < IN_PLACE_MS) return store.folder.share()
    store.seenMs = nowMs
    if (volume.isInPlace(store.folder)) return store.folder.share()
  }
  const folder = await openVersionStore(volume, base, { make: true, direct })
  if (!folder) return null
  // An open folder would keep a disk from being unmounted.
  if (volume.isMountPoint(base)) return folder
  await forgetStore(keeping)
  const timer = setTimeout(() => forgetStore(keeping), OPEN_MS).unref()
  keeping.store = { base, folder: folder.share(), timer, seenMs: performance.now() }
  return folder
}

async function forgetStore(keeping: Keeping): Promise<void> {
  const { store } = keeping
  if (!store) return
  keeping.store = null
  clearTimeout(store.timer)
  await store.folder.close()
}

function thinLater(keeping: Keeping, realPath: string): void {
  const { thinnedAt, running, now, log } = keeping
  const last = thinnedAt.get(realPath)
  if (last !== undefined && now() - last < THINNED_EVERY_MS) return
  if (thinnedAt.size >= MAX_REMEMBERED) thinnedAt.clear()
  thinnedAt.set(realPath, now())
  // At first use there is not enough to be worth it.
  if (last === undefined) return
  const work = thin(keeping, realPath)
    .catch((error: Error) => log.warn(`versions were not thinned: ${error.message}`))
    .finally(() => running.delete(work))
  running.add(work)
}

async function thin(keeping: Keeping, realPath: string): Promise<void> {
  for (const { id } of surplusOf(await list(keeping, realPath), keeping.now()))
    await drop(keeping, realPath, id).catch(unless('not_found', 'ENOENT'))
}

async function list(keeping: Keeping, realPath: string): Promise<Version[]> {
  const found = await inStores(keeping, realPath, (store, { base, path }) =>
    versionsIn(keeping.volume, store, path, base),
  )
  return found.flatMap(({ versions }) => versions).sort((a, b) => b.replacedAt - a.replacedAt)
}

async function allKept(keeping: Keeping): Promise<Kept[]> {
  const { volume, now } = keeping
  const found: Kept[] = []
  const toFile = (base: string) => (path: string) => fileAt(keeping, base, path)
  for (const base of await allBases(keeping))
    for (const one of await versionsToLeave(volume, base, toFile(base), now())) found.push(one)
  return found
}

/** The file whose versions are at a path in the store in the folder `base`. */
function fileAt({ spare }: Keeping, base: string, path: string): string {
  return base === spare ? outsidePath(path) : join(base, path)
}

async function* allFiles(keeping: Keeping): AsyncGenerator<FileVersions> {
  const { volume } = keeping
  for (const base of await allBases(keeping))
    for await (const { path, versions } of filesWithVersions(volume, base)) {
      const realPath = fileAt(keeping, base, path)
      const present = await volume.statAt(realPath).catch(unless('ENOTDIR'))
      yield { realPath, versions, isGone: !present || present.isDirectory() }
    }
}

async function drop(keeping: Keeping, realPath: string, id: string): Promise<void> {
  const { volume } = keeping
  const { signal } = new AbortController()
  const { base, path } = await withVersion(keeping, realPath, id, async (at) => {
    await volume.remove(at.folder, at.name, { signal })
    return at
  })
  await forgetStore(keeping)
  await removeEmpty(volume, base, path)
}

async function moved(keeping: Keeping, fromReal: string, toReal: string): Promise<void> {
  const { volume, tops, stores, spare, log } = keeping
  // What is deleted comes back to where its versions are.
  if (leadsToTemp(toReal) || leadsToTemp(fromReal)) return
  try {
    await forgetStore(keeping)
    for (const base of await stores.all())
      if (contains(fromReal, base)) await stores.move(base, toReal + base.slice(fromReal.length))
    const targets = [...basesOf(volume, await tops(), dirname(toReal)), spare]
    await inStores(keeping, fromReal, async (store, { base, path }) => {
      if (!(await volume.stat(store, path).catch(unless('ENOENT', 'ENOTDIR')))) return
      const target = targets.includes(base) ? base : (targets[0] as string)
      const name = pathInStore(target, toReal)
      if (name === null) return
      const into = await openVersionStore(volume, target, { make: true })
      if (!into) return
      try {
        await mergeInto(volume, { folder: store, name: path }, { folder: into, name })
      } finally {
        await into.close()
        await removeEmpty(volume, target, name)
      }
      await removeEmpty(volume, base, dirname(path))
    })
  } catch (error) {
    log.warn(`${toReal} has left its versions at ${fromReal}: ${(error as Error).message}`)
  }
}

/** Runs `work` in each store in which versions of the entry at a real path may be. */
async function inStores<T>(
  { volume, tops, stores, spare }: Keeping,
  realPath: string,
  work: (store: OpenFolder, at: { base: string; path: string }) => Promise<T>,
): Promise<T[]> {
  const found: T[] = []
  const bases = basesOf(volume, await tops(), dirname(realPath))
  if ((await stores.all()).includes(spare)) bases.push(spare)
  for (const base of bases) {
    const path = pathInStore(base, realPath)
    if (path === null) continue
    const store = await openVersionStore(volume, base).catch(unless(...REFUSED))
    if (!store) continue
    try {
      found.push(await work(store, { base, path }))
    } finally {
      await store.close()
    }
  }
  return found
}

async function withVersion<T>(
  keeping: Keeping,
  realPath: string,
  id: string,
  work: (at: EntryName & { base: string; path: string }) => Promise<T>,
): Promise<T> {
  const found = (await list(keeping, realPath)).find((version) => version.id === id)
  const path = found ? pathInStore(found.base, realPath) : null
  if (!found || path === null) throw new AppError('not_found', `${realPath} has no version ${id}`)
  const { base, name } = found
  const folder = await keeping.volume.openFolder(join(base, VERSIONS_NAME, path))
  return work({ folder, name, base, path }).finally(folder.close)
}
