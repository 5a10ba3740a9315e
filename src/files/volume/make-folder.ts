// Making folders, one segment at a time and each in an open folder, so that a link swapped in is met as an
// error.
import { mkdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { AppError, errnoOf, unless } from '../../lib/errors.ts'
import type { Disks } from '../disks/disks.ts'
import { inFolder, type Name, pathIn } from './open-folder.ts'

/** Makes a folder in another, given by its real path. Rejects with the system's error. */
export async function makeIn(
  disks: Disks,
  parent: string,
  name: Name,
  mode: number,
): Promise<void> {
  await inFolder(disks, parent, async (ref, device) => {
    const path = pathIn({ ref }, name)
    if (device.isDirect) device.direct(() => mkdirSync(path, mode))
    else await device.run(() => mkdir(path, mode))
    await device.syncFolder(ref)
  })
}

/** Makes the folder at a real path and those above it, where they are missing. */
export async function makeFolders(disks: Disks, realPath: string, mode: number): Promise<void> {
  const parent = dirname(realPath)
  const make = () => makeIn(disks, parent, basename(realPath), mode).catch(unless('EEXIST'))
  const made = await make().catch(async (error) => {
    if (errnoOf(error) !== 'ENOENT' || parent === realPath) throw error
    await makeFolders(disks, parent, mode)
    return make()
  })
  if (made === null && !(await disks.lstat(realPath))?.isDirectory())
    throw new AppError('not_a_folder', `${basename(realPath)} is not a folder`)
}
