// Moving entries: by a rename, else by a copy and the removal of what has arrived.
import { AppError, errnoOf } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import { joinVPath, parentOf, type VPath } from '../../lib/vpath.ts'
import type { Scope } from '../place/scope.ts'
import { allIn, type Copied, copyAll, isSameEntry, sourceIsParent } from './copy.ts'
import type { CopyOptions } from './copy-file.ts'
import { settledBy } from './course.ts'

/**
 * Moves an entry, across file systems and onto mounts by copy and removal. Folders merge into an existing one with
 * `replace`. The source is removed only when all of it has arrived, and nothing is removed that has
 * not: what comes into the source meanwhile stays there. Throws `locked` for what is a mount itself, and
 * before anything is copied for a folder that holds one.
 */
export async function moveTree(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<void> {
  if (source === target) return
  if (options.replace) await refuseOwnTarget(scope, source, target)
  await scope.makeFolder(parentOf(target))
  // An entry that gets another spelling is not in its own way.
  const replace = options.replace || (await isSameEntry(scope, source, target))
  options.course?.at(source)
  if (options.leaves || options.course) {
    const what = await whatIsLeft(scope, source, target, options)
    if (what === 'nothing') return
    if (what === 'a copy') return moveByCopy(scope, source, target, options)
  }
  try {
    await scope.rename(source, target, { replace })
    options.course?.passed(0)
  } catch (error) {
    const errno = errnoOf((error as AppError).cause)
    // A disk says the same of names that it does not take.
    if (errno === 'EINVAL' && (await isOnWayTo(scope, source, target))) throw sourceIsParent()
    const isBound = errno === 'EXDEV' || errno === 'EBUSY'
    const isMount = isBound && (await scope.isMountPoint(source))
    // A copy is all that would come of it.
    if (isMount)
      throw new AppError('locked', `${source} is a mount of its own`, { cause: error, status: 500 })
    // What is mounted in it cannot go along: a part of the source would be left behind.
    if (isBound && (await scope.holdsMount(source)))
      throw new AppError('locked', `${source} holds a mount`, { cause: error, status: 500 })
    // A target that is a mount keeps its place: its content is written, or its folder merged into.
    if (errno === 'EXDEV' || (errno === 'EBUSY' && options.replace && isMount === false)) {
      await moveByCopy(scope, source, target, options)
    } else if (options.replace && (errno === 'ENOTEMPTY' || errno === 'EEXIST')) {
      await mergeFolder(scope, source, target, options)
    } else throw error
  }
}

// Through a link a folder may lie within itself though the paths do not say so.
async function isOnWayTo(scope: Scope, source: VPath, target: VPath): Promise<boolean> {
  const { kind, isSymlink } = await scope.stat(source)
  if (kind !== 'dir' || isSymlink) return false
  return contains(await scope.hostPath(source), await scope.hostPath(parentOf(target)))
}

// A link that took the place of the file it leads to would lead nowhere, and the file were gone.
async function refuseOwnTarget(scope: Scope, source: VPath, target: VPath): Promise<void> {
  const link = await scope.stat(source)
  if (!link.isSymlink || !(await scope.exists(target))) return
  const found = await scope.stat(target)
  if (!found.isSymlink && found.ino === link.ino && found.dev === link.dev)
    throw new AppError('bad_request', 'source is a link to the destination', { expose: true })
}

async function moveByCopy(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<void> {
  const copied: Copied[] = []
  await options.course?.begin()
  await copyAll(scope, source, target, options, copied)
  await removeCopied(scope, copied, options.signal)
}

/** What is left to do of a move by what is at its target: a copy where an earlier run has begun with one. */
async function whatIsLeft(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<'nothing' | 'a copy' | 'all'> {
  const { course, leaves } = options
  using there = await scope.place(target)
  const { stats } = there
  if (!stats || (await isSameEntry(scope, source, target))) return 'all'
  const from = await scope.stat(source)
  const isFolder = from.kind === 'dir' && !from.isSymlink
  if (isFolder && stats.isDirectory()) {
    if (course?.hasMade(target, stats)) return 'a copy'
    if (!leaves) return 'all'
    await mergeFolder(scope, source, target, options)
    return 'nothing'
  }
  if (from.kind === 'file' && course?.earlier(from, target, stats)) return 'a copy'
  if (!leaves || settledBy({ ...options, course: undefined }, from, target, stats) !== 'left')
    return 'all'
  course?.passed(from.sizeBytes)
  return 'nothing'
}

async function mergeFolder(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<void> {
  const { entries, isSeen } = await allIn(scope, source)
  if (!entries.every(isSeen)) throw new AppError('forbidden', `${source} must not be touched`)
  const unnamed = entries.find(({ rawName }) => rawName)
  // Decoded lossily, the name could match another entry.
  if (unnamed) throw new AppError('invalid_name', `the name of ${unnamed.vpath} is not UTF-8`)
  for (const entry of entries) {
    options.signal.throwIfAborted()
    await moveTree(scope, entry.vpath, joinVPath(target, entry.name), options)
  }
  await scope.removeSingle(source, null)
}

async function removeCopied(scope: Scope, copied: Copied[], signal: AbortSignal): Promise<void> {
  const changed: VPath[] = []
  for (const { vpath, mtimeNs, isFolder } of copied) {
    signal.throwIfAborted()
    const isGone = await scope.removeSingle(vpath, mtimeNs)
    if (!isGone && !isFolder) changed.push(vpath)
  }
  if (changed.length > 0)
    throw new AppError('incomplete', `${changed[0]} changed while it was moved and stays`)
}
