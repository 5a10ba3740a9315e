// The volume that is the disk of this machine.
import { readdir, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { contains } from '../../lib/host-path.ts'
import { memo } from '../../lib/memo.ts'
import type { Mount } from '../../lib/mount-points.ts'
import type { Threads } from '../../programs/threads.ts'
import { poolCalls } from '../disks/disk-calls.ts'
import type { Disks } from '../disks/disks.ts'
import { requireFree, spaceAt } from '../disks/free-space.ts'
import { createRemovalThread } from '../disks/removal-thread.ts'
import { statMany } from '../disks/stat-many.ts'
import { createDescent } from './descent.ts'
import { createSizeReaders, SIZE_READERS } from './folder-sizes.ts'
import { moveToFreeName } from './free-name.ts'
import { finishWrites } from './in-place.ts'
import { makeFolders, makeIn } from './make-folder.ts'
import { writeNew } from './new-file.ts'
import {
  HAS_PROC,
  isInPlace,
  openChild,
  openFileIn,
  openFolder,
  openPlain,
  openPlainFile,
  pathIn,
  setModeIn,
  setTimeIn,
  statAllIn,
  statIn,
} from './open-folder.ts'
import { namesAt, namesInOpen, readOpenFolder } from './read-folder.ts'
import { readManyIn } from './read-many.ts'
import { removeEntry, removeFiles, removeSingle } from './remove.ts'
import { leadsToStore } from './reserved-name.ts'
import { copyFileTo, linkFile } from './second-file.ts'
import { createSmallFiles } from './small/small-files.ts'
import { openTemp } from './temp-file.ts'
import { TEMP_PREFIX } from './temp-name.ts'
import type { TempRegistry } from './temp-registry.ts'
import type { Volume } from './volume.ts'

const storeMounts = memo((mounts: ReadonlyMap<string, Mount>) =>
  [...mounts].flatMap(([place, { root }]) => (leadsToStore(root) ? [place] : [])),
)

function storesIn(disks: Disks): string[] {
  const mounts = disks.mounts()
  return mounts ? storeMounts(mounts) : []
}

const NOTHING_MADE = new Map<string, never>()

/**
 * Makes the volume. There is one to a process, like `disks`. `temps` are told of temporary files; without `threads` all is
 * removed on the event loop.
 */
export function createDiskVolume(disks: Disks, temps?: TempRegistry, threads?: Threads): Volume {
  const space: Volume['space'] = (realDir, folder) =>
    spaceAt(disks.of(realDir), folder?.ref ?? realDir, folder?.device.isDirect)
  const thread = threads && createRemovalThread(threads)
  const small = threads ? createSmallFiles(threads, temps) : null
  const readSizes = threads ? createSizeReaders(threads) : null
  return {
    can: { pinFolders: HAS_PROC },
    realpath: disks.realpath,
    statAt: disks.lstat,
    statPaths: (realPaths, signal) =>
      statMany(realPaths, (i) => disks.of(realPaths[i] as string), signal),
    readLink: (realPath, folder) => {
      const path = folder ? pathIn(folder, basename(realPath)) : realPath
      return disks.of(realPath).query(() => readlink(path))
    },
    namesAt: (realDir) => namesAt(disks, realDir),
    openFolder: (realDir, options) => openFolder(disks, realDir, options),
    openPlain: (path) => openPlain(disks, path),
    openChild,
    descend: createDescent,
    isInPlace,
    stat: statIn,
    statMany: statAllIn,
    list: readOpenFolder,
    // A mount below could fall silent.
    readSizes: (folder, names, what) =>
      folder.device.isDirect && disks.holdsMount(folder.realDir) === false
        ? (readSizes?.(folder, names, what) ?? null)
        : null,
    sizeReaders: SIZE_READERS,
    names: namesInOpen,
    openFile: openFileIn,
    openPlainFile: (path) => openPlainFile(disks, path),
    readMany: readManyIn,
    makeFolders: (realPath, mode) => makeFolders(disks, realPath, mode),
    makeFolder: (realDir, name, mode) => makeIn(disks, realDir, name, mode),
    writeNew,
    makeSmall: async (into, batch, how) => small?.make(into, batch, how) ?? NOTHING_MADE,
    copySmall: async (from, into, names, how) =>
      small?.copy(from, into, names, how) ?? NOTHING_MADE,
    openTemp: (folder, name, options) => openTemp(folder, name, options, temps),
    findTemps: async (folder, label) => {
      const names = [
        ...(folder ? await folder.device.query(() => readdir(folder.ref)) : []),
        ...(temps ? await readdir(temps.stagingFolder).catch(() => []) : []),
      ]
      return names.filter((name) => name.startsWith(TEMP_PREFIX + label))
    },
    sync: ({ ref, device }) => device.syncFolder(ref),
    finishWrites: async (log) => (temps ? finishWrites(disks, temps, log) : false),
    rename: async (from, to, { replace }) => {
      const [old, free] = [pathIn(from.folder, from.name), pathIn(to.folder, to.name)]
      const calls = poolCalls(to.folder.device)
      await (replace ? calls.rename(old, free) : moveToFreeName(old, free, calls))
    },
    link: linkFile,
    copyFile: copyFileTo,
    remove: (folder, name, options) => removeEntry(folder, name, { ...options, thread }),
    removeFiles: (folder, names, options) => removeFiles(folder, names, { ...options, thread }),
    removeSingle,
    setMode: setModeIn,
    setTime: setTimeIn,
    space,
    requireSpace: async (realDir, sizeBytes, folder) =>
      requireFree(await space(realDir, folder), sizeBytes),
    room: async () => null,
    isMountPoint: disks.isKnownMount,
    holdsMount: disks.holdsMount,
    isInStore: (realPath) =>
      leadsToStore(realPath) || storesIn(disks).some((place) => contains(place, realPath)),
    mountsBelow: (realDir) =>
      [...(disks.mounts()?.keys() ?? [])].filter(
        (place) => place !== realDir && contains(realDir, place),
      ),
  }
}
