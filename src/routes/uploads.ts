// Lists and removes the caller's unfinished uploads.
import { Hono } from 'hono'
import type { UnfinishedUpload } from '../api-types.ts'
import { formatTime } from '../files/listing/time-format.ts'
import { audited } from '../http/audit.ts'
import { actorOf, type Env, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { vpathOf } from '../lib/vpath.ts'
import { unfinishedOf } from '../operations/uploads/unfinished.ts'
import { discardUpload } from '../operations/uploads/uploads.ts'

const UPLOADS = '/api/uploads'

export function uploadRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get(UPLOADS, requireUser(deps), async (c) => {
    const { user } = signedIn(c)
    const scope = c.get('scope')
    const found = await unfinishedOf(
      deps.volume,
      { registry: deps.temps, shared: deps.resumables.shared },
      user.id,
    )
    const uploads: UnfinishedUpload[] = found
      .filter(({ vpath }) => scope.may(vpathOf(vpath), 'see'))
      .map(({ vpath, declared, offsetBytes, receivedMs }) => ({
        path: vpath,
        length: declared.lengthBytes,
        offset: offsetBytes,
        modified: formatTime(BigInt(Math.floor(receivedMs)) * 1_000_000n),
        override: declared.replace,
        ...(declared.mtimeMs !== null && { fileModified: declared.mtimeMs }),
      }))
    return sendJson(uploads)
  })
  app.delete(UPLOADS, requireUser(deps), audited('upload-discard'), async (c) => {
    await discardUpload(actorOf(c, deps), c.env.target.vpath)
    return sendStatus(204)
  })
  return app
}
