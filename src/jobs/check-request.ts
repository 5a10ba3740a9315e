// What a job is refused with before it begins.
import { AppError, errnoOf } from '../lib/errors.ts'
import { baseName, joinVPath, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay } from '../operations/actor.ts'
import { prepareArchive } from '../operations/archives/compress.ts'
import { prepareExtract } from '../operations/archives/extract.ts'
import { prepareCheck } from '../operations/archives/sums.ts'
import { prepareFetch } from '../operations/fetch.ts'
import { prepareTransfer } from '../operations/move.ts'
import { prepareRemoval } from '../operations/remove.ts'
import { reserve } from '../operations/write.ts'
import { compressingOf, fetchingOf, HOW } from './kinds.ts'
import type { JobRequest } from './record.ts'

/**
 * Throws what the first item that cannot be done would be refused with, and `no_space` for files that do not fit; gives
 * the names of those whose place is taken. What folders hold is found out by the job.
 */
export async function checkRequest(actor: Actor, request: JobRequest): Promise<string[]> {
  const taken: string[] = []
  const { kind, how } = request
  const isMade = kind === 'compress' || (kind === 'checksum' && !how.check)
  if (isMade) await prepareArchive(actor, compressingOf(request))
  if (kind === 'fetch') await prepareFetch(actor, fetchingOf(request))
  for (const [item, source] of request.items.entries()) {
    actor.signal.throwIfAborted()
    try {
      await checkItem(actor, request, source)
    } catch (error) {
      if (errnoOf(error) !== 'exists') throw error
      taken.push(baseName(request.items[item] ?? source))
    }
  }
  if (taken.length === 0) await checkRoom(actor, request)
  return taken
}

async function checkItem(actor: Actor, request: JobRequest, source: VPath): Promise<void> {
  const { kind, to, conflict, trash } = request
  if (kind === 'delete') await prepareRemoval(actor, source, { trash })
  if (kind === 'copy' || kind === 'move') {
    const event = kind === 'copy' ? 'copy' : 'rename'
    await prepareTransfer(actor, event, source, targetOf(to, source), HOW[conflict])
  }
  if (kind === 'checksum' && request.how.check) await prepareCheck(actor, source)
  if (kind === 'extract') await prepareExtract(actor, source, to)
  if (kind === 'mode') {
    await actor.scope.stat(source)
    requireMay(actor, 'modify', source)
  }
  if (kind === 'restore') {
    const target = targetOf(to, source)
    requireMay(actor, 'create', target)
    if (conflict === 'replace') requireMay(actor, 'modify', target)
    if (conflict === 'fail' && (await actor.scope.exists(target)))
      throw new AppError('exists', `${target} exists`)
  }
}

/** Null where everything goes to where it was. */
function targetOf(to: VPath | null, source: VPath): VPath {
  return to === null ? source : joinVPath(to, baseName(source))
}

async function checkRoom({ scope }: Actor, { kind, items, to }: JobRequest): Promise<void> {
  const [first] = items
  if (kind !== 'copy' || first === undefined) return
  let sizeBytes = 0
  for (const source of items) {
    const found = await scope.stat(source)
    if (found.kind === 'file') sizeBytes += found.sizeBytes
  }
  const requireSpace = (bytes: number) => scope.requireSpace(targetOf(to, first), bytes)
  await reserve({ requireSpace }, sizeBytes)
}
