// The scope as a jail (class 3): no link, wherever it stands in a path, leads any door of the server
// out of it. The race between check and use has a test of its own, symlink-swap.
import { lstat, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import { makeShare, readPublic } from '../support/shares.ts'
import { SECRET } from '../support/tree.ts'

const TUS = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }

interface Jail extends TestApp {
  bob: SignedIn
  /** Throws when anything outside of bob's scope has changed. */
  inspect(): Promise<void>
}

/**
 * Bob's scope `/home` with links out of it: to a file (`leaf.txt`), to a folder (`way`), to what is
 * not there (`dangling.txt`), through another link (`chain`), into another user's scope, and to `/`.
 */
async function startJail(): Promise<Jail> {
  const app = await startApp({
    tree: {
      'home/own.txt': 'own',
      'home/dir/deep.txt': 'deep',
      'home/neighbour': { link: '../eve' },
      'home/root': { link: '/' },
      'home/self': { link: '../home' },
      'home/pipe-dream': { link: '../home/../eve/mail.txt' },
      'eve/mail.txt': SECRET,
    },
    users: [{ username: 'bob', scope: '/home' }],
  })
  const { outside } = app.tree
  await symlink(join(outside, 'secret.txt'), app.tree.at('home/leaf.txt'))
  await symlink(outside, app.tree.at('home/way'))
  await symlink(join(outside, 'made.txt'), app.tree.at('home/dangling.txt'))
  await symlink(join(outside, 'made'), app.tree.at('home/dangling-dir'))
  await symlink('way', app.tree.at('home/chain'))
  await symlink('dangling.txt', app.tree.at('home/chain.txt'))
  return Object.assign(app, {
    bob: await app.as('bob'),
    inspect: async () => {
      expect(await readdir(outside)).toEqual(['secret.txt'])
      expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
      expect(await readdir(app.tree.at('eve'))).toEqual(['mail.txt'])
      expect(await app.tree.read('eve/mail.txt')).toBe(SECRET)
      expect((await lstat(app.tree.at('home/leaf.txt'))).isSymbolicLink()).toBe(true)
      expect(await readlink(app.tree.at('home/way'))).toBe(outside)
    },
  })
}

/** Paths that end at, or lead through, a link out of the scope. */
const WAYS_OUT = [
  '/leaf.txt',
  '/way/secret.txt',
  '/way',
  '/chain/secret.txt',
  '/chain',
  '/neighbour/mail.txt',
  '/neighbour',
  '/pipe-dream',
  '/root/etc/passwd',
  '/self/../leaf.txt',
  '/dir/../way/secret.txt',
]
const DANGLING = [
  '/dangling.txt',
  '/chain.txt',
  '/dangling-dir/new.txt',
  '/way/made.txt',
  '/chain/made.txt',
  '/neighbour/made.txt',
]

function expectRefusal(status: number, what: string): void {
  expect([400, 403, 404], what).toContain(status)
}

describe('CVE-2026-54094: a link as the last part of a path', () => {
  it.each(WAYS_OUT)('is not read through: %s', async (path) => {
    await using jail = await startJail()
    for (const door of [
      `/api/raw${path}`,
      `/api/raw${path}?inline=true`,
      `/api/raw${path}?algo=tar`,
      `/api/raw/?algo=tar&files=${encodeURIComponent(path)}`,
      `/api/resources${path}`,
      `/api/resources${path}?checksum=md5`,
      `/api/resources/recursive${path}`,
      `/api/search${path}/?query=`,
      `/api/preview/big${path}`,
      `/api/subtitle${path}`,
      `/api/usage${path}`,
    ]) {
      const response = await jail.bob.fetch(door)
      const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
      expect(text, door).not.toContain(SECRET)
      expect(text, door).not.toMatch(/root:x?:0:0|mail\.txt|secret\.txt/)
    }
    await jail.inspect()
  })

  it.each(['/leaf.txt', ...DANGLING])('is not written through: %s', async (path) => {
    await using jail = await startJail()
    const send = (method: string, target: string, headers: Record<string, string> = {}) =>
      jail.bob.fetch(target, { method, headers, body: 'planted' })
    expectRefusal((await send('POST', `/api/resources${path}?override=true`)).status, 'POST')
    expectRefusal((await send('PUT', `/api/resources${path}`)).status, 'PUT')
    const begun = await jail.bob.fetch(`/api/tus${path}?override=true`, {
      method: 'POST',
      headers: { 'Upload-Length': '7' },
    })
    expectRefusal(begun.status, 'tus POST')
    expectRefusal((await send('PATCH', `/api/tus${path}`, TUS)).status, 'tus PATCH')
    await jail.inspect()
  })

  it('is not what a share opens', async () => {
    await using jail = await startJail()
    for (const path of ['/leaf.txt', '/way', '/chain', '/neighbour']) {
      const made = await jail.bob.fetch(`/api/share${path}`, { method: 'POST', body: '{}' })
      expectRefusal(made.status, path)
    }
    const hash = await makeShare(jail, '/', {}, 'bob')
    for (const path of ['', ...WAYS_OUT]) {
      const { text } = await readPublic(jail, hash, path)
      expect(text, path).not.toContain(SECRET)
      expect(text, path).not.toMatch(/leaf\.txt|"way"|neighbour|mail\.txt/)
    }
  })

  it('does not tell what kind of thing it leads to', async () => {
    await using jail = await startJail()
    await symlink(join(jail.tree.outside, 'none'), jail.tree.at('home/nowhere'))
    const long = 'a'.repeat(300)
    for (const link of ['leaf.txt', 'way', 'nowhere'])
      for (const below of ['', '/x', '/x/y', `/${long}`]) {
        const info = await jail.bob.fetch(`/api/resources/${link}${below}`)
        const sent = await jail.bob.fetch(`/api/raw/${link}${below}`)
        const removed = await jail.bob.fetch(`/api/resources/${link}${below}`, { method: 'DELETE' })
        const statuses = [info, sent, removed].map(({ status }) => status)
        expect(statuses, link + below.slice(0, 5)).toEqual([403, 403, 403])
      }
    // Inside the scope the reason is told.
    expect((await jail.bob.fetch('/api/resources/own.txt/x')).status).toBe(500)
    await jail.inspect()
  })

  it('is not in a listing, a search, an archive or a sum', async () => {
    await using jail = await startJail()
    for (const door of [
      '/api/resources/',
      '/api/resources/recursive/',
      '/api/search/?query=',
      '/api/raw/?algo=tar',
    ]) {
      const text = Buffer.from(await (await jail.bob.fetch(door)).arrayBuffer()).toString('latin1')
      expect(text, door).toContain('own.txt')
      expect(text, door).not.toMatch(/leaf\.txt|neighbour|mail\.txt|secret\.txt/)
      expect(text, door).not.toContain(SECRET)
    }
  })
})

