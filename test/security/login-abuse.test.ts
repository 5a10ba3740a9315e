import { SECOND_FACTORS } from '../../src/store/collections.ts'
// Guessing at the door (class 10): what a refusal costs and tells, and what it takes to change a
// password.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { hash as bcrypt } from 'bcrypt'
import { describe, expect, it } from 'vitest'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { leastOf } from '../support/cpu-time.ts'
import { recordsOf } from '../support/records.ts'
import { makeShare } from '../support/shares.ts'

const GOOD = 'Green-Lantern-42-Stair'

function login(
  app: TestApp,
  username: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = JSON.stringify({ username, password })
  return app.fetch('/api/login', { method: 'POST', body, headers })
}

const from = (address: string) => ({ 'X-Forwarded-For': address })
/** Three failures are allowed; forwarded addresses come from a proxy that was named. */
const limited = {
  config: { loginRateLimit: { attempts: 3, windowMs: 60_000 }, trustedProxies: ['127.0.0.1'] },
}
const unlimited = { config: { loginRateLimit: { attempts: 0, windowMs: 1_000 } } }

describe('CVE-2025-52997: guessing passwords', () => {
  it('ends after a few, also with the right one, and says when to come back', async () => {
    await using app = await startApp(limited)
    for (let i = 0; i < 3; i++) expect((await login(app, 'admin', `guess ${i}`)).status).toBe(403)
    const refused = await login(app, 'admin', PASSWORD)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('set-cookie')).toBeNull()
  })

  it('is not helped by a header that claims another address', async () => {
    // Behind a named proxy the last address counts that is not the proxy's own.
    await using app = await startApp(limited)
    const chain = (claimed: string) => from(`${claimed}, 203.0.113.9`)
    for (let i = 0; i < 3; i++) await login(app, 'admin', 'guess', chain(`198.51.100.${i}`))
    expect((await login(app, 'admin', 'guess', chain('198.51.100.77'))).status).toBe(429)
  })

  it('is not helped by the many addresses that everybody has by IPv6', async () => {
    await using app = await startApp(limited)
    const guess = (address: string) => login(app, 'admin', 'guess', from(address))
    for (const address of ['2001:db8:0:7::1', '2001:db8:0:7:a:b:c:d', '2001:db8::7:ffff:0:0:1'])
      expect((await guess(address)).status, address).toBe(403)
    expect((await guess('2001:db8::7:0:0:0:9')).status).toBe(429)
    expect((await guess('2001:db8:0:8::1')).status).toBe(403)
  })

  it('does not keep the names that were tried', async () => {
    await using app = await startApp(limited)
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const usedMiB = () => {
      collect()
      return process.memoryUsage().heapUsed / 1024 / 1024
    }
    await login(app, 'warm', 'up', from('203.0.113.200'))
    const before = usedMiB()
    for (let i = 0; i < 30; i++)
      await login(app, `${i}${'n'.repeat(1_000_000)}`, 'guess', from(`203.0.113.${i}`))
    expect(usedMiB() - before).toBeLessThan(10)
  })

  it('does not lock the others out: same account, other address', async () => {
    await using app = await startApp(limited)
    for (let i = 0; i < 5; i++) await login(app, 'admin', 'guess', from('203.0.113.9'))
    expect((await login(app, 'admin', PASSWORD, from('203.0.113.10'))).status).toBe(200)
  })

  it('over many names from one address is stopped, too', async () => {
    await using app = await startApp(limited)
    for (let i = 0; i < 3; i++) await login(app, `name-${i}`, 'guess')
    expect((await login(app, 'admin', PASSWORD)).status).toBe(429)
  })

  it('of a share is stopped likewise', async () => {
    await using app = await startApp({ ...limited, tree: { 'a.txt': 'a' } })
    const share = await makeShare(app, '/a.txt', { password: 'sesame' })
    const open = (password: string, address: string) =>
      app.fetch(`/api/public/share/${share}`, {
        headers: { 'X-SHARE-PASSWORD': password, ...from(address) },
      })
    for (let i = 0; i < 3; i++) expect((await open(`guess ${i}`, '203.0.113.9')).status).toBe(401)
    expect((await open('sesame', '203.0.113.9')).status).toBe(429)
    expect((await open('sesame', '203.0.113.10')).status).toBe(200)
  })

  it('leaves the line that fail2ban knows', async () => {
    await using app = await startApp()
    await login(app, 'admin', 'wrong', from('203.0.113.9'))
    expect(app.log.some((line) => line.startsWith('/api/login: 403 203.0.113.9'))).toBe(true)
  })

  it('counts against this machine, whatever it forwards, while no proxy was named', async () => {
    const config = { ...limited.config, trustedProxies: null }
    await using app = await startApp({ tree: { 'a.txt': 'a' }, config })
    const share = await makeShare(app, '/a.txt', { password: 'sesame' })
    const guesses = async (guess: (headers: Record<string, string>) => Promise<Response>) => {
      const statuses: number[] = []
      for (let i = 0; i < 6; i++) statuses.push((await guess(from(`203.0.113.${i}`))).status)
      return statuses
    }
    const logins = await guesses((headers) => login(app, 'admin', 'guess', headers))
    expect(logins).toEqual([403, 403, 403, 429, 429, 429])
    const shares = await guesses((headers) =>
      app.fetch(`/api/public/share/${share}`, {
        headers: { ...headers, 'X-SHARE-PASSWORD': 'guess' },
      }),
    )
    expect(shares).toEqual([401, 401, 401, 429, 429, 429])
    expect(app.log.filter((line) => line.includes('--trustedProxies loopback'))).toHaveLength(1)
  })

  it('cannot be worth it: common, short and repeated passwords are not taken', async () => {
    await using app = await startApp({ settings: { signup: true, createUserDir: true } })
    const poor = ['short', 'password1234', 'passwordpassword', '123456123456', 'QWERTYQWERTY', '']
    for (const password of poor) {
      const body = JSON.stringify({ username: 'new', password })
      const response = await app.fetch('/api/signup', { method: 'POST', body })
      expect(response.status, password).toBe(400)
    }
    expect(recordsOf(app.store).users).toHaveLength(1)
  })
})

