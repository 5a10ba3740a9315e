import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'

const options = {
  tree: { 'page.html': '<script>1</script>', 'b.txt': 'b' },
  config: { contentOrigin: 'https://content.example.org' },
}

interface Answer {
  status: number
  headers: Record<string, unknown>
  body: string
}

/** fetch cannot set Host, which is what tells the two origins apart. */
function get(app: TestApp, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(
      { port: app.port, host: '127.0.0.1', path, headers },
      async (response) => {
        let body = ''
        for await (const chunk of response) body += chunk
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      },
    )
    sending.on('error', reject)
    sending.end()
  })
}

const there = { Host: 'content.example.org' }

describe('with an origin of its own for files', () => {
  it('a file opened in a tab is shown from there, by a ticket for this file alone', async () => {
    await using app = await startApp(options)
    const admin = await app.as('admin')
    const opened = await get(app, '/api/raw/page.html?inline=true', {
      Cookie: admin.cookie,
      'Sec-Fetch-Dest': 'document',
    })
    expect(opened.status).toBe(302)
    const address = new URL(String(opened.headers.location))
    expect(address.origin).toBe('https://content.example.org')
    const shown = await get(app, address.pathname + address.search, there)
    expect(shown.body).toBe('<script>1</script>')
    const other = await get(app, `/api/raw/b.txt${address.search}`, there)
    expect(other.status).toBe(401)
    await admin.fetch('/api/logout', { method: 'POST' })
    expect((await get(app, address.pathname + address.search, there)).status).toBe(401)
  })

  it('that origin has no page, no sign-in and takes no session', async () => {
    await using app = await startApp(options)
    const admin = await app.as('admin')
    const headers = { ...there, 'X-Auth': admin.token, Cookie: admin.cookie }
    for (const path of ['/', '/api/login', '/api/resources/', '/static/img/logo.svg'])
      expect((await get(app, path, headers)).status, path).toBe(404)
    expect((await get(app, '/api/raw/b.txt', headers)).status).toBe(401)
  })

  it('pictures inside the interface still come from the interface', async () => {
    await using app = await startApp(options)
    const admin = await app.as('admin')
    const headers = { Cookie: admin.cookie, 'Sec-Fetch-Dest': 'image' }
    expect((await get(app, '/api/raw/b.txt?inline=true', headers)).status).toBe(200)
  })
})
