// Putting complete uploads in place: when the last byte has come, and after a start what was complete
// when the server ended.

import { finishWrites } from '../files/transfer/in-place.ts'
import type { Destination, Upload } from '../files/transfer/resumable.ts'
import { declaredBytes } from '../files/transfer/temp-name.ts'
import type { Deps } from '../http/env.ts'
import { scopeOf } from '../http/guard.ts'
import { AppError } from '../lib/errors.ts'
import { toVPath } from '../lib/vpath.ts'
import type { User } from '../store/document.ts'
import { findUser } from '../store/users.ts'
import { noteSaved } from './shared-places.ts'

/**
 * Moves a complete upload into place. Both hooks run now, when the file is whole, and cannot undo what
 * the client has sent; their failures are logged and change nothing. A file
 * that cannot be moved into place is the client's to know. `judge` is asked right before the move; when
 * it throws nothing is moved.
 */
export async function finishUpload(
  deps: Deps,
  user: User,
  destination: Destination,
  upload: Upload,
  judge: () => void = () => {},
): Promise<void> {
  const { scope, vpath } = destination
  await deps.resumables.complete(destination, upload, async (commit, again) => {
    let committing: Promise<void> | undefined
    const work = () => {
      if (committing) return committing
      judge()
      committing = commit().then(() => noteSaved(deps, scope, vpath, destination.located ?? ''))
      return committing
    }
    try {
      await deps.hooks.around({ event: 'upload', user, scope, vpath }, async () => work(), {
        again,
      })
    } catch (error) {
      await work()
      deps.log.warn(`upload hook: ${(error as Error).message}`)
    }
  })
}

/**
 * To be called once at the start: finishes saves that were interrupted, then uploads all of whose bytes
 * had come. What may not be finished any more, or cannot be, is kept for as long as an unfinished one.
 */
export async function finishLeftovers(deps: Deps): Promise<void> {
  await finishWrites(deps.temps, deps.log)
  for (const [path, { upload }] of [...deps.temps.noted()]) {
    if (!upload || declaredBytes(path.slice(path.lastIndexOf('/') + 1)) === null) continue
    try {
      if (await finishLeft(deps, upload.owner, upload.vpath))
        deps.log.info(`${path}: an upload that was complete is in place`)
    } catch (error) {
      deps.log.warn(`${path}: a complete upload stays unfinished: ${(error as Error).message}`)
    }
  }
}

async function finishLeft(deps: Deps, owner: number, path: string): Promise<boolean> {
  const user = findUser(deps.store.read(), owner)
  const vpath = toVPath(path)
  if (!user || vpath === null) return false
  const scope = scopeOf(deps, user)
  const destination = { scope, vpath, owner, mayReplace: user.perm.modify }
  const found = await deps.resumables.find(destination)
  if (!found?.isOwn || found.offsetBytes !== found.upload.lengthBytes) return false
  if (!user.perm.create) throw new AppError('forbidden', 'its account may not create any more')
  await finishUpload(deps, user, destination, found.upload)
  return true
}
