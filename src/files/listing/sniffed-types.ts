// Types found in the content, remembered for the file as it was: a listing that is
// asked for again opens nothing.
import type { FileType } from '../../api-types.ts'
import { suffixOf } from '../../lib/vpath.ts'
import type { DetailedEntry } from '../place/list-folder.ts'

/** Some 100 bytes each. */
const MAX_REMEMBERED = 50_000

export interface SniffedTypes {
  /** The type found before for the same file with the same time, size and suffix. */
  get(entry: DetailedEntry): FileType | undefined
  note(entry: DetailedEntry, type: FileType): void
}

export function createSniffedTypes(): SniffedTypes {
  const types = new Map<string, FileType>()
  return {
    get: (entry) => types.get(identityOf(entry)),
    note: (entry, type) => {
      if (types.size >= MAX_REMEMBERED) types.delete(types.keys().next().value as string)
      types.set(identityOf(entry), type)
    },
  }
}

function identityOf({ name, stat }: DetailedEntry): string {
  const { dev, ino, mtimeNs, sizeBytes } = stat
  return `${dev} ${ino} ${mtimeNs} ${sizeBytes} ${suffixOf(name)}`
}
