// For balancers and watchdogs: whether the server is up, and whether it should be sent requests.
import { Hono } from 'hono'
import { readyAnswer } from '../../health/readiness.ts'
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
    const { body, status } = readyAnswer(await deps.readiness.reasons())
    return answer(body, JSON_TYPE, status)
  })

  return app
}
