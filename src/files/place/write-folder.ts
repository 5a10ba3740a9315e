// A folder kept open to write many files into, without resolving each path anew.
import { join } from 'node:path'
import { AppError, fromErrno } from '../../lib/errors.ts'
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import { atOnce, poolCalls } from '../disks/disk-calls.ts'
import { type OpenTempOptions, openTemp, type TempFile } from '../temp/temp-file.ts'
import { deviceIn, type OpenFolder } from '../volume/open-folder.ts'
import type { Allow } from './path-rules.ts'

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
 * Takes over closing `folder`, which is open at `vpath`; `allow` is the rule test for what comes into it.
 */
export function createWriteFolder(
  folder: OpenFolder,
  vpath: VPath,
  options: {
    allow: Allow
    fileMode: number
    noted: OpenTempOptions['noted']
  },
): WriteFolder {
  const { allow, fileMode, noted } = options
  let isChanged = false
  const shared = { ref: folder.ref, device: folder.device, close: async () => {} }
  return {
    openTemp: async (name) => {
      const child = joinVPath(vpath, name)
      if (!allow(child)) throw new AppError('forbidden', `${child} is denied by a rule`)
      const device = deviceIn(folder, name)
      const isDirect = device.isDirect
      try {
        const path = join(folder.ref, name)
        const found = await (isDirect ? atOnce : poolCalls(device)).lstat(path)
        if (found?.isSymbolicLink()) return null
        const temp = await openTemp(shared, name, { fileMode, isDirect, noted, syncsFolder: false })
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
        if (isChanged) await folder.device.syncFolder(folder.ref)
      } finally {
        await folder.close()
      }
    },
  }
}
