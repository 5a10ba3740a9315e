import { describe, expect, it } from 'vitest'
import { PASSWORD, startApp } from '../support/app.ts'

const login = (username: string, password: string, more = {}) => ({
  method: 'POST',
  body: JSON.stringify({ username, password, ...more }),
})

describe('signing in', () => {
  it('sets a cookie that scripts and other sites cannot use', async () => {
    await using app = await startApp()
    const response = await app.fetch('/api/login', login('admin', PASSWORD))
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^auth=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    )
  })

  it('gives a browser-session cookie when the person does not want to be remembered', async () => {
    await using app = await startApp()
    const response = await app.fetch('/api/login', login('admin', PASSWORD, { remember: false }))
    expect(response.headers.get('set-cookie')).not.toContain('Max-Age')
  })

  it('marks the cookie as secure behind a proxy that speaks TLS', async () => {
    await using app = await startApp()
    const response = await app.fetch('/api/login', {
      ...login('admin', PASSWORD),
      headers: { 'X-Forwarded-Proto': 'https' },
    })
    expect(response.headers.get('set-cookie')).toContain('; Secure')
  })

  it('does not accept the cookie as a header token', async () => {
    await using app = await startApp()
    const admin = await app.as('admin')
    const cookieToken = admin.cookie.replace('auth=', '')
    const response = await app.fetch('/api/settings', { headers: { 'X-Auth': cookieToken } })
    expect(response.status).toBe(401)
  })

  it('refuses further guesses after the limit, also with the right password', async () => {
    await using app = await startApp({
      config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
    })
    for (let i = 0; i < 3; i++)
      expect((await app.fetch('/api/login', login('admin', `guess ${i}`))).status).toBe(403)
    const refused = await app.fetch('/api/login', login('admin', PASSWORD))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('lets no more guesses through when they are sent at once', async () => {
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
    })
    const admin = await app.as('admin')
    const made = await admin.fetch('/api/share/a.txt', { method: 'POST', body: '{"password":"p"}' })
    const { hash } = await made.json()
    const change = JSON.stringify({ what: 'user', which: ['all'], current_password: 'wrong' })
    const guesses: Record<string, () => Promise<Response>> = {
      'signing in': () => app.fetch('/api/login', login('admin', 'wrong')),
      'the password of a share': () =>
        app.fetch(`/api/public/share/${hash}`, { headers: { 'X-SHARE-PASSWORD': 'wrong' } }),
      'the current password': () => admin.fetch('/api/users/1', { method: 'PUT', body: change }),
    }
    for (const [title, guess] of Object.entries(guesses)) {
      const answers = await Promise.all(Array.from({ length: 12 }, guess))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused, title).toHaveLength(9)
    }
  })

  it('counts nothing for attempts that succeed, however many there are at once', async () => {
    await using app = await startApp({
      config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
    })
    for (let i = 0; i < 3; i++) {
      const answers = await Promise.all(
        [1, 2].map(() => app.fetch('/api/login', login('admin', PASSWORD))),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
    }
  })

  it('logs a refused login on the line that fail2ban knows', async () => {
    await using app = await startApp()
    await app.fetch('/api/login', {
      ...login('admin', 'wrong'),
      headers: { 'X-Forwarded-For': '203.0.113.9' },
    })
    expect(app.log.some((line) => line.startsWith('/api/login: 403 203.0.113.9'))).toBe(true)
  })
})

describe('ending sessions', () => {
  it('logout ends the token and the cookie at once', async () => {
    await using app = await startApp()
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/logout', { method: 'POST' })).status).toBe(204)
    expect((await admin.fetch('/api/usage/')).status).toBe(401)
    const byCookie = await app.fetch('/api/usage/', { headers: { Cookie: admin.cookie } })
    expect(byCookie.status).toBe(401)
  })

  it('signing out everywhere else keeps this session alone', async () => {
    await using app = await startApp()
    const here = await app.as('admin')
    const there = await app.as('admin')
    expect((await here.fetch('/api/sessions', { method: 'DELETE' })).status).toBe(204)
    expect((await here.fetch('/api/usage/')).status).toBe(200)
    expect((await there.fetch('/api/usage/')).status).toBe(401)
  })

  it('a password change ends the other sessions of that account', async () => {
    await using app = await startApp({ users: [{ username: 'bob' }] })
    const bob = await app.as('bob')
    const elsewhere = await app.as('bob')
    const body = {
      what: 'user',
      which: ['password'],
      current_password: PASSWORD,
      data: { id: 2, password: 'Another-Long-Pass-55' },
    }
    const put = await bob.fetch('/api/users/2', { method: 'PUT', body: JSON.stringify(body) })
    expect(put.status).toBe(200)
    expect((await bob.fetch('/api/usage/')).status).toBe(200)
    expect((await elsewhere.fetch('/api/usage/')).status).toBe(401)
  })

  it('nobody but the owner and administrators ends a session', async () => {
    await using app = await startApp({ users: [{ username: 'bob' }, { username: 'eve' }] })
    const bob = await app.as('bob')
    const eve = await app.as('eve')
    const [session] = (await (await bob.fetch('/api/sessions')).json()) as { id: string }[]
    const path = `/api/sessions/${session?.id}`
    expect((await eve.fetch(path, { method: 'DELETE' })).status).toBe(404)
    expect((await bob.fetch('/api/usage/')).status).toBe(200)
    const admin = await app.as('admin')
    expect((await admin.fetch(path, { method: 'DELETE' })).status).toBe(204)
    expect((await bob.fetch('/api/usage/')).status).toBe(401)
  })

  it('an idle session ends', async () => {
    await using app = await startApp({ config: { sessionIdleMs: 0 } })
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/usage/')).status).toBe(401)
  })
})

describe('sign-in by proxy', () => {
  const proxied = {
    settings: { authMethod: 'proxy', auther: { header: 'X-User', command: '', recaptcha: null } },
  }
  const asUser = { headers: { 'X-User': 'admin' }, method: 'POST' }

  it('believes the header from loopback when no proxy is named', async () => {
    await using app = await startApp(proxied)
    expect((await app.fetch('/api/login', asUser)).status).toBe(200)
  })

  it('refuses the header from peers that are not in the list and says which option to set', async () => {
    await using app = await startApp({ ...proxied, config: { trustedProxies: ['192.0.2.1'] } })
    expect((await app.fetch('/api/login', asUser)).status).toBe(403)
    expect(app.log.join('\n')).toContain('trustedProxies')
  })

  it('creates an unknown user without administration or execution', async () => {
    await using app = await startApp(proxied)
    const response = await app.fetch('/api/login', { method: 'POST', headers: { 'X-User': 'new' } })
    expect(response.status).toBe(200)
    const user = app.store.read().users.find(({ username }) => username === 'new')
    expect(user?.perm).toMatchObject({ admin: false, execute: false })
    expect(user?.commands).toEqual([])
  })
})
