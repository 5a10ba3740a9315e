// The folders in which something is kept, one or more to a disk: opened one by one and never through a link,
// since other programs may put anything in their place.
import type { BigIntStats } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError, unless } from '../lib/errors.ts'

export const TRASH_NAME = '.fb-trash'

/** The folder in which something at a real path is or was: for what is kept in a trash the one that this lies in. */
export function folderOfKept(realPath: string): string {
  const at = realPath.indexOf(`${sep}${TRASH_NAME}${sep}`)
  return at < 0 ? dirname(realPath) : realPath.slice(0, at) || sep
}

/** The folders of an open trash. */
export interface OpenStore {
  /** Real path of the folder that the trash lies in. */
  base: string
  /** Real path of the trash. */
  store: string
  folder: OpenFolder
  /** The content. */
  files: OpenFolder
  /** Where each was. */
  info: OpenFolder
  /** It was made by this call. */
  isNew: boolean
  close(): Promise<void>
}

/** See sizes.ts. */
export const SIZES_NAME = 'directorysizes'
/** See index-file.ts. */
export const INDEX_NAME = 'index'
const NEVER = new AbortController().signal
const PARTS = ['files', 'info'] as const

/**
 * Opens the trash in the folder with the real path `base`; null where there is none, unless it is to be made.
 * Throws `forbidden` where it is not the server's own, and the system's errors.
 */
export async function openStore(
  volume: Volume,
  base: string,
  { make }: { make: boolean },
): Promise<OpenStore | null> {
  const above = await volume.openFolder(base).catch(unless('ENOENT'))
  if (!above) return null
  const opened: OpenFolder[] = [above]
  const close = async () => {
    for (const folder of opened) await folder.close()
  }
  try {
    const { folder: store, isNew } = await openOwnFolder(volume, above, TRASH_NAME, { make })
    if (!store) {
      await close()
      return null
    }
    opened.push(store)
    const parts: OpenFolder[] = []
    for (const name of PARTS) {
      const { folder } = await openOwnFolder(volume, store, name, { make })
      if (!folder) {
        await close()
        return null
      }
      opened.push(folder)
      parts.push(folder)
    }
    const [files, info] = parts as [OpenFolder, OpenFolder]
    return { base, store: join(base, TRASH_NAME), folder: store, files, info, isNew, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens a folder in an open one; null where there is none, unless it is to be made. Throws `forbidden` where it is not
 * the server's own, and the system's errors.
 */
export async function openOwnFolder(
  volume: Volume,
  above: OpenFolder,
  name: string,
  { make, direct = false }: { make: boolean; direct?: boolean },
): Promise<{ folder: OpenFolder | null; isNew: boolean }> {
  const stat = (name: string) => volume.stat(above, name, { direct })
  const found = await stat(name)
  if (!found && !make) return { folder: null, isNew: false }
  // Whoever else makes it now makes the same.
  if (!found) await volume.makeFolder(above.realDir, name, 0o700).catch(unless('EEXIST'))
  const now = found ?? (await stat(name))
  if (!now?.isDirectory() || !(await isOurs(now, () => stat('.'))))
    throw new AppError('forbidden', `${join(above.realDir, name)} is no folder of this server`)
  return { folder: await volume.openChild(above, name), isNew: !found }
}

// Disks without owners say the same of everything on them.
async function isOurs(
  folder: BigIntStats,
  statAbove: () => Promise<BigIntStats | null>,
): Promise<boolean> {
  const own = process.geteuid?.()
  if (own === undefined || folder.uid === BigInt(own)) return true
  const above = await statAbove()
  return folder.uid === above?.uid && folder.mode === above.mode
}

/** Removes a trash in which nothing is, so that no empty folder is left; whatever is in it stays. */
export async function removeEmptyStore(volume: Volume, base: string): Promise<void> {
  const above = await volume.openFolder(base).catch(unless('ENOENT'))
  if (!above) return
  try {
    const store = await volume.openChild(above, TRASH_NAME)
    try {
      let isEmpty = true
      for (const name of PARTS) isEmpty = (await volume.removeSingle(store, name, null)) && isEmpty
      // They tell of what is gone.
      for (const name of isEmpty ? [SIZES_NAME, INDEX_NAME] : [])
        await volume.remove(store, name, { signal: NEVER }).catch(unless('ENOENT'))
    } finally {
      await store.close()
    }
    await volume.removeSingle(above, TRASH_NAME, null)
  } finally {
    await above.close()
  }
}
