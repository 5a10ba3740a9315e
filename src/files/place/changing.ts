// What a scope changes: folders, files by temporary ones, moves, removals.
import { basename, dirname } from 'node:path'
import { AppError, errnoOf } from '../../lib/errors.ts'
import { ROOT, type VPath } from '../../lib/vpath.ts'
import { permissionBits } from '../volume/file-mode.ts'
import { moved, type OpenFolder } from '../volume/open-folder.ts'
import type { OpenTempOptions, TempFile } from '../volume/temp-file.ts'
import type { Place } from './jail.ts'
import {
  type At,
  entryOf,
  guarded,
  notFound,
  openToList,
  type Tree,
  withEntry,
  within,
} from './tree.ts'
import { createWriteFolder, type WriteFolder } from './write-folder.ts'

export interface TempOptions extends Pick<OpenTempOptions, 'label' | 'resume' | 'facts'> {
  parents?: boolean
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
  setMode(at: At, mode: number): Promise<void>
}

/** The changing part of a scope. */
export function changingOf(tree: Tree): Changing {
  const { volume, fileMode, dirMode } = tree
  return {
    openFolderToWrite: (at) =>
      within(tree, at, async (place, vpath) => {
        const { folder, allow } = await openToList(tree, place)
        return createWriteFolder(volume, folder, vpath, { allow, fileMode })
      }),
    makeFolder: (vpath) =>
      within(tree, vpath, async ({ realPath, stats }) => {
        if (!stats) await volume.makeFolders(realPath, dirMode)
        else if (!stats.isDirectory())
          throw new AppError('not_a_folder', `${vpath} is not a folder`)
      }),
    makeNewFolder: (vpath) =>
      withEntry(tree, vpath, async ({ realPath, stats }) => {
        if (stats) throw new AppError('exists', `${vpath} exists already`)
        await volume.makeFolders(dirname(realPath), dirMode)
        await volume.makeFolder(dirname(realPath), basename(realPath), dirMode)
      }),
    openTemp: (at, options = {}) => within(tree, at, (place) => openTempAt(tree, place, options)),
    findTemps: (at, label) => within(tree, at, ({ folder }) => volume.findTemps(folder, label)),
    remove: (vpath, signal) =>
      withEntry(tree, vpath, async ({ folder, name }) => {
        if (vpath === ROOT) throw new AppError('forbidden', 'the root cannot be removed')
        if (!folder) throw notFound(vpath)
        await volume.remove(folder, name, { signal })
      }),
    removeSingle: (vpath, mtimeNs) =>
      withEntry(tree, vpath, async ({ folder, name }) => {
        if (!folder) throw notFound(vpath)
        return volume.removeSingle(folder, name, mtimeNs)
      }),
    rename: (source, target, options) =>
      withEntry(tree, source, async ({ folder: from, name }) => {
        using to = await entryOf(tree, target)
        if (!from) throw notFound(source)
        if (!to.folder) throw new AppError('not_found', `the folder of ${target} does not exist`)
        await volume.rename({ folder: from, name }, { folder: to.folder, name: to.name }, options)
      }),
    setMode: (at, mode) =>
      within(tree, at, async ({ folder, name }, vpath) => {
        if (!folder) throw notFound(vpath)
        await volume.setMode(folder, name, permissionBits(mode))
      }),
  }
}

async function openTempAt(
  tree: Tree,
  place: Place,
  { parents = false, ...options }: TempOptions,
): Promise<TempFile> {
  const { volume, fileMode } = tree
  const folder = await folderFor(tree, place, parents)
  const temp = await volume.openTemp(folder, basename(place.realPath), { fileMode, ...options })
  const commit: TempFile['commit'] = (how) => {
    // A folder that was moved would take the file to where nobody checked it.
    const check = async () => {
      await how.check?.()
      if (!volume.isInPlace(folder)) throw moved(dirname(place.realPath))
    }
    return guarded(place.vpath, () => temp.commit({ ...how, check }))
  }
  return { ...temp, commit }
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
