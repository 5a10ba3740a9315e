// Whether a file that is replaced had the same content: then nothing of it needs to be kept.
import { type BigIntStats, constants, read, readSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unless } from '../../lib/errors.ts'
import { type ContentSum, DIRECT_BYTES } from '../disks/content-sum.ts'
import { atOnce, poolCalls } from '../disks/disk-calls.ts'
import type { OpenFolder } from './open-folder.ts'
import { type ReadHandle, readFully } from './read-handle.ts'

const readSome = promisify(read)

/** Larger ones are not read. */
const COMPARED_BYTES = 1024 * 1024
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

/** The new file, open, and the name that it is to get. */
interface Replacing {
  folder: OpenFolder
  name: string
  fd: number
  isDirect: boolean
  sum: ContentSum
}

/** Whether a new file has the content of the one that it replaces; they are read only where that may be. */
export async function hasSameContent(
  { folder, name, fd, isDirect, sum }: Replacing,
  old: BigIntStats,
  own: BigIntStats,
): Promise<boolean> {
  const { device } = folder
  if (old.size > COMPARED_BYTES || old.size !== own.size) return false
  // What was written a while ago is known to be other content without being read.
  const [known, written] = [device.sumOf(old.ino, old.mtimeNs), sum.of(own.size)]
  if (known !== null && written !== null && known !== written) return false
  const bytes = Number(old.size)
  const [before, after] = [Buffer.allocUnsafe(bytes), Buffer.allocUnsafe(bytes)]
  // Both were written just now.
  const direct = isDirect && bytes <= DIRECT_BYTES && device.wasRead(old.ino)
  const calls = direct ? atOnce : poolCalls(device)
  const opened = await calls
    .open(join(folder.ref, name), READ_ONLY)
    .catch(unless('EACCES', 'EPERM', 'ELOOP'))
  if (opened === null) return false
  const readerOf = (fd: number): ReadHandle['read'] =>
    direct
      ? async (...[buffer, at, length, from]) => ({
          bytesRead: readSync(fd, buffer, at, length, from),
        })
      : (...[buffer, at, length, from]) => device.run(() => readSome(fd, buffer, at, length, from))
  try {
    const lengths = [
      await readFully({ read: readerOf(fd) }, after, 0, bytes),
      await readFully({ read: readerOf(opened) }, before, 0, bytes),
    ]
    return lengths.every((length) => length === bytes) && before.equals(after)
  } finally {
    await calls.close(opened)
  }
}
