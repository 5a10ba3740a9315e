// Sessions and forged requests (class 9): a session is a record that can end, and only what a form
// of another site cannot send changes anything.

import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { defaultPermissions, type User } from '../../src/store/document.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { withDeadline } from '../support/deadline.ts'
import { changeRecords, recordsOf } from '../support/records.ts'
import { openShell } from '../support/shell.ts'

const CHANGES: [method: string, path: string, body: string][] = [
  ['POST', '/api/resources/new.txt', 'x'],
  ['POST', '/api/resources/a.txt?override=true', 'x'],
  ['PUT', '/api/resources/a.txt', 'x'],
  ['PATCH', '/api/resources/a.txt?action=rename&destination=/b.txt', ''],
  ['PATCH', '/api/resources/a.txt?action=copy&destination=/b.txt', ''],
  ['DELETE', '/api/resources/a.txt', ''],
  ['POST', '/api/tus/t.bin', ''],
  ['POST', '/api/share/a.txt', '{}'],
  ['POST', '/api/users', '{"what":"user","which":[],"data":{"username":"eve"}}'],
  ['PUT', '/api/users/1', `{"what":"user","which":["locale"],"data":{"id":1,"locale":"de"}}`],
  ['DELETE', '/api/users/1', `{"current_password":"${PASSWORD}"}`],
  ['PUT', '/api/settings', '{"signup":true}'],
  ['POST', '/api/renew', ''],
  ['POST', '/api/logout', ''],
  ['DELETE', '/api/sessions', ''],
  ['POST', '/api/selections', '["a.txt"]'],
]

describe('CVE-2021-46398: a page of another site, which has the cookie but no header,', () => {
  it.each(CHANGES)('changes nothing by %s %s', async (method, path, body) => {
    await using app = await startApp({ tree: { 'a.txt': 'mine' } })
    const { cookie } = await app.as('admin')
    const before = JSON.stringify(app.store.settings())
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const response = await app.fetch(path, {
        method,
        ...(body === '' ? {} : { body }),
        headers: { Cookie: cookie, 'Content-Type': type, Origin: 'http://evil.example' },
      })
      expect(response.status).toBe(401)
    }
    expect(await app.tree.read('a.txt')).toBe('mine')
    await expect(app.tree.read('b.txt')).rejects.toThrow()
    await expect(app.tree.read('new.txt')).rejects.toThrow()
    expect(JSON.stringify(app.store.settings())).toBe(before)
    expect(recordsOf(app.store).users).toHaveLength(1)
    expect(recordsOf(app.store).shares).toEqual([])
  })

  it('gets no cookie from the browser in the first place', async () => {
    await using app = await startApp()
    const body = JSON.stringify({ username: 'admin', password: PASSWORD })
    const response = await app.fetch('/api/login', { method: 'POST', body })
    expect(response.headers.get('set-cookie')).toMatch(
      /^auth=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    )
  })

  it('reads no answer: no other origin is allowed to', async () => {
    await using app = await startApp()
    const { cookie } = await app.as('admin')
    const headers = { Cookie: cookie, Origin: 'http://evil.example' }
    const response = await app.fetch('/api/resources/', { headers })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('CVE-2025-52901: a token in an address', () => {
  it.each(['auth', 'token', 'X-Auth', 'x-auth', 'access_token', 'jwt'])(
    'opens nothing as %s',
    async (name) => {
      await using app = await startApp({ tree: { 'a.txt': 'mine' } })
      const { token } = await app.as('admin')
      for (const path of ['/api/raw/a.txt', '/api/resources/', '/api/command/', '/api/usage/']) {
        const response = await app.fetch(`${path}?${name}=${token}`)
        expect(response.status, path).toBe(401)
      }
    },
  )

  it('is never made by the server itself', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'mine' } })
    const admin = await app.as('admin')
    const page = await (await app.fetch('/files/', { headers: { Cookie: admin.cookie } })).text()
    expect(page).not.toContain(admin.token)
    expect(page).not.toMatch(/eyJ[\w-]+\.eyJ/)
    for (const path of ['/api/resources', '/api/raw']) {
      const response = await admin.fetch(path, { redirect: 'manual' })
      expect(response.headers.get('location')).not.toMatch(/eyJ|auth=/)
    }
  })

  it('is not in the log', async () => {
    await using app = await startApp()
    const { token } = await app.as('admin')
    await app.fetch(`/api/usage/?auth=${token}`)
    expect(app.log.join('\n')).not.toContain(token)
  })
})

