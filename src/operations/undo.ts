// Undoing what the history tells: the opposite of each step, the latest first, by the operations that anybody else
// would call. What has changed since stays as it is and is named.
import { pathOf } from '../access/folder-rights.ts'
import { madeBy, readRecord } from '../history/read-history.ts'
import type { Made, Step } from '../history/record.ts'
import type { Undoing } from '../history-types.ts'
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Actor } from './actor.ts'
import { changeSince } from './made.ts'
import { restoreModes } from './mode.ts'
import { transfer } from './move.ts'

/**
 * Undoes a record of the actor's account, named by its id or by its operation, with the rights that its steps need
 * now. What that does is a record as well. Throws `not_found`, and `conflict` for one that was undone already.
 */
export function undo(actor: Actor, name: string): Promise<Undoing> {
  const { history, historyFiles, saves } = actor.services
  const { user, signal, origin } = actor
  return saves.withLock(`undo of account ${user.id}`, async () => {
    await history.flush()
    const record = await readRecord(historyFiles, user.id, name, signal)
    if (!record) throw new AppError('not_found', 'no such record of the history')
    if (record.isUndone) throw new AppError('conflict', 'it was undone already')
    const operation = origin.operation ?? `undo-${record.id}`
    const asUndo: Actor = Object.create(actor, {
      origin: { value: { ...origin, operation, undoes: record.id } },
    })
    const undoing = { actor: asUndo, done: 0, kept: [] as Undoing['kept'] }
    for (const step of record.steps) {
      signal.throwIfAborted()
      await undoStep(undoing, step)
    }
    if (undoing.done > 0) history.markUndone(user.id, record.id)
    const { done, kept } = undoing
    return { done, kept }
  })
}

/** Whether what undoing a step needs is there. */
export function isUndoable({ kind }: Step): boolean {
  return kind === 'move' || kind === 'mode'
}

interface UndoingNow extends Undoing {
  actor: Actor
}

async function undoStep(undoing: UndoingNow, step: Step): Promise<void> {
  const { services, user } = undoing.actor
  const path = pathOf(services, user, step.path)
  const to = step.to === undefined ? path : pathOf(services, user, step.to)
  // It is no part of the account's tree any more.
  if (path === null || to === null) return void undoing.kept.push({ code: 'not_found' })
  const entries = await madeBy(services.historyFiles, step)
  if (step.kind === 'move') return moveBack(undoing, entries, to, path)
  if (step.kind === 'mode') {
    undoing.done += await restoreModes(undoing.actor, path, entries, (vpath, error) =>
      keep(undoing, vpath, error),
    )
    return
  }
  undoing.kept.push({ path, code: 'unsupported' })
}

/** What must not be seen any more is not named. */
function keep({ actor, kept }: UndoingNow, vpath: VPath, { code }: AppError): void {
  kept.push({ ...(actor.scope.may(vpath, 'see') && { path: vpath }), code })
}

async function moveBack(
  undoing: UndoingNow,
  entries: readonly Made[],
  from: VPath,
  to: VPath,
): Promise<void> {
  const { actor } = undoing
  let moved: string | null = null
  for (const made of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    // It went along with its folder.
    if (moved !== null && made.path.startsWith(`${moved}/`)) continue
    actor.signal.throwIfAborted()
    const [now, before] = [`${from}${made.path}`, `${to}${made.path}`] as [VPath, VPath]
    try {
      const why = await changeSince(actor.scope, now, made)
      if (why) throw new AppError(why, `${now} has changed since`)
      await transfer(actor, 'rename', now, before, { replace: false, rename: false })
      moved = made.path
      undoing.done++
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      keep(undoing, now, error)
    }
  }
}
