// Removing entries, folders with all they hold.
import type { Course } from '../files/transfer/course.ts'
import { isAsSeen, removeSeen, type SeenEntries } from '../files/transfer/remove-seen.ts'
import type { Making } from '../history/history.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { type Actor, requireStill } from './actor.ts'
import { change, checkDescendants, type EarlierCommands } from './change.ts'
import { requireUnlocked } from './locks.ts'
import { endShares, endSharesOfGone, locateShared } from './shares.ts'

export interface Removal {
  /** Whether it goes into the trash; null where nobody says: then the server's setting does. */
  trash: boolean | null
  /** It goes into the trash whatever the server's setting: it may come back. */
  isAside?: true
  /** Only what is in there goes. Asked for once the caller may delete. */
  seen?: (() => Promise<SeenEntries>) | undefined
  /** Of a removal that may be broken off and gone on with. */
  long?: { isGoingOn: boolean; course: Course; commands: EarlierCommands } | undefined
}

/**
 * Removes an entry, with the right to delete, into the trash or for good; shares of it and of what it held end.
 * With `seen` it is `precondition_failed` when something else was met. `bad_request` for the trash of a server
 * that has none. Gives the id of the entry of the trash, or null for what is gone.
 */
export async function remove(
  actor: Actor,
  vpath: VPath,
  removal: Removal = { trash: null },
): Promise<string | null> {
  // An earlier run has removed it, but for saying so.
  if (removal.long?.isGoingOn && !(await actor.scope.exists(vpath))) return null
  const { intoTrash, demand } = await prepareRemoval(actor, vpath, removal)
  const checkAgain = await checkDescendants(
    actor,
    { what: 'delete', source: vpath, verbs: ['delete'] },
    demand,
  )
  const entries = await removal.seen?.()
  const { course, commands: earlier } = removal.long ?? {}
  let entry: string | null = null
  const work = async (hasRun: boolean, making: Making) => {
    if (!intoTrash) await course?.begin()
    await checkAgain(hasRun)
    await requireUnlocked(actor, vpath, 'tree')
    course?.at(vpath)
    const shared = await locateShared(actor, vpath)
    try {
      if (intoTrash) entry = await putIntoTrash(actor, vpath, entries, making)
      else {
        await removeForGood(actor, vpath, entries, course)
        making.kept(null, null)
      }
    } catch (error) {
      // Stopped midway: a part may have gone.
      await endSharesOfGone(actor, shared)
      throw error
    }
    await endShares(actor, shared, entry)
  }
  await change(actor, { event: 'delete', kind: 'delete', vpath }, work, { earlier })
  return entry
}

/** Throws what a removal is refused with before anything is touched. Gives what is asked again right before the work. */
export async function prepareRemoval(
  actor: Actor,
  vpath: VPath,
  removal: Pick<Removal, 'trash' | 'isAside'>,
): Promise<{ intoTrash: boolean; demand: () => void }> {
  const intoTrash = goesIntoTrash(actor, removal)
  if (actor.scope.isTop(vpath))
    throw new AppError('forbidden', 'the top of a tree cannot be deleted')
  const demand = requireStill(actor, vpath, ['delete'])
  await actor.scope.stat(vpath)
  await requireUnlocked(actor, vpath, 'tree')
  return { intoTrash, demand }
}

// Who asks for the trash must not lose anything because there is none.
function goesIntoTrash(
  { services }: Actor,
  { trash, isAside }: Pick<Removal, 'trash' | 'isAside'>,
): boolean {
  if (isAside) return true
  const { trash: mode } = services.config
  if (trash && mode === 'off') throw badRequest('this server has no trash')
  return trash ?? mode === 'all'
}

async function putIntoTrash(
  { services, scope, signal, user, origin }: Actor,
  vpath: VPath,
  entries: SeenEntries | undefined,
  making: Making,
): Promise<string> {
  if (entries && !(await isAsSeen(scope, vpath, entries, signal))) throw changed(vpath)
  signal.throwIfAborted()
  const facts = { userID: user.id, operation: origin.operation ?? null }
  const kept = await scope.takeAway(vpath, (place) => services.trash.put(place, facts))
  making.kept(kept.id, kept.bytes)
  return kept.id
}

async function removeForGood(
  { scope, signal }: Actor,
  vpath: VPath,
  entries: SeenEntries | undefined,
  course: Course | undefined,
): Promise<void> {
  if (!entries) return scope.remove(vpath, signal, (bytes) => course?.passed(bytes))
  if (!(await removeSeen(scope, vpath, entries, signal))) throw changed(vpath)
}

function changed(vpath: VPath): AppError {
  return new AppError('precondition_failed', `${vpath} has changed`)
}
