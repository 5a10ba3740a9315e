// All versions on all disks, for those that are too many, too old or too large.
import { join } from 'node:path'
import { VERSIONS_NAME } from '../files/volume/temp-name.ts'
import type { Volume } from '../files/volume/volume.ts'
import { unless } from '../lib/errors.ts'
import { createTurns } from '../lib/turns.ts'
import type { Kept } from './retention.ts'
import { surplusOf } from './thinning.ts'
import { openVersionStore, removeEmpty, type Version, versionsIn } from './version-places.ts'

/** No save takes so long from its version to its rename. */
const SETTLED_MS = 10 * 60_000

/** The files of which versions are in the store in the folder `base`, by their paths below it. */
export async function* filesWithVersions(
  volume: Volume,
  base: string,
): AsyncGenerator<{ path: string; versions: Version[] }> {
  const store = await openVersionStore(volume, base).catch(unless('forbidden', 'EACCES'))
  if (!store) return
  const turn = createTurns()
  try {
    const waiting = ['']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await turn()
      const { versions, folders } = await versionsIn(volume, store, path, base)
      if (versions.length > 0) yield { path, versions }
      for (const name of folders) waiting.push(join(path, name))
    }
  } finally {
    await store.close()
  }
}

/**
 * Everything that may leave from the store in the folder `base`, in which `fileAt` tells what a path is of: without what is marked to stay. What is too many by its
 * age is removed on the way, and what has the content of the present file, as after a crash amid a save.
 */
export async function versionsToLeave(
  volume: Volume,
  base: string,
  fileAt: (path: string) => string,
  now: number,
): Promise<Kept[]> {
  const { signal } = new AbortController()
  const found: Kept[] = []
  const erase = async (path: string, name: string) => {
    const folder = await volume.openFolder(join(base, VERSIONS_NAME, path))
    await volume.remove(folder, name, { signal }).finally(folder.close)
    await removeEmpty(volume, base, path)
  }
  const lookAt = async (path: string, versions: Version[]) => {
    const present = await volume.statAt(fileAt(path)).catch(unless('ENOTDIR'))
    const surplus = new Set(surplusOf(versions, now))
    for (const version of versions) {
      const { name, sizeBytes, replacedAt, isKept } = version
      const isSame = present?.ino === version.ino && present.dev === version.dev
      // Right before a file is replaced its version is the present file, too.
      const isPresent = isSame && now - replacedAt > SETTLED_MS
      if (surplus.has(version) || isPresent) await erase(path, name).catch(unless('ENOENT'))
      else if (!isKept)
        found.push({
          store: join(base, VERSIONS_NAME),
          keptAt: replacedAt,
          bytes: sizeBytes,
          measure: async () => sizeBytes,
          erase: () => erase(path, name),
        })
    }
  }
  for await (const { path, versions } of filesWithVersions(volume, base))
    await lookAt(path, versions)
  return found
}
