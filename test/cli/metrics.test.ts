// What Prometheus is told, and by what id a request is found again.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { packageOf } from '../../scripts/system-tools.ts'
import { routeNameOf } from '../../src/health/route-names.ts'
import { openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { failed, freshFolders, login, PASSWORD, serve } from '../support/serve.ts'

freshFolders()

const PROMTOOL = '/usr/bin/promtool'

async function serveWithMetrics() {
  const served = await serve(['--password', PASSWORD, '--metrics', '127.0.0.1:0'])
  const found = await waitFor('the listener', () =>
    /Metrics at (\S+)/.exec(served.cli.output().stdout),
  )
  const url = found[1] ?? ''
  return { ...served, url, text: async () => (await fetch(url)).text() }
}

/** Makes answers of several kinds. */
async function useIt(origin: string): Promise<void> {
  await login(origin, 'wrong')
  const token = await (await login(origin, PASSWORD)).text()
  const headers = { 'X-Auth': token }
  for (const path of ['/api/resources/', '/api/raw/a.txt', '/secret-name/x', '/api/users/77'])
    await (await fetch(origin + path, { headers })).text()
  const body = new Uint8Array(5000)
  await fetch(`${origin}/api/resources/secret-name`, { method: 'POST', headers, body })
}

describe('metrics', () => {
  test.skipIf(!existsSync(PROMTOOL))(
    `are what Prometheus reads (promtool of the package ${packageOf('promtool')})`,
    async () => {
      const { origin, text } = await serveWithMetrics()
      await useIt(origin)
      const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], {
        input: await text(),
        encoding: 'utf8',
      })
      expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
    },
  )

  test('count requests, bytes and refusals by route, without a name or an address', async () => {
    const { origin, text } = await serveWithMetrics()
    await useIt(origin)
    const lines = await text()
    expect(lines).toContain('filebrowser_requests_total{route="raw",status="2xx"} 1')
    expect(lines).toContain('filebrowser_requests_total{route="accounts",status="4xx"} 1')
    expect(lines).toContain('filebrowser_sent_bytes_total{route="raw"} 5')
    expect(lines).toContain('filebrowser_refusals_total{code="wrong_credentials"} 1')
    expect(lines).toContain('filebrowser_sessions 1')
    expect(lines).toContain('filebrowser_roots{state="present"} 1')
    expect(
      Number(/received_bytes_total\{route="resources"\} (\d+)/.exec(lines)?.[1]),
    ).toBeGreaterThan(5000)
    expect(Number(/records_seconds_count (\d+)/.exec(lines)?.[1])).toBeGreaterThan(0)
    expect(lines).not.toMatch(/secret-name|127\.0\.0\.1|admin|\/api\//)
  })

  test('have few series, however many routes there are', async () => {
    await using app = await openApp()
    const names = new Set(app.routes.map(({ path }) => routeNameOf(path)))
    // Ten of times, four of statuses and two of bytes for each, and forty others.
    expect(names.size * 16 + 40).toBeLessThan(600)
  })

  test('are answered at one address, by GET alone', async () => {
    const { url } = await serveWithMetrics()
    expect((await fetch(url)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect((await fetch(`${url}/x`)).status).toBe(404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(404)
  })

  test('have a listener that says whether the server is ready', async () => {
    const { url } = await serveWithMetrics()
    const ask = async () => {
      const answer = await fetch(new URL('/ready', url))
      return { status: answer.status, body: await answer.json() }
    }
    expect(await ask()).toEqual({ status: 200, body: { ready: true } })
  })

  test('are refused at an address that others reach', async () => {
    for (const address of ['0.0.0.0:9100', '[::]:9100', '203.0.113.9:9100', '[2001:db8::1]:9100']) {
      const { stderr } = await failed(['-r', 'srv', '-p', '0', '--metrics', address])
      expect(stderr, address).toContain('must be a loopback or a private address')
    }
    const { stderr } = await failed(['-r', 'srv', '-p', '0', '--metrics', 'files.example:9100'])
    expect(stderr).toContain('expected an address and a port')
  })
})

describe('X-Request-Id', () => {
  test('is that of a believed proxy, else one of ours, in the answer and in the line of the log', async () => {
    const { cli, origin } = await serve()
    const ask = (id?: string) =>
      fetch(`${origin}/api/resources/`, { headers: id === undefined ? {} : { 'X-Request-Id': id } })
    const given = await ask('7b-from/proxy:1')
    expect(given.headers.get('x-request-id')).toBe('7b-from/proxy:1')
    await waitFor('the line', () =>
      /\/api\/resources\/: 401 127\.0\.0\.1 .* \(7b-from\/proxy:1\)\n/.exec(cli.output().stdout),
    )
    const ours = (await ask()).headers.get('x-request-id')
    expect(ours).toMatch(/^[\da-f]{12}$/)
    await waitFor('the line', () => cli.output().stdout.includes(`(${ours})`))
    for (const bad of ['has blank', 'a'.repeat(129), 'x"y'])
      expect((await ask(bad)).headers.get('x-request-id')).toMatch(/^[\da-f]{12}$/)
  })

  test('of whoever is no believed proxy counts for nothing', async () => {
    const { origin } = await serve(['--trustedProxies', '192.0.2.1'])
    const headers = { 'X-Request-Id': 'mine' }
    const answer = await fetch(`${origin}/health`, { headers })
    expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f]{12}$/)
  })

  test('is not in the line of a refused sign-in, which recipes match to its end', async () => {
    const { cli, origin } = await serve(['--password', PASSWORD])
    await login(origin, 'wrong')
    await waitFor('the line', () =>
      /\/api\/login: 403 127\.0\.0\.1 <nil>\n/.exec(cli.output().stdout),
    )
  })
})