describe('CVE-2026-55667: a link among the folders of a path', () => {
  const INTO = ['/way/new', '/chain/new', '/neighbour/new', '/dangling-dir/new', '/root/tmp/new']

  it.each(INTO)('makes no folder elsewhere: %s', async (path) => {
    await using jail = await startJail()
    for (const below of ['/', '/deep/er/']) {
      const target = `/api/resources${path}${below}`
      expectRefusal((await jail.bob.fetch(target, { method: 'POST' })).status, target)
    }
    await jail.inspect()
  })

  it.each(INTO)('is no destination of a copy or a move: %s', async (path) => {
    await using jail = await startJail()
    for (const source of ['own.txt', 'dir'])
      for (const action of ['copy', 'rename'])
        for (const more of ['', '&override=true', '&rename=true']) {
          const query = `action=${action}&destination=${encodeURIComponent(path)}${more}`
          const response = await jail.bob.fetch(`/api/resources/${source}?${query}`, {
            method: 'PATCH',
          })
          expectRefusal(response.status, query)
        }
    expect(await jail.tree.read('home/own.txt')).toBe('own')
    expect(await jail.tree.read('home/dir/deep.txt')).toBe('deep')
    await jail.inspect()
  })

  it.each(WAYS_OUT)('brings nothing in by a copy: %s', async (path) => {
    await using jail = await startJail()
    for (const action of ['copy', 'rename']) {
      const query = `action=${action}&destination=/taken`
      const response = await jail.bob.fetch(`/api/resources${path}?${query}`, { method: 'PATCH' })
      expectRefusal(response.status, action)
    }
    await expect(jail.tree.read('home/taken')).rejects.toThrow()
    await expect(jail.tree.read('home/taken/secret.txt')).rejects.toThrow()
    await jail.inspect()
  })

  it('brings nothing in by a copy of the folder that holds it', async () => {
    await using jail = await startJail()
    await symlink(jail.tree.outside, jail.tree.at('home/dir/out'))
    const query = 'action=copy&destination=/copied'
    const response = await jail.bob.fetch(`/api/resources/dir?${query}`, { method: 'PATCH' })
    expect(response.status).toBe(403)
    await expect(jail.tree.read('home/copied/out/secret.txt')).rejects.toThrow()
    await jail.inspect()
  })
})

