// For balancers and watchdogs: whether the server is up, and whether it should be sent requests.
import { Hono } from 'hono'
import { type AnswerHeaders, answer, JSON_TYPE } from '../../http/answer.ts'
import type { Env } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'

const HEADERS: AnswerHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
}

export function healthRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()

  app.all('/health', () => answer('{"status":"OK"}', HEADERS))

  app.all('/ready', async () => {
    const reasons = await deps.readiness.reasons()
    if (reasons.length === 0) return answer('{"ready":true}', JSON_TYPE)
    return answer(JSON.stringify({ ready: false, reasons }), JSON_TYPE, 503)
  })

  return app
}
