// Whether a file of a known size can fit, asked before the first byte is taken.
import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import { isNear } from './disk-look.ts'

/** Throws `no_space` when the file system of a host folder has less than `sizeBytes` free. */
export async function checkFreeSpace(hostFolder: string, sizeBytes: number): Promise<void> {
  const { bavail, bsize, blocks } = isNear(hostFolder)
    ? statfsSync(hostFolder)
    : await statfs(hostFolder)
  // Some network file systems report no blocks at all.
  if (blocks > 0 && bavail * bsize < sizeBytes)
    throw new AppError('no_space', `${sizeBytes} bytes do not fit`)
}