describe('CVE-2025-53826: a session that has ended', () => {
  it('by logout is over at once, token and cookie', async () => {
    await using app = await startApp()
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/logout', { method: 'POST' })).status).toBe(204)
    expect((await admin.fetch('/api/usage/')).status).toBe(401)
    expect((await admin.fetch('/api/renew', { method: 'POST' })).status).toBe(401)
    const byCookie = await app.fetch('/api/usage/', { headers: { Cookie: admin.cookie } })
    expect(byCookie.status).toBe(401)
  })

  it('takes every token of it along, renewed ones too', async () => {
    await using app = await startApp()
    const admin = await app.as('admin')
    const renewed = await (await admin.fetch('/api/renew', { method: 'POST' })).text()
    expect((await admin.fetch('/api/logout', { method: 'POST' })).status).toBe(204)
    const response = await app.fetch('/api/usage/', { headers: { 'X-Auth': renewed } })
    expect(response.status).toBe(401)
  })

  it('by signing out everywhere else leaves this one alone', async () => {
    await using app = await startApp()
    const here = await app.as('admin')
    const there = await app.as('admin')
    expect((await here.fetch('/api/sessions', { method: 'DELETE' })).status).toBe(204)
    expect((await here.fetch('/api/usage/')).status).toBe(200)
    expect((await there.fetch('/api/usage/')).status).toBe(401)
  })

  it('by a new password: all but the one that set it', async () => {
    await using app = await startApp({ users: [{ username: 'bob' }] })
    const bob = await app.as('bob')
    const elsewhere = await app.as('bob')
    const put = await bob.fetch('/api/users/2', {
      method: 'PUT',
      body: JSON.stringify({
        what: 'user',
        which: ['password'],
        current_password: PASSWORD,
        data: { id: 2, password: 'Another-Long-Pass-55' },
      }),
    })
    expect(put.status).toBe(200)
    expect((await bob.fetch('/api/usage/')).status).toBe(200)
    expect((await elsewhere.fetch('/api/usage/')).status).toBe(401)
  })

  it('by the end of the account', async () => {
    await using app = await startApp({ users: [{ username: 'bob' }] })
    const bob = await app.as('bob')
    const admin = await app.as('admin')
    const body = JSON.stringify({ current_password: PASSWORD })
    expect((await admin.fetch('/api/users/2', { method: 'DELETE', body })).status).toBe(200)
    expect((await bob.fetch('/api/usage/')).status).toBe(401)
  })

  it('by a click of its owner or an administrator, and of nobody else', async () => {
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

  it('by idleness', async () => {
    await using app = await startApp({ config: { sessionIdleMs: 0 } })
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/usage/')).status).toBe(401)
  })

  it('by age, however busy', async () => {
    await using app = await startApp({ config: { sessionMaxMs: 0 } })
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/usage/')).status).toBe(401)
  })
})

describe('rights', () => {
  it('are read anew on every request, not out of the token', async () => {
    await using app = await startApp({
      tree: { 'a.txt': 'a', 'sub/b.txt': 'b' },
      users: [{ username: 'bob', perm: { ...defaultPermissions(), admin: true } }],
    })
    const bob = await app.as('bob')
    expect((await bob.fetch('/api/settings')).status).toBe(200)
    expect((await bob.fetch('/api/raw/a.txt')).status).toBe(200)
    const perm = { ...defaultPermissions(), download: false }
    await changeBob(app, { perm, scope: '/sub' })
    expect((await bob.fetch('/api/settings')).status).toBe(403)
    expect((await bob.fetch('/api/raw/b.txt')).status).toBe(202)
    expect((await bob.fetch('/api/resources/a.txt')).status).toBe(404)
  })

  it('are not what somebody writes into a token', async () => {
    await using app = await startApp({ users: [{ username: 'bob' }] })
    const { token } = await app.as('bob')
    const [head = '', claims = '', signature = ''] = token.split('.')
    const read = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const pack = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const forged = pack({ ...read, user: { ...read.user, id: 1 }, sub: '1' })
    for (const text of [
      `${head}.${forged}.${signature}`,
      `${pack({ alg: 'none', typ: 'JWT' })}.${forged}.`,
      `${pack({ alg: 'none', typ: 'JWT' })}.${forged}.${signature}`,
      `${pack({ alg: 'HS384', typ: 'JWT' })}.${claims}.${signature}`,
      `${pack({ alg: 'RS256', typ: 'JWT' })}.${claims}.${signature}`,
    ]) {
      const response = await app.fetch('/api/settings', { headers: { 'X-Auth': text } })
      expect(response.status, text.slice(0, 40)).toBe(401)
    }
  })
})

describe('a WebSocket', () => {
  const command = { config: { enableExec: true } }

  it('is opened from pages of our own origin alone', async () => {
    await using app = await startApp(command)
    const { cookie, token } = await app.as('admin')
    const own = `http://127.0.0.1:${app.port}`
    expect(await statusOfUpgrade(app, { Cookie: cookie, Origin: own })).toBe(101)
    for (const origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${app.port + 1}`,
      `http://127.0.0.1:${app.port}.evil.example`,
      `http://127.0.0.1.evil.example:${app.port}`,
      'file://',
    ]) {
      expect(await statusOfUpgrade(app, { Cookie: cookie, Origin: origin }), origin).toBe(403)
      expect(await statusOfUpgrade(app, { 'X-Auth': token, Origin: origin }), origin).toBe(403)
    }
  })

  it('needs a session, which is no part of its address', async () => {
    await using app = await startApp(command)
    const { token } = await app.as('admin')
    expect(await statusOfUpgrade(app, {})).toBe(401)
    expect(await statusOfUpgrade(app, {}, `/api/command/?auth=${token}`)).toBe(401)
  })

  it.each<[string, (app: TestApp) => Promise<unknown>, string[]]>([
    [
      'the right to execute',
      (app) => changeBob(app, { perm: { ...defaultPermissions(), execute: false } }),
      ['Command not allowed.'],
    ],
    [
      'the program in the list',
      (app) => changeBob(app, { commands: [] }),
      ['Command not allowed.'],
    ],
    [
      'the session',
      async (app) => (await app.as('bob')).fetch('/api/sessions', { method: 'DELETE' }),
      [],
    ],
  ])('needs %s when the command comes, not only when it was opened', async (_, take, expected) => {
    await using app = await startApp({
      ...command,
      users: [{ username: 'bob', commands: ['echo'] }],
    })
    const bob = await app.as('bob')
    const shell = await openShell(app, bob.token)
    await take(app)
    shell.socket.send('echo still-here')
    await withDeadline('the end of the connection', 60_000, shell.closed)
    expect(shell.lines).toEqual(expected)
  })
})

function changeBob(app: TestApp, change: Partial<User>): Promise<unknown> {
  return changeRecords(app.store, (doc) => {
    const users = doc.users.map((user) => (user.username === 'bob' ? { ...user, ...change } : user))
    return { ...doc, users }
  })
}

function statusOfUpgrade(
  app: TestApp,
  headers: Record<string, string>,
  path = '/api/command/',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(`${app.origin}${path}`, {
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    const done = (status: number | undefined) => {
      resolve(status ?? 0)
      call.destroy()
    }
    call.on('response', ({ statusCode }) => done(statusCode))
    call.on('upgrade', ({ statusCode }) => done(statusCode))
    call.on('error', reject)
    call.end()
  })
}
