// A folder kept open to write many files into, without resolving each path anew.
import type { BigIntStats } from 'node:fs'
import { fromErrno } from '../../lib/errors.ts'
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import type { SmallFile } from '../volume/new-file.ts'
import type { OpenFolder } from '../volume/open-folder.ts'
import type { CommittedFile, OpenTempOptions, TempFile } from '../volume/temp-file.ts'
import type { Volume } from '../volume/volume.ts'
import type { May } from './path-rules.ts'
import { refusal } from './tree.ts'

export interface WriteFolder {
  /**
   * Like Scope.openTemp for a name in the folder; null where a link has that name, to be followed
   * by its path.
   */
  openTemp(name: string, how?: Pick<OpenTempOptions, 'label' | 'resume'>): Promise<TempFile | null>
  /**
   * Makes a new file of few bytes as a whole, as openTemp and a commit would; `exists` when anything has the name. Null
   * where these have to.
   */
  create(name: string, file: Omit<SmallFile, 'fileMode'>): Promise<CommittedFile | null>
  /** What has a name in the folder, a link not followed; null where nothing has. `forbidden` for one that is not seen. */
  stat(name: string): Promise<BigIntStats | null>
  /** When all its temporary files are done: syncs the folder. Rejects with the system's error. */
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
  return {
    stat: async (name) => {
      const child = joinVPath(vpath, name)
      if (!may(child, 'see')) throw refusal('see', child, false)
      return stat(name)
    },
    create: async (name, file) => {
      const child = createdIn(name)
      if (!may(child, 'see')) throw refusal('see', child, false)
      const made = await volume
        .createSmall(folder, name, { ...file, fileMode })
        .catch(failedAt(child))
      if (made) isChanged = true
      return made
    },
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
