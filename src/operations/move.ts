// Copying and moving entries within an account's tree.
import { isSpokenOf, treeScopeOf } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import type { Scope } from '../files/place/scope.ts'
import { checkSourceAndTarget, copyTree, freeName, isSameEntry } from '../files/transfer/copy.ts'
import type { Course, OnMade, Taken } from '../files/transfer/course.ts'
import { moveTree } from '../files/transfer/move.ts'
import type { EntryStat } from '../files/volume/entry-stat.ts'
import type { Making } from '../history/history.ts'
import type { Made } from '../history/record.ts'
import { AppError, badRequest, unless } from '../lib/errors.ts'
import { parentOf, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from './actor.ts'
import {
  checkDescendants,
  type EarlierCommands,
  noted,
  notedParents,
  change as runChange,
  type TreeChange,
} from './change.ts'
import { requireUnlocked } from './locks.ts'
import { madeOf } from './made.ts'
import { moveWithShares } from './shares.ts'
import { reserve } from './write.ts'

/** What becomes of a place that is taken. */
export interface WhenTaken {
  /** A target that is there is replaced, a folder merged into; else it is `exists`. */
  replace: boolean
  /** A free name beside the target is taken instead. */
  rename: boolean
  /** See Taken. Folders are merged. */
  leaves?: Taken['leaves']
}

/** A transfer that may be broken off and gone on with. */
export interface LongTransfer {
  course: Course
  commands: EarlierCommands
  /** Where an earlier run has begun to put it; null in the first. */
  target: VPath | null
  /** What earlier runs have made there, paths below the target. */
  madeBefore: readonly Made[]
  /** Told where it goes before anything does, in the first run. */
  onBegin(target: VPath): Promise<void>
  /** Told of each entry that has come, and of the time that its source had. */
  onMade(made: Made, sourceMtimeNs: bigint | null): void
}

/**
 * Copies an entry (see copyTree) or moves it (see moveTree, moveWithShares), with the rights of changeOf. Gives where it is then. Another action is `bad_request`.
 */
export async function transfer(
  actor: Actor,
  event: string,
  source: VPath,
  wanted: VPath,
  how: WhenTaken,
  long?: LongTransfer,
): Promise<VPath> {
  if (long?.target && event === 'rename' && (await hasMoved(actor, source, long)))
    return long.target
  const prepared = await prepareTransfer(actor, event, source, wanted, how, long?.target)
  const { action, target, change, demand } = prepared
  const { services, signal } = actor
  const { replace, leaves } = how
  const checkAgain = await checkDescendants(actor, change, demand)
  // Nothing moves: the shares of others stay, and no command runs.
  if (action === 'rename' && source === target) return target
  const what = { ...KINDS[action], vpath: source, destination: target }
  if (!long?.target) await long?.onBegin(target)
  const work = async (hasRun: boolean, making: Making) => {
    for (const made of long?.madeBefore ?? []) making.made(made)
    if (action === 'copy') await long?.course.begin()
    await checkAgain(hasRun)
    await requireBothUnlocked(actor, action, source, target)
    const trees = treeScopeOf(services, actor.user, change.what)
    const onMade = noting(target, making, long)
    const options = { replace, leaves, signal, reserve, onMade, course: long?.course }
    if (action === 'copy') {
      await copyTree(trees, source, target, options).catch(asForbidden)
      return copyProperties(actor, source, target, true)
    }
    await moveWithShares(actor, source, target, () =>
      moveTree(besideSaves(actor, trees, onMade), source, target, options).catch(asForbidden),
    )
  }
  const earlier = long?.commands
  await notedParents(actor, target, () => runChange(actor, what, work, { earlier }))
  return target
}

/** Gives a copy what clients have noted of its source; with `isDeep` of all in it as well. */
export async function copyProperties(
  { services, scope }: Actor,
  source: VPath,
  target: VPath,
  isDeep: boolean,
): Promise<void> {
  const { properties } = services
  if ((await properties.all()).size === 0) return
  await properties.copied(await scope.hostPath(source), await scope.hostPath(target), isDeep)
}

/**
 * Throws what a transfer is refused with before anything is touched. Gives where it goes, and what is asked again right
 * before the work. `chosen`: where an earlier run has begun to put it.
 */
export async function prepareTransfer(
  actor: Actor,
  action: string,
  source: VPath,
  wanted: VPath,
  how: WhenTaken,
  chosen: VPath | null = null,
) {
  // The way to what is seen may be named, and is refused when it is to be touched.
  for (const vpath of [source, wanted]) requireMay(actor, 'see', vpath)
  checkSourceAndTarget(source, wanted)
  if (action !== 'copy' && action !== 'rename')
    throw badRequest(`unsupported action ${action}: invalid request params`)
  const { scope } = actor
  const { replace } = how
  if (action === 'rename' && (scope.isTop(source) || (replace && scope.isTop(wanted))))
    throw new AppError('forbidden', 'the top of a tree stays where it is')
  const target = chosen ?? (await chooseTarget(scope, action, source, wanted, how))
  const change: TreeChange = await changeOf(actor, action, source, target, replace)
  const demands = [
    requireStill(actor, target, change.target?.verbs ?? []),
    requireStill(actor, source, change.verbs),
  ]
  // Renaming does not include creating missing parent folders.
  if (!scope.may(target, 'create') && !(await scope.exists(parentOf(target))))
    requireMay(actor, 'create', target)
  const found = await scope.stat(source)
  await requireBothUnlocked(actor, action, source, target)
  const demand = () => {
    for (const ask of demands) ask()
  }
  return { action, target, change, demand, found } as const
}

// What is copied is read alone.
async function requireBothUnlocked(
  actor: Actor,
  action: 'copy' | 'rename',
  source: VPath,
  target: VPath,
): Promise<void> {
  if (action === 'rename') await requireUnlocked(actor, source, 'tree')
  await requireUnlocked(actor, target, 'tree')
}

/** True for a move that an earlier run has ended, but for saying so; what it made is noted. */
async function hasMoved(actor: Actor, source: VPath, long: LongTransfer): Promise<boolean> {
  const { target } = long
  if (target === null || (await actor.scope.exists(source))) return false
  if (!(await actor.scope.exists(target))) return false
  await noted(actor, { kind: 'move', vpath: source, destination: target }, async (making) => {
    for (const made of long.madeBefore) making.made(made)
  })
  return true
}

function noting(target: VPath, making: Making, long?: LongTransfer): OnMade | undefined {
  if (!making.isWanted && !long) return undefined
  return (vpath, found, sourceMtimeNs) => {
    const made = madeOf(found, vpath.slice(target.length))
    making.made(made)
    long?.onMade(made, sourceMtimeNs)
  }
}

const KINDS = {
  copy: { event: 'copy', kind: 'copy' },
  rename: { event: 'rename', kind: 'move' },
} as const

/**
 * What is needed: within one record of folders the right to rename, else that to take away what is there and to put
 * it where it goes, so that nothing comes to where one may do more with it. To replace is to modify.
 */
async function changeOf(
  { services, user, scope }: Actor,
  event: 'copy' | 'rename',
  source: VPath,
  target: VPath,
  replace: boolean,
): Promise<TreeChange> {
  const to = (verb: Verb) => ({
    vpath: target,
    verbs: replace ? ['modify' as const, verb] : [verb],
  })
  if (event === 'copy') {
    const verbs = isSpokenOf(services, user) ? (['download'] as const) : []
    return { what: 'copy', source, verbs, target: to('create') }
  }
  if (await scope.isOneRecord(source, target))
    return { what: 'move within', source, verbs: ['rename'], target: to('rename') }
  return { what: 'move', source, verbs: ['download', 'delete'], target: to('create') }
}

// Clients take the answer for a missing right to download, 202, for success.
function asForbidden(error: unknown): never {
  if (error instanceof AppError && error.code === 'download_forbidden')
    throw new AppError('forbidden', error.message, { cause: error })
  throw error
}

// A save that has found its file unchanged must not replace one that was moved there since. Each
// rename waits for saves to both its paths, in one order for all.
function besideSaves({ services }: Actor, scope: Scope, onMade?: OnMade): Scope {
  return {
    ...scope,
    rename: async (source, target, how) => {
      const realTarget = await scope.entryPath(target)
      const paths = [await scope.entryPath(source), realTarget].sort()
      const work = async (held: () => void) => {
        const before = onMade && how.replace ? await statIfThere(scope, target) : null
        const startedMs = Date.now()
        held()
        await scope.rename(source, target, how)
        if (!onMade) return
        // What has moved has moved: a link may lead nowhere from there.
        const found = await scope.stat(target).catch(() => null)
        if (!found) return
        // Another spelling of its name is the same file; an empty folder is nothing that is lost.
        const hasReplaced = before !== null && before.kind !== 'dir' && before.ino !== found.ino
        const [latest] = hasReplaced ? await services.versions.list(realTarget) : []
        const version = latest && latest.replacedAt >= startedMs ? latest.id : null
        onMade(target, { ...found, hasReplaced, version }, null)
      }
      const locked = [...new Set(paths)].reduceRight<typeof work>(
        (inner, path) => (outer) =>
          services.saves.withLock(path, (own) =>
            inner(() => {
              outer()
              own()
            }),
          ),
        work,
      )
      return locked(() => {})
    },
  }
}

function statIfThere(scope: Scope, vpath: VPath): Promise<EntryStat | null> {
  return scope.stat(vpath).catch(unless('not_found'))
}

async function chooseTarget(
  scope: Scope,
  event: 'copy' | 'rename',
  source: VPath,
  wanted: VPath,
  { replace, rename, leaves }: WhenTaken,
): Promise<VPath> {
  if (event === 'rename' && (await isSameEntry(scope, source, wanted))) return wanted
  if (rename) return freeName(scope, wanted)
  if (!replace && !leaves && (await scope.exists(wanted)))
    throw new AppError('exists', `${wanted} exists`)
  return wanted
}
