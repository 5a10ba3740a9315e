// What clients of WebDAV set of a file or folder: its time, whether it is a program, and notes of theirs.
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { type Actor, requireStill } from './actor.ts'
import { requireUnlocked } from './locks.ts'
import { setMode } from './mode.ts'

export interface PropertyChanges {
  mtimeMs?: number | undefined
  isExecutable?: boolean | undefined
  /** By `{namespace}name`: the element as XML, or null to remove it. */
  notes: ReadonlyMap<string, string | null>
}

const EXECUTE = 0o111

/** Changes all of it, with the right to modify, or nothing: notes have their limits, and go first. No command runs. */
export async function changeProperties(
  actor: Actor,
  vpath: VPath,
  { mtimeMs, isExecutable, notes }: PropertyChanges,
): Promise<void> {
  const demand = requireStill(actor, vpath, ['modify'])
  const { scope, services } = actor
  const { mode, kind } = await scope.stat(vpath)
  if (isExecutable !== undefined && kind !== 'file')
    throw new AppError('forbidden', `${vpath} is no file`)
  const realPath = await scope.hostPath(vpath, 'modify')
  await requireUnlocked(actor, vpath, 'content')
  demand()
  if (notes.size > 0) await services.properties.change(realPath, notes)
  if (isExecutable !== undefined) {
    const bits = isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~EXECUTE
    await setMode(actor, vpath, bits & 0o777, { recursive: false })
  }
  if (mtimeMs !== undefined)
    await scope.setTime(vpath, BigInt(Math.round(mtimeMs)) * 1_000_000n, 'modify')
}
