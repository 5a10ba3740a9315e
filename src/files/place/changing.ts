// What a scope changes: folders, files by temporary ones, moves, removals.
import { basename, dirname } from 'node:path'
import { AppError, errnoOf, unless } from '../../lib/errors.ts'
import { parentOf, ROOT, type VPath } from '../../lib/vpath.ts'
import { permissionBits } from '../volume/file-mode.ts'
import { moved, type OpenFolder } from '../volume/open-folder.ts'
import type { OpenTempOptions, TempFile } from '../volume/temp-file.ts'
import type { EntryName } from '../volume/volume.ts'
import type { Place } from './jail.ts'
import {
  type At,
  entryOf,
  guarded,
  notFound,
  openToList,
  requireMay,
  type Tree,
  withEntry,
  within,
} from './tree.ts'
import { createWriteFolder, type WriteFolder } from './write-folder.ts'

export interface TempOptions extends Pick<OpenTempOptions, 'label' | 'resume' | 'facts'> {
  parents?: boolean
  /** What the caller must be allowed to do there; `create` without it, nothing for one that is resumed. */
  verb?: 'create' | 'modify'
}

/** An entry by its open folder and its name there, and its real path. */
export interface EntryPlace extends EntryName {
  realPath: string
}

export interface Changing {
  /** A folder kept open, for writing many files into it. */
  openFolderToWrite(at: At): Promise<WriteFolder>
  /** Creates the folder and its parents. Existing ones are fine; a file in the way is an error. */
  makeFolder(vpath: VPath): Promise<void>
  /** Creates the folder, and its parents where they are missing. `exists` when anything is there. */
  makeNewFolder(vpath: VPath): Promise<void>
  /**
   * A hidden sibling of the target to write to; commit moves it into place. Follows a link at the
   * target. Parents are created when `parents` is set.
   */
  openTemp(at: At, options?: TempOptions): Promise<TempFile>
  /** Names of temporary siblings of a target that begin with the label; [] without the folder. */
  findTemps(at: At, label: string): Promise<string[]>
  /** Removes an entry, folders with all they hold; links are removed, not followed. `onFile` is told of the bytes of each file that is gone. */
  remove(vpath: VPath, signal: AbortSignal, onFile?: (bytes: number) => void): Promise<void>
  /** Hands an entry that may be deleted, not followed, to who takes it away. */
  takeAway<T>(vpath: VPath, take: (entry: EntryPlace) => Promise<T>): Promise<T>
  /**
   * Removes one entry by itself: a folder when nothing is in it, a file or link when its own
   * modification time is still this one. False when it stays.
   */
  removeSingle(vpath: VPath, mtimeNs: bigint | null): Promise<boolean>
  /**
   * Moves an entry on one file system, with the right to rename at both ends within one record of folders, else to
   * download and delete at the source and to create at the target. `exists` when the target is taken and not to be
   * replaced.
   */
  rename(source: VPath, target: VPath, options: { replace: boolean }): Promise<void>
  /** True where the same record holds for both entries, or none speaks of the account. */
  isOneRecord(a: VPath, b: VPath): Promise<boolean>
  /** Permission bits of a file or folder; a link in its place is `forbidden`, not followed. */
  setMode(at: At, mode: number, verb?: 'create' | 'modify'): Promise<void>
  /** Modification time of a file or folder, where the disk takes it. */
  setTime(at: At, mtimeNs: bigint, verb?: 'create' | 'modify'): Promise<void>
}

/** The changing part of a scope. */
export function changingOf(tree: Tree): Changing {
  const { volume, owner, fileMode, dirMode } = tree
  return {
    openFolderToWrite: (at) =>
      within(tree, at, async (place, vpath) => {
        const { folder, may } = await openToList(tree, place)
        return createWriteFolder(volume, folder, vpath, { may, owner, fileMode })
      }),
    makeFolder: (vpath) =>
      within(tree, vpath, async (place) => {
        if (!place.stats) {
          await requireMayMake(tree, place)
          await volume.makeFolders(place.realPath, dirMode)
        } else if (!place.stats.isDirectory())
          throw new AppError('not_a_folder', `${vpath} is not a folder`)
      }),
    makeNewFolder: (vpath) =>
      withEntry(tree, vpath, async (place) => {
        const { realPath, stats } = place
        if (stats) throw new AppError('exists', `${vpath} exists already`)
        await requireMayMake(tree, place)
        await volume.makeFolders(dirname(realPath), dirMode)
        await volume.makeFolder(dirname(realPath), basename(realPath), dirMode)
      }),
    openTemp: (at, options = {}) => within(tree, at, (place) => openTempAt(tree, place, options)),
    findTemps: (at, label) => within(tree, at, ({ folder }) => volume.findTemps(folder, label)),
    remove: (vpath, signal, onFile) =>
      takeAway(tree, vpath, ({ folder, name }) =>
        volume.remove(folder, name, {
          signal,
          onFile: onFile && ((_folder, _name, stats) => () => onFile(stats.size)),
        }),
      ),
    takeAway: (vpath, take) => takeAway(tree, vpath, take),
    removeSingle: (vpath, mtimeNs) =>
      takeAway(tree, vpath, ({ folder, name }) => volume.removeSingle(folder, name, mtimeNs)),
    rename: (source, target, options) =>
      withEntry(tree, source, async (place) => {
        const { folder: from, name } = place
        requireNoTop(tree, source)
        requireNoTop(tree, target)
        using to = await entryOf(tree, target)
        const isOne = await isOneRecord(tree, place, to)
        await requireMay(tree, place, ...(isOne ? RENAME : TAKE))
        await requireMay(tree, to, isOne ? 'rename' : 'create')
        if (!from) throw notFound(source)
        if (!to.folder) throw new AppError('not_found', `the folder of ${target} does not exist`)
        await volume.rename(
          { folder: from, name },
          { folder: to.folder, name: to.name },
          { ...options, owner },
        )
      }),
    isOneRecord: async (a, b) => {
      if (!tree.rights) return true
      using first = await entryOf(tree, a)
      using second = await entryOf(tree, b)
      return isOneRecord(tree, first, second)
    },
    setMode: (at, mode, verb = 'create') =>
      within(tree, at, async (place, vpath) => {
        const { folder, name } = place
        await requireMay(tree, place, verb)
        if (!folder) throw notFound(vpath)
        await volume.setMode(folder, name, permissionBits(mode))
      }),
    setTime: (at, mtimeNs, verb = 'create') =>
      within(tree, at, async (place, vpath) => {
        const { folder, name } = place
        await requireMay(tree, place, verb)
        if (!folder) throw notFound(vpath)
        await volume
          .setTime(folder, name, mtimeNs)
          .catch(unless('EPERM', 'EACCES', 'ENOSYS', 'ENOTSUP'))
      }),
  }
}

