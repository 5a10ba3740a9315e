// One's own unfinished uploads: to see what still takes room, and to remove it, which who may only
// create cannot do otherwise (ours).
import { Hono } from 'hono'
import type { UnfinishedUpload } from '../api-types.ts'
import { formatTime } from '../files/listing/time-format.ts'
import { unfinishedOf } from '../files/transfer/unfinished.ts'
import type { Deps, Env } from '../http/env.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { AppError } from '../lib/errors.ts'
import { vpathOf } from '../lib/vpath.ts'

const UPLOADS = '/api/uploads'

export function uploadRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get(UPLOADS, requireUser(deps), async (c) => {
    const { scope, user } = c.var
    const found = await unfinishedOf(deps.disks, deps.temps, user.id)
    const uploads: UnfinishedUpload[] = found
      .filter(({ vpath }) => scope.allow(vpathOf(vpath)))
      .map(({ vpath, lengthBytes, offsetBytes, mtimeMs }) => ({
        path: vpath,
        length: lengthBytes,
        offset: offsetBytes,
        modified: formatTime(BigInt(Math.floor(mtimeMs)) * 1_000_000n),
      }))
    return sendJson(uploads)
  })
  app.delete(UPLOADS, requireUser(deps), async (c) => {
    const { scope, user } = c.var
    const { vpath } = c.env.target
    const destination = { scope, vpath, owner: user.id, mayReplace: user.perm.modify }
    if (!(await deps.resumables.discard(destination)))
      throw new AppError('not_found', `no upload to ${vpath}`)
    return sendStatus(204)
  })
  return app
}
