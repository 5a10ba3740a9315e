// Search by name, streamed line by line while the tree is being walked (docs/http-api.md 15).
import { Hono } from 'hono'
import type { ByteSink } from '../files/archive/byte-sink.ts'
import { parseQuery, search } from '../files/listing/search.ts'
import { stream, WALK_BYTES } from '../http/answer.ts'
import type { Ctx, Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { toJson } from '../http/respond.ts'

/** A blank line after this long shows clients and proxies that the search goes on. */
const HEARTBEAT_MS = 5_000

export function searchRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/search', requireUser(deps), (c) =>
    stream(
      { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
      { what: 'a search', memoryBytes: WALK_BYTES, write: (output) => sendHits(c, deps, output) },
    ),
  )
  return app
}

/** Ours: `details=true` adds size and time to each hit, and with `match=all` a name has every word. */
async function sendHits(c: Ctx, deps: Deps, sink: ByteSink): Promise<void> {
  const { vpath, query } = c.env.target
  const test = parseQuery(query.get('query') ?? '', { all: query.get('match') === 'all' })
  const { signal } = c.req.raw
  const options = { signal, details: query.get('details') === 'true' }
  const heartbeat = setTimeout(() => sink.write(Buffer.from('\n')).catch(() => {}), HEARTBEAT_MS)
  try {
    await deps.inWalkTurn(async () => {
      for await (const hits of search(c.get('scope'), vpath, test, options)) {
        if (hits.length === 0) continue
        await sink.write(Buffer.from(hits.map((hit) => `${toJson(hit)}\n`).join('')))
      }
    }, signal)
  } finally {
    clearTimeout(heartbeat)
  }
}
