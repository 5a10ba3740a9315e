// Undoing what has come: new entries go into the trash, and what was replaced comes back from its versions.
import { treeScopeOf } from '../access/user-tree.ts'
import type { Scope } from '../files/place/scope.ts'
import type { Made } from '../history/record.ts'
import { AppError } from '../lib/errors.ts'
import { parentOf, type VPath } from '../lib/vpath.ts'
import { changeSince, type Telling } from './made.ts'
import { remove } from './remove.ts'
import { restoreVersion } from './versions.ts'

/** What stands at a path, and what stood there before all that is undone. */
export interface Come {
  made: Made
  /** See Made.replaced; undefined where nothing was. */
  replaced: string | null | undefined
  /** When a folder came back of which nobody knows what was in it: what is older is as it was. Null for all else. */
  restoredMs: number | null
}

interface Taking extends Telling {
  trees: Scope
  come: ReadonlyMap<VPath, Come>
}

/** Adds what a step before those that are in there has made. */
export function addCome(
  come: Map<VPath, Come>,
  vpath: VPath,
  { made, restoredMs }: Pick<Come, 'made' | 'restoredMs'>,
): void {
  const { replaced } = made
  come.set(vpath, { made: come.get(vpath)?.made ?? made, replaced, restoredMs })
}

/**
 * Undoes that entries have come: a folder goes as a whole where nothing else is in it by now, else one by one what is
 * as it was made.
 */
export async function takeAway(telling: Telling, come: ReadonlyMap<VPath, Come>): Promise<void> {
  const { actor } = telling
  const trees = treeScopeOf(actor.services, actor.user, 'delete')
  const taking: Taking = { ...telling, trees, come }
  for (const [vpath, { replaced }] of come) {
    actor.signal.throwIfAborted()
    if (replaced !== undefined) await bringBack(telling, vpath, come.get(vpath) as Come)
    else if (!come.has(parentOf(vpath))) await takeWhole(taking, [await visit(taking, vpath)])
  }
}

/** How many of the entries lie at a path and below it; null where it must not go as a whole. */
interface Visited {
  vpath: VPath
  entries: number | null
}

async function visit(taking: Taking, vpath: VPath): Promise<Visited> {
  const { actor, trees, come } = taking
  actor.signal.throwIfAborted()
  const kept = (error: unknown) => keep(taking, vpath, error)
  try {
    const { made, restoredMs = null } = come.get(vpath) ?? {}
    const why = made ? await changeSince(trees, vpath, made) : 'precondition_failed'
    if (why) throw new AppError(why, `${vpath} is not as it was made`)
    if (made?.sizeBytes !== null) return { vpath, entries: 1 }
    if (restoredMs !== null)
      return await visitRestored(taking, vpath, {
        mtimeNs: (await trees.stat(vpath)).mtimeNs,
        // The system's time has more digits.
        restoredNs: BigInt(restoredMs + 1) * 1_000_000n,
      })
  } catch (error) {
    return kept(error)
  }
  const below: Visited[] = []
  const children = await trees.listAll(vpath, { temps: true }).catch(kept)
  if (!Array.isArray(children)) return children
  for (const child of children)
    below.push(
      child.rawName
        ? kept(new AppError('invalid_name', `the name of ${child.vpath} is not UTF-8`))
        : await visit(taking, child.vpath),
    )
  if (below.every(({ entries }) => entries !== null))
    return { vpath, entries: below.reduce((sum, { entries }) => sum + (entries ?? 0), 1) }
  await takeWhole(taking, below)
  return { vpath, entries: null }
}

/** A folder in which something has come or gone since it was restored stays, and so does a file that was written. */
async function visitRestored(
  taking: Taking,
  vpath: VPath,
  { mtimeNs, restoredNs }: { mtimeNs: bigint; restoredNs: bigint },
): Promise<Visited> {
  const { actor, trees } = taking
  const keepChanged = (vpath: VPath) =>
    keep(taking, vpath, new AppError('precondition_failed', `${vpath} has changed since`))
  if (mtimeNs > restoredNs) return keepChanged(vpath)
  const below: Visited[] = []
  for await (const slice of trees.listInSlices(vpath, actor.signal))
    for (const { vpath, kind, stat } of slice)
      if (kind === 'dir')
        below.push(await visitRestored(taking, vpath, { mtimeNs: stat.mtimeNs, restoredNs }))
      else below.push(stat.ownMtimeNs > restoredNs ? keepChanged(vpath) : { vpath, entries: 1 })
  if (below.every(({ entries }) => entries !== null)) return { vpath, entries: 1 }
  await takeWhole(taking, below)
  return { vpath, entries: null }
}

function keep({ onKept }: Taking, vpath: VPath, error: unknown): Visited {
  onKept(vpath, asAppError(error))
  return { vpath, entries: null }
}

// What has replaced it becomes a version.
async function bringBack(
  { actor, onDone, onKept }: Telling,
  vpath: VPath,
  { made, replaced }: Come,
): Promise<void> {
  try {
    const why = replaced ? await changeSince(actor.scope, vpath, made) : 'not_found'
    if (why) throw new AppError(why, `${vpath} is not as it was made, or has no version`)
    await restoreVersion(actor, vpath, replaced as string)
    onDone(1)
  } catch (error) {
    onKept(vpath, asAppError(error))
  }
}

async function takeWhole(taking: Taking, visited: readonly Visited[]): Promise<void> {
  for (const { vpath, entries } of visited) {
    if (entries === null) continue
    try {
      await remove(taking.actor, vpath, { trash: true })
      taking.onDone(entries)
    } catch (error) {
      taking.onKept(vpath, asAppError(error))
    }
  }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
