// Writing the bytes of a large file past the kernel's memory (O_DIRECT of open(2)): what others read stays in that memory,
// and nobody waits for a disk that takes at once what has piled up there.
import { constants, write } from 'node:fs'
import { promisify } from 'node:util'
import { unless } from '../../lib/errors.ts'
import type { Device } from './device.ts'
import { poolCalls } from './disk-calls.ts'
import { behind, writeFully } from './write-fully.ts'

const writeSome = promisify(write)

/** What a disk takes begins and ends at a multiple of this, in the file and in memory. */
const PAGE_BYTES = 4096

export interface PastCache {
  /** Writes all bytes; what does not end with a page, or is refused, by way of the kernel's memory. */
  write(buffers: readonly Uint8Array[], position: number): Promise<void>
  close(): Promise<void>
}

/** Opens what `fd` is open for once more; everything goes by way of the kernel's memory where that cannot be. */
export async function openPastCache(fd: number, device: Device): Promise<PastCache> {
  const calls = poolCalls(device)
  const flags = constants.O_WRONLY | (constants.O_DIRECT ?? 0)
  let own = device.pages && (await calls.open(`/proc/self/fd/${fd}`, flags).catch(() => null))
  const close = async () => {
    if (own === null) return
    const closed = own
    own = null
    await calls.close(closed)
  }
  /** Gives how many bytes were written. */
  const writePages = async (bytes: Uint8Array, position: number): Promise<number> => {
    const length = bytes.length - (bytes.length % PAGE_BYTES)
    if (own === null || length === 0 || position % PAGE_BYTES !== 0) return 0
    const to = own
    const made = await device
      .run(() => writeSome(to, bytes, 0, length, position))
      .catch(unless('EINVAL', 'EOPNOTSUPP'))
    if (!made) await close()
    return made?.bytesWritten ?? 0
  }
  return {
    write: async (buffers, position) => {
      let at = position
      for (const bytes of buffers) {
        const written = await writePages(bytes, at)
        await writeFully(fd, device, behind([bytes], written), at + written, false)
        at += bytes.length
      }
    },
    close,
  }
}
