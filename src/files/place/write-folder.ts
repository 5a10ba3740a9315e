// A folder kept open to write many files into, without resolving each path anew.
import { join } from 'node:path'
import { AppError, fromErrno } from '../../lib/errors.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import { atOnce, poolCalls } from '../disks/disk-calls.ts'
import { deviceIn, type FolderRef } from './jail.ts'
import type { Allow } from './judgement.ts'
import type { Pace } from './pace.ts'
import { type OpenTempOptions, openTemp, type TempFile } from './temp-file.ts'

export interface WriteFolder {
  /**
   * Like Scope.openTemp for a name in the folder; null where a link has that name, to be followed
   * by its path.
   */
  openTemp(name: string): Promise<TempFile | null>
  /** When all its temporary files are done: syncs the folder. Rejects with the system's error. */
  close(): Promise<void>
}

/**
 * Takes over closing `folder`, which is open at `vpath`; `allow` judges what comes into it. With
 * `near`, on a local disk, the pool is spared as long as the disk is quick.
 */
export function createWriteFolder(
  folder: FolderRef,
  vpath: VPath,
  options: {
    allow: Allow
    fileMode: number
    near: boolean
    pace: Pace
    noted: OpenTempOptions['noted']
  },
): WriteFolder {
  const { allow, fileMode, pace, noted } = options
  let isChanged = false
  const shared = { ref: folder.ref, device: folder.device, close: async () => {} }
  return {
    openTemp: async (name) => {
      const child = joinVPath(vpath, name)
      if (!allow(child)) throw new AppError('forbidden', `${child} is denied by a rule`)
      const device = deviceIn(folder, name)
      const near = options.near && pace.isQuick && device.isDirect
      try {
        const path = join(folder.ref, name)
        const found = await (near
          ? pace.time(() => atOnce.lstat(path))
          : poolCalls(device).lstat(path))
        if (found?.isSymbolicLink()) return null
        const open = () => openTemp(shared, name, { fileMode, near, noted, syncsFolder: false })
        const temp = await (near ? pace.time(open) : open())
        const commit: TempFile['commit'] = async (how) => {
          try {
            const done = await temp.commit(how)
            isChanged = true
            return done
          } catch (error) {
            throw fromErrno(error, child)
          }
        }
        return { ...temp, commit }
      } catch (error) {
        throw fromErrno(error, child)
      }
    },
    close: async () => {
      try {
        if (isChanged) await folder.device.run(() => syncFolder(folder.ref))
      } finally {
        await folder.close()
      }
    },
  }
}
