// Who may only rename, create or modify does nothing else by it.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { defaultPermissions, type User } from '../../src/store/document.ts'
import { startApp, type TestApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

const CHUNK = { 'Content-Type': 'application/offset+octet-stream' }
const { create, ...others } = defaultPermissions()
const nothingElse = Object.fromEntries(Object.keys(others).map((name) => [name, false]))
const createOnly = { ...nothingElse, create: true } as unknown as User['perm']

function begin(user: SignedIn, length: number): Promise<Response> {
  const headers = { 'Upload-Length': String(length) }
  return user.fetch('/api/tus/a.txt?override=true', { method: 'POST', headers })
}

function append(user: SignedIn, offset: number, body: string): Promise<Response> {
  const headers = { ...CHUNK, 'Upload-Offset': String(offset) }
  return user.fetch('/api/tus/a.txt', { method: 'PATCH', headers, body })
}

const ask = (user: SignedIn) => user.fetch('/api/tus/a.txt', { method: 'HEAD' })

async function takeModify(app: TestApp, username: string): Promise<void> {
  await app.store.update((doc) => {
    const users = doc.users.map((user) =>
      user.username === username ? { ...user, perm: { ...user.perm, modify: false } } : user,
    )
    return [{ ...doc, users }, undefined]
  })
}

it('who may only create adds nothing to what will replace a file', async () => {
  await using app = await startApp({
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
  await using app = await startApp({ tree: { 'a.txt': 'old' }, users: [{ username: 'bob' }] })
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
  await using app = await startApp({ tree: {}, users })
  const eve = await app.as('eve')
  expect((await begin(eve, 6)).status).toBe(201)
  await writeFile(app.tree.at('a.txt'), 'of a colleague')
  expect((await append(eve, 0, 'eveeve')).status).toBe(403)
  expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('of a colleague')
})

it('who may rename but not create makes no folders by it', async () => {
  const users = [{ username: 'eve', perm: { ...nothingElse, rename: true } as User['perm'] }]
  await using app = await startApp({ tree: { 'a.txt': 'a', there: null }, users })
  const eve = await app.as('eve')
  const rename = (to: string) =>
    eve.fetch(`/api/resources/a.txt?action=rename&destination=${encodeURIComponent(to)}`, {
      method: 'PATCH',
    })
  expect((await rename('/new/folder/a.txt')).status).toBe(403)
  expect(await readdir(app.tree.root)).toEqual(['a.txt', 'there'])
  expect((await rename('/there/a.txt')).status).toBe(200)
})