describe('CVE-2026-55668: what is removed', () => {
  it.each([...WAYS_OUT, ...DANGLING])('lies never outside: %s', async (path) => {
    await using jail = await startJail()
    for (const target of [`/api/resources${path}`, `/api/resources${path}/`, `/api/tus${path}`])
      expectRefusal((await jail.bob.fetch(target, { method: 'DELETE' })).status, target)
    await jail.inspect()
  })

  it('with a folder is the link in it and not its target', async () => {
    await using jail = await startJail()
    await jail.tree.add({ 'home/doomed/x.txt': 'x' })
    await symlink(jail.tree.outside, jail.tree.at('home/doomed/out'))
    await symlink(join(jail.tree.outside, 'secret.txt'), jail.tree.at('home/doomed/leaf'))
    await jail.bob.fetch('/api/resources/doomed', { method: 'DELETE' })
    await jail.inspect()
  })

  it('after an upload that was cut off is the upload’s own, though a link took its folder', async () => {
    await using jail = await startJail()
    const begun = await jail.bob.fetch('/api/tus/dir/made.txt', {
      method: 'POST',
      headers: { 'Upload-Length': '7' },
    })
    expect(begun.status).toBe(201)
    const { rename } = await import('node:fs/promises')
    await rename(jail.tree.at('home/dir'), join(jail.tree.base, 'aside'))
    await symlink(jail.tree.outside, jail.tree.at('home/dir'))
    const patched = await jail.bob.fetch('/api/tus/dir/made.txt', {
      method: 'PATCH',
      headers: TUS,
      body: 'planted',
    })
    expectRefusal(patched.status, 'PATCH')
    const ended = await jail.bob.fetch('/api/tus/dir/made.txt', { method: 'DELETE' })
    expectRefusal(ended.status, 'DELETE')
    await jail.inspect()
  })
})

it('CVE-2026-73613: a preview kept in the cache is not given out for a link', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  await using jail = await startJail()
  await jail.tree.add({ 'eve/face.png': pixel })
  const admin = await jail.as('admin')
  expect((await admin.fetch('/api/preview/thumb/eve/face.png')).status).toBe(200)
  for (const path of ['neighbour/face.png', 'face.png']) {
    if (path === 'face.png') await symlink('../eve/face.png', jail.tree.at('home/face.png'))
    expectRefusal((await jail.bob.fetch(`/api/preview/thumb/${path}`)).status, path)
  }
})

it('a scope with dots in it does not climb', async () => {
  await using app = await startApp({
    tree: { 'a.txt': 'inside of the root' },
    users: [{ username: 'bob', scope: '/../../outside' }],
  })
  const bob = await app.as('bob')
  const text = await (await bob.fetch('/api/raw/secret.txt')).text()
  expect(text).not.toContain(SECRET)
})

describe('a home that became a link out of the served folder', () => {
  const doors: [string, string, string?][] = [
    ['GET', '/api/resources/'],
    ['GET', '/api/resources/secret.txt'],
    ['GET', '/api/raw/secret.txt'],
    ['GET', '/api/raw/?algo=zip'],
    ['GET', '/api/search/?query=secret'],
    ['GET', '/api/usage/'],
    ['POST', '/api/resources/made.txt', 'made'],
    ['POST', '/api/resources/made/'],
    ['PUT', '/api/resources/secret.txt', 'changed'],
    ['PATCH', '/api/resources/secret.txt?action=rename&destination=%2Fmoved.txt'],
    ['POST', '/api/tus/made.txt'],
    ['POST', '/api/share/secret.txt', '{}'],
    ['DELETE', '/api/resources/secret.txt'],
  ]
  const becomeLink = async (app: TestApp, target: string) => {
    await rename(app.tree.at('home'), app.tree.at('former'))
    await symlink(target, app.tree.at('home'))
  }
  const ask = async (bob: SignedIn, [method, path, body]: (typeof doors)[number]) => {
    const headers: Record<string, string> = path.includes('/tus/') ? { 'Upload-Length': '4' } : {}
    const response = await bob.fetch(path, { method, headers, ...(body && { body }) })
    return { status: response.status, text: await response.text() }
  }

  it('is followed at no door, for accounts from before as for new ones', async () => {
    await using jail = await startJail()
    const share = await makeShare(jail, '/own.txt', {}, 'bob')
    await becomeLink(jail, jail.tree.outside)
    await writeFile(join(jail.tree.outside, 'own.txt'), SECRET)
    for (const door of doors) {
      const { status, text } = await ask(jail.bob, door)
      // A search answers before it looks; what matters is that it finds nothing.
      if (!door[1].startsWith('/api/search')) expectRefusal(status, door.join(' '))
      expect(text, door.join(' ')).not.toContain('secret')
    }
    expect((await readPublic(jail, share)).text).not.toContain(SECRET)
    expect((await readdir(jail.tree.outside)).sort()).toEqual(['own.txt', 'secret.txt'])
  })

  it('is followed where the administrator said so, and inside the served folder always', async () => {
    for (const [followExternalSymlinks, inside] of [
      [true, false],
      [false, true],
    ] as const) {
      await using app = await startApp({
        tree: { 'home/own.txt': 'own', 'other/secret.txt': SECRET },
        users: [{ username: 'bob', scope: '/home' }],
        config: { followExternalSymlinks },
      })
      const bob = await app.as('bob')
      await becomeLink(app, inside ? app.tree.at('other') : app.tree.outside)
      expect(await ask(bob, ['GET', '/api/raw/secret.txt'])).toEqual({ status: 200, text: SECRET })
      expect((await ask(bob, ['POST', '/api/resources/made.txt', 'made'])).status).toBe(200)
    }
  })
})
