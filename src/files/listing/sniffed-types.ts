// Types found in the content, remembered for the file as it was: a listing that is
// asked for again opens nothing.
import type { FileType } from '../../api-types.ts'
import { extensionOf } from '../../lib/vpath.ts'
import type { DetailedEntry } from '../place/list-folder.ts'

/** Some 100 bytes each. */
const MAX_REMEMBERED = 50_000

const remembered = new Map<string, FileType>()

/** The type found before for the same file with the same time, size and extension. */
export function sniffedType(entry: DetailedEntry): FileType | undefined {
  return remembered.get(identityOf(entry))
}

export function rememberType(entry: DetailedEntry, type: FileType): void {
  if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value as string)
  remembered.set(identityOf(entry), type)
}

function identityOf({ name, stat }: DetailedEntry): string {
  const { dev, ino, mtimeNs, sizeBytes } = stat
  return `${dev} ${ino} ${mtimeNs} ${sizeBytes} ${extensionOf(name)}`
}
