// Files that share their blocks, where the disk can: btrfs, XFS, ZFS and the like.
import { constants, copyFile } from 'node:fs'
import { promisify } from 'node:util'
import { HAS_PROC, type OpenFolder } from './open-folder.ts'

const clone = promisify(copyFile)

/**
 * Gives an open file the content and mode of another one without copying a byte; false where that is not possible, and the
 * target is as it was. By descriptor: a clone that is refused removes its target by name, which there is none of here.
 */
export async function isCloned(
  device: OpenFolder['device'],
  source: number,
  target: number,
): Promise<boolean> {
  if (!HAS_PROC) return false
  const [from, to] = [source, target].map((fd) => `/proc/self/fd/${fd}`) as [string, string]
  const work = device.run(() => clone(from, to, constants.COPYFILE_FICLONE_FORCE))
  return work.then(
    () => true,
    () => false,
  )
}
