// Taking an entry away where no rename does it, as for folders of a lower layer of an overlay: it is copied as a
// whole, and then what was copied is removed while it is as it was.
import type { Name, OpenFolder } from '../files/volume/open-folder.ts'
import type { AnyName, Volume } from '../files/volume/volume.ts'
import { AppError, unless } from '../lib/errors.ts'

/** What a disk says that keeps no times. */
const NO_TIMES = ['EPERM', 'EACCES', 'ENOSYS', 'ENOTSUP']

interface Level {
  from: AnyName
  to: AnyName
  volume: Volume
}

/**
 * Copies an entry with permission bits and times, folders with all they hold. Throws `unsupported` for what is neither
 * file, link nor folder, and the system's errors; what was begun is to be removed then.
 */
export async function copyAway(volume: Volume, from: AnyName, to: AnyName): Promise<void> {
  const found = await volume.stat(from.folder, from.name)
  if (found?.isFile() || found?.isSymbolicLink()) return volume.copyFile(from, to)
  if (!found?.isDirectory()) throw new AppError('unsupported', `${from.name} cannot be copied`)
  await volume.makeFolder(to.folder.realDir, to.name, 0o700)
  await inBoth({ volume, from, to }, async (source, target) => {
    for (const name of await namesIn(volume, source))
      await copyAway(volume, { folder: source, name }, { folder: target, name })
  })
  await volume.setMode(to.folder, to.name, Number(found.mode) & 0o777)
  await volume.setTime(to.folder, to.name, found.mtimeNs).catch(unless(...NO_TIMES))
}

/** Removes what copyAway has copied, and leaves what has come or changed since. False when something stays. */
export async function removeCopied(volume: Volume, from: AnyName, to: AnyName): Promise<boolean> {
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

async function namesIn(volume: Volume, folder: OpenFolder): Promise<Name[]> {
  const { dirents, rawNames } = await volume.list(folder)
  return dirents.map((dirent) => rawNames.get(dirent) ?? dirent.name)
}
