// What groups give, as requests find it.
import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { setGroupsOf, setHome, setMembers } from '../../src/store/access/groups.ts'
import { MEMBERSHIPS } from '../../src/store/collections.ts'
import { findUserByName } from '../../src/store/users.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'
import { makeGroup, NO_PERMISSIONS } from '../support/groups.ts'
import { makeShare } from '../support/shares.ts'

const BOB = 2
const WHOLE = { ...NO_PERMISSIONS, download: true }
const withBob = (perm = NO_PERMISSIONS) =>
  openApp({ tree: { 'a.txt': 'old' }, users: [{ username: 'bob', perm }] })

function permIn(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).user.perm
}

const call = async (app: OpenedApp, method: string, path: string, body: object = {}) =>
  (await app.as('admin')).fetch(path, {
    method,
    ...(method !== 'GET' && { body: JSON.stringify({ current_password: PASSWORD, ...body }) }),
  })

async function put(app: OpenedApp, data: object, which: string[] = ['all'], id = BOB) {
  const admin = await app.as('admin')
  return admin.fetch(`/api/users/${id}`, {
    method: 'PUT',
    body: JSON.stringify({ what: 'user', which, current_password: PASSWORD, data }),
  })
}

async function read(app: OpenedApp) {
  const admin = await app.as('admin')
  return (await admin.fetch(`/api/users/${BOB}`)).json()
}

describe('what groups give', () => {
  it('holds from the next request on, and not after it is taken away', async () => {
    await using app = await withBob()
    const bob = await app.as('bob')
    const make = (name: string) =>
      bob.fetch(`/api/resources/${name}`, { method: 'POST', body: 'x' })
    expect((await make('one.txt')).status).toBe(403)
    const { id } = await makeGroup(app.store, { perm: { create: true }, members: [BOB] })
    expect((await make('two.txt')).status).toBe(200)
    await app.store.transaction((tx) => setMembers(tx, id, []))
    expect((await make('three.txt')).status).toBe(403)
  })

  it('administrates', async () => {
    await using app = await withBob()
    const bob = await app.as('bob')
    expect((await bob.fetch('/api/settings')).status).toBe(403)
    await makeGroup(app.store, { perm: { admin: true }, members: [BOB] })
    expect((await bob.fetch('/api/settings')).status).toBe(200)
  })

  it('stands in the token, which is to be renewed when that changes', async () => {
    await using app = await withBob()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const bob = await app.as('bob')
    expect(permIn(bob.token)).toEqual(NO_PERMISSIONS)
    // Tokens know whole seconds.
    vi.setSystemTime(Date.now() + 5_000)
    const hint = async () => (await bob.fetch('/api/usage/')).headers.get('x-renew-token')
    await makeGroup(app.store, { name: 'adds nothing', members: [BOB] })
    expect(await hint()).toBeNull()
    await makeGroup(app.store, { perm: { share: true }, members: [BOB] })
    expect(await hint()).toBe('true')
    const renewed = await bob.fetch('/api/renew', { method: 'POST' })
    expect(permIn(await renewed.text())).toEqual({ ...NO_PERMISSIONS, share: true })
  })

  it('is what API tokens are cut from', async () => {
    await using app = await withBob()
    const bob = await app.as('bob')
    const perm = { ...NO_PERMISSIONS, create: true, download: true }
    const body = JSON.stringify({ name: 'x', perm, current_password: PASSWORD })
    const made = await bob.fetch('/api/tokens', { method: 'POST', body })
    const { token } = await made.json()
    const read = () => app.fetch('/api/raw/a.txt', { headers: { 'X-Auth': token } })
    expect((await read()).status).toBe(202)
    await makeGroup(app.store, { perm: { download: true }, members: [BOB] })
    expect((await read()).status).toBe(200)
  })

  it('lets shares of a member live and end', async () => {
    await using app = await withBob(WHOLE)
    const { id } = await makeGroup(app.store, { perm: { share: true }, members: [BOB] })
    const hash = await makeShare(app, '/a.txt', {}, 'bob')
    const visit = async () => (await app.fetch(`/api/public/dl/${hash}`)).status
    expect(await visit()).toBe(200)
    await app.store.transaction((tx) => setMembers(tx, id, []))
    expect(await visit()).toBe(403)
  })
})

