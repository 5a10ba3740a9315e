// Search by name, streamed line by line while the tree is being walked (http-api 15).
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { isAbort } from '../errors.ts'
import type { ByteSink } from '../files/byte-sink.ts'
import { parseQuery, search } from '../files/search.ts'
import type { Ctx, Deps, Env } from './env.ts'
import { requireUser } from './guard.ts'
import { toJson } from './respond.ts'
import { createResponseSink } from './response-sink.ts'

/** A blank line after this long shows clients and proxies that the search goes on. */
const HEARTBEAT_MS = 5_000

export function searchRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/search', requireUser(deps), async (c) => {
    const { outgoing } = c.env
    const { signal } = c.req.raw
    const sink = createResponseSink(outgoing, signal, () => startLines(c))
    const heartbeat = setTimeout(() => sink.write(Buffer.from('\n')).catch(() => {}), HEARTBEAT_MS)
    try {
      await sendHits(c, sink)
      outgoing.end()
    } catch (error) {
      if (!outgoing.headersSent && !signal.aborted) throw error
      outgoing.destroy()
      if (!signal.aborted && !isAbort(error))
        deps.log.error('a search broke off', { error: String(error) })
    } finally {
      clearTimeout(heartbeat)
    }
    return RESPONSE_ALREADY_SENT
  })
  return app
}

/** `details=true`, ours, adds size and time to each hit. */
async function sendHits(c: Ctx, sink: ByteSink): Promise<void> {
  const { vpath, query } = c.env.target
  const test = parseQuery(query.get('query') ?? '')
  const options = { signal: c.req.raw.signal, details: query.get('details') === 'true' }
  for await (const hits of search(c.get('scope'), vpath, test, options)) {
    if (hits.length === 0) continue
    await sink.write(Buffer.from(hits.map((hit) => `${toJson(hit)}\n`).join('')))
  }
}

function startLines(c: Ctx): void {
  c.env.outgoing.writeHead(200, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'X-Accel-Buffering': 'no',
  })
}
