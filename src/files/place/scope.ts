// One user's tree: the only door to content on disk. Every call names a virtual path, meets the
// rules first and is then confined by the jail (see jail.ts for what happens between look and use).
import { mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Usage } from '../../api-types.ts'
import { AppError, errnoOf, fromErrno } from '../../lib/errors.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { ROOT, rebase, type VPath } from '../../lib/vpath.ts'
import { atOnce, poolCalls } from '../disks/disk-calls.ts'
import type { Disks } from '../disks/disks.ts'
import { type Looked, statMany } from '../disks/stat-many.ts'
import {
  type DetailedEntry,
  type DirEntry,
  listFolder,
  listFolderDetailed,
} from '../listing/list-folder.ts'
import { type Walked, type WalkOptions, walkTree } from '../listing/walk.ts'
import { removeEntry, removeSingle } from '../transfer/remove.ts'
import { leadsToTemp, TEMP_PREFIX } from '../transfer/temp-name.ts'
import type { TempFacts, TempNotes } from '../transfer/temp-registry.ts'
import { type EntryKind, type EntryStat, kindOf, toEntryStat } from './entry-stat.ts'
import { permissionBits } from './file-mode.ts'
import { moveToFreeName } from './free-name.ts'
import { checkFreeSpace, spaceAt } from './free-space.ts'
import { createHeldFolder, describeOpen, type HeldFolder, type OpenFile } from './held-folder.ts'
import {
  createJail,
  deviceIn,
  holdFolder,
  inFolder,
  lookVerified,
  openVerified,
  setModeOf,
} from './jail.ts'
import { type Allow, type CaselessRules, createJudgement, type Judgement } from './judgement.ts'
import type { Pace } from './pace.ts'
import { openTemp, type TempFile } from './temp-file.ts'
import { createWriteFolder, type WriteFolder } from './write-folder.ts'

export type { OpenFile }

export interface ScopeOptions {
  disks: Disks
  /** Host path of the tree's root. */
  root: string
  /** The root is a place that has been located in another tree: it is not resolved again. */
  isRootReal?: boolean
  /** Host folder the root must lie in unless external links are followed, see JailOptions. */
  within?: string | undefined
  /** Text judgement: rules and hidden names. Walkers prune with it. */
  allow: (vpath: VPath) => boolean
  followExternalSymlinks: boolean
  /** Permission bits for new files and folders, before umask. */
  fileMode: number
  dirMode: number
  /** Told of every temporary file before it is made, for the clean-up. */
  temps?: TempNotes | undefined
  /** Where disks without case are met, and how they are judged; without it they are like others. */
  caseless?: CaselessRules | undefined
  /** Judges for the tree that this one was cut out of, see Scope.below. */
  outer?: Judgement | undefined
}

export interface TempOptions {
  parents?: boolean
  /** Name of a sibling that findTemps is to find again. */
  label?: string
  /** A name from findTemps: that one is opened instead of a new one. */
  resume?: string
  /** What is to be known of a new one after a restart. */
  facts?: TempFacts
  /** What hostPath has said of the path: it need not be located again. Its folder is verified. */
  located?: string | undefined
}

export interface Identity {
  kind: EntryKind
  dev: bigint
  ino: bigint
  /** 0 where the disk does not tell. */
  birthtimeNs: bigint
  /** Never shown to clients. */
  realPath: string
}