describe('the record of an account', () => {
  it('is as ever where nothing is said', async () => {
    await using app = await withBob()
    await makeGroup(app.store, { members: [1] })
    expect(Object.keys(await read(app))).not.toContain('groups')
  })

  it('has the own permissions, and the effective ones beside them', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store, {
      perm: { share: true },
      homeQuota: 9,
      members: [BOB],
    })
    expect(await read(app)).toMatchObject({
      perm: NO_PERMISSIONS,
      groups: [id],
      home: true,
      homeQuota: null,
      effective: { perm: { ...NO_PERMISSIONS, share: true }, homeQuota: 9 },
    })
  })

  it('bakes nothing in when it is written back, and loses nothing without the keys', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store, { perm: { share: true }, members: [BOB] })
    const other = await makeGroup(app.store, { name: 'from there' })
    await app.store.transaction((tx) => setGroupsOf(tx, BOB, [other.id], 'oidc'))
    await app.store.transaction((tx) => setHome(tx, { userID: BOB, home: false, homeQuota: 4 }))
    const record = await read(app)
    expect((await put(app, record)).status).toBe(200)
    expect(await read(app)).toEqual(record)
    expect(findUserByName(app.store, 'bob')?.perm).toEqual(NO_PERMISSIONS)
    const { groups: _, home: __, homeQuota: ___, effective: ____, ...original } = record
    expect((await put(app, original)).status).toBe(200)
    expect(await read(app)).toEqual(record)
    expect(app.store.all(MEMBERSHIPS).map(({ groupID, from }) => [groupID, from])).toEqual([
      [id, 'admin'],
      [other.id, 'oidc'],
    ])
  })

  it('takes groups, home and limit, each alone', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store)
    const set = (data: object) => put(app, { id: BOB, ...data }, Object.keys(data))
    expect((await set({ groups: [id] })).status).toBe(200)
    expect((await set({ homeQuota: 12 })).status).toBe(200)
    expect((await set({ home: false })).status).toBe(200)
    expect(await read(app)).toMatchObject({ groups: [id], home: false, homeQuota: 12 })
    await set({ homeQuota: null })
    expect(await read(app)).toMatchObject({ homeQuota: null })
  })

  it.each([{ groups: [99] }, { groups: ['one'] }, { homeQuota: -1 }, { home: 'yes' }])(
    'is not changed by %j',
    async (data) => {
      await using app = await withBob()
      const response = await put(app, { id: BOB, ...data }, Object.keys(data))
      expect(response.status).toBe(400)
      expect(Object.keys(await read(app))).not.toContain('groups')
    },
  )

  it('gives nobody groups who may not give them', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store, { perm: { admin: true } })
    const bob = await app.as('bob')
    const data = { id: BOB, groups: [id] }
    const body = { what: 'user', which: ['groups'], current_password: PASSWORD, data }
    const init = { method: 'PUT', body: JSON.stringify(body) }
    expect((await bob.fetch(`/api/users/${BOB}`, init)).status).toBe(403)
    const unconfirmed = { ...init, body: JSON.stringify({ ...body, current_password: 'wrong' }) }
    const admin = await app.as('admin')
    expect((await admin.fetch(`/api/users/${BOB}`, unconfirmed)).status).toBe(400)
    expect(app.store.count(MEMBERSHIPS)).toBe(0)
  })

  it('has no folder of its own without a home, and one as soon as it has', async () => {
    await using app = await withBob()
    const data = { username: 'new', password: PASSWORD, scope: '/of/new', home: false }
    const made = await call(app, 'POST', '/api/users', { what: 'user', which: [], data })
    expect(made.status).toBe(201)
    expect(existsSync(app.tree.at('of'))).toBe(false)
    expect((await put(app, { id: 3, home: true }, ['home'], 3)).status).toBe(200)
    expect(existsSync(app.tree.at('of/new'))).toBe(true)
  })

  it('comes with groups when it is made', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store)
    const admin = await app.as('admin')
    const data = { username: 'new', password: PASSWORD, perm: NO_PERMISSIONS, groups: [id] }
    const body = { what: 'user', which: [], current_password: PASSWORD, data }
    const init = { method: 'POST', body: JSON.stringify(body) }
    expect((await admin.fetch('/api/users', init)).status).toBe(201)
    expect(app.store.all(MEMBERSHIPS)).toEqual([{ userID: 3, groupID: id, from: 'admin' }])
  })
})

