// Taking an entry away where no rename does it, as for folders of a lower layer of an overlay: it is copied as a
// whole, and then what was copied is removed while it is as it was.
import { join } from 'node:path'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { EntryName, Volume } from '../files/volume/volume.ts'
import { AppError } from '../lib/errors.ts'

interface Level {
  from: EntryName
  to: EntryName
  volume: Volume
}

/**
 * Copies an entry with permission bits and times, folders with all they hold. Throws `unsupported` for what is neither
 * file nor folder, `invalid_name` for names that are not UTF-8, and the system's errors; what was begun is to be
 * removed then.
 */
export async function copyAway(volume: Volume, from: EntryName, to: EntryName): Promise<void> {
  const found = await volume.stat(from.folder, from.name)
  if (found?.isFile()) return volume.copyFile(from, to)
  if (!found?.isDirectory()) throw new AppError('unsupported', `${from.name} cannot be copied`)
  await volume.makeFolder(to.folder.realDir, to.name, 0o700)
  await inBoth({ volume, from, to }, async (source, target) => {
    for (const name of await namesIn(volume, source))
      await copyAway(volume, { folder: source, name }, { folder: target, name })
  })
  await volume.setMode(to.folder, to.name, Number(found.mode) & 0o777)
}

/** Removes what copyAway has copied, and leaves what has come or changed since. False when something stays. */
export async function removeCopied(
  volume: Volume,
  from: EntryName,
  to: EntryName,
): Promise<boolean> {
  const copy = await volume.stat(to.folder, to.name)
  if (!copy?.isDirectory()) {
    const found = await volume.stat(from.folder, from.name)
    // Times are set to the microsecond.
    const isSame = found && copy && found.size === copy.size && isNear(found.mtimeNs, copy.mtimeNs)
    return Boolean(isSame) && volume.removeSingle(from.folder, from.name, found?.mtimeNs ?? null)
  }
  await inBoth({ volume, from, to }, async (source, target) => {
    for (const name of await namesIn(volume, target))
      await removeCopied(volume, { folder: source, name }, { folder: target, name })
  })
  return volume.removeSingle(from.folder, from.name, null)
}

function isNear(a: bigint, b: bigint): boolean {
  const differs = a > b ? a - b : b - a
  return differs < 2_000_000n
}

async function inBoth(
  { volume, from, to }: Level,
  work: (source: OpenFolder, target: OpenFolder) => Promise<void>,
): Promise<void> {
  const source = await volume.openChild(from.folder, from.name)
  try {
    const target = await volume.openChild(to.folder, to.name)
    await work(source, target).finally(target.close)
  } finally {
    await source.close()
  }
}

async function namesIn(volume: Volume, folder: OpenFolder): Promise<string[]> {
  const { dirents, rawNames } = await volume.list(folder)
  const odd = dirents.find((dirent) => rawNames.has(dirent))
  if (odd)
    throw new AppError('invalid_name', `the name of ${join(folder.realDir, odd.name)} is not UTF-8`)
  return dirents.map(({ name }) => name)
}
