// Bringing back what was deleted.
import { join } from 'node:path'
import { treeScopeOf } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import { joinScopes } from '../files/place/joined.ts'
import { copyTree, freeName } from '../files/transfer/copy.ts'
import type { TrashEntry } from '../keep/trash.ts'
import { AppError, errnoOf } from '../lib/errors.ts'
import { baseName, joinVPath, parentOf, ROOT, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from './actor.ts'
import { change } from './change.ts'
import { madeOf } from './made.ts'
import { reviveShares } from './shares.ts'
import { contentScope, requireAllBelow, type SeenEntry } from './trash-entries.ts'
import { reserve } from './write.ts'

interface RestoreOptions {
  /** Folder to put it in; null for where it was. */
  to: VPath | null
  /** What becomes of a place that is taken. */
  conflict: 'fail' | 'rename' | 'replace'
}

/**
 * Puts an entry of the trash where it was or into another folder, parents made, with the right to create there; to
 * replace also to modify, and what was there goes into the trash. Gives where it is. `exists` where the place is
 * taken; nothing has changed then.
 */
export async function restore(
  actor: Actor,
  { entry, path }: SeenEntry,
  { to, conflict }: RestoreOptions,
): Promise<VPath> {
  const wanted = to === null ? path : joinVPath(to, baseName(path))
  requireMay(actor, 'see', wanted)
  const target = conflict === 'rename' ? await freeName(actor.scope, wanted) : wanted
  const verbs: Verb[] = conflict === 'replace' ? ['create', 'modify'] : ['create']
  const demand = requireStill(actor, target, verbs)
  const check = async () => {
    if (entry.isDir) await requireAllBelow(actor, { entry, path }, target)
    demand()
  }
  await check()
  const what = { event: 'upload', kind: 'restore', vpath: target } as const
  await change(actor, what, async (hasRun, making) => {
    if (hasRun) await check()
    const { scope, services } = actor
    const { trash, volume, saves } = services
    await scope.makeFolder(parentOf(target))
    using parent = await scope.place(parentOf(target))
    await scope.hostPath(parent, 'create')
    if (!parent.folder) throw new AppError('not_found', `${parentOf(target)} is gone`)
    const folder = await volume.openChild(parent.folder, parent.name)
    const place = {
      folder,
      name: baseName(target),
      realPath: join(folder.realDir, baseName(target)),
    }
    try {
      await saves.withLock(place.realPath, async () => {
        demand()
        const found = await volume.stat(folder, place.name)
        if (found && conflict !== 'replace') throw new AppError('exists', `${target} is taken`)
        if (found) {
          const facts = { userID: actor.user.id, operation: null }
          const replaced = await trash.put(place, facts)
          making.kept(replaced.id, replaced.bytes)
        }
        try {
          await trash.restoreTo(entry.id, place, { replace: false })
        } catch (error) {
          if (errnoOf(error) !== 'EXDEV') throw error
          await copyBack(actor, entry, target)
          await trash.erase(entry.id, actor.signal)
        }
      })
    } finally {
      await folder.close()
    }
    if (target === path) await reviveShares(actor, entry.id, target)
    if (making.isWanted) making.made(madeOf(await scope.stat(target)))
  })
  return target
}

/** To another disk: whole, or nothing of it stays there. */
async function copyBack(actor: Actor, entry: TrashEntry, target: VPath): Promise<void> {
  const { services, user, signal } = actor
  // Names that are hidden from the account come along, as in a move.
  const scope = treeScopeOf(services, user, 'delete')
  const name = `fb-restore-${entry.id}`
  const source = joinVPath(ROOT, name)
  // What lies in it has been judged.
  const content = contentScope(actor, entry, source, () => true)
  const both = joinScopes(scope, new Map([[name, content]]))
  try {
    await copyTree(both, source, target, { replace: false, signal, reserve })
  } catch (error) {
    await scope.remove(target, new AbortController().signal).catch(() => {})
    throw error
  }
}
