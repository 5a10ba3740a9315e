// The list of common passwords, read from its file each time a password is set and not kept in memory.
// scripts/make-common-passwords.ts writes the file.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { isExecutable, readInside } from '../inside.ts'

const NAME = 'common-passwords.br'

/** True for a word of the list, in lower case. */
export type IsCommon = (word: string) => boolean

/** Reads the list of some 140,000 passwords seen most often in leaks (SecLists, MIT). */
export async function readCommonPasswords(): Promise<IsCommon> {
  const inside = isExecutable ? readInside(`server/${NAME}`) : null
  const packed = inside ?? (await readFile(join(import.meta.dirname, NAME)))
  const text = (await promisify(brotliDecompress)(packed)).toString('utf8')
  return (word) => hasLine(text, word)
}

/** Looks for a line in lines that are in order of their code units. */
function hasLine(text: string, wanted: string): boolean {
  let low = 0
  let high = text.length
  while (low < high) {
    const start = text.lastIndexOf('\n', Math.floor((low + high) / 2) - 1) + 1
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end)
    if (line === wanted) return true
    if (line < wanted) low = end + 1
    else high = Math.max(low, start - 1)
  }
  return false
}
