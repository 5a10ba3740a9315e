// Undoing what the history tells: the opposite of each step, the latest first, by the operations that anybody else
// would call. What has changed since stays as it is and is named.
import { pathOf } from '../access/folder-rights.ts'
import type { ErrorCode } from '../api-types.ts'
import { madeBy, readRecord } from '../history/read-history.ts'
import type { Made, Step } from '../history/record.ts'
import type { HistoryKind, Undoing } from '../history-types.ts'
import { AppError } from '../lib/errors.ts'
import { inTurns } from '../lib/turns.ts'
import { isWithin, type VPath } from '../lib/vpath.ts'
import type { Actor } from './actor.ts'
import { changeSince, type Telling } from './made.ts'
import { restoreModes } from './mode.ts'
import { transfer } from './move.ts'
import { restore } from './restore.ts'
import { entrySeenBy } from './trash-entries.ts'
import { addCome, type Come, takeAway } from './undo-made.ts'
import { copyVersion, versionsOf } from './versions.ts'

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
    const undoing: UndoingNow = { actor: asUndo, done: 0, kept: [] }
    await undoSteps(undoing, record.steps)
    if (undoing.done > 0) history.markUndone(user.id, record.id)
    const { done, kept } = undoing
    return { done, kept }
  })
}

/** What leaves something that was not there before. */
const COMING: ReadonlySet<HistoryKind> = new Set(['upload', 'save', 'folder', 'copy', 'restore'])

/** The test whether what undoing a step needs is there; what lies in the trash is asked for once. */
export function undoTest(actor: Actor): (step: Step) => Promise<boolean> {
  const { services, user } = actor
  const hasTrash = services.config.trash !== 'off'
  let inTrash: Promise<ReadonlySet<string>> | undefined
  const trashed = async () => {
    const ids = new Set<string>()
    await inTurns(await services.trash.entries(), ({ id }) => void ids.add(id))
    return ids
  }
  const hasVersion = async ({ path, to = path }: Step, { path: below, replaced }: Made) => {
    const at = pathOf(services, user, to)
    if (at === null || !replaced) return false
    const versions = await versionsOf(actor, `${at}${below}` as VPath).catch(() => [])
    return versions.some(({ id }) => id === replaced)
  }
  return async (step) => {
    const { kind, kept, made, manifest } = step
    if (kind === 'move' || kind === 'mode') return true
    if (kind === 'delete') {
      inTrash ??= trashed()
      const ids = await inTrash
      return kept.some((id) => ids.has(id))
    }
    if (manifest !== undefined || made.some(({ replaced }) => replaced === undefined))
      return hasTrash
    for (const entry of made) if (await hasVersion(step, entry)) return true
    return false
  }
}

interface UndoingNow extends Undoing {
  actor: Actor
}

// What has come goes together, so that a folder that was uploaded is one entry of the trash. Files, and what stands where
// something comes back, are out of its way; other folders go when that has left them.
async function undoSteps(undoing: UndoingNow, steps: readonly Step[]): Promise<void> {
  const come = new Map<VPath, Come>()
  // One of them may have put something into what another one has restored.
  const endMs = Math.max(...steps.map(({ atMs }) => atMs))
  for (const step of steps) {
    undoing.actor.signal.throwIfAborted()
    if (!COMING.has(step.kind)) {
      const back = pathOf(undoing.actor.services, undoing.actor.user, step.path)
      const isInTheWay = ([vpath, { made }]: [VPath, Come]) =>
        made.sizeBytes !== null || (back !== null && isWithin(back, vpath))
      const first = new Map([...come].filter(isInTheWay))
      await takeAway(tellingOf(undoing), first)
      for (const vpath of first.keys()) come.delete(vpath)
    }
    await undoStep(undoing, step, come, endMs)
  }
  await takeAway(tellingOf(undoing), come)
}

async function undoStep(
  undoing: UndoingNow,
  step: Step,
  come: Map<VPath, Come>,
  endMs: number,
): Promise<void> {
  const { services, user } = undoing.actor
  const path = pathOf(services, user, step.path)
  const to = step.to === undefined ? path : pathOf(services, user, step.to)
  // It is no part of the account's tree any more.
  if (path === null || to === null) return void undoing.kept.push({ code: 'not_found' })
  const entries = await madeBy(services.historyFiles, step)
  if (step.kind === 'move') return moveBack(undoing, entries, to, path)
  if (step.kind === 'mode') return restoreModes(tellingOf(undoing), path, entries)
  const restoredMs = step.kind === 'restore' ? endMs : null
  for (const made of entries) addCome(come, `${to}${made.path}` as VPath, { made, restoredMs })
  if (restoredMs !== null && step.kept.length > 0) {
    await takeAway(tellingOf(undoing), come)
    come.clear()
  }
  if (step.kind === 'delete' || step.kept.length > 0)
    await bringBackDeleted(undoing, path, step.kept)
}

async function bringBackDeleted(
  undoing: UndoingNow,
  path: VPath,
  ids: readonly string[],
): Promise<void> {
  const { actor } = undoing
  if (ids.length === 0) keep(undoing, path, 'not_found')
  for (const id of ids)
    try {
      await restore(actor, await entrySeenBy(actor, id), { to: null, conflict: 'fail' })
      undoing.done++
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      keep(undoing, path, error.code)
    }
}

function tellingOf(undoing: UndoingNow): Telling {
  return {
    actor: undoing.actor,
    onDone: (entries) => {
      undoing.done += entries
    },
    onKept: (vpath, error) => keep(undoing, vpath, error.code),
  }
}

/** What must not be seen any more is not named. */
function keep({ actor, kept }: UndoingNow, vpath: VPath, code: ErrorCode): void {
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
      // What it had replaced has followed it among its versions.
      if (made.replaced) await copyVersion(actor, before, made.replaced, now)
      else if (made.replaced === null) throw new AppError('not_found', `${now} had no version`)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      keep(undoing, now, error.code)
    }
  }
}
