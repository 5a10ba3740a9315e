// Copying the small files of a folder, many at a time.
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import type { FolderReader } from '../place/folder-reader.ts'
import type { DirEntry } from '../place/list-folder.ts'
import type { WriteFolder } from '../place/write-folder.ts'
import { BATCH_FILES } from '../volume/small/small-batch.ts'
import type { CopyOptions } from './copy-file.ts'

/** Two open folders, and the path of the second. */
interface Folders {
  from: FolderReader
  into: WriteFolder
  target: VPath
}

/**
 * Copies what is new and small of the files of a folder and tells of each, with the time that its source had. Gives those that are
 * left to be copied one by one. An abort leaves whole files only.
 */
export async function copySmallFiles(
  { from, into, target }: Folders,
  files: readonly DirEntry[],
  { course, signal, onMade }: CopyOptions,
  onCopied: (file: DirEntry, mtimeNs: bigint) => void,
): Promise<DirEntry[]> {
  const left: DirEntry[] = []
  const keepsTimes = course !== undefined
  const begin = (at: number) => {
    const part = signal.aborted ? [] : files.slice(at, at + BATCH_FILES)
    const names = part.map(({ name }) => name)
    return { part, copying: from.copySmall(names, into, { keepsTimes }) }
  }
  let next = begin(0)
  for (let at = BATCH_FILES; next.part.length > 0; at += BATCH_FILES) {
    const { part, copying } = next
    const copied = await copying
    // What has come is told of while the next ones come.
    next = begin(at)
    for (const file of part) {
      const made = copied.get(file.name)
      if (!made) {
        left.push(file)
        continue
      }
      course?.at(file.vpath)
      onMade?.(joinVPath(target, file.name), made, made.sourceMtimeNs)
      course?.passed(made.sizeBytes)
      onCopied(file, made.sourceMtimeNs)
    }
  }
  signal.throwIfAborted()
  return left
}
