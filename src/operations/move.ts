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
import { AppError } from '../lib/errors.ts'
import { parentOf, type VPath } from '../lib/vpath.ts'
import { type Actor, requireAllowed, requireMay, requireStill } from './actor.ts'
import { change, checkDescendants } from './change.ts'
import { moveWithShares } from './shares.ts'

interface WhenTaken {
  /** A target that is there is replaced, a folder merged into; else it is `exists`. */
  replace: boolean
  /** A free name beside the target is taken instead. */
  rename: boolean
}

/** Copies an entry, with the right to create; see copyTree. Gives where the copy is. */
export function copy(actor: Actor, source: VPath, wanted: VPath, how: WhenTaken): Promise<VPath> {
  return transfer(actor, 'copy', source, wanted, how)
}

/** Moves an entry, with the right to rename; see moveTree, moveWithShares. Gives where it is then. */
export function move(actor: Actor, source: VPath, wanted: VPath, how: WhenTaken): Promise<VPath> {
  return transfer(actor, 'rename', source, wanted, how)
}

async function transfer(
  actor: Actor,
  event: 'copy' | 'rename',
  source: VPath,
  wanted: VPath,
  how: WhenTaken,
): Promise<VPath> {
  checkPlaces(actor, source, wanted)
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
    if (event === 'copy') return copyTree(trees, source, target, { replace, signal })
    await moveWithShares(actor, source, target, () =>
      moveTree(besideSaves(actor, trees), source, target, { replace, signal }),
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

/** Throws what is wrong with the paths alone: `forbidden`, `bad_request`. */
export function checkPlaces(actor: Actor, source: VPath, target: VPath): void {
  requireAllowed(actor, source)
  requireAllowed(actor, target)
  checkSourceAndTarget(source, target)
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
