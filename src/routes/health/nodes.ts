// The nodes that serve from the same records, for administrators (docs/http-api.md 2.1).
import { Hono } from 'hono'
import type { NodeRecord } from '../../api-types.ts'
import type { Env } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireAdmin, requireUser } from '../../http/guard.ts'
import { sendJson } from '../../http/respond.ts'
import { AppError } from '../../lib/errors.ts'
import type { NodeFacts } from '../../store/nodes/nodes.ts'

export function nodeRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/nodes', requireUser(deps), requireAdmin, async () => {
    const { shared } = deps.store
    if (!shared) throw new AppError('not_found', 'one process has these records to itself')
    return sendJson((await shared.nodes.list()).map(presentNode))
  })
  return app
}

function presentNode({ startedAt, seenAt, ...node }: NodeFacts): NodeRecord {
  return { ...node, startedAt: startedAt.toISOString(), seenAt: seenAt.toISOString() }
}
