// Copies and moves that take the place of what is there: folders are not merged.
import { join } from 'node:path'
import { treeScopeOf } from '../access/user-tree.ts'
import { isSameEntry } from '../files/transfer/copy.ts'
import { createId } from '../history/record.ts'
import { AppError, unless } from '../lib/errors.ts'
import { baseName, isWithin, parentOf, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay } from './actor.ts'
import { checkDescendants, noted } from './change.ts'
import { madeOf } from './made.ts'
import { copyProperties, prepareTransfer, transfer } from './move.ts'
import { remove } from './remove.ts'
import { reviveShares } from './shares.ts'
import { makeFolder } from './write.ts'

interface Putting {
  action: 'copy' | 'rename'
  /** What is there goes, with the right to delete it where a folder is concerned; else it is `precondition_failed`. */
  overwrite: boolean
  /** Of a folder itself alone, without what it holds. */
  isShallow?: boolean
}

/**
 * Copies or moves an entry to exactly this place. A folder there, or a file in the way of a folder, is set aside in the trash
 * first and comes back when the transfer fails. True when something was there. `conflict` without the folder that
 * it goes to.
 */
export async function putAt(
  actor: Actor,
  source: VPath,
  target: VPath,
  { action, overwrite, isShallow = false }: Putting,
): Promise<boolean> {
  for (const vpath of [source, target]) requireMay(actor, 'see', vpath)
  if (source === target || isWithin(target, source) || isWithin(source, target))
    throw new AppError('forbidden', 'one of both lies in the other')
  const { scope } = actor
  const found = await scope.stat(source)
  const parent = await scope.stat(parentOf(target)).catch(unless('not_found', 'not_a_folder'))
  if (parent?.kind !== 'dir')
    throw new AppError('conflict', `there is no folder ${parentOf(target)}`)
  const put = async (actor: Actor, replace: boolean) => {
    if (isShallow && found.kind === 'dir') {
      await treeScopeOf(actor.services, actor.user, 'copy').hostPath(source, 'download')
      await makeFolder(actor, target, { isNew: true })
      await copyProperties(actor, source, target, false)
    } else await transfer(actor, action, source, target, { replace, rename: false })
  }
  const there = await scope.stat(target).catch(unless('not_found'))
  if (!there || (action === 'rename' && (await isSameEntry(scope, source, target)))) {
    await put(actor, false)
    return false
  }
  if (!overwrite) throw new AppError('precondition_failed', `${target} exists`)
  if (found.kind === 'file' && there.kind === 'file') {
    await put(actor, true)
    return true
  }
  // One record of both steps, so that one Undo takes back both.
  const operation = actor.origin.operation ?? `replace-${createId(Date.now())}`
  const asOne: Actor = Object.create(actor, { origin: { value: { ...actor.origin, operation } } })
  const how = { replace: false, rename: false }
  const { change, demand } = await prepareTransfer(actor, action, source, target, how, target)
  await checkDescendants(actor, change, demand)
  await inPlaceOf(asOne, target, action, () => put(asOne, false))
  return true
}

async function inPlaceOf(
  actor: Actor,
  target: VPath,
  action: Putting['action'],
  put: () => Promise<void>,
): Promise<void> {
  const { services } = actor
  let entry: string | null = null
  try {
    entry = await remove(actor, target, { trash: true, isAside: true })
    await put()
  } catch (error) {
    if (entry !== null) await bringBack(actor, entry, target, action)
    throw error
  }
  if (entry === null || services.config.trash === 'all') return
  await services.trash
    .erase(entry, new AbortController().signal)
    .catch((error: Error) =>
      services.log.warn(`what was replaced stays in the trash: ${error.message}`),
    )
}

/** What a failed copy has left goes first. A failed move may have taken its source away: all that is there stays. */
async function bringBack(
  actor: Actor,
  entry: string,
  target: VPath,
  action: Putting['action'],
): Promise<void> {
  const { services, scope } = actor
  const { trash, volume, log } = services
  try {
    if (await scope.exists(target)) {
      if (action === 'rename') throw new AppError('exists', `${target} has come in part`)
      await scope.remove(target, new AbortController().signal)
    }
    using parent = await scope.place(parentOf(target))
    if (!parent.folder) throw new AppError('not_found', `${parentOf(target)} is gone`)
    const folder = await volume.openChild(parent.folder, parent.name)
    const name = baseName(target)
    await noted(actor, { kind: 'restore', vpath: target }, async (making) => {
      const place = { folder, name, realPath: join(folder.realDir, name) }
      await trash.restoreTo(entry, place, { replace: false })
      making.made(madeOf(await scope.stat(target)))
    }).finally(() => folder.close())
    await reviveShares(actor, entry, target)
  } catch (error) {
    log.warn(`what was to be replaced stays in the trash: ${(error as Error).message}`)
  }
}
