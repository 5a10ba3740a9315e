// The sizes of very many files are asked for by threads: on the event loop that would take turns with all else, and the
// pool takes several times as long.
import { availableParallelism } from 'node:os'
import { createAskedThreads } from '../../programs/thread-pool.ts'
import type { Threads } from '../../programs/threads.ts'
import { HAS_PROC, type OpenFolder } from './open-folder.ts'
import type { FoundSizes, SizesWork } from './sizes.worker.ts'

export type { FoundSizes }

/** How many threads read at a time, for all who count. */
export const SIZE_READERS = Math.min(2, availableParallelism())

/** Asks for files or folders in an open folder. */
export type ReadSizes = (
  folder: OpenFolder,
  names: readonly string[],
  what: { areFolders: boolean },
) => Promise<FoundSizes> | null

/** Starts nothing before it is asked. Null where the system has no way to name an open folder. */
export function createSizeReaders(threads: Threads): ReadSizes | null {
  if (!HAS_PROC) return null
  const ask = createAskedThreads({
    threads,
    script: new URL('./sizes.worker.ts', import.meta.url),
    limit: SIZE_READERS,
  })
  return ({ ref, realDir }, names, { areFolders }) => {
    const work: SizesWork = { ref, realDir, names, areFolders }
    return ask(work) as Promise<FoundSizes>
  }
}
