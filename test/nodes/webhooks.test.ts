// A webhook that waits outlives its node: another one goes on with it, under the same name.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { hasPostgres } from '../support/postgres.ts'
import { address, freshDatabases, postgres, startNode } from '../support/postgres-tests.ts'
import { login, PASSWORD } from '../support/serve.ts'

describe.runIf(hasPostgres())('webhooks with two servers', () => {
  freshDatabases()

  test('go on with the other one', async () => {
    const [one, two] = [await startNode(1), await startNode(2)]
    const got: { delivery: string; body: string }[] = []
    let isReady = false
    const receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      got.push({ delivery: String(request.headers['x-filebrowser-delivery']), body })
      response.writeHead(isReady ? 200 : 503).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      const token = await (await login(one.origin, PASSWORD)).text()
      const headers = { 'X-Auth': token }
      const settings = await (await fetch(`${one.origin}/api/settings`, { headers })).json()
      const webhooks = [{ url, events: ['after_delete'], enabled: true }]
      const body = JSON.stringify({ ...settings, webhooks, current_password: PASSWORD })
      const set = await fetch(`${one.origin}/api/settings`, { method: 'PUT', headers, body })
      expect(set.status).toBe(200)
      const gone = await fetch(`${one.origin}/api/resources/a.txt`, { method: 'DELETE', headers })
      expect(gone.status).toBe(204)
      await waitFor('an attempt', () => got.length > 0)
      await one.stop()
      const before = got.length
      isReady = true
      await waitFor('the other one', () => got.length > before)
      const [first] = got
      expect(first?.delivery).toMatch(/^[0-9a-f-]{36}$/)
      expect(got.every(({ delivery }) => delivery === first?.delivery)).toBe(true)
      expect(JSON.parse(got.at(-1)?.body ?? '')).toMatchObject({
        trigger: 'after_delete',
        path: '/a.txt',
      })
      // Nobody sends it again.
      await waitFor('the end of the note', async () => (await left()).length === 0)
      expect(two.cli.output().stderr).not.toContain('sweeping failed')
    } finally {
      receiver.close()
    }
  })
})

function left(): Promise<unknown[][]> {
  const database = new URL(address).pathname.slice(1)
  return postgres.query(
    database,
    `select key from filebrowser.fb_leases where key like 'webhook %'`,
  )
}
