// The volume that is the disk of this machine.
import { readdir, readlink } from 'node:fs/promises'
import { poolCalls } from '../disks/disk-calls.ts'
import type { Disks } from '../disks/disks.ts'
import { statMany } from '../disks/stat-many.ts'
import { createDescent } from './descent.ts'
import { moveToFreeName } from './free-name.ts'
import { spaceAt } from './free-space.ts'
import { makeFolders, makeIn } from './make-folder.ts'
import {
  HAS_PROC,
  isInPlace,
  openChild,
  openFileIn,
  openFolder,
  openPlain,
  pathIn,
  setModeIn,
  statAllIn,
  statIn,
} from './open-folder.ts'
import { namesAt, readOpenFolder } from './read-folder.ts'
import { removeEntry, removeSingle } from './remove.ts'
import type { Volume } from './volume.ts'

/** Makes the volume. There is one to a process, like `disks`. */
export function createDiskVolume(disks: Disks): Volume {
  const can = { pinFolders: HAS_PROC, hardLinkSymlinks: process.platform === 'linux' }
  return {
    can,
    disks,
    realpath: disks.realpath,
    statAt: disks.lstat,
    statPaths: (realPaths, signal) =>
      statMany(realPaths, (i) => disks.of(realPaths[i] as string), signal),
    readLink: (realPath, path = realPath) => disks.of(realPath).query(() => readlink(path)),
    namesAt: (realDir) => namesAt(disks, realDir),
    openFolder: (realDir) => openFolder(disks, realDir),
    openPlain: (path) => openPlain(disks, path),
    openChild: (folder, name) => openChild(folder, name, { direct: true }),
    descend: createDescent,
    isInPlace,
    stat: statIn,
    statMany: statAllIn,
    names: ({ ref, device }) => device.query(() => readdir(ref)),
    list: readOpenFolder,
    openFile: openFileIn,
    makeFolders: (realPath, mode) => makeFolders(disks, realPath, mode),
    makeFolder: (realDir, name, mode) => makeIn(disks, realDir, name, mode),
    rename: async (from, to, { replace }) => {
      const [old, free] = [pathIn(from.folder, from.name), pathIn(to.folder, to.name)]
      const calls = poolCalls(to.folder.device)
      await (replace ? calls.rename(old, free) : moveToFreeName(old, free, calls, can))
    },
    remove: removeEntry,
    removeSingle,
    setMode: setModeIn,
    space: (realDir, folder) =>
      spaceAt(disks.of(realDir), folder?.ref ?? realDir, folder?.device.isDirect),
  }
}
