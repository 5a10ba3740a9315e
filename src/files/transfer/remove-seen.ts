// Removing what somebody has seen, and nothing that came or changed since: the check and the removal of
// each entry are one step here, which no client can do from outside.
import { AppError } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import { formatTime } from '../listing/time-format.ts'
import type { Scope } from '../place/scope.ts'
import type { EntryStat } from '../volume/entry-stat.ts'

/** Entries by path with their times as listings tell them, null for folders; each folder before its own. */
export type SeenEntries = ReadonlyMap<VPath, string | null>

/**
 * Removes `base` with all of `seen`, the deepest first, while each is as it was: a file of the same time,
 * a folder with nothing left in it. False when something is not: nothing goes then, but for what had gone
 * before it came or changed. An abort leaves what was not reached yet.
 */
export async function removeSeen(
  scope: Scope,
  base: VPath,
  seen: SeenEntries,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await isAsSeen(scope, base, seen, signal))) return false
  let isAllGone = true
  for (const [vpath, modified] of [...seen].reverse()) {
    signal.throwIfAborted()
    const isGone = await removeWhenSeen(scope, vpath, modified)
    isAllGone &&= isGone
  }
  return isAllGone
}

/** Whether an entry and all below it are in `seen`, as they are; what has gone since is no loss. */
export async function isAsSeen(
  scope: Scope,
  vpath: VPath,
  seen: SeenEntries,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted()
  const modified = seen.get(vpath)
  if (modified === undefined) return false
  try {
    const stat = await scope.stat(vpath)
    if (!isUnchanged(stat, modified)) return false
    if (stat.kind !== 'dir' || stat.isSymlink) return true
    // The part that was sent of an upload shows in no listing, yet it has come since.
    for (const entry of await scope.listAll(vpath, { temps: true })) {
      if (entry.rawName !== undefined) return false
      if (!(await isAsSeen(scope, entry.vpath, seen, signal))) return false
    }
    return true
  } catch (error) {
    if (isNotFound(error)) return true
    throw error
  }
}

async function removeWhenSeen(
  scope: Scope,
  vpath: VPath,
  modified: string | null,
): Promise<boolean> {
  try {
    const stat = await scope.stat(vpath)
    if (!isUnchanged(stat, modified)) return false
    const isFolder = stat.kind === 'dir' && !stat.isSymlink
    return await scope.removeSingle(vpath, isFolder ? null : stat.ownMtimeNs)
  } catch (error) {
    if (isNotFound(error)) return true
    throw error
  }
}

function isUnchanged({ kind, mtimeNs, ownMtimeNs }: EntryStat, modified: string | null): boolean {
  if ((kind === 'dir') !== (modified === null)) return false
  // Listings tell the time of what a link leads to, recursive ones that of the link.
  return modified === null || [mtimeNs, ownMtimeNs].map(formatTime).includes(modified)
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found'
}
