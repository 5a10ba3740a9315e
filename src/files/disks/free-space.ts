// How full the disk is that holds a folder, or will hold it: one answer for the storage bar and for
// the question whether a file can fit, which is asked before the first byte is taken.
import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, errnoOf } from '../../lib/errors.ts'
import type { Device } from './device.ts'

export interface Space {
  /** 0 where the file system does not tell, as some network file systems do. */
  totalBytes: number
  /** What is left for who is not root (`bavail` of statfs): the rest cannot be counted on. */
  freeBytes: number
}

/**
 * The space of the file system on which `hostFolder` is or will be made: that of its nearest
 * ancestor that is there. `isDirect`: statfs is called on the event loop. Rejects with the system's error.
 */
export async function spaceAt(
  device: Device,
  hostFolder: string,
  isDirect = false,
): Promise<Space> {
  for (let folder = hostFolder; ; folder = dirname(folder)) {
    try {
      const { blocks, bavail, bsize } =
        isDirect && device.isDirect ? statfsSync(folder) : await device.query(() => statfs(folder))
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    }
  }
}

/** Throws `no_space` when less than `sizeBytes` are free. */
export function requireFree({ totalBytes, freeBytes }: Space, sizeBytes: number): void {
  if (totalBytes > 0 && freeBytes < sizeBytes)
    throw new AppError('no_space', `${sizeBytes} bytes do not fit`)
}
