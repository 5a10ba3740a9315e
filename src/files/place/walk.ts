// Walks a tree by names, depth first in byte order: for search and the recursive listing. Links are
// reported and never followed. It reads folders of quick local disks synchronously in short turns,
// which is 5 times faster than one thread-pool hop per folder; large folders and other disks are read
// asynchronously, so that the event loop never waits for a disk.
import type { Dirent } from 'node:fs'
import { sep } from 'node:path'
import { AppError, errnoOf, fromErrno, isLostEntry, isUnreachable } from '../../lib/errors.ts'
import { nextTurn } from '../../lib/turns.ts'
import { joinVPath, ROOT, type VPath } from '../../lib/vpath.ts'
import { type Jail, landing, locate, rootOf, vpathIn } from './jail.ts'
import { pointsInside } from './list-folder.ts'
import type { PathRules } from './path-rules.ts'
import type { Tree } from './tree.ts'

export interface Walked {
  name: string
  vpath: VPath
  /** `link` leads inside the scope or dangles there; others are left out. */
  kind: 'file' | 'dir' | 'link' | 'other'
  /** Real path on the host at the time of the walk: for its size and time, never to open. */
  realPath: string
}

export interface WalkOptions {
  signal: AbortSignal
  /**
   * Enter folders that a rule denies: a later rule may allow what they hold. Such folders are
   * never reported themselves.
   */
  intoDenied: boolean
  /** Cheap test of the name alone, before rules and links are checked; default everything. */
  match?: (name: string) => boolean
}

/** The loop gets a turn when one has lasted this long; the first is short, to show something soon. */
const TURN_MS = 5
const FIRST_TURN_MS = 1
/** Entries after which the time is checked. */
const CLOCK_STEP = 64
/** A base below a file, or with a name no file can have. */
const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'])

/**
 * Yields what lies below `base` in batches, one per turn, possibly empty. Unreadable folders and
 * those that vanish are skipped. Throws `not_found` or `forbidden` for the base itself, and the
 * signal's reason on abort; nothing is left behind.
 */
export async function* walkTree(
  { jail, rules, rights }: Tree,
  base: VPath,
  options: WalkOptions,
): AsyncGenerator<Walked[], void> {
  const { signal, intoDenied, match = () => true } = options
  // What records say is the same for all below, so that nothing has to be looked for there.
  const passes = rights ? (vpath: VPath) => rights.may(vpath, 'pass') : () => true
  if (!passes(base)) throw new AppError('forbidden', `${base} is denied`)
  const realPath = await realPathOf(jail, base)
  // A base reached through a link is checked by where its content really is, too. Below it nothing
  // is followed, so the two paths go on alike.
  const may = await rules.below(base, realPath)

  const stack: Folder[] = [await enter(jail, base, realPath)]
  let batch: Walked[] = []
  let turnEndsAt = performance.now() + FIRST_TURN_MS
  for (let seen = 1; ; seen++) {
    const folder = stack.at(-1)
    if (!folder) break
    const dirent = folder.dirents[folder.next++]
    if (!dirent) {
      stack.pop()
      continue
    }
    const kind = kindOf(dirent)
    const wanted = match(dirent.name)
    let enters = false
    if (wanted || kind === 'dir') {
      const realPath = `${folder.realPath}${sep}${dirent.name}`
      const vpath = joinVPath(folder.vpath, dirent.name)
      const isSeen = (wanted || !intoDenied) && may(vpath, 'see')
      if (wanted && isSeen && (kind !== 'link' || (await staysInside(jail, rules, realPath))))
        batch.push({ name: dirent.name, vpath, kind, realPath })
      enters = kind === 'dir' && (isSeen || (intoDenied ? passes(vpath) : may(vpath, 'pass')))
      if (enters) stack.push(await enter(jail, vpath, realPath))
    }
    // Asking the clock costs as much as an entry, but little beside a folder.
    if ((enters || seen % CLOCK_STEP === 0) && performance.now() > turnEndsAt) {
      yield batch
      batch = []
      await nextTurn()
      signal.throwIfAborted()
      turnEndsAt = performance.now() + TURN_MS
    }
  }
  yield batch
}

async function realPathOf(jail: Jail, base: VPath): Promise<string> {
  try {
    using place = await locate(jail, base)
    if (place.stats) return place.realPath
  } catch (error) {
    if (error instanceof AppError || !NO_FOLDER.has(errnoOf(error))) throw fromErrno(error, base)
  }
  throw new AppError('not_found', `${base} does not exist`)
}

interface Folder {
  vpath: VPath
  realPath: string
  dirents: Dirent[]
  next: number
}

async function enter({ volume }: Jail, vpath: VPath, realPath: string): Promise<Folder> {
  let dirents: Dirent[] = []
  try {
    const found = volume.namesAt(realPath)
    dirents = found instanceof Promise ? await found : found
  } catch (error) {
    if (!(error instanceof AppError) && !isLostEntry(error)) throw error
  }
  return { vpath, realPath: realPath === sep ? '' : realPath, dirents, next: 0 }
}

function kindOf(dirent: Dirent): Walked['kind'] {
  if (dirent.isFile()) return 'file'
  if (dirent.isDirectory()) return 'dir'
  return dirent.isSymbolicLink() ? 'link' : 'other'
}

// A link out of the scope must not be noticed, nor one to a denied path; a ring leads nowhere.
async function staysInside(jail: Jail, rules: PathRules, realPath: string): Promise<boolean> {
  try {
    const { realPath: target } = await landing(jail.volume, realPath)
    const isInside = vpathIn(await rootOf(jail), target) !== null
    return (isInside || jail.follows) && (await rules.at(target))(ROOT, 'see')
  } catch (error) {
    if (isUnreachable(error)) return pointsInside(jail, realPath)
    if (error instanceof AppError || isLostEntry(error)) return false
    throw error
  }
}
