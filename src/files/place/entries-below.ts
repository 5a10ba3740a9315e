// All entries of a tree, whatever rules say of them: for checks that a change to a tree must make of all
// it holds.
import { errnoOf, fromErrno } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import type { VPath } from '../../lib/vpath.ts'
import type { OpenFolder } from '../volume/open-folder.ts'
import type { Jail } from './jail.ts'
import { type DirEntry, toEntries } from './list-folder.ts'
import type { PathRules } from './path-rules.ts'

/**
 * Every entry below a folder, one folder after the other, denied ones and links out of the scope
 * included. Only links are followed by their path, so no tree is too deep. Takes over closing `top`,
 * which is open at `vpath`. With `skipsUnreadable`, folders that may not be read count as empty.
 */
export async function* entriesBelow(
  jail: Jail,
  rules: PathRules,
  top: OpenFolder,
  vpath: VPath,
  { signal, skipsUnreadable = false }: { signal: AbortSignal; skipsUnreadable?: boolean },
): AsyncGenerator<DirEntry[], void> {
  const turn = createTurns()
  const descent = jail.volume.descend(top)
  /** Folders still to be entered, per folder on the way down. */
  const levels: DirEntry[][] = []
  const orNothing = async <T>(place: VPath, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      if (skipsUnreadable && errnoOf(error) === 'EACCES') return null
      throw fromErrno(error, place)
    }
  }
  const read = async (place: VPath): Promise<DirEntry[]> => {
    const { folder } = descent
    const found = await orNothing(place, () => jail.volume.list(folder, { direct: true }))
    const options = { vpath: place, may: () => true, escaping: true }
    const entries = found ? await toEntries(jail, rules, folder, found, options) : []
    levels.push(entries.filter(({ kind }) => kind === 'dir').reverse())
    return entries
  }
  try {
    yield await read(vpath)
    for (let rest = levels.at(-1); rest; rest = levels.at(-1)) {
      signal.throwIfAborted()
      await turn()
      const next = rest.pop()
      if (next) {
        const { name, rawName, vpath: place } = next
        const isOpen = await orNothing(place, () => descent.enter(rawName ?? name).then(() => true))
        if (isOpen) yield await read(place)
      } else {
        levels.pop()
        await descent.leave()
      }
    }
  } finally {
    await descent.close()
    await top.close()
  }
}