describe('CVE-2026-23849: a refusal tells nothing about the name', () => {
  const ROUNDS = 5

  /**
   * Best times of the processor per name. All work of a refusal is done one after the other, so they
   * are what it takes on an idle machine, whatever else this one does.
   */
  async function timesMs(app: TestApp, usernames: string[], password: string): Promise<number[]> {
    const times = usernames.map((): number[] => [])
    for (let i = 0; i < ROUNDS; i++)
      for (const [at, username] of usernames.entries()) {
        const started = process.cpuUsage()
        expect((await login(app, username, password)).status).toBe(403)
        const { user, system } = process.cpuUsage(started)
        times[at]?.push((user + system) / 1000)
      }
    return times.map((list) => Math.min(...list))
  }

  it.each([
    ['a short password', 'wrong'],
    ['more than the 72 bytes bcrypt reads', 'wrong'.repeat(16)],
  ])('by its time, with both kinds of hash in use and %s', async (_, password) => {
    // As in an installation that was moved in, where only some have signed in since.
    const imported = { password: await bcrypt(PASSWORD, 10) }
    await using app = await startApp({
      ...unlimited,
      users: [{ username: 'bob' }, { username: 'carol', ...imported }, { username: 'dave' }],
    })
    const ratio = await leastOf(1.6, async () => {
      const times = await timesMs(app, ['bob', 'carol', 'nobody'], password)
      return Math.max(...times) / Math.min(...times)
    })
    expect(ratio).toBeLessThan(1.6)
  })

  it('by its time, with one kind of hash', async () => {
    await using app = await startApp({ ...unlimited, users: [{ username: 'bob' }] })
    // Without a verification an unknown name took a hundredth of the time.
    const ratio = await leastOf(2, async () => {
      const times = await timesMs(app, ['bob', 'nobody'], 'wrong')
      return Math.max(...times) / Math.min(...times)
    })
    expect(ratio).toBeLessThan(2)
  })

  it.each(['wrong', 'wrong123456'])(
    'by its time, whether it has a second factor: %s',
    async (password) => {
      await using app = await startApp({
        ...unlimited,
        users: [{ username: 'bob' }, { username: 'dave' }],
      })
      const factor = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', recovery: [], required: false }
      await app.store.transaction((tx) =>
        tx.insert(SECOND_FACTORS, { userID: 2, lastStep: 0, createdMs: 1, ...factor }),
      )
      const ratio = await leastOf(1.6, async () => {
        const times = await timesMs(app, ['bob', 'dave', 'nobody'], password)
        return Math.max(...times) / Math.min(...times)
      })
      expect(ratio).toBeLessThan(1.6)
    },
  )

  it('by its words', async () => {
    await using app = await startApp(unlimited)
    const answers = await Promise.all(
      ['admin', 'nobody', ''].map(async (name) => {
        const response = await login(app, name, 'wrong')
        // Each answer has a number of its own.
        const differing = ['date', 'x-request-id']
        const headers = [...response.headers].filter(([key]) => !differing.includes(key))
        return JSON.stringify([response.status, headers, await response.text()])
      }),
    )
    expect(new Set(answers).size).toBe(1)
  })
})

