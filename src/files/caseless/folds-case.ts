// Whether the served tree ignores case, so that rules mean what they say there.
import { lstat, readdir, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errnoOf, unless } from '../../lib/errors.ts'

/** Type numbers of statfs(2) whose file systems ignore case unless told otherwise. */
const FOLDING_TYPES = new Set([
  0x4d44, // fat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
  0xfe534d42, // smb2 and later
  0xff534d42, // cifs
  0x482b, // hfs+
])

/**
 * True when the tree ignores case: names in it are found under another spelling that is no name of its
 * own. Nothing is written into a folder that belongs to the user. Where an empty folder tells nothing,
 * its own name is tried on the same disk, and its kind of file system otherwise.
 */
export async function foldsCase(root: string): Promise<boolean> {
  try {
    return (await namesFold(root)) ?? (await foldsWhenEmpty(root))
  } catch (error) {
    if (errnoOf(error) === '') throw error
    return foldsByDefault()
  }
}

/**
 * Whether a disk ignores case by the names at the place where it is mounted. Null where they tell
 * nothing yet and its kind does not either (FUSE can be anything).
 */
export async function mountFolds(place: string): Promise<boolean | null> {
  const folds = await namesFold(place)
  if (folds !== null) return folds
  const { type } = await statfs(place)
  return FOLDING_TYPES.has(type) ? true : null
}

/** Null where no name has a letter, or each has its twin. */
async function namesFold(folder: string): Promise<boolean | null> {
  const names = new Set(await readdir(folder))
  for (const name of names) {
    const other = otherCase(name)
    if (!names.has(other)) return await isThere(join(folder, other))
  }
  return null
}

async function foldsWhenEmpty(root: string): Promise<boolean> {
  const beside = join(dirname(root), otherCase(basename(root)))
  const [own, parent] = await Promise.all([stat(root), stat(dirname(root))])
  if (own.dev !== parent.dev) return FOLDING_TYPES.has((await statfs(root)).type)
  if (beside === root) return foldsByDefault()
  if (!(await isThere(beside))) return false
  const other = await stat(beside)
  return own.ino === other.ino && own.dev === other.dev
}

function foldsByDefault(): boolean {
  return process.platform === 'darwin' || process.platform === 'win32'
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(unless('ENOENT'))) !== null
}

/** The name with its first letter of ASCII in the other case: every system that folds knows those. */
function otherCase(name: string): string {
  return name.replace(/[a-z]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
