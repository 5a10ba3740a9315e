// Sign-in by a header (class 7): it counts from proxies the administrator named, and without such a
// list from this machine alone.

import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PASSWORD, startApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { changeRecords, recordsOf } from '../support/records.ts'

const proxied: TestAppOptions = {
  settings: { authMethod: 'proxy', auther: { header: 'X-User', command: '', recaptcha: null } },
  users: [{ username: 'bob' }],
}

/** An address of this machine that is not loopback: a peer from the network, to the server. */
const lan = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const asAdmin = { method: 'POST', headers: { 'X-User': 'admin' } }

describe('CVE-2026-54089: the header that names the user', () => {
  it.skipIf(!lan)(
    'is refused from the network when no proxy was named, and the log says why',
    async () => {
      await using app = await startApp({ ...proxied, config: { address: '0.0.0.0' } })
      const spoofs: Record<string, string>[] = [
        {},
        { 'X-Forwarded-For': '127.0.0.1' },
        { 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
        { Host: '127.0.0.1' },
      ]
      for (const headers of spoofs) {
        const response = await fetch(`http://${lan}:${app.port}/api/login`, {
          method: 'POST',
          headers: { ...asAdmin.headers, ...headers },
        })
        expect(response.status).toBe(403)
        expect(response.headers.get('set-cookie')).toBeNull()
      }
      expect(app.log.join('\n')).toMatch(new RegExp(`${lan}.*trustedProxies`))
      // The proxy on the same machine goes on working.
      expect((await app.fetch('/api/login', asAdmin)).status).toBe(200)
    },
  )

  it.skipIf(!lan)('is believed from the proxies that were named, and from no other', async () => {
    const address = '0.0.0.0'
    const config = { address, trustedProxies: [`${lan}/32`] }
    await using app = await startApp({ ...proxied, config })
    const fromProxy = await fetch(`http://${lan}:${app.port}/api/login`, asAdmin)
    expect(fromProxy.status).toBe(200)
    expect((await app.fetch('/api/login', asAdmin)).status).toBe(403)
  })

  it('is not believed from anybody when the list is empty', async () => {
    await using app = await startApp({ ...proxied, config: { trustedProxies: [] } })
    expect((await app.fetch('/api/login', asAdmin)).status).toBe(403)
  })

  it('is worth nothing with another method of sign-in', async () => {
    await using app = await startApp({
      settings: { authMethod: 'json', auther: { header: 'X-User', command: '', recaptcha: null } },
    })
    expect((await app.fetch('/api/login', asAdmin)).status).toBe(403)
    expect((await app.fetch('/api/usage/', { headers: { 'X-User': 'admin' } })).status).toBe(401)
  })

  it('is no session by itself', async () => {
    await using app = await startApp(proxied)
    expect((await app.fetch('/api/usage/', { headers: { 'X-User': 'admin' } })).status).toBe(401)
  })
})

describe('a forwarded address', () => {
  const forged = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' }
  const wrong = { method: 'POST', headers: forged, body: '{"username":"admin","password":"no"}' }
  const limit = { attempts: 3, windowMs: 60_000 }

  it.skipIf(!lan)('is not believed from a private address that nobody named', async () => {
    const address = '0.0.0.0'
    await using app = await startApp({ config: { address, loginRateLimit: limit } })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const headers = { 'X-Forwarded-For': `203.0.113.${i}` }
      const response = await fetch(`http://${lan}:${app.port}/api/login`, { ...wrong, headers })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([403, 403, 403, 429, 429, 429])
    expect(app.log.filter((line) => line.includes('203.0.113.'))).toEqual([])
    expect(app.log.some((line) => line.startsWith(`/api/login: 403 ${lan}`))).toBe(true)
    // Said once, with what to do.
    expect(app.log.filter((line) => line.includes(`--trustedProxies ${lan}`))).toHaveLength(1)
  })

  it.skipIf(!lan)('is believed from a proxy that was named', async () => {
    const config = { address: '0.0.0.0', trustedProxies: [`${lan}/32`] }
    await using app = await startApp({ config })
    await fetch(`http://${lan}:${app.port}/api/login`, wrong)
    await waitFor('the log line', () =>
      app.log.some((line) => line.startsWith('/api/login: 403 203.0.113.9')),
    )
    expect(app.log.filter((line) => line.includes('--trustedProxies'))).toEqual([])
  })

  it('has no scheme to add when the peer is not believed', async () => {
    const headers = { 'X-Forwarded-Proto': 'https' }
    const body = JSON.stringify({ username: 'admin', password: PASSWORD })
    for (const [trustedProxies, isSecure] of [
      [null, true],
      [['127.0.0.1'], true],
      [['192.0.2.77'], false],
      [[], false],
    ] as const) {
      await using app = await startApp({ config: { trustedProxies } })
      const response = await app.fetch('/api/login', { method: 'POST', headers, body })
      expect(response.headers.get('set-cookie')?.includes('; Secure')).toBe(isSecure)
    }
  })
})

describe('a unix socket', () => {
  const entered = async (trustedProxies: readonly string[] | null): Promise<number> => {
    const folder = await mkdtemp(join(tmpdir(), 'filebrowser-socket-'))
    try {
      const socket = join(folder, 's.sock')
      await using _app = await startApp({ ...proxied, config: { socket, trustedProxies } })
      return await new Promise((resolve, reject) => {
        const options = { socketPath: socket, path: '/api/login', ...asAdmin, agent: false }
        request(options, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
          .on('error', reject)
          .end()
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  it('is this machine: believed when nobody or loopback was named, and else not', async () => {
    expect(await entered(null)).toBe(200)
    expect(await entered(['127.0.0.0/8', '::1/128'])).toBe(200)
    expect(await entered([])).toBe(403)
    expect(await entered(['10.0.0.1'])).toBe(403)
  })
})

it('an account that comes through a proxy cannot set a password of its own', async () => {
  await using app = await startApp({ ...proxied, tree: {} })
  const headers = { 'X-User': 'new' }
  expect((await app.fetch('/api/login', { method: 'POST', headers })).status).toBe(200)
  const made = recordsOf(app.store).users.find(({ username }) => username === 'new')
  expect(made?.lockPassword).toBe(true)
})

describe('an expired token behind a proxy (GHSA-v3jv-rmh2-635j)', () => {
  const options: TestAppOptions = {
    ...proxied,
    settings: { ...proxied.settings, logoutPage: 'https://proxy.example/logout' },
    config: { tokenExpirationMs: 1_000 },
  }

  async function expiredToken(app: TestApp, username: string): Promise<string> {
    const headers = { 'X-User': username }
    const token = await (await app.fetch('/api/login', { method: 'POST', headers })).text()
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    await waitFor('the end of the token', () => exp * 1000 <= Date.now())
    return token
  }

  async function ask(app: TestApp, token: string, user?: string): Promise<number> {
    const headers = { 'X-Auth': token, ...(user === undefined ? {} : { 'X-User': user }) }
    return (await app.fetch('/api/usage/', { headers })).status
  }

  it('counts while the proxy names the same user on this very request', async () => {
    await using app = await startApp(options)
    const token = await expiredToken(app, 'bob')
    expect(await ask(app, token, 'bob')).toBe(200)
    expect(await ask(app, token)).toBe(401)
    expect(await ask(app, token, 'admin')).toBe(401)
    expect(await ask(app, token, 'nobody')).toBe(401)
    expect(await ask(app, token, '')).toBe(401)
  })

  it('does not count when it was tampered with', async () => {
    await using app = await startApp(options)
    const token = await expiredToken(app, 'bob')
    const [head, , signature] = token.split('.')
    const claims = Buffer.from(JSON.stringify({ user: { id: 1 }, exp: 1 })).toString('base64url')
    expect(await ask(app, `${head}.${claims}.${signature}`, 'admin')).toBe(401)
  })

  it('does not count from a peer that may not name users', async () => {
    await using app = await startApp(options)
    const token = await expiredToken(app, 'bob')
    await using stricter = await startApp({
      ...options,
      config: { ...options.config, trustedProxies: ['192.0.2.77'] },
    })
    await changeRecords(stricter.store, (doc) => {
      const { settings, sessions } = recordsOf(app.store)
      return { ...doc, settings: { ...doc.settings, key: settings.key }, sessions }
    })
    expect(await ask(stricter, token, 'bob')).toBe(401)
  })

  it('does not count after its session has ended', async () => {
    await using app = await startApp(options)
    const token = await expiredToken(app, 'bob')
    const headers = { 'X-Auth': token, 'X-User': 'bob' }
    expect((await app.fetch('/api/logout', { method: 'POST', headers })).status).toBe(204)
    expect(await ask(app, token, 'bob')).toBe(401)
  })

  it('does not count where the login page is our own', async () => {
    const { logoutPage: _, ...settings } = options.settings ?? {}
    await using app = await startApp({ ...options, settings })
    expect(await ask(app, await expiredToken(app, 'bob'), 'bob')).toBe(401)
  })
})

describe("a host name that is not the server's (DNS rebinding)", () => {
  const noauth: TestAppOptions = { settings: { authMethod: 'noauth' } }
  const ask = (app: TestApp, host: string, path = '/api/login', method = 'POST') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const options = { port: app.port, path, method, headers: { Host: host }, agent: false }
      const sending = request({ host: '127.0.0.1', ...options }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      sending.on('error', reject).end()
    })

  it('is refused in words at every door where nobody signs in on this machine', async () => {
    await using app = await startApp(noauth)
    const foreign = ['rebind.evil.example', 'localhost.evil.example:80', 'evil', '127.0.0.1.nip.io']
    for (const host of foreign)
      for (const path of ['/api/login', '/', '/health', '/api/resources/', '/api/public/dl/abc']) {
        const { status, text } = await ask(app, host, path, 'GET')
        expect([status, text], `${host}${path}`).toEqual([
          403,
          expect.stringContaining('allowedHosts'),
        ])
      }
    const own = ['localhost', 'LOCALHOST:8080', 'fb.localhost', '127.0.0.1:80', '[::1]:8080']
    for (const host of own) expect((await ask(app, host)).status, host).toBe(200)
  })

  it('is answered when it was configured, and where people sign in', async () => {
    const allowedHosts = ['files.example.org']
    await using named = await startApp({ ...noauth, config: { allowedHosts } })
    expect((await ask(named, 'Files.Example.org:443')).status).toBe(200)
    expect((await ask(named, 'other.example.org')).status).toBe(403)
    await using signedIn = await startApp()
    expect((await ask(signedIn, 'any.example.org', '/health', 'GET')).status).toBe(200)
    await using open = await startApp({ ...noauth, config: { address: '0.0.0.0' } })
    expect((await ask(open, 'any.example.org')).status).toBe(200)
  })

  it('names nobody by a header once the names of the proxy are configured', async () => {
    await using app = await startApp({
      ...proxied,
      config: { allowedHosts: ['files.example.org'] },
    })
    expect((await ask(app, 'rebind.evil.example')).status).toBe(403)
    expect((await ask(app, 'rebind.evil.example', '/', 'GET')).status).toBe(403)
    expect((await app.fetch('/api/login', asAdmin)).status).toBe(200)
  })
})

it('without sign-in everybody is the first user, and signing up stays closed', async () => {
  await using app = await startApp({ settings: { authMethod: 'noauth' } })
  const token = await (await app.fetch('/api/login', { method: 'POST' })).text()
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  expect(claims.user.id).toBe(1)
  expect((await app.fetch('/api/usage/', { headers: { 'X-Auth': token } })).status).toBe(200)
  // Still no request without a token, so that other sites cannot send any.
  expect((await app.fetch('/api/usage/')).status).toBe(401)
  expect((await app.fetch('/api/signup', { method: 'POST', body: '{}' })).status).toBe(405)
})
