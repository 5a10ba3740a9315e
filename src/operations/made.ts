// What a change has left somewhere, for the history, and whether it still is that.

import type { ErrorCode } from '../api-types.ts'
import type { Scope } from '../files/place/scope.ts'
import type { EntryStat } from '../files/volume/entry-stat.ts'
import type { CommittedFile } from '../files/volume/temp-file.ts'
import type { Made } from '../history/record.ts'
import { type AppError, unless } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Actor } from './actor.ts'

/** An entry as the history keeps it; `path` is below the target of the change. */
export function madeOf(found: EntryStat | CommittedFile, path = ''): Made {
  const isFolder = 'kind' in found && found.kind === 'dir'
  return {
    path,
    ino: String(found.ino),
    sizeBytes: isFolder ? null : found.sizeBytes,
    mtimeNs: String(found.mtimeNs),
    ...('hasReplaced' in found && found.hasReplaced && { replaced: found.version }),
  }
}

/** What is told while something is undone. */
export interface Telling {
  actor: Actor
  onDone(entries: number): void
  onKept(vpath: VPath, error: AppError): void
}

/** Null while an entry is as it was made, else why it is not. A folder is, whatever it holds by now. */
export async function changeSince(
  scope: Scope,
  vpath: VPath,
  made: Made,
): Promise<ErrorCode | null> {
  const found = await scope.stat(vpath).catch(unless('not_found'))
  if (!found) return 'not_found'
  const now = madeOf(found)
  const isSame =
    now.ino === made.ino &&
    now.sizeBytes === made.sizeBytes &&
    (made.sizeBytes === null || now.mtimeNs === made.mtimeNs)
  return isSame ? null : 'precondition_failed'
}
