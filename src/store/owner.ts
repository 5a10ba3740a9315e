// The owner of new files: what root makes on the command line must be readable for the server's user.
import { stat } from 'node:fs/promises'
import { errnoOf } from '../lib/errors.ts'

export interface Owner {
  uid: number
  gid: number
}

/** The owner of the first of these paths that exists; null unless this process is root. */
export async function ownerFor(...paths: readonly string[]): Promise<Owner | null> {
  if (process.geteuid?.() !== 0) return null
  for (const path of paths) {
    try {
      const { uid, gid } = await stat(path)
      return { uid, gid }
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
  }
  return null
}

/** Gives a new file away; without an owner, or where that is not possible, it stays ours. */
export async function giveTo(
  owner: Owner | null,
  file: { chown(uid: number, gid: number): Promise<void> },
): Promise<void> {
  if (!owner) return
  try {
    await file.chown(owner.uid, owner.gid)
  } catch (error) {
    // A container without the capability, or a file system without owners.
    if (!['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(errnoOf(error))) throw error
  }
}
