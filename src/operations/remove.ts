// Removing entries, folders with all they hold.
import { removeSeen, type SeenEntries } from '../files/transfer/remove-seen.ts'
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { type Actor, requireStill } from './actor.ts'
import { change, checkDescendants } from './change.ts'
import { endShares, endSharesOfGone, locateShared } from './shares.ts'

/**
 * Removes an entry, with the right to delete; shares of it and of what it held end. With `seen` only
 * what is in there goes, see removeSeen: `precondition_failed` when something else was met. `seen` is
 * asked for once the caller may delete.
 */
export async function remove(
  actor: Actor,
  vpath: VPath,
  seen?: () => Promise<SeenEntries>,
): Promise<void> {
  const { signal } = actor
  if (actor.scope.isTop(vpath))
    throw new AppError('forbidden', 'the top of a tree cannot be deleted')
  const demand = requireStill(actor, vpath, ['delete'])
  await actor.scope.stat(vpath)
  const checkAgain = await checkDescendants(
    actor,
    { what: 'delete', source: vpath, verbs: ['delete'] },
    demand,
  )
  const entries = await seen?.()
  await change(actor, { event: 'delete', kind: 'delete', vpath }, async (hasRun) => {
    await checkAgain(hasRun)
    const { scope } = actor
    const shared = await locateShared(actor, vpath)
    try {
      if (!entries) await scope.remove(vpath, signal)
      else if (!(await removeSeen(scope, vpath, entries, signal)))
        throw new AppError('precondition_failed', `${vpath} has changed`)
    } catch (error) {
      // Stopped midway: a part may have gone.
      await endSharesOfGone(actor, shared)
      throw error
    }
    await endShares(actor, shared)
  })
}
