import { describe, expect, it } from 'vitest'
import { isBcrypt } from '../../src/auth/hash.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'
import { recordsOf } from '../support/records.ts'

const GOOD = 'Green-Lantern-42-Stair'

async function put(
  app: OpenedApp,
  who: string,
  id: number,
  which: string[],
  data: object,
  current = PASSWORD,
) {
  const user = await app.as(who)
  return user.fetch(`/api/users/${id}`, {
    method: 'PUT',
    body: JSON.stringify({ what: 'user', which, current_password: current, data: { id, ...data } }),
  })
}

describe('the list of accounts', () => {
  it.each([1, 999, 1_000, 2_500])('of %d others is whole and by id', async (count) => {
    const users = Array.from({ length: count }, (_, n) => ({ username: `user ${n}` }))
    await using app = await openApp({ users })
    const response = await (await app.as('admin')).fetch('/api/users')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const list = (await response.json()) as { id: number; username: string; password: string }[]
    expect(list.map(({ id }) => id)).toEqual(Array.from({ length: count + 1 }, (_, n) => n + 1))
    expect(list.at(-1)).toMatchObject({ username: `user ${count - 1}`, password: '' })
  })
})

describe('changing accounts', () => {
  it('needs the current password for a whole record, also without a list of fields', async () => {
    await using app = await openApp({ users: [{ username: 'bob' }] })
    for (const which of [[], ['all'], ['ALL']]) {
      const response = await put(app, 'admin', 2, which, { username: 'taken-over' }, 'wrong')
      expect(response.status).toBe(400)
      expect(response.headers.get('x-error-code')).toBe('invalid_password')
    }
    expect(recordsOf(app.store).users[1]?.username).toBe('bob')
  })

  it('cannot be tricked by the case of a field name into skipping the password', async () => {
    await using app = await openApp({ users: [{ username: 'bob' }] })
    for (const field of ['Password', 'PASSWORD', 'password']) {
      const response = await put(app, 'bob', 2, [field], { password: GOOD }, 'wrong')
      expect(response.status, field).toBe(400)
    }
  })

  it('protects a locked password and what only administrators may change', async () => {
    await using app = await openApp({ users: [{ username: 'bob', lockPassword: true }] })
    expect((await put(app, 'bob', 2, ['password'], { password: GOOD })).status).toBe(403)
    for (const field of ['username', 'scope', 'lockPassword', 'perm', 'commands', 'rules'])
      expect((await put(app, 'bob', 2, [field], {})).status, field).toBe(403)
  })

  it('ignores an id in a new account instead of overwriting somebody', async () => {
    await using app = await openApp()
    const admin = await app.as('admin')
    const data = { id: 1, username: 'new', password: GOOD, perm: defaultPermissions() }
    const response = await admin.fetch('/api/users', {
      method: 'POST',
      body: JSON.stringify({ what: 'user', which: [], current_password: PASSWORD, data }),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/settings/users/2')
    expect(recordsOf(app.store).users.map(({ username }) => username)).toEqual(['admin', 'new'])
  })

  it('names the page of a new account below the base URL', async () => {
    await using app = await openApp({ config: { baseURL: '/my files' } })
    const admin = await app.as('admin')
    const data = { username: 'new', password: GOOD, perm: defaultPermissions() }
    const response = await admin.fetch('/api/users', {
      method: 'POST',
      body: JSON.stringify({ what: 'user', which: [], current_password: PASSWORD, data }),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/my%20files/settings/users/2')
  })

  it('refuses an expression that does not compile, with its reason, and goes on serving', async () => {
    await using app = await openApp({ users: [{ username: 'bob' }] })
    const rules = [{ regex: true, allow: false, path: '', regexp: { raw: '(' } }]
    const response = await put(app, 'admin', 2, ['rules'], { rules })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('rule 1')
    const bob = await app.as('bob')
    expect((await bob.fetch('/api/resources/')).status).toBe(200)
  })

  it('keeps the last administrator, by deletion and by permission', async () => {
    await using app = await openApp()
    const admin = await app.as('admin')
    const response = await admin.fetch('/api/users/1', {
      method: 'DELETE',
      body: JSON.stringify({ current_password: PASSWORD }),
    })
    expect(response.status).toBe(403)
    expect((await put(app, 'admin', 1, ['perm'], { perm: defaultPermissions() })).status).toBe(403)
  })

  it('ends sessions and shares of a deleted account', async () => {
    await using app = await openApp({ users: [{ username: 'bob' }], tree: { 'a.txt': 'x' } })
    const bob = await app.as('bob')
    const share = await (await bob.fetch('/api/share/a.txt', { method: 'POST', body: '{}' })).json()
    const admin = await app.as('admin')
    const body = JSON.stringify({ current_password: PASSWORD })
    expect((await admin.fetch('/api/users/2', { method: 'DELETE', body })).status).toBe(200)
    expect((await bob.fetch('/api/usage/')).status).toBe(401)
    expect((await app.fetch(`/api/public/share/${share.hash}`)).status).toBe(404)
    expect(recordsOf(app.store).shares).toEqual([])
  })

  it('cannot make a token that no browser keeps', async () => {
    await using app = await openApp({ users: [{ username: 'bob' }] })
    const long = 'x'.repeat(101)
    const choices = { locale: long, viewMode: long, aceEditorTheme: long, sorting: { by: long } }
    for (const [field, value] of Object.entries(choices))
      expect((await put(app, 'bob', 2, [field], { [field]: value })).status, field).toBe(400)
    expect(
      (await put(app, 'bob', 2, ['aceEditorTheme'], { aceEditorTheme: 'unknown' })).status,
    ).toBe(200)
  })

  it('refuses common passwords, also repeated ones', async () => {
    await using app = await openApp({ users: [{ username: 'bob' }] })
    for (const password of ['passwordpassword', '123456123456', 'QWERTYQWERTY']) {
      const response = await put(app, 'bob', 2, ['password'], { password })
      expect(response.headers.get('x-error-code'), password).toBe('weak_password')
    }
  })
})

describe('imported passwords', () => {
  it('are accepted and become argon2id at the next login', async () => {
    // bcrypt of "secret-from-before", cost 10
    const { hash } = await import('bcrypt')
    const old = await hash('secret-from-before', 10)
    await using app = await openApp({ users: [{ username: 'old', password: old }] })
    expect(isBcrypt(recordsOf(app.store).users[1]?.password ?? '')).toBe(true)
    const body = JSON.stringify({ username: 'old', password: 'secret-from-before' })
    expect((await app.fetch('/api/login', { method: 'POST', body })).status).toBe(200)
    expect(recordsOf(app.store).users[1]?.password).toMatch(/^\$argon2id\$/)
    expect((await app.fetch('/api/login', { method: 'POST', body })).status).toBe(200)
  })
})
