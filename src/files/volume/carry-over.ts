// What a file that replaces another takes over from it.
import { type BigIntStats, fchown } from 'node:fs'
import { promisify } from 'node:util'
import { unless } from '../../lib/errors.ts'
import type { DiskCalls } from '../disks/disk-calls.ts'
import { permissionBits } from './file-mode.ts'
import type { OpenFolder } from './open-folder.ts'

const changeOwner = promisify(fchown)

/**
 * Gives a new file, open for writing, the permission bits of the old one that it will replace, and its owner where that may be
 * given away; `own`: what the new one has.
 */
export async function carryOver(
  { fd, calls, folder }: { fd: number; calls: DiskCalls; folder: OpenFolder },
  old: BigIntStats,
  own: BigIntStats,
): Promise<void> {
  if (old.uid !== own.uid || old.gid !== own.gid) {
    // Only root may give files away; without that right the writer becomes the owner.
    const give = () => changeOwner(fd, Number(old.uid), Number(old.gid))
    await folder.device.run(give).catch(unless('EPERM', 'EACCES', 'ENOSYS', 'EINVAL'))
  }
  await calls
    .fchmod(fd, permissionBits(Number(old.mode)))
    .catch(unless('EPERM', 'ENOSYS', 'ENOTSUP'))
}