export interface Scope {
  allow(vpath: VPath): boolean
  /** Real path of the root on the host. Never shown to clients. */
  rootPath(): Promise<string>
  /** Opens a regular file for reading. FIFOs, sockets and devices are `unsupported`, unopened. */
  openRead(vpath: VPath): Promise<OpenFile>
  /** A folder kept open, for reading many files in it without resolving each path anew. */
  hold(vpath: VPath): Promise<HeldFolder>
  /** Like hold, but nothing is denied: see listAll. */
  holdAll(vpath: VPath): Promise<HeldFolder>
  /** A folder kept open, for writing many files into it. */
  holdToWrite(vpath: VPath, pace: Pace): Promise<WriteFolder>
  /** Facts about an entry; links are followed inside the scope. */
  stat(vpath: VPath): Promise<EntryStat>
  /** What a path leads to, told apart from anything that will have its name. */
  identify(vpath: VPath): Promise<Identity>
  exists(vpath: VPath): Promise<boolean>
  /** Allowed entries in byte order; links that leave the scope are left out. */
  list(vpath: VPath): Promise<DirEntry[]>
  /**
   * Every entry, denied and escaping ones included: for checks that a change to a folder must make
   * of all it holds. With `temps` the temporary files too. The result is never shown.
   */
  listAll(vpath: VPath, options?: { temps?: boolean }): Promise<DirEntry[]>
  /** The entries of list with facts; those that cannot be read are left out. */
  listDetailed(vpath: VPath, signal: AbortSignal): Promise<DetailedEntry[]>
  /** Names of everything below a folder, in batches; the folder itself is not judged. */
  walk(vpath: VPath, options: WalkOptions): AsyncGenerator<Walked[], void>
  /** Facts of entries that walk has yielded, in their order. */
  statMany(entries: readonly Walked[], signal: AbortSignal): Promise<Looked[]>
  /** Creates the folder and its parents. Existing ones are fine; a file in the way is an error. */
  makeFolder(vpath: VPath): Promise<void>
  /** Creates the folder, and its parents where they are missing. `exists` when anything is there. */
  makeNewFolder(vpath: VPath): Promise<void>
  /**
   * A hidden sibling of the target to write to; commit moves it into place. Follows a link at the
   * target. Parents are created when `parents` is set.
   */
  openTemp(vpath: VPath, options?: TempOptions): Promise<TempFile>
  /** Names of temporary siblings of a target that begin with the label; [] without the folder. */
  findTemps(vpath: VPath, label: string): Promise<string[]>
  /** Removes an entry, folders with all they hold; links are removed, not followed. */
  remove(vpath: VPath, signal: AbortSignal): Promise<void>
  /**
   * Removes one entry by itself: a folder when nothing is in it, a file or link when its own
   * modification time is still this one. False when it stays.
   */
  removeSingle(vpath: VPath, mtimeNs: bigint | null): Promise<boolean>
  /** Moves an entry on one file system. `exists` when the target is taken and not to be replaced. */
  rename(source: VPath, target: VPath, options: { replace: boolean }): Promise<void>
  /** Permission bits of a file or folder; a link in its place is `forbidden`, not followed. */
  setMode(vpath: VPath, mode: number): Promise<void>
  usage(vpath: VPath): Promise<Usage>
  /** Real host path of an entry itself, the last link not followed. Never shown to clients. */
  entryPath(vpath: VPath): Promise<string>
  /**
   * True when the entry is a mount of its own, which can be neither moved nor removed. Where nothing
   * tells, as on other systems than Linux, null.
   */
  isMountPoint(vpath: VPath): Promise<boolean | null>
  /** Throws `no_space` when a file of this size does not fit at a path that hostPath has given. */
  requireSpace(located: string, sizeBytes: number): Promise<void>
  /** Host path for programs started in a folder (shell, hooks). Judged like any other access. */
  hostPath(vpath: VPath): Promise<string>
  /**
   * A judge of `vpath` and what lies below it, by the paths given and by those of the place where
   * links have led; for trees that are changed as a whole.
   */
  judgeBelow(vpath: VPath): Promise<Allow>
  /**
   * The tree below `vpath` as one of its own, under the same rules. `located` is what identify has
   * said of the path: it is not located again.
   */
  below(vpath: VPath, located?: string): Promise<Scope>
}

