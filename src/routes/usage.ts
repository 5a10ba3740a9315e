// Space of the file system that holds a folder (docs/http-api.md 9).
import { Hono } from 'hono'
import type { Deps, Env } from '../http/env.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson } from '../http/respond.ts'

export function usageRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/usage', requireUser(deps), async (c) =>
    sendJson(await c.var.scope.usage(c.env.target.vpath)),
  )
  return app
}
