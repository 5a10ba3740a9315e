// The folder of an account made on the command line.
import { lchown, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inHomeWords } from '../auth/home.ts'
import { createDisks } from '../files/disks/disks.ts'
import { createScope } from '../files/place/scope.ts'
import { AppError } from '../lib/errors.ts'
import { parentOf, ROOT, type VPath, vpathOf } from '../lib/vpath.ts'
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
  const wanted = vpathOf(scope)
  if (wanted === ROOT) return
  await mkdir(root, { recursive: true })
  const tree = createScope({
    disks: createDisks(),
    root,
    allow: () => true,
    followExternalSymlinks,
    fileMode,
    dirMode,
  })
  try {
    await inHomeWords(scope, async () => {
      const missing: VPath[] = []
      for (let at = wanted; !(await tree.exists(at)); at = parentOf(at)) missing.unshift(at)
      await tree.makeFolder(wanted)
      for (const folder of missing) {
        const path = await tree.hostPath(folder)
        const owner = await ownerFor(dirname(path))
        await giveTo(owner, { chown: (uid, gid) => lchown(path, uid, gid) })
      }
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = `cannot make the folder of the scope ${scope}: ${error.message}`
    throw new AppError('bad_request', message, { cause: error })
  }
}
