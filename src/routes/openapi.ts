// The API described: as OpenAPI for programs, as a page for people. Nothing in it is secret.
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { answer } from '../http/answer.ts'
import type { Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { sendJson } from '../http/respond.ts'
import { VERSION } from '../lib/version.ts'

export function openapiRoutes({ config }: Deps): Hono<Env> {
  const app = new Hono<Env>()
  // Large tables, made when somebody reads them.
  const document = async () => {
    const { createOpenApi } = await import('../openapi/document.ts')
    return createOpenApi({ version: VERSION, baseURL: config.baseURL })
  }
  app.get('/api/openapi.json', async () => sendJson(await document()))
  app.get('/docs/api', async () => {
    const { renderApiPage } = await import('../openapi/page.ts')
    const nonce = randomBytes(16).toString('base64')
    return answer(renderApiPage(await document(), nonce), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    })
  })
  return app
}
