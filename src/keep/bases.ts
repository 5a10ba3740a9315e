// The folders in which something may be kept, by real path: the served ones, those on the way to what is kept, and
// others that a list tells of.
import { join, relative, sep } from 'node:path'
import type { Volume } from '../files/volume/volume.ts'
import { contains } from '../lib/host-path.ts'
import type { StoreList } from './store-list.ts'

export interface Bases {
  volume: Volume
  /** Real paths of the served folders that are there. */
  tops: () => Promise<readonly string[]>
  /** The folders below them in which something is kept besides. */
  stores: StoreList
}

/**
 * The folders that may keep what lies in `realDir`, the highest first: those on its mount from the top that it lies
 * below, or itself where it is below none.
 */
export function basesOf(volume: Volume, tops: readonly string[], realDir: string): string[] {
  const top = tops.find((top) => contains(top, realDir)) ?? realDir
  const below = relative(top, realDir)
  const bases = [top]
  for (const name of below === '' ? [] : below.split(sep)) {
    const base = join(bases.at(-1) as string, name)
    // What lies on another mount can neither be renamed to above it nor have a further name there.
    if (volume.isMountPoint(base) === true) bases.length = 0
    bases.push(base)
  }
  return bases
}

/** Every folder in which something may be kept. */
export async function allBases({ volume, tops, stores }: Bases): Promise<Set<string>> {
  const served = await tops()
  const mounted = served.flatMap((top) => volume.mountsBelow(top))
  return new Set([...served, ...mounted, ...(await stores.all())])
}

/** Asks for the real paths of folders; one that is not there, as on a disk that is not plugged in, is asked for again. */
export function realPathsOf(
  volume: Volume,
  paths: readonly string[],
): () => Promise<readonly string[]> {
  const found = new Map<string, string>()
  return async () => {
    for (const path of paths) {
      if (found.has(path)) continue
      const real = await volume.realpath(path).catch(() => null)
      if (real !== null) found.set(path, real)
    }
    return [...found.values()]
  }
}
