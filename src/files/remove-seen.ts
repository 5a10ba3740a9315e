// Removing what somebody has seen, and nothing that came or changed since: the check and the removal of
// each entry are one step here, which no client can do from outside.
import { AppError } from '../errors.ts'
import type { Scope } from './scope.ts'
import { formatTime } from './time-format.ts'
import type { VPath } from './vpath.ts'

/** Entries by path with their times as listings tell them, null for folders; each folder before its own. */
export type SeenEntries = ReadonlyMap<VPath, string | null>

/**
 * Removes the entries of `seen`, the deepest first, while they are as they were: a file of the same time,
 * a folder with nothing left in it. False when something stays; an abort leaves what was not reached yet.
 */
export async function removeSeen(
  scope: Scope,
  seen: SeenEntries,
  signal: AbortSignal,
): Promise<boolean> {
  let isAllGone = true
  for (const [vpath, modified] of [...seen].reverse()) {
    signal.throwIfAborted()
    const isGone = await removeWhenSeen(scope, vpath, modified)
    isAllGone &&= isGone
  }
  return isAllGone
}

async function removeWhenSeen(
  scope: Scope,
  vpath: VPath,
  modified: string | null,
): Promise<boolean> {
  try {
    const { kind, isSymlink, mtimeNs, ownMtimeNs } = await scope.stat(vpath)
    const isFolder = kind === 'dir'
    if (isFolder !== (modified === null)) return false
    if (isFolder && !isSymlink) return await scope.removeSingle(vpath, null)
    // Listings tell the time of what a link leads to, recursive ones that of the link.
    const times = [mtimeNs, ownMtimeNs].map(formatTime)
    if (modified !== null && !times.includes(modified)) return false
    return await scope.removeSingle(vpath, ownMtimeNs)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return true
    throw error
  }
}
