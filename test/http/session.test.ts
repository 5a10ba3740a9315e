import { readFile } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { replaceFile } from '../../src/store/durable-file.ts'
import { openApp, PASSWORD } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import { changeRecords } from '../support/records.ts'

const login = (username: string, password: string, more = {}) => ({
  method: 'POST',
  body: JSON.stringify({ username, password, ...more }),
})

describe('signing in', () => {
  it('gives a browser-session cookie when the person does not want to be remembered', async () => {
    await using app = await openApp()
    const response = await app.fetch('/api/login', login('admin', PASSWORD, { remember: false }))
    expect(response.headers.get('set-cookie')).not.toContain('Max-Age')
  })

  it('marks the cookie as secure behind a proxy that speaks TLS', async () => {
    await using app = await openApp()
    const response = await app.fetch('/api/login', {
      ...login('admin', PASSWORD),
      headers: { 'X-Forwarded-Proto': 'https' },
    })
    expect(response.headers.get('set-cookie')).toContain('; Secure')
  })

  it('does not accept the cookie as a header token', async () => {
    await using app = await openApp()
    const admin = await app.as('admin')
    const cookieToken = admin.cookie.replace('auth=', '')
    const response = await app.fetch('/api/settings', { headers: { 'X-Auth': cookieToken } })
    expect(response.status).toBe(401)
  })

  it('refuses a token once the time of --tokenExpirationTime is over, however often it was used', async () => {
    await using app = await openApp({ config: { tokenExpirationMs: 90_000 } })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const startMs = Date.now()
      const { token } = await app.login('admin')
      const statusAfter = async (ms: number) => {
        vi.setSystemTime(startMs + ms)
        return (await app.fetch('/api/usage/', { headers: { 'X-Auth': token } })).status
      }
      expect(await statusAfter(0)).toBe(200)
      expect(await statusAfter(88_000)).toBe(200)
      expect(await statusAfter(91_000)).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })

  it('lets no more guesses through when they are sent at once', async () => {
    await using app = await openApp({
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
    await using app = await openApp({
      config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
    })
    for (let i = 0; i < 3; i++) {
      const answers = await Promise.all(
        [1, 2].map(() => app.fetch('/api/login', login('admin', PASSWORD))),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
    }
  })
})

it('clients renew their token when their user changed outside, not with every write of the file', async () => {
  await using app = await openApp({ users: [{ username: 'mona' }] })
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const admin = await app.as('admin')
    const mona = await app.as('mona')
    vi.setSystemTime(Date.now() + 5_000)
    const doc = JSON.parse(await readFile(app.store.file, 'utf8'))
    for (const user of doc.users) if (user.username === 'mona') user.locale = 'de'
    await replaceFile(app.store.file, JSON.stringify(doc))
    // Any change looks at the file first.
    await changeRecords(app.store, (current) => current)
    const wants = async (user: SignedIn) =>
      (await user.fetch('/api/usage/')).headers.get('x-renew-token')
    expect(await wants(mona)).toBe('true')
    expect(await wants(admin)).toBe(null)
  } finally {
    vi.useRealTimers()
  }
})
