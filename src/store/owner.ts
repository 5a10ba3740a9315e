// The owner of new files: what root makes on the command line must be readable for the server's user.
import { stat } from 'node:fs/promises'
import { unless } from '../lib/errors.ts'

export interface Owner {
  uid: number
  gid: number
}

/** The owner of the first of these paths that exists; null unless this process is root. */
export async function ownerFor(...paths: readonly string[]): Promise<Owner | null> {
  if (process.geteuid?.() !== 0) return null
  for (const path of paths) {
    const found = await stat(path).catch(unless('ENOENT'))
    if (found) return { uid: found.uid, gid: found.gid }
  }
  return null
}

/** Gives a new file away; without an owner, or where that is not possible, it stays ours. */
export async function giveTo(
  owner: Owner | null,
  file: { chown(uid: number, gid: number): Promise<void> },
): Promise<void> {
  if (!owner) return
  await file
    .chown(owner.uid, owner.gid)
    // A container without the capability, or a file system without owners.
    .catch(unless('EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP'))
}
