// Which folders below the served ones have a trash: nothing else would tell after a start, short of reading
// everything. A file beside the database, written when one is made where none is expected.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { createLocks } from '../lib/locks.ts'

export interface StoreList {
  /** Real paths. */
  all(): Promise<readonly string[]>
  add(base: string): Promise<void>
  move(from: string, to: string): Promise<void>
}

/** Reads nothing before it is asked, and writes nothing while `isExpected` holds for all. */
export function createStoreList(
  file: string,
  isExpected: (base: string) => Promise<boolean>,
): StoreList {
  const locks = createLocks()
  let known: Set<string> | null = null
  const read = async () => {
    known ??= new Set(parse(await readFile(file, 'utf8').catch(() => '')))
    return known
  }
  const change = (work: (bases: Set<string>) => void) =>
    locks.withLock(file, async () => {
      const bases = new Set(await read())
      work(bases)
      await writeFile(`${file}.new`, [...bases, ''].join('\0'), { mode: 0o600 })
      await rename(`${file}.new`, file)
      known = bases
    })
  return {
    all: async () => [...(await read())],
    add: async (base) => {
      if ((await read()).has(base) || (await isExpected(base))) return
      await change((bases) => bases.add(base))
    },
    move: (from, to) =>
      change((bases) => {
        if (bases.delete(from)) bases.add(to)
      }),
  }
}

function parse(text: string): string[] {
  return text.split('\0').filter(isAbsolute)
}
