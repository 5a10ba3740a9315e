// The figures of all limits, for who is not the server.
import type { Volume } from '../files/volume/volume.ts'
import { createCount } from './count.ts'
import type { NamedLimit } from './limits.ts'
import { realFolder } from './quotas.ts'
import { readUsage } from './usage-file.ts'

export interface LimitFigures extends NamedLimit {
  /** Null where nobody has counted yet. */
  usedBytes: number | null
  reservedBytes: number
}

/** As the server wrote them last, at most a minute ago. */
export async function figuresOf(
  volume: Volume,
  database: string,
  limits: readonly NamedLimit[],
): Promise<LimitFigures[]> {
  const known = await readUsage(database)
  return Promise.all(
    limits.map(async (limit) => {
      const folder = await realFolder(volume, limit.folder)
      const { usedBytes = null, reservedBytes = 0 } = known?.folders.get(folder) ?? {}
      return { ...limit, folder, usedBytes, reservedBytes }
    }),
  )
}

/** The same with what the folders hold now. Throws like TreeCount.run. */
export async function countAll(
  volume: Volume,
  figures: readonly LimitFigures[],
): Promise<LimitFigures[]> {
  const counted: LimitFigures[] = []
  const { signal } = new AbortController()
  for (const limit of figures) {
    const count = createCount()
    const top = await volume.openPlain(limit.folder)
    if (top) await count.run(volume, top, signal).finally(top.close)
    counted.push({ ...limit, usedBytes: count.bytes })
  }
  return counted
}
