// The folder of an account made on the command line.
import { lchown, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeHome } from '../auth/home.ts'
import { createDisks } from '../files/disks/disks.ts'
import { createDiskVolume } from '../files/volume/disk-volume.ts'
import { AppError } from '../lib/errors.ts'
import { ROOT, vpathOf } from '../lib/vpath.ts'
import type { Settings } from '../store/document.ts'
import { giveTo, ownerFor } from '../store/owner.ts'

/**
 * Makes the folder of a scope below the served root, with the stored mode of folders; made by root it
 * belongs to the owner of the folder it lies in. Throws AppError when a link leads out that is not
 * followed, or it cannot be made.
 */
export async function makeScopeFolder(
  root: string,
  scope: string,
  { fileMode, dirMode }: Settings,
  followExternalSymlinks: boolean,
): Promise<void> {
  if (vpathOf(scope) === ROOT) return
  await mkdir(root, { recursive: true })
  const volume = createDiskVolume(createDisks())
  const served = { volume, root, followExternalSymlinks, fileMode, dirMode }
  try {
    for (const path of await makeHome(served, scope)) {
      const owner = await ownerFor(dirname(path))
      await giveTo(owner, { chown: (uid, gid) => lchown(path, uid, gid) })
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = `cannot make the folder of the scope ${scope}: ${error.message}`
    throw new AppError('bad_request', message, { cause: error })
  }
}
