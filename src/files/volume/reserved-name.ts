// Names that belong to the server: temporary files, and the folders in which it keeps what was deleted or
// replaced. No path leads there, by whatever spelling some disk takes for the same name.
import { leadsToTemp } from './temp-name.ts'

// What NTFS takes for the same name: dots and spaces at the end, streams of the folder, the short name.
const STORE = /^(?:\.fb-(?:trash|versions)[. ]*(?::.*)?|fb-(?:tra|ver)~\d+)$/
// How such a name can begin; most paths have nothing of the kind.
const SUSPECT =
  /(?:^|[\\/])(?:[.\u2024\ufe52\uff0e]|\p{Default_Ignorable_Code_Point}|fb-(?:tra|ver)~)/iu
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** True for a path through a folder in which the server keeps something, by any spelling. */
export function leadsToStore(path: string): boolean {
  return SUSPECT.test(path) && path.split(/[\\/]/).some(isStoreName)
}

function isStoreName(name: string): boolean {
  if (!SUSPECT.test(name)) return false
  return STORE.test(name.replace(INVISIBLE, '').normalize('NFKC').toUpperCase().toLowerCase())
}

/** True for a path through anything that belongs to the server. */
export function leadsToReserved(vpath: string): boolean {
  return leadsToTemp(vpath) || leadsToStore(vpath)
}
