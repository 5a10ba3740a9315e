// WebDAV (docs/webdav.md): the door. What is behind it is loaded when the first client comes.
import { Hono } from 'hono'
import type { Ctx, Env } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { DAV, DAV_ROOT, DAV_UPLOADS } from '../../http/request-path.ts'

/** Answers at /dav/ and its other addresses; request-path.ts knows them only where `dav` is on. */
export function davRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  let room: Promise<(c: Ctx) => Promise<Response>> | undefined
  for (const key of [DAV, DAV_ROOT, DAV_UPLOADS])
    app.all(key, async (c) => {
      room ??= import('./requests.ts').then(({ createDav }) => createDav(deps))
      return (await room)(c)
    })
  return app
}
