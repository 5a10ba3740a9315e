// The API described: as OpenAPI for programs, as a page for people. Nothing in it is secret.
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { answer } from '../http/answer.ts'
import type { Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { sendJson } from '../http/respond.ts'
import { VERSION } from '../lib/version.ts'
import { createOpenApi } from '../openapi/document.ts'
import { renderApiPage } from '../openapi/page.ts'

export function openapiRoutes({ config }: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const document = () => createOpenApi({ version: VERSION, baseURL: config.baseURL })
  app.get('/api/openapi.json', () => sendJson(document()))
  app.get('/docs/api', () => {
    const nonce = randomBytes(16).toString('base64')
    return answer(renderApiPage(document(), nonce), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    })
  })
  return app
}
