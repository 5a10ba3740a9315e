// Copying and moving entries within an account's tree.
import { treeScopeOf } from '../access/user-tree.ts'
import type { Scope } from '../files/place/scope.ts'
import {
  checkSourceAndTarget,
  copyTree,
  freeName,
  isSameEntry,
  moveTree,
} from '../files/transfer/copy.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { parentOf, type VPath } from '../lib/vpath.ts'
import { type Actor, requireAllowed, requireMay, requireStill } from './actor.ts'
import { change, checkDescendants } from './change.ts'
import { moveWithShares } from './shares.ts'
import { reserve } from './write.ts'

interface WhenTaken {
  /** A target that is there is replaced, a folder merged into; else it is `exists`. */
  replace: boolean
  /** A free name beside the target is taken instead. */
  rename: boolean
}

/**
 * Copies an entry, with the right to create (see copyTree), or moves it, with the right to rename (see
 * moveTree, moveWithShares). Gives where it is then. Another action is `bad_request`.
 */
export async function transfer(
  actor: Actor,
  event: string,
  source: VPath,
  wanted: VPath,
  how: WhenTaken,
): Promise<VPath> {
  requireAllowed(actor, source)
  requireAllowed(actor, wanted)
  checkSourceAndTarget(source, wanted)
  if (event !== 'copy' && event !== 'rename')
    throw badRequest(`unsupported action ${event}: invalid request params`)
  const { scope, services, signal } = actor
  const target = await chooseTarget(scope, event, source, wanted, how)
  const { replace } = how
  const demands = [
    ...(replace ? [requireStill(actor, target, ['modify'])] : []),
    event === 'copy'
      ? requireStill(actor, target, ['create'])
      : requireStill(actor, source, ['rename']),
  ]
  // Renaming does not include creating missing parent folders.
  if (!actor.user.perm.create && !(await scope.exists(parentOf(target))))
    requireMay(actor, 'create', target)
  await scope.stat(source)
  const checkAgain = await checkDescendants(actor, source, target, () => {
    for (const demand of demands) demand()
  })
  // Nothing moves: the shares of others stay, and no command runs.
  if (event === 'rename' && source === target) return target
  await change(actor, { event, vpath: source, destination: target }, async (hasRun) => {
    await checkAgain(hasRun)
    const trees = treeScopeOf(services, actor.user)
    const options = { replace, signal, reserve }
    if (event === 'copy') return copyTree(trees, source, target, options)
    await moveWithShares(actor, source, target, () =>
      moveTree(besideSaves(actor, trees), source, target, options),
    )
  })
  return target
}

// A save that has found its file unchanged must not replace one that was moved there since. Each
// rename waits for saves to both its paths, in one order for all.
function besideSaves({ services }: Actor, scope: Scope): Scope {
  return {
    ...scope,
    rename: async (source, target, how) => {
      const paths = [await scope.entryPath(source), await scope.entryPath(target)].sort()
      const work = () => scope.rename(source, target, how)
      const locked = [...new Set(paths)].reduceRight(
        (inner, path) => () => services.saves.withLock(path, inner),
        work,
      )
      return locked()
    },
  }
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