describe('groups over HTTP', () => {
  it('are made, read, changed and removed', async () => {
    await using app = await withBob()
    const made = await call(app, 'POST', '/api/groups', {
      name: ' staff ',
      perm: { share: true },
      homeQuota: 5,
      claims: ['/staff', '/staff'],
      members: [{ userID: BOB }],
    })
    expect(made.status).toBe(201)
    const group = await made.json()
    expect(group).toEqual({
      id: 1,
      name: 'staff',
      perm: { ...NO_PERMISSIONS, share: true },
      homeQuota: 5,
      claims: ['/staff'],
      members: [{ userID: BOB, from: 'admin' }],
    })
    expect(await (await call(app, 'GET', '/api/groups')).json()).toEqual([group])
    expect(await (await call(app, 'GET', '/api/groups/1')).json()).toEqual(group)
    const changed = await call(app, 'PUT', '/api/groups/1', { homeQuota: null, name: 'crew' })
    expect(await changed.json()).toEqual({ ...group, homeQuota: null, name: 'crew' })
    expect((await call(app, 'DELETE', '/api/groups/1')).status).toBe(204)
    expect((await call(app, 'GET', '/api/groups/1')).status).toBe(404)
    expect(await (await call(app, 'POST', '/api/groups', { name: 'next' })).json()).toEqual({
      ...{ id: 2, name: 'next', perm: NO_PERMISSIONS, homeQuota: null, claims: [], members: [] },
    })
  })

  it('keep the members of a provider when they are written back', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store, { members: [1] })
    await app.store.transaction((tx) => setGroupsOf(tx, BOB, [id], 'ldap'))
    const record = await (await call(app, 'GET', `/api/groups/${id}`)).json()
    const again = await call(app, 'PUT', `/api/groups/${id}`, record)
    expect(await again.json()).toEqual(record)
  })

  it.each([
    [{ name: ' ' }, 'name is empty'],
    [{ name: 'ä'.repeat(128) }, 'name is longer than 255 bytes'],
    [{ name: 'a\nb' }, 'name holds control characters'],
    [{ homeQuota: -1 }, 'homeQuota must be between'],
    [{ perm: { share: 1 } }, 'perm.share must be true or false'],
    [{ claims: [''] }, 'a claim is empty'],
    [{ members: [{ userID: 99 }] }, 'there is no user 99'],
    [{ members: [{ userID: BOB, from: 'nobody' }] }, 'from must be admin, oidc, ldap'],
  ])('are not changed by %j', async (wrong, reason) => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store, { members: [1] })
    const before = await (await call(app, 'GET', '/api/groups')).json()
    const given = { name: 'other', perm: { admin: true }, members: [{ userID: BOB }], ...wrong }
    for (const [method, path] of [
      ['POST', '/api/groups'],
      ['PUT', `/api/groups/${id}`],
    ] as const) {
      const response = await call(app, method, path, given)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(reason)
    }
    expect(await (await call(app, 'GET', '/api/groups')).json()).toEqual(before)
  })

  it('ask who it is that gives rights', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store)
    for (const [method, path] of [
      ['POST', '/api/groups'],
      ['PUT', `/api/groups/${id}`],
      ['DELETE', `/api/groups/${id}`],
    ] as const) {
      const response = await call(app, method, path, { name: 'x', current_password: 'wrong' })
      expect(response.headers.get('x-error-code')).toBe('invalid_password')
    }
  })

  it('have names of their own', async () => {
    await using app = await withBob()
    await makeGroup(app.store)
    const response = await call(app, 'POST', '/api/groups', { name: 'editors' })
    expect([response.status, response.headers.get('x-error-code')]).toEqual([409, 'exists'])
  })

  it('leave an administrator', async () => {
    await using app = await withBob()
    const { id } = await makeGroup(app.store, { perm: { admin: true }, members: [BOB, 1] })
    expect((await put(app, { id: 1, perm: NO_PERMISSIONS }, ['perm'], 1)).status).toBe(200)
    const only = { members: [{ userID: 1 }] }
    expect((await call(app, 'PUT', `/api/groups/${id}`, only)).status).toBe(200)
    for (const response of [
      await call(app, 'DELETE', `/api/groups/${id}`),
      await call(app, 'PUT', `/api/groups/${id}`, { members: [] }),
      await call(app, 'PUT', `/api/groups/${id}`, { perm: {} }),
      await call(app, 'DELETE', '/api/users/1'),
      await put(app, { id: 1, groups: [] }, ['groups'], 1),
    ])
      expect([response.status, response.headers.get('x-error-code')]).toEqual([403, 'last_admin'])
    // Both at once: own administration for that of the group.
    const own = { id: 1, groups: [], perm: { ...NO_PERMISSIONS, admin: true } }
    expect((await put(app, own, ['groups', 'perm'], 1)).status).toBe(200)
  })
})
