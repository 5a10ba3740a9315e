// A volume on which what is kept leaves before a write is refused for want of room.
import type { TempFile } from '../files/volume/temp-file.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError, isFullDisk } from '../lib/errors.ts'
import type { Retention } from './retention.ts'

/** Asks `makeRoom` where the disk is full, and tries once more. */
export function freeingVolume(volume: Volume, makeRoom: Retention['makeRoom']): Volume {
  const unlessFull = async <T>(realDir: string, bytes: number, work: () => Promise<T>) => {
    try {
      return await work()
    } catch (error) {
      if (!isNoSpace(error) || !(await makeRoom(realDir, bytes))) throw error
      return await work()
    }
  }
  return {
    ...volume,
    requireSpace: (realDir, sizeBytes, folder) =>
      unlessFull(realDir, sizeBytes, () => volume.requireSpace(realDir, sizeBytes, folder)),
    openTemp: async (folder, name, options) => {
      const { realDir } = folder
      const temp = await volume.openTemp(folder, name, options)
      const write: TempFile['write'] = (buffers, position, how) =>
        unlessFull(realDir, bytesOf(buffers), () => temp.write(buffers, position, how))
      const requireSpace: TempFile['requireSpace'] = (bytes) =>
        unlessFull(realDir, bytes, () => temp.requireSpace(bytes))
      return { ...temp, write, requireSpace }
    },
  }
}

function bytesOf(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0)
}

function isNoSpace(error: unknown): boolean {
  return isFullDisk(error) || (error instanceof AppError && error.code === 'no_space')
}