/** Builds a scope. Touches the disk on first use only. */
export function createScope(options: ScopeOptions): Scope {
  const { allow, disks, fileMode, dirMode } = options
  const jail = createJail(options.root, options.followExternalSymlinks, disks, {
    isReal: options.isRootReal,
    within: options.within,
  })
  const judgement = createJudgement(
    jail,
    (vpath) => allow(vpath) && !leadsToTemp(vpath),
    options.outer,
    options.caseless,
  )

  const check = (vpath: VPath) => {
    if (!allow(vpath)) throw new AppError('forbidden', `${vpath} is denied by a rule`)
    if (leadsToTemp(vpath)) throw new AppError('not_found', `${vpath} is a temporary file`)
  }
  // A link inside the scope is judged by its target's path too (CVE-2026-90930).
  const checkTarget = async (vpath: VPath, realPath: string) => {
    if (!(await judgement.at(realPath))(ROOT))
      throw new AppError('forbidden', `${vpath} leads to where a rule denies`)
  }
  const locate = async (vpath: VPath) => {
    check(vpath)
    const place = await jail.locate(vpath)
    await checkTarget(vpath, place.realPath)
    return place
  }
  const locateEntry = async (vpath: VPath) => {
    check(vpath)
    const place = await jail.locateEntry(vpath)
    await checkTarget(vpath, place.realPath)
    return place
  }
  const guarded = async <T>(vpath: VPath, fn: () => Promise<T>): Promise<T> => {
    try {
      return await fn()
    } catch (error) {
      throw fromErrno(error, vpath)
    }
  }

  const stat = async (vpath: VPath): Promise<EntryStat> => {
    const place = await locate(vpath)
    // Most paths lead over no link.
    const isPlain = jail.vpathOf(place.realPath, await jail.root()) === vpath
    const entry = isPlain ? place : await jail.locateEntry(vpath)
    const own = await lookVerified(disks, entry.realPath)
    if (!own.isSymbolicLink()) return toEntryStat(own, own, false)
    if (isPlain || !place.exists) return { ...toEntryStat(own, own, true), kind: 'brokenLink' }
    return toEntryStat(await lookVerified(disks, place.realPath), own, true)
  }

  const makeFolder = async (vpath: VPath): Promise<void> => {
    const place = await locate(vpath)
    if (place.exists) {
      if (!(await disks.lstat(place.realPath)).isDirectory())
        throw new AppError('not_a_folder', `${vpath} is not a folder`)
      return
    }
    await makeFolders(disks, place.realPath, dirMode)
  }

  const everything = createJudgement(jail, (vpath) => !leadsToTemp(vpath), undefined)
  const tempsToo = createJudgement(jail, () => true, undefined)

  const hold = (vpath: VPath, by: Judgement) =>
    guarded(vpath, async () => {
      const { realPath } = await locate(vpath)
      const allow = await by.below(vpath, realPath)
      return createHeldFolder(await holdFolder(disks, realPath), vpath, allow)
    })

  return {
    allow: judgement.allow,
    rootPath: () => jail.root(),
    hostPath: (vpath) => guarded(vpath, async () => (await locate(vpath)).realPath),
    stat: (vpath) => guarded(vpath, () => stat(vpath)),
    identify: (vpath) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        const { mode, dev, ino, birthtimeNs } = await lookVerified(disks, realPath)
        return { kind: kindOf(Number(mode)), dev, ino, birthtimeNs, realPath }
      }),
    entryPath: (vpath) => guarded(vpath, async () => (await locateEntry(vpath)).realPath),
    isMountPoint: (vpath) =>
      guarded(vpath, async () => disks.isKnownMount((await locateEntry(vpath)).realPath)),
    exists: async (vpath) => {
      try {
        return await guarded(vpath, async () => (await locateEntry(vpath)).exists)
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return false
        throw error
      }
    },
    openRead: (vpath) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        const found = await disks.lstat(realPath)
        if (!found.isFile()) {
          const what = found.isDirectory() ? 'a folder' : 'not a regular file'
          throw new AppError('unsupported', `${vpath} is ${what}`, { status: 500 })
        }
        return describeOpen(await openVerified(disks, realPath), vpath)
      }),
    hold: (vpath) => hold(vpath, judgement),
    holdAll: (vpath) => hold(vpath, everything),
    holdToWrite: (vpath, pace) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        const allow = await judgement.below(vpath, realPath)
        const near = disks.isNear(realPath)
        const folder = await holdFolder(disks, realPath)
        const noted = options.temps && { in: options.temps, folder: realPath }
        return createWriteFolder(folder, vpath, { allow, fileMode, near, pace, noted })
      }),
    list: (vpath) =>
      guarded(vpath, async () =>
        listFolder(jail, judgement, vpath, (await locate(vpath)).realPath),
      ),
    listAll: (vpath, { temps = false } = {}) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        return listFolder(jail, temps ? tempsToo : everything, vpath, realPath, { escaping: true })
      }),
    listDetailed: (vpath, signal) =>
      guarded(vpath, async () =>
        listFolderDetailed(jail, judgement, vpath, (await locate(vpath)).realPath, signal),
      ),
    walk: (vpath, options) => walkTree(jail, judgement, vpath, options),
    statMany: (entries, signal) =>
      guarded(ROOT, () =>
        statMany(
          entries.map(({ realPath }) => realPath),
          (i) => disks.of((entries[i] as Walked).realPath),
          signal,
        ),
      ),
    makeFolder: (vpath) => guarded(vpath, () => makeFolder(vpath)),
    makeNewFolder: (vpath) =>
      guarded(vpath, async () => {
        const { realPath, exists } = await locateEntry(vpath)
        if (exists) throw new AppError('exists', `${vpath} exists already`)
        const parent = dirname(realPath)
        await makeFolders(disks, parent, dirMode)
        await makeIn(disks, parent, basename(realPath), dirMode)
      }),
    openTemp: (vpath, { parents = false, label, resume, located, facts } = {}) =>
      guarded(vpath, async () => {
        const realPath = located ?? (await locate(vpath)).realPath
        const inNear = disks.isNear(dirname(realPath))
        const folder = await holdFolder(disks, dirname(realPath)).catch(async (error) => {
          if (!parents || errnoOf(error) !== 'ENOENT') throw error
          await makeFolders(disks, dirname(realPath), dirMode)
          return holdFolder(disks, dirname(realPath))
        })
        try {
          const name = basename(realPath)
          const device = deviceIn(folder, name)
          const near = inNear && device.isDirect
          // A name the disk does not take must not be noticed only after the last byte.
          if (resume === undefined)
            await (near ? atOnce : poolCalls(device)).lstat(join(folder.ref, name))
          const noted = options.temps && { in: options.temps, folder: dirname(realPath), facts }
          const temp = await openTemp(folder, name, { fileMode, near, label, resume, noted })
          const commit: TempFile['commit'] = async (how) => {
            const done = await guarded(vpath, () => temp.commit(how))
            if (near) disks.noteWritten(dirname(realPath))
            return done
          }
          return { ...temp, commit }
        } catch (error) {
          await folder.close()
          throw error
        }
      }),
    findTemps: (vpath, label) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        const found = await inFolder(disks, dirname(realPath), (ref, device) =>
          device.query(() => readdir(ref)),
        ).catch(unlessMissing)
        const staged = options.temps && (await readdir(options.temps.stagingFolder).catch(() => []))
        return [...found, ...(staged ?? [])].filter((name) => name.startsWith(TEMP_PREFIX + label))
      }),
    remove: (vpath, signal) =>
      guarded(vpath, async () => {
        if (vpath === ROOT) throw new AppError('forbidden', 'the root cannot be removed')
        const { realPath } = await locateEntry(vpath)
        const folder = await holdFolder(disks, dirname(realPath))
        await removeEntry(folder, basename(realPath), { signal }).finally(folder.close)
      }),
    removeSingle: (vpath, mtimeNs) =>
      guarded(vpath, async () => {
        const { realPath } = await locateEntry(vpath)
        const folder = await holdFolder(disks, dirname(realPath))
        return removeSingle(folder, basename(realPath), mtimeNs).finally(folder.close)
      }),
    rename: (source, target, { replace }) =>
      guarded(source, async () => {
        const from = await locateEntry(source)
        const to = await locateEntry(target)
        await inFolder(disks, dirname(from.realPath), (fromRef) =>
          inFolder(disks, dirname(to.realPath), (toRef, device) => {
            const source = join(fromRef, basename(from.realPath))
            const target = join(toRef, basename(to.realPath))
            const calls = poolCalls(device)
            return replace ? calls.rename(source, target) : moveToFreeName(source, target, calls)
          }),
        )
      }),
    setMode: (vpath, mode) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        await setModeOf(disks, realPath, permissionBits(mode))
      }),
    usage: (vpath) =>
      guarded(vpath, async () => {
        const { realPath } = await locate(vpath)
        if (!(await disks.lstat(realPath)).isDirectory()) return { total: 0, used: 0 }
        const { totalBytes, freeBytes } = await spaceAt(disks.of(realPath), realPath)
        return { total: totalBytes, used: totalBytes - freeBytes }
      }),
    requireSpace: (located, sizeBytes) => {
      const folder = dirname(located)
      return guarded(ROOT, () =>
        checkFreeSpace(disks.of(folder), folder, sizeBytes, disks.isNear(folder)),
      )
    },
    judgeBelow: (vpath) =>
      guarded(vpath, async () => judgement.below(vpath, (await locate(vpath)).realPath)),
    below: async (vpath, located) => {
      const realPath = located ?? (await guarded(vpath, () => locate(vpath))).realPath
      const judge = await judgement.below(vpath, realPath)
      const allowBelow = (child: VPath) => judge(rebase(vpath, child))
      return createScope({
        ...options,
        root: realPath,
        isRootReal: true,
        allow: allowBelow,
        caseless: options.caseless && { disks: options.caseless.disks, allow: allowBelow },
        outer: judgement,
      })
    },
  }
}

function unlessMissing(error: unknown): string[] {
  if (errnoOf(error) === 'ENOENT') return []
  throw error
}

function makeIn(disks: Disks, parent: string, name: string, mode: number): Promise<void> {
  return inFolder(disks, parent, (ref, device) =>
    device.run(async () => {
      await mkdir(join(ref, name), mode)
      await syncFolder(ref)
    }),
  )
}

// One segment at a time, each in a folder held open, so that a link swapped in is met as an error.
async function makeFolders(disks: Disks, realPath: string, mode: number): Promise<void> {
  const parent = dirname(realPath)
  if (parent !== realPath) {
    const above = await disks.lstat(parent).catch((error) => {
      if (errnoOf(error) === 'ENOENT') return null
      throw error
    })
    if (above === null) await makeFolders(disks, parent, mode)
  }
  try {
    await makeIn(disks, parent, basename(realPath), mode)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
    if (!(await disks.lstat(realPath)).isDirectory())
      throw new AppError('not_a_folder', `${basename(realPath)} is not a folder`)
  }
}
