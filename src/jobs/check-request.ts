// What a job is refused with before it begins.
import { AppError } from '../lib/errors.ts'
import { baseName, joinVPath } from '../lib/vpath.ts'
import type { Actor } from '../operations/actor.ts'
import { prepareTransfer } from '../operations/move.ts'
import { prepareRemoval } from '../operations/remove.ts'
import { reserve } from '../operations/write.ts'
import type { JobRequest } from './record.ts'
import { HOW } from './run.ts'

/**
 * Throws what the first item that cannot be done would be refused with, and `no_space` for files that do not fit; gives
 * the names of those whose place is taken. What folders hold is found out by the job.
 */
export async function checkRequest(actor: Actor, request: JobRequest): Promise<string[]> {
  const { kind, items, to, conflict, trash } = request
  const taken: string[] = []
  let sizeBytes = 0
  for (const source of items) {
    actor.signal.throwIfAborted()
    if (to === null) {
      await prepareRemoval(actor, source, { trash })
      continue
    }
    const wanted = joinVPath(to, baseName(source))
    const event = kind === 'copy' ? 'copy' : 'rename'
    try {
      const { found } = await prepareTransfer(actor, event, source, wanted, HOW[conflict])
      if (kind === 'copy' && found.kind === 'file') sizeBytes += found.sizeBytes
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'exists') throw error
      taken.push(baseName(source))
    }
  }
  if (taken.length > 0) return taken
  const [first] = items
  if (to !== null && first !== undefined) {
    const requireSpace = (bytes: number) =>
      actor.scope.requireSpace(joinVPath(to, baseName(first)), bytes)
    await reserve({ requireSpace }, sizeBytes)
  }
  return []
}