describe('CVE-2026-25889: a new password takes the current one', () => {
  async function change(app: TestApp, body: string): Promise<number> {
    const bob = await app.as('bob')
    return (await bob.fetch('/api/users/2', { method: 'PUT', body })).status
  }
  const data = `"data":{"id":2,"password":"${GOOD}"}`

  it.each([
    `{"what":"user","which":["password"],${data}}`,
    `{"what":"user","which":["Password"],${data}}`,
    `{"what":"user","which":["PASSWORD"],${data}}`,
    `{"what":"user","which":["pAssword"],${data}}`,
    `{"what":"user","which":["locale","Password"],${data}}`,
    `{"what":"user","WHICH":["Password"],${data}}`,
    `{"what":"user","which":["locale"],"Which":["password"],${data}}`,
    `{"what":"user","which":["password"],"which":["Password"],${data}}`,
    `{"what":"user","which":["Password","password"],"current_password":"",${data}}`,
    `{"what":"user","which":["password"],"current_password":"wrong",${data}}`,
    `{"what":"user","which":["password"],"current_password":null,${data}}`,
    `{"what":"user","which":["password"],"current_password":["${PASSWORD}"],${data}}`,
    `{"what":"user","which":[],${data}}`,
    `{"what":"user","which":["all"],${data}}`,
    `{"what":"user",${data}}`,
  ])('and cannot do without by %s', async (body) => {
    await using app = await startApp({ ...unlimited, users: [{ username: 'bob' }] })
    // Where only the language is named besides, that alone may change.
    const status = await change(app, body)
    if (!body.includes('["locale"]')) expect(status).toBeGreaterThanOrEqual(400)
    expect((await login(app, 'bob', PASSWORD)).status).toBe(200)
    expect((await login(app, 'bob', GOOD)).status).toBe(403)
  })

  it('nor an administrator for anybody', async () => {
    await using app = await startApp({ ...unlimited, users: [{ username: 'bob' }] })
    const admin = await app.as('admin')
    for (const which of [['password'], ['Password'], [], ['all'], ['perm'], ['lockPassword']]) {
      const body = JSON.stringify({ what: 'user', which, data: { id: 2, password: GOOD } })
      const response = await admin.fetch('/api/users/2', { method: 'PUT', body })
      expect(response.status, which.join()).toBe(400)
    }
    expect((await login(app, 'bob', PASSWORD)).status).toBe(200)
  })

  it('and guesses at it are counted', async () => {
    await using app = await startApp({ ...limited, users: [{ username: 'bob' }] })
    const bob = await app.as('bob')
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const current_password = `guess ${i}`
      const body = JSON.stringify({
        what: 'user',
        which: ['password'],
        current_password,
        data: { id: 2, password: GOOD },
      })
      statuses.push((await bob.fetch('/api/users/2', { method: 'PUT', body })).status)
    }
    expect(statuses.slice(0, 3)).toEqual([400, 400, 400])
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('CVE-2026-54092: a body before anybody is signed in', () => {
  it.each(['login', 'signup'])('is read to its limit and no further: %s', async (route) => {
    await using app = await startApp({ settings: { signup: true } })
    const filler = 'x'.repeat(1_048_576)
    const body = JSON.stringify({ username: 'admin', password: PASSWORD, filler })
    const response = await app.fetch(`/api/${route}`, { method: 'POST', body })
    expect(response.status).toBe(route === 'login' ? 403 : 400)
  })

  it.each(['{', '[]', 'null', '"x"', '{"username":{}}', '['.repeat(100_000), '\u0000', ''])(
    'is a refusal when it is %j',
    async (body) => {
      await using app = await startApp(unlimited)
      const text = body.length > 100 ? body.slice(0, 100_000) : body
      const response = await app.fetch('/api/login', { method: 'POST', body: text })
      expect(response.status).toBe(403)
      expect(app.errors).toEqual([])
    },
  )
})

describe('the human check', () => {
  async function withVerifier(
    answer: { status: number; body: string },
    test: (app: TestApp, asked: string[]) => Promise<void>,
  ): Promise<void> {
    const asked: string[] = []
    const verifier = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(`${request.method} ${request.url} ${body}`)
      response.statusCode = answer.status
      response.end(answer.body)
    })
    await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve))
    const host = `http://127.0.0.1:${(verifier.address() as AddressInfo).port}`
    const recaptcha = { host, key: 'public', secret: 'private' }
    try {
      await using app = await startApp({
        ...unlimited,
        settings: { auther: { header: '', command: '', recaptcha } },
      })
      await test(app, asked)
    } finally {
      verifier.closeAllConnections()
      verifier.close()
    }
  }
  const signIn = (app: TestApp) =>
    app.fetch('/api/login', {
      method: 'POST',
      body: JSON.stringify({ username: 'admin', password: PASSWORD, recaptcha: 'a&b' }),
    })

  it('lets in who passes it', async () => {
    await withVerifier({ status: 200, body: '{"success":true}' }, async (app, asked) => {
      expect((await signIn(app)).status).toBe(200)
      const form = 'secret=private&response=a%26b'
      expect(asked).toEqual([`POST /recaptcha/api/siteverify ${form}`])
    })
  })

  it.each([
    [200, '{"success":false}', 403],
    [200, '{"success":"true"}', 403],
    [200, '{}', 403],
    [503, '{"success":true}', 403],
    [200, 'no json', 500],
  ])('keeps out on %i %s', async (status, body, expected) => {
    await withVerifier({ status, body }, async (app) => {
      expect((await signIn(app)).status).toBe(expected)
    })
  })

  it('keeps its secret', async () => {
    await withVerifier({ status: 200, body: '{"success":true}' }, async (app) => {
      const page = await (await app.fetch('/login')).text()
      expect(page).toContain('public')
      expect(page).not.toContain('private')
    })
  })
})
