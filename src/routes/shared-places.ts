// Keeping shares true to what they were made for, whoever changes it and by whatever call.

import type { Scope } from '../files/place/scope.ts'
import type { Deps } from '../http/env.ts'
import { scopeOf } from '../http/guard.ts'
import { AppError } from '../lib/errors.ts'
import { rebase, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Document, Share, ShareTarget, User } from '../store/document.ts'
import {
  endSharesBelow,
  endSharesOf,
  isSameTarget,
  isUntouched,
  moveShares,
  noteTargets,
  type SharedPlace,
  sharesAt,
  sharesBelow,
} from '../store/share-targets.ts'
import { findUser } from '../store/users.ts'

/** An entry in somebody's tree, and where that is. */
export interface SharedEntry {
  user: User
  vpath: VPath
  place: SharedPlace
}

/** To be asked before an entry is changed: afterwards there is nothing to be found. */
export async function locateShared(scope: Scope, user: User, vpath: VPath): Promise<SharedEntry> {
  const real = await scope.entryPath(vpath)
  return { user, vpath, place: { named: rebase(vpathOf(user.scope), vpath), real } }
}

/** What a path of a tree leads to, as a share remembers it. Throws like Scope.stat. */
export async function targetAt(scope: Scope, vpath: VPath): Promise<ShareTarget> {
  const { kind, dev, ino, birthtimeNs, realPath } = await scope.identify(vpath)
  return {
    kind,
    dev: String(dev),
    ino: String(ino),
    bornNs: birthtimeNs > 0n ? String(birthtimeNs) : '0',
    place: realPath,
    notedMs: Date.now(),
  }
}

/**
 * What a share leads to now. Throws `not_found` when that is not what it was made for, and like
 * Scope.stat. Shares that do not know what they were made for take what is there.
 */
export async function openTarget(deps: Deps, share: Share, scope: Scope): Promise<ShareTarget> {
  const now = await targetAt(scope, vpathOf(share.path))
  if (!share.target) await note(deps, new Map([[share.hash, now]]))
  else if (!isSameTarget(share.target, now))
    throw new AppError('not_found', 'something else has taken the name of what was shared')
  return now
}

/** Ends the shares of an entry that its user has deleted, and of what it held, whoever made them. */
export async function endShares(deps: Deps, { user, place }: SharedEntry): Promise<void> {
  await change(deps, (doc) => endSharesBelow(doc, user.id, place))
}

/**
 * Ends those shares of an entry and of what it held whose own files are not there any more.
 * `isSame` tells whether a file of the name is still that one.
 */
export async function endSharesOfGone(
  deps: Deps,
  { user, place }: SharedEntry,
  isSame = isSameTarget,
): Promise<void> {
  const doc = deps.store.read()
  const gone = new Set<string>()
  for (const share of sharesBelow(doc, place))
    if (await isGone(deps, doc, share, isSame)) gone.add(share.hash)
  if (gone.size > 0) await change(deps, (now) => endSharesOf(now, user.id, gone))
}

/**
 * Moves an entry within somebody's tree. Their shares follow it, those of others end, see moveShares;
 * and so do those of what it replaces. When the move fails midway, shares of what has gone end.
 */
export async function moveWithShares(
  deps: Deps,
  { scope, user }: { scope: Scope; user: User },
  source: VPath,
  target: VPath,
  move: () => Promise<void>,
): Promise<void> {
  const from = await locateShared(scope, user, source)
  const to = await locateShared(scope, user, target)
  // What is there now can be told from what comes only by those that know it.
  await noteChanged(deps, to)
  try {
    await move()
  } catch (error) {
    await endSharesOfGone(deps, from)
    await endSharesOfGone(deps, to, isUntouched)
    throw error
  }
  await endSharesOfGone(deps, to, isUntouched)
  await change(deps, (doc) => moveShares(doc, user.id, from, to))
  await noteMoved(deps, scope, to)
}

// For shares that do not know their file yet, and where another program has saved it.
async function noteChanged(deps: Deps, { place }: SharedEntry): Promise<void> {
  const doc = deps.store.read()
  const targets = new Map<string, ShareTarget>()
  for (const share of sharesBelow(doc, place)) {
    const owner = findUser(doc, share.userID)
    const noted = share.target
    const now =
      owner && (await targetAt(scopeOf(deps, owner), vpathOf(share.path)).catch(() => null))
    if (now && (!noted || (isSameTarget(noted, now) && !isUntouched(noted, now))))
      targets.set(share.hash, now)
  }
  if (targets.size > 0) await note(deps, targets)
}

// A move to another disk makes new files.
async function noteMoved(deps: Deps, scope: Scope, { user, place }: SharedEntry): Promise<void> {
  const targets = new Map<string, ShareTarget>()
  for (const share of sharesBelow(deps.store.read(), place)) {
    if (share.userID !== user.id || !share.target) continue
    const now = await targetAt(scope, vpathOf(share.path)).catch(() => null)
    if (now && now.ino !== share.target.ino) targets.set(share.hash, now)
  }
  if (targets.size > 0) await note(deps, targets)
}

/** To be told when a file has been saved at a real path: a save makes a new file of that name. */
export async function noteSaved(
  deps: Deps,
  scope: Scope,
  vpath: VPath,
  realPath: string,
): Promise<void> {
  const shares = sharesAt(deps.store.read(), realPath)
  if (shares.length === 0) return
  const now = await targetAt(scope, vpath).catch(() => null)
  if (now) await note(deps, new Map(shares.map(({ hash }) => [hash, now])))
}

// One that cannot be looked at stays.
async function isGone(
  deps: Deps,
  doc: Document,
  share: Share,
  isSame: typeof isSameTarget,
): Promise<boolean> {
  const owner = findUser(doc, share.userID)
  if (!owner) return false
  try {
    const now = await targetAt(scopeOf(deps, owner), vpathOf(share.path))
    return share.target !== undefined && !isSame(share.target, now)
  } catch (error) {
    return error instanceof AppError && error.code === 'not_found'
  }
}

async function note(deps: Deps, targets: ReadonlyMap<string, ShareTarget>): Promise<void> {
  await change(deps, (doc) => noteTargets(doc, targets))
}

// Part of a change and before its after-hooks, whose failure would let a share outlive its file.
// The file has gone or moved by now, so a failure of this is for the log alone.
async function change(deps: Deps, next: (doc: Document) => Document): Promise<void> {
  try {
    await deps.store.update((doc) => [next(doc), undefined])
  } catch (error) {
    deps.log.error(`the shares of a changed path were not updated: ${(error as Error).message}`)
  }
}
