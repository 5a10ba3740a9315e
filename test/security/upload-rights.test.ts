// Who may only rename, create or modify does nothing else by it.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { defaultPermissions, type User } from '../../src/store/document.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import { changeRecords } from '../support/records.ts'

const CHUNK = { 'Content-Type': 'application/offset+octet-stream' }
const { create, ...others } = defaultPermissions()
const nothingElse = Object.fromEntries(Object.keys(others).map((name) => [name, false]))
const createOnly = { ...nothingElse, create: true } as unknown as User['perm']

function begin(user: SignedIn, length: number, more = {}): Promise<Response> {
  const headers = { 'Upload-Length': String(length), ...more }
  return user.fetch('/api/tus/a.txt?override=true', { method: 'POST', headers })
}

function append(user: SignedIn, offset: number, body: string): Promise<Response> {
  const headers = { ...CHUNK, 'Upload-Offset': String(offset) }
  return user.fetch('/api/tus/a.txt', { method: 'PATCH', headers, body })
}

const ask = (user: SignedIn) => user.fetch('/api/tus/a.txt', { method: 'HEAD' })

async function takeModify(app: OpenedApp, username: string): Promise<void> {
  await changeRecords(app.store, (doc) => {
    const users = doc.users.map((user) =>
      user.username === username ? { ...user, perm: { ...user.perm, modify: false } } : user,
    )
    return { ...doc, users }
  })
}

it('who may only create adds nothing to what will replace a file', async () => {
  await using app = await openApp({
    tree: { 'a.txt': 'old' },
    users: [{ username: 'bob' }, { username: 'eve', perm: createOnly }],
  })
  const [bob, eve] = [await app.as('bob'), await app.as('eve')]
  expect((await begin(bob, 6)).status).toBe(201)
  expect((await append(bob, 0, 'bob')).status).toBe(204)
  expect((await ask(eve)).status).toBe(403)
  expect((await append(eve, 3, 'eve')).status).toBe(403)
  expect(await app.tree.read('a.txt')).toBe('old')
  expect((await append(bob, 3, 'bob')).status).toBe(204)
  expect(await app.tree.read('a.txt')).toBe('bobbob')
})

it('who may not modify any more does not finish replacing a file', async () => {
  await using app = await openApp({ tree: { 'a.txt': 'old' }, users: [{ username: 'bob' }] })
  const bob = await app.as('bob')
  await begin(bob, 6)
  expect((await append(bob, 0, 'bob')).status).toBe(204)
  await takeModify(app, 'bob')
  expect((await append(bob, 3, 'bob')).status).toBe(403)
  expect((await ask(bob)).status).toBe(403)
  expect(await app.tree.read('a.txt')).toBe('old')
})

it('who may only create does not replace a file that came meanwhile', async () => {
  const users = [{ username: 'eve', perm: createOnly }]
  await using app = await openApp({ tree: {}, users })
  const eve = await app.as('eve')
  expect((await begin(eve, 6)).status).toBe(201)
  await writeFile(app.tree.at('a.txt'), 'of a colleague')
  expect((await append(eve, 0, 'eveeve')).status).toBe(403)
  expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('of a colleague')
})

it('an unfinished upload belongs to who began it', async () => {
  await using app = await openApp({
    tree: {},
    users: [{ username: 'bob' }, { username: 'eve', perm: createOnly }],
  })
  const [bob, eve] = [await app.as('bob'), await app.as('eve')]
  expect((await begin(bob, 6)).status).toBe(201)
  expect((await append(bob, 0, 'bob')).status).toBe(204)
  // Everybody who sees the file may ask how far it is, nobody else may go on with it or drop it.
  expect((await ask(eve)).headers.get('upload-offset')).toBe('3')
  expect((await append(eve, 3, 'eve')).status).toBe(403)
  expect((await eve.fetch('/api/uploads/a.txt', { method: 'DELETE' })).status).toBe(403)
  const admin = await app.as('admin')
  expect((await admin.fetch('/api/tus/a.txt', { method: 'DELETE' })).status).toBe(403)
  // One of her own is beside it.
  expect((await begin(eve, 4)).status).toBe(201)
  expect((await ask(eve)).headers.get('upload-length')).toBe('4')
  expect((await ask(bob)).headers.get('upload-offset')).toBe('3')
  expect((await append(bob, 3, 'bob')).status).toBe(204)
  expect(await app.tree.read('a.txt')).toBe('bobbob')
})

it('who may only create sees and removes unfinished uploads of their own, and no others', async () => {
  const users = [{ username: 'bob' }, { username: 'eve', perm: createOnly }]
  await using app = await openApp({ tree: {}, users })
  const [bob, eve] = [await app.as('bob'), await app.as('eve')]
  await begin(bob, 6)
  await begin(eve, 8, { 'X-Modified': '1700000000000' })
  await append(eve, 0, 'eve')
  const list = async () => (await eve.fetch('/api/uploads')).json()
  const modified = expect.stringMatching(/^20.*Z$/)
  expect(await list()).toEqual([
    { path: '/a.txt', length: 8, offset: 3, modified, override: true, fileModified: 1700000000000 },
  ])
  expect((await eve.fetch('/api/uploads/a.txt', { method: 'DELETE' })).status).toBe(204)
  expect(await list()).toEqual([])
  expect((await eve.fetch('/api/uploads/b.txt', { method: 'DELETE' })).status).toBe(404)
  expect(await readdir(app.tree.root)).toEqual([expect.stringContaining('-6-r-')])
})

it('an account has at most a thousand unfinished uploads', async () => {
  const users = [{ username: 'bob' }, { username: 'eve', perm: createOnly }]
  await using app = await openApp({ tree: {}, users })
  const [bob, eve] = [await app.as('bob'), await app.as('eve')]
  const headers = { 'Upload-Length': '9' }
  const beginAt = (user: SignedIn, path: string) =>
    user.fetch(`/api/tus${path}`, { method: 'POST', headers })
  for (let n = 0; n < 1_000; n += 20) {
    const names = Array.from({ length: 20 }, (_, i) => `/folder/${n + i}`)
    const answers = await Promise.all(names.map((name) => beginAt(eve, name)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  }
  const refused = await beginAt(eve, '/more')
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too_many_requests'])
  // Beginning one anew is none more, others have their own thousand, and what is gone does not count.
  expect((await beginAt(eve, '/folder/7')).status).toBe(201)
  expect((await beginAt(bob, '/more')).status).toBe(201)
  await rm(app.tree.at('folder'), { recursive: true })
  expect((await beginAt(eve, '/more')).status).toBe(201)
})

it('who may rename but not create makes no folders by it', async () => {
  const users = [{ username: 'eve', perm: { ...nothingElse, rename: true } as User['perm'] }]
  await using app = await openApp({ tree: { 'a.txt': 'a', there: null }, users })
  const eve = await app.as('eve')
  const rename = (to: string) =>
    eve.fetch(`/api/resources/a.txt?action=rename&destination=${encodeURIComponent(to)}`, {
      method: 'PATCH',
    })
  expect((await rename('/new/folder/a.txt')).status).toBe(403)
  expect(await readdir(app.tree.root)).toEqual(['a.txt', 'there'])
  expect((await rename('/there/a.txt')).status).toBe(200)
})
