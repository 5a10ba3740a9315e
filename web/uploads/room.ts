import { isAbort } from '../api/client.ts'
import { fetchFreeBytes } from '../api/uploads.ts'
import { joinPath } from '../lib/paths.ts'

export class NoRoomError extends Error {
  readonly neededBytes: number
  readonly freeBytes: number
  constructor(neededBytes: number, freeBytes: number) {
    super('not enough room')
    this.neededBytes = neededBytes
    this.freeBytes = freeBytes
  }
}

export interface Room {
  /**
   * Counts `bytes` that go to `targetPath`, below the target.
   *
   * @throws NoRoomError when more than fits there was counted.
   */
  take(targetPath: string, bytes: number): void
}

/**
 * Asks how much is free in the folder `target` and in those of its `folders` that get something, each
 * of which may be a disk of its own. Where the server does not say, everything fits.
 */
export async function openRoom(
  target: string,
  folders: readonly { name: string }[],
  signal: AbortSignal,
): Promise<Room> {
  const open = async (vpath: string) => createDisk(await freeBytesAt(vpath, signal))
  const opening = folders.map(
    async ({ name }) => [name, await open(joinPath(target, name))] as const,
  )
  const [rest, ...own] = await Promise.all([open(target), ...opening])
  const disks = new Map(own)
  return {
    take(targetPath, bytes) {
      const [name = ''] = targetPath.split('/', 1)
      const take = disks.get(name) ?? rest
      take(bytes)
    },
  }
}

async function freeBytesAt(vpath: string, signal: AbortSignal): Promise<number | null> {
  try {
    return await fetchFreeBytes(vpath, signal)
  } catch (error) {
    if (isAbort(error)) throw error
    return null
  }
}

function createDisk(freeBytes: number | null): (bytes: number) => void {
  let neededBytes = 0
  return (bytes) => {
    neededBytes += bytes
    if (freeBytes !== null && neededBytes > freeBytes) throw new NoRoomError(neededBytes, freeBytes)
  }
}
