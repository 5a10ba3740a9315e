// Copying and moving entries within an account's tree.
import { isSpokenOf, treeScopeOf } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import type { Scope } from '../files/place/scope.ts'
import {
  checkSourceAndTarget,
  copyTree,
  freeName,
  isSameEntry,
  moveTree,
} from '../files/transfer/copy.ts'
import type { OnMade } from '../files/transfer/copy-file.ts'
import type { EntryStat } from '../files/volume/entry-stat.ts'
import type { Making } from '../history/history.ts'
import { AppError, badRequest, unless } from '../lib/errors.ts'
import { parentOf, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from './actor.ts'
import { checkDescendants, notedParents, change as runChange, type TreeChange } from './change.ts'
import { madeOf } from './made.ts'
import { moveWithShares } from './shares.ts'
import { reserve } from './write.ts'

interface WhenTaken {
  /** A target that is there is replaced, a folder merged into; else it is `exists`. */
  replace: boolean
  /** A free name beside the target is taken instead. */
  rename: boolean
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
): Promise<VPath> {
  // The way to what is seen may be named, and is refused when it is to be touched.
  for (const vpath of [source, wanted]) requireMay(actor, 'see', vpath)
  checkSourceAndTarget(source, wanted)
  if (event !== 'copy' && event !== 'rename')
    throw badRequest(`unsupported action ${event}: invalid request params`)
  const { scope, services, signal } = actor
  if (event === 'rename' && (scope.isTop(source) || (how.replace && scope.isTop(wanted))))
    throw new AppError('forbidden', 'the top of a tree stays where it is')
  const target = await chooseTarget(scope, event, source, wanted, how)
  const { replace } = how
  const change: TreeChange = await changeOf(actor, event, source, target, replace)
  const demands = [
    requireStill(actor, target, change.target?.verbs ?? []),
    requireStill(actor, source, change.verbs),
  ]
  // Renaming does not include creating missing parent folders.
  if (!scope.may(target, 'create') && !(await scope.exists(parentOf(target))))
    requireMay(actor, 'create', target)
  await scope.stat(source)
  const checkAgain = await checkDescendants(actor, change, () => {
    for (const demand of demands) demand()
  })
  // Nothing moves: the shares of others stay, and no command runs.
  if (event === 'rename' && source === target) return target
  const what = { ...KINDS[event], vpath: source, destination: target }
  const work = async (hasRun: boolean, making: Making) => {
    await checkAgain(hasRun)
    const trees = treeScopeOf(services, actor.user, change.what)
    const onMade: OnMade | undefined = making.isWanted
      ? (vpath, found) => making.made(madeOf(found, vpath.slice(target.length)))
      : undefined
    const options = { replace, signal, reserve, onMade }
    if (event === 'copy') return copyTree(trees, source, target, options).catch(asForbidden)
    await moveWithShares(actor, source, target, () =>
      moveTree(besideSaves(actor, trees, onMade), source, target, options).catch(asForbidden),
    )
  }
  await notedParents(actor, target, () => runChange(actor, what, work))
  return target
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
      const work = async () => {
        const before = onMade && how.replace ? await statIfThere(scope, target) : null
        const startedMs = Date.now()
        await scope.rename(source, target, how)
        if (!onMade) return
        // What has moved has moved: a link may lead nowhere from there.
        const found = await scope.stat(target).catch(() => null)
        if (!found) return
        // Another spelling of its name is the same file; an empty folder is nothing that is lost.
        const hasReplaced = before !== null && before.kind !== 'dir' && before.ino !== found.ino
        const [latest] = hasReplaced ? await services.versions.list(realTarget) : []
        const version = latest && latest.replacedAt >= startedMs ? latest.id : null
        onMade(target, { ...found, hasReplaced, version })
      }
      const locked = [...new Set(paths)].reduceRight(
        (inner, path) => () => services.saves.withLock(path, inner),
        work,
      )
      return locked()
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
  { replace, rename }: WhenTaken,
): Promise<VPath> {
  if (event === 'rename' && (await isSameEntry(scope, source, wanted))) return wanted
  if (rename) return freeName(scope, wanted)
  if (!replace && (await scope.exists(wanted))) throw new AppError('exists', `${wanted} exists`)
  return wanted
}
