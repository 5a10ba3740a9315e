// A volume that keeps the old content of what is replaced: the one door for all that is written, so that nothing has
// to remember to.
import { join } from 'node:path'
import type { EntryName, RenameOptions, Volume } from '../files/volume/volume.ts'
import type { Versions } from './versions.ts'

/** Keeps what is replaced through the result, and takes versions along with what moves. */
export function versionedVolume(volume: Volume, versions: Versions): Volume {
  return {
    ...volume,
    openTemp: async (folder, name, options) => {
      const temp = await volume.openTemp(folder, name, { ...options, keepsOld: versions.isOn() })
      const owner = options.owner ?? null
      const keepOld = (how: { inPlace: boolean }) => versions.keep({ folder, name }, owner, how)
      return {
        ...temp,
        commit: (how) => temp.commit(versions.isOn() ? { ...how, keepOld } : how),
      }
    },
    rename: (from, to, options) =>
      versions.isOn()
        ? rename(volume, versions, { from, to, options })
        : volume.rename(from, to, options),
  }
}

async function rename(
  volume: Volume,
  versions: Versions,
  { from, to, options }: { from: EntryName; to: EntryName; options: RenameOptions },
): Promise<void> {
  const [source, target] = [from, to].map(({ folder, name }) => join(folder.realDir, name)) as [
    string,
    string,
  ]
  // What comes out of the trash finds its versions where they were.
  if (volume.isInStore(source) || volume.isInStore(target)) return volume.rename(from, to, options)
  const kept = options.replace ? await keepReplaced(volume, versions, from, to, options) : null
  try {
    await volume.rename(from, to, options)
  } catch (error) {
    await kept?.drop()
    throw error
  }
  await versions.moved(source, target)
}

async function keepReplaced(
  volume: Volume,
  versions: Versions,
  from: EntryName,
  to: EntryName,
  { owner = null }: RenameOptions,
) {
  const replaced = await volume.stat(to.folder, to.name, { direct: true })
  if (!replaced?.isFile()) return null
  const moved = await volume.stat(from.folder, from.name, { direct: true })
  // Another spelling of its name, or a hard link: it stays.
  const isSame = moved?.ino === replaced.ino && moved.dev === replaced.dev
  if (!moved || isSame || moved.isDirectory()) return null
  return versions.keep(to, owner, { inPlace: false })
}
