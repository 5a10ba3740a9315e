// Space of the file system that holds a folder (docs/http-api.md 9).
import { Hono } from 'hono'
import type { Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson } from '../http/respond.ts'

export function usageRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/usage', requireUser(deps), async (c) =>
    sendJson(await c.get('scope').usage(c.env.target.vpath)),
  )
  return app
}
