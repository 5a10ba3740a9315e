// Removes unfinished copies of the database that a killed process left beside it; they contain keys and
// password hashes.
import { readdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { unless } from '../lib/errors.ts'
import { COLLECTIONS } from './collections.ts'
import { withFileLock } from './file-lock.ts'

/** What follows the name of the database in those of files that are written whole. */
const WRITTEN_WHOLE = ['', '.schema1', '.usage', ...COLLECTIONS.map(({ name }) => `.${name}`)]
/** A lock that is being taken over has such a name for a moment, while nobody has the lock. */
const ASIDE_AGE_MS = 60_000

/**
 * Removes the unfinished files of writes to the database `file`, by their exact names: nobody writes
 * while this process has its lock, so each is one that will not be finished. Gives their names. Rejects like
 * withFileLock, or with the system's error.
 */
export async function removeLeftovers(file: string): Promise<string[]> {
  const folder = dirname(file)
  const name = basename(file)
  const isUnfinished = (entry: string) =>
    WRITTEN_WHOLE.some((end) => isMarked(entry, `.${name}${end}.`, '.tmp')) ||
    isMarked(entry, `${name}.bak.`, '')
  const isAside = (entry: string) => isMarked(entry, `${name}.lock.`, '')
  const found = (await readdir(folder)).filter((entry) => isUnfinished(entry) || isAside(entry))
  // As a rule there is nothing, and no lock to wait for.
  if (found.length === 0) return []
  const removed: string[] = []
  await withFileLock(`${file}.lock`, async () => {
    for (const entry of found) {
      if (isAside(entry) && (await ageOf(join(folder, entry))) < ASIDE_AGE_MS) continue
      // A name that was found before the lock was taken may be gone, as its write has ended.
      const ended = await unlink(join(folder, entry)).catch(unless('ENOENT'))
      if (ended !== null) removed.push(entry)
    }
  })
  return removed
}

/** Twelve hexadecimal digits between `before` and `after`. */
function isMarked(entry: string, before: string, after: string): boolean {
  if (!entry.startsWith(before) || !entry.endsWith(after)) return false
  return /^[0-9a-f]{12}$/.test(entry.slice(before.length, entry.length - after.length))
}

async function ageOf(path: string): Promise<number> {
  const found = await stat(path).catch(unless('ENOENT'))
  return found ? Date.now() - found.mtimeMs : 0
}
