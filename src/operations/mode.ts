// Permission bits of entries.
import { treeScopeOf } from '../access/user-tree.ts'
import type { Scope } from '../files/place/scope.ts'
import type { Course } from '../files/transfer/course.ts'
import { leadsToReserved } from '../files/volume/reserved-name.ts'
import type { Making } from '../history/history.ts'
import type { Made } from '../history/record.ts'
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { type Actor, requireStill } from './actor.ts'
import { checkDescendants, noted } from './change.ts'
import { requireUnlocked } from './locks.ts'
import { changeSince, madeOf, type Telling } from './made.ts'

/**
 * Gives an entry these permission bits, with the right to modify. With `recursive` all below it gets them as well,
 * and folders may be entered by whoever may read them; links, and what belongs to the server, are left alone. What could
 * not be changed is `incomplete` at the end. No command runs.
 */
export async function setMode(
  actor: Actor,
  vpath: VPath,
  mode: number,
  { recursive, course }: { recursive: boolean; course?: Course | undefined },
): Promise<void> {
  const { scope, services, signal } = actor
  const demand = requireStill(actor, vpath, ['modify'])
  if (scope.isTop(vpath)) throw new AppError('forbidden', 'the top of a tree stays as it was made')
  const top = await scope.stat(vpath)
  await requireUnlocked(actor, vpath, recursive ? 'tree' : 'content')
  const isTree = recursive && top.kind === 'dir' && !top.isSymlink
  const what = { what: 'mode', source: vpath, verbs: ['modify'] } as const
  const checkAgain = isTree ? await checkDescendants(actor, what, demand) : async () => demand()
  await noted(actor, { kind: 'mode', vpath }, async (making) => {
    if (isTree) await course?.begin()
    await checkAgain(false)
    const trees = treeScopeOf(services, actor.user, 'mode')
    const set = (at: VPath, bits: number) =>
      setOne(trees, at, bits, (made) => making.made({ ...made, path: at.slice(vpath.length) }))
    if (isTree) return setBelow(trees, vpath, { mode, set, signal, course })
    await set(vpath, mode)
    course?.passed(0)
  })
}

interface Setting {
  mode: number
  set: (at: VPath, bits: number) => Promise<void>
  signal: AbortSignal
  course: Course | undefined
}

async function setBelow(
  scope: Scope,
  top: VPath,
  { mode, set, signal, course }: Setting,
): Promise<void> {
  const failures: string[] = []
  const fail = (at: VPath, error: AppError) => {
    failures.push(error.message)
    course?.failed(at, error)
  }
  const attempt = async (at: VPath, bits: number) => {
    course?.at(at)
    try {
      await set(at, bits)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      fail(at, error)
    }
  }
  // Last and from below, since they might be closed by it.
  const folders = [top]
  using place = await scope.place(top)
  const may = await scope.mayBelow(place)
  for await (const entries of scope.entriesBelow(place, { signal }))
    for (const { vpath, kind, rawName } of entries)
      if (leadsToReserved(vpath)) continue
      // Of what has come there since the check no name is told.
      else if (!may(vpath, 'see')) throw new AppError('forbidden', `${top} must not be touched`)
      else if (rawName)
        fail(vpath, new AppError('invalid_name', `the name of ${vpath} is not UTF-8`))
      else if (kind === 'dir') folders.push(vpath)
      else if (kind === 'file') {
        await attempt(vpath, mode)
        course?.passed(0)
      }
  for (const folder of folders.reverse()) {
    signal.throwIfAborted()
    await attempt(folder, mode | ((mode & 0o444) >> 2))
  }
  if (failures.length > 0)
    throw new AppError('incomplete', `${failures.length} entries stay as they are: ${failures[0]}`)
}

async function setOne(
  scope: Scope,
  vpath: VPath,
  bits: number,
  tell: (made: Made) => void,
): Promise<void> {
  using place = await scope.place(vpath)
  const found = await scope.stat(place)
  const before = found.mode & 0o777
  await scope.setMode(place, bits, 'modify')
  if (before !== bits) tell({ ...madeOf(found), modes: [before, bits] })
}

/** Gives entries below `top` the bits that they had, the last first, but for those that have changed since. */
export async function restoreModes(
  { actor, onDone, onKept }: Telling,
  top: VPath,
  entries: readonly Made[],
): Promise<void> {
  let { scope } = actor
  let trees = treeScopeOf(actor.services, actor.user, 'mode')
  await noted(actor, { kind: 'mode', vpath: top }, async (making: Making) => {
    for (const made of [...entries].reverse()) {
      const vpath = `${top}${made.path}` as VPath
      const [before, after] = made.modes ?? [0, 0]
      actor.signal.throwIfAborted()
      try {
        actor.demand()
        if (actor.scope !== scope) trees = treeScopeOf(actor.services, actor.user, 'mode')
        scope = actor.scope
        const why = await changeSince(trees, vpath, made)
        const now = why === null ? (await trees.stat(vpath)).mode & 0o777 : null
        if (now !== after)
          throw new AppError(why ?? 'precondition_failed', `${vpath} has changed since`)
        await requireUnlocked(actor, vpath, 'content')
        await setOne(trees, vpath, before, (set) => making.made({ ...set, path: made.path }))
        onDone(1)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        onKept(vpath, error)
      }
    }
  })
}
