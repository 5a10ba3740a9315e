// Search by name, streamed line by line while the tree is being walked (docs/http-api.md 15).
import { Hono } from 'hono'
import type { ByteSink } from '../files/archive/byte-sink.ts'
import { parseQuery, search } from '../files/listing/search.ts'
import type { Ctx, Deps, Env } from '../http/env.ts'
import { requireUser } from '../http/guard.ts'
import { toJson } from '../http/respond.ts'
import { streamAnswer, WALK_BYTES } from '../http/stream-answer.ts'

/** A blank line after this long shows clients and proxies that the search goes on. */
const HEARTBEAT_MS = 5_000

export function searchRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/search', requireUser(deps), (c) =>
    streamAnswer(c, {
      log: deps.log,
      what: 'a search',
      heldBytes: WALK_BYTES,
      headers: () => ({
        'Content-Type': 'text/plain; charset=utf-8',
        'X-Content-Type-Options': 'nosniff',
      }),
      write: (sink) => sendHits(c, sink),
    }),
  )
  return app
}

/** `details=true`, ours, adds size and time to each hit. */
async function sendHits(c: Ctx, sink: ByteSink): Promise<void> {
  const { vpath, query } = c.env.target
  const test = parseQuery(query.get('query') ?? '')
  const options = { signal: c.req.raw.signal, details: query.get('details') === 'true' }
  const heartbeat = setTimeout(() => sink.write(Buffer.from('\n')).catch(() => {}), HEARTBEAT_MS)
  try {
    for await (const hits of search(c.get('scope'), vpath, test, options)) {
      if (hits.length === 0) continue
      await sink.write(Buffer.from(hits.map((hit) => `${toJson(hit)}\n`).join('')))
    }
  } finally {
    clearTimeout(heartbeat)
  }
}
