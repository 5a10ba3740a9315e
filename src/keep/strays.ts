// Files of a trash that say where something was which is not there: a crash leaves them between two steps.

import type { Volume } from '../files/volume/volume.ts'
import { unless } from '../lib/errors.ts'
import { createTurns, inTurns } from '../lib/turns.ts'
import { openStore, removeEmptyStore } from './stores.ts'
import { INFO_SUFFIX } from './trash-info.ts'

/** What is being deleted has its file before its content; no rename takes so long. */
const SETTLED_MS = 60 * 60_000

/** Removes them from the trash in the folder with the real path `base`, but for young ones. */
export async function dropStrays(volume: Volume, base: string, now: number): Promise<void> {
  const store = await openStore(volume, base, { make: false })
  if (!store) return
  const { files, info } = store
  const { signal } = new AbortController()
  const turn = createTurns()
  let hasDropped = false
  try {
    const names = await volume.names(info)
    const there = new Set<string>()
    await inTurns(await volume.names(files), (name) => void there.add(name))
    for (const name of names) {
      await turn()
      if (!name.endsWith(INFO_SUFFIX) || there.has(name.slice(0, -INFO_SUFFIX.length))) continue
      const found = await volume.stat(info, name)
      if (!found?.isFile() || now - Number(found.mtimeMs) < SETTLED_MS) continue
      await volume.remove(info, name, { signal }).catch(unless('ENOENT'))
      hasDropped = true
    }
  } finally {
    await store.close()
  }
  if (hasDropped) await removeEmptyStore(volume, base)
}
