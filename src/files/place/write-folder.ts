// A folder kept open to write many files into, without resolving each path anew.
import type { BigIntStats } from 'node:fs'
import { fromErrno } from '../../lib/errors.ts'
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import type { OpenFolder } from '../volume/open-folder.ts'
import type { SmallBatch } from '../volume/small/small-batch.ts'
import type { CopiedFile, SmallFilesMade } from '../volume/small/small-files.ts'
import type { OpenTempOptions, TempFile } from '../volume/temp-file.ts'
import type { Volume } from '../volume/volume.ts'
import type { May } from './path-rules.ts'
import { refusal } from './tree.ts'

export interface WriteFolder {
  /**
   * Like Scope.openTemp for a name in the folder; null where a link has that name, to be followed
   * by its path.
   */
  openTemp(name: string, how?: Pick<OpenTempOptions, 'label' | 'resume'>): Promise<TempFile | null>
  /** Makes new files, of which `mayMake` is true, and gives those that it has made; the others are to be made by openTemp. */
  makeSmall(batch: SmallBatch): Promise<SmallFilesMade>
  /** False for a name that openTemp would refuse, or that is not seen. */
  mayMake(name: string): boolean
  /** The same by copies of files in another open folder, of those that may be made. */
  copySmall(
    from: OpenFolder,
    names: readonly string[],
    how: { keepsTimes: boolean },
  ): Promise<SmallFilesMade<CopiedFile>>
  /** What has a name in the folder, a link not followed; null where nothing has. `forbidden` for one that is not seen. */
  stat(name: string): Promise<BigIntStats | null>
  /** When all its temporary files are done: waits for the small ones and syncs the folder. Rejects with the system's error. */
  close(): Promise<void>
}

/**
 * Takes over closing `folder`, which is open at `vpath`; `may` is the test for what comes into it.
 */
export function createWriteFolder(
  volume: Volume,
  folder: OpenFolder,
  vpath: VPath,
  { may, owner, fileMode }: { may: May; owner: number | null; fileMode: number },
): WriteFolder {
  let isChanged = false
  const stat = (name: string) =>
    volume.stat(folder, name, { direct: true }).catch(failedAt(joinVPath(vpath, name)))
  const createdIn = (name: string) => {
    const child = joinVPath(vpath, name)
    if (!may(child, 'create')) throw refusal('create', child, true)
    return child
  }
  const mayMake = (name: string) => {
    const child = joinVPath(vpath, name)
    return may(child, 'create') && may(child, 'see')
  }
  const making = new Set<Promise<unknown>>()
  const noted = async <T extends ReadonlyMap<string, unknown>>(working: Promise<T>): Promise<T> => {
    making.add(working)
    try {
      const made = await working
      if (made.size > 0) isChanged = true
      return made
    } finally {
      making.delete(working)
    }
  }
  return {
    stat: async (name) => {
      const child = joinVPath(vpath, name)
      if (!may(child, 'see')) throw refusal('see', child, false)
      return stat(name)
    },
    mayMake,
    makeSmall: (batch) => noted(volume.makeSmall(folder, batch, { fileMode })),
    copySmall: (from, names, how) =>
      noted(volume.copySmall(from, folder, names.filter(mayMake), how)),
    openTemp: async (name, how = {}) => {
      const child = createdIn(name)
      const failed = failedAt(child)
      const found = await stat(name)
      if (found?.isSymbolicLink()) return null
      const options = { owner, fileMode, syncsFolder: false, ...how }
      const temp = await volume.openTemp(folder.share(), name, options).catch(failed)
      const commit: TempFile['commit'] = async (how) => {
        const replace = how.replace && may(child, 'modify')
        const done = await temp.commit({ ...how, replace }).catch(failed)
        isChanged = true
        return done
      }
      return { ...temp, commit }
    },
    close: async () => {
      await Promise.allSettled(making)
      try {
        if (isChanged) await volume.sync(folder)
      } finally {
        await folder.close()
      }
    },
  }
}

function failedAt(vpath: VPath): (error: unknown) => never {
  return (error) => {
    throw fromErrno(error, vpath)
  }
}