function takeAway<T>(
  tree: Tree,
  vpath: VPath,
  take: (entry: EntryPlace) => Promise<T>,
): Promise<T> {
  return withEntry(tree, vpath, async (place) => {
    const { folder, name, realPath } = place
    requireNoTop(tree, vpath)
    await requireMay(tree, place, 'delete')
    if (!folder) throw notFound(vpath)
    return take({ folder, name, realPath })
  })
}

const RENAME = ['rename'] as const
const TAKE = ['download', 'delete'] as const

/** True where the same record holds at both places, by their text and by where links have led. */
async function isOneRecord({ rights }: Tree, a: Place, b: Place): Promise<boolean> {
  if (!rights) return true
  const [from, to] = [
    await rights.recordsAt(a.vpath, a.realPath),
    await rights.recordsAt(b.vpath, b.realPath),
  ]
  return from.every((record, i) => record === to[i])
}

// With the folders around it that are missing.
async function requireMayMake(tree: Tree, place: Place): Promise<void> {
  await requireMay(tree, place, 'create')
  for (let up = parentOf(place.vpath); tree.rights && up !== ROOT; up = parentOf(up)) {
    if (tree.rights.may(up, 'create')) continue
    using above = await entryOf(tree, up)
    if (above.stats) return
    await requireMay(tree, above, 'create')
  }
}

/** The folder that a tree begins with stands there by the administrator's word. */
export function requireNoTop({ jail }: Pick<Tree, 'jail'>, vpath: VPath): void {
  if (vpath === jail.base)
    throw new AppError('forbidden', `${vpath} is the top of a tree and stays where it is`)
}

async function openTempAt(
  tree: Tree,
  place: Place,
  { parents = false, verb = 'create', ...options }: TempOptions,
): Promise<TempFile> {
  const { volume, owner, fileMode } = tree
  if (options.resume === undefined) await requireMay(tree, place, verb)
  if (parents && !place.folder) await requireMayMake(tree, place)
  const folder = await folderFor(tree, place, parents)
  const temp = await volume.openTemp(folder, basename(place.realPath), {
    owner,
    fileMode,
    ...options,
  })
  const commit: TempFile['commit'] = (how) => {
    // A folder that was moved would take the file to where nobody checked it.
    const check = async () => {
      await how.check?.()
      if (!volume.isInPlace(folder)) throw moved(dirname(place.realPath))
    }
    return guarded(place.vpath, async () => {
      await requireMay(tree, place, verb)
      const replace = how.replace && (await mayModify(tree, place))
      return temp.commit({ ...how, replace, check })
    })
  }
  return { ...temp, commit }
}

// A file that has come meanwhile is not replaced without the right to.
async function mayModify(tree: Tree, place: Place): Promise<boolean> {
  const allowed = await requireMay(tree, place, 'modify').catch(unless('forbidden'))
  return allowed !== null
}

// The folder for a file of the place, to be closed by the caller; made with `parents`. One that was open
// for long may be elsewhere by now.
async function folderFor(
  { volume, dirMode }: Tree,
  { folder, name, realPath }: Place,
  parents: boolean,
): Promise<OpenFolder> {
  if (folder && name !== '.') {
    if (volume.isInPlace(folder)) return folder.share()
    throw moved(realPath)
  }
  const realDir = dirname(realPath)
  try {
    return await volume.openFolder(realDir)
  } catch (error) {
    if (!parents || errnoOf(error) !== 'ENOENT') throw error
    await volume.makeFolders(realDir, dirMode)
    return volume.openFolder(realDir)
  }
}
