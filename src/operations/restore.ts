// Bringing back what was deleted.
import { join } from 'node:path'
import { treeScopeOf } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import { joinScopes } from '../files/place/joined.ts'
import { copyTree, freeName } from '../files/transfer/copy.ts'
import type { Making } from '../history/history.ts'
import { contentPath } from '../keep/store-index.ts'
import type { KeptPlace, TrashEntry } from '../keep/trash.ts'
import { AppError, errnoOf } from '../lib/errors.ts'
import { baseName, joinVPath, parentOf, ROOT, rebase, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from './actor.ts'
import { change } from './change.ts'
import { requireUnlocked } from './locks.ts'
import { madeOf } from './made.ts'
import { reviveShares } from './shares.ts'
import { contentScope, requireAllBelow, type SeenEntry, scopeOfEntry } from './trash-entries.ts'
import { reserve } from './write.ts'

interface RestoreOptions {
  /** Path in the entry of what is brought back alone; ROOT, which is the default, for all of it. */
  below?: VPath
  /** Folder to put it in; null for where it was. */
  to: VPath | null
  /** What becomes of a place that is taken. */
  conflict: 'fail' | 'rename' | 'replace'
  /** Waited for before it is copied to another disk. */
  begin?: (() => Promise<void>) | undefined
}

/** What is brought back: an entry, or what lies at a path below it. */
interface Wanted {
  /** Where it was. */
  path: VPath
  isPart: boolean
  isDir: boolean
  /** The way from its place in the trash. */
  moveTo(place: KeptPlace): Promise<void>
  copyTo(target: VPath, realPath: string): Promise<void>
}

/**
 * Puts an entry of the trash, or what lies at the path `below` in it, where it was or into another folder, parents made,
 * with the right to create there; to replace also to modify, and what was there goes into the trash. Gives where it is.
 * `exists` where the place is taken; nothing has changed then.
 */
export async function restore(
  actor: Actor,
  seen: SeenEntry,
  { to, conflict, below = ROOT }: RestoreOptions,
): Promise<VPath> {
  const wanted = below === ROOT ? wholeOf(actor, seen) : await partOf(actor, seen, below)
  const { path } = wanted
  const place = to === null ? path : joinVPath(to, baseName(path))
  requireMay(actor, 'see', place)
  const target = conflict === 'rename' ? await freeName(actor.scope, place) : place
  const verbs: Verb[] = conflict === 'replace' ? ['create', 'modify'] : ['create']
  const demand = requireStill(actor, target, verbs)
  const check = async () => {
    if (wanted.isDir) await requireAllBelow(actor, seen, path, target)
    await requireUnlocked(actor, target, 'tree')
    demand()
  }
  await check()
  const what = { event: 'upload', kind: 'restore', vpath: target } as const
  await change(actor, what, async (hasRun, making) => {
    if (hasRun) await check()
    else await requireUnlocked(actor, target, 'tree')
    await bring(actor, wanted, target, { demand, making, replaces: conflict === 'replace' })
    const { isPart } = wanted
    if (target === path) await reviveShares(actor, seen.entry.id, target, { isPart })
    if (making.isWanted) making.made(madeOf(await actor.scope.stat(target)))
  })
  return target
}

async function bring(
  actor: Actor,
  { moveTo, copyTo }: Wanted,
  target: VPath,
  { demand, making, replaces }: { demand: () => void; making: Making; replaces: boolean },
): Promise<void> {
  const { scope, services } = actor
  const { trash, volume, saves } = services
  await scope.makeFolder(parentOf(target))
  using parent = await scope.place(parentOf(target))
  await scope.hostPath(parent, 'create')
  if (!parent.folder) throw new AppError('not_found', `${parentOf(target)} is gone`)
  const folder = await volume.openChild(parent.folder, parent.name)
  const name = baseName(target)
  const place = { folder, name, realPath: join(folder.realDir, name) }
  try {
    await saves.withLock(place.realPath, async (held) => {
      demand()
      const found = await volume.stat(folder, place.name)
      held()
      if (found && !replaces) throw new AppError('exists', `${target} is taken`)
      if (found) {
        const facts = { userID: actor.user.id, operation: null }
        const replaced = await trash.put(place, facts)
        making.kept(replaced.id, replaced.bytes)
      }
      try {
        await moveTo(place)
      } catch (error) {
        if (errnoOf(error) !== 'EXDEV') throw error
        await copyTo(target, place.realPath)
      }
    })
  } finally {
    await folder.close()
  }
}

function wholeOf(actor: Actor, seen: SeenEntry): Wanted {
  const { entry, path } = seen
  const { trash, properties } = actor.services
  return {
    path,
    isPart: false,
    isDir: entry.isDir,
    moveTo: (place) => trash.restoreTo(entry.id, place, { replace: false }),
    copyTo: async (target, realPath) => {
      await copyBack(actor, entry, ROOT, target)
      await properties.moved(contentPath(entry), realPath)
      await trash.erase(entry.id, actor.signal)
    },
  }
}

async function partOf(actor: Actor, seen: SeenEntry, below: VPath): Promise<Wanted> {
  const { entry } = seen
  const { trash, volume, properties } = actor.services
  const path = rebase(seen.path, below)
  const keptAt = join(contentPath(entry), below)
  const content = await scopeOfEntry(actor, seen, { isTaken: true })
  // A link is taken as one, whatever it leads to.
  const isDir = await content.takeAway(path, async ({ folder, name }) => {
    const found = await volume.stat(folder, name)
    if (!found) throw new AppError('not_found', `${path} is not in the trash`)
    return found.isDirectory()
  })
  return {
    path,
    isPart: true,
    isDir,
    moveTo: async (place) => {
      await content.takeAway(path, (from) => volume.rename(from, place, { replace: false }))
      await properties.moved(keptAt, place.realPath)
      await trash.partLeft(entry.id)
    },
    copyTo: async (target, realPath) => {
      await copyBack(actor, entry, below, target)
      await properties.moved(keptAt, realPath)
      await content.remove(path, actor.signal)
      await trash.partLeft(entry.id)
    },
  }
}

/** To another disk: whole, or nothing of it stays there. */
async function copyBack(
  actor: Actor,
  entry: TrashEntry,
  below: VPath,
  target: VPath,
): Promise<void> {
  const { services, user, signal } = actor
  // Names that are hidden from the account come along, as in a move.
  const scope = treeScopeOf(services, user, 'delete')
  const name = `fb-restore-${entry.id}`
  const base = joinVPath(ROOT, name)
  // What lies in it has been judged.
  const content = contentScope(actor, entry, base, () => true)
  const both = joinScopes(scope, new Map([[name, content]]))
  try {
    const source = below === ROOT ? base : rebase(base, below)
    await copyTree(both, source, target, { replace: false, signal, reserve })
  } catch (error) {
    await scope.remove(target, new AbortController().signal).catch(() => {})
    throw error
  }
}
