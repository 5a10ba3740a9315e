// The trash over HTTP: an entry is judged by where it was, as a file there would be.
import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RestoreAnswer, TrashItem, TrashPage, TrashUsage } from '../../src/keep-types.ts'
import { PREFERENCES, USERS } from '../../src/store/collections.ts'
import { defaultPermissions, type User } from '../../src/store/document.ts'
import { removeUser } from '../../src/store/users.ts'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

const NO_ADMIN = { ...defaultPermissions(), admin: false }
const RULE = { regex: false, regexp: null }

async function open(options: TestAppOptions = {}): Promise<OpenedApp> {
  const app = await openApp({
    tree: { 'a.txt': 'a', 'docs/b.txt': 'bb', 'docs/deep/c.txt': 'ccc', 'secret/s.txt': 'secret' },
    users: [
      { username: 'ann' },
      { username: 'bob', rules: [{ ...RULE, allow: false, path: '/secret' }] },
      { username: 'cat', scope: '/docs' },
    ],
    ...options,
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return app
}

async function put(user: SignedIn, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    const { status } = await user.fetch(`/api/resources${path}`, { method: 'DELETE' })
    expect(status).toBe(204)
  }
}

async function list(user: SignedIn, query = ''): Promise<TrashPage> {
  const response = await user.fetch(`/api/trash${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as TrashPage
}

const pathsOf = ({ items }: TrashPage) => items.map(({ path }) => path)

async function only(user: SignedIn, query = ''): Promise<TrashItem> {
  const { items } = await list(user, query)
  expect(items).toHaveLength(1)
  return items[0] as TrashItem
}

async function restore(user: SignedIn, body: object): Promise<RestoreAnswer> {
  const response = await user.fetch('/api/trash/restore', {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as RestoreAnswer
}

const erase = (user: SignedIn, address: string) =>
  user.fetch(`/api/trash${address}`, { method: 'DELETE' })

describe('the list', () => {
  it('has what was deleted, the newest first, with who and how long', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt', '/docs/b.txt')
    const { items, next, total, totalBytes } = await list(ann)
    expect(items).toMatchObject([
      { path: '/docs/b.txt', isDir: false, size: 2, by: 'ann', canRestore: true, canErase: true },
      { path: '/a.txt', size: 1 },
    ])
    expect([next, total, totalBytes]).toEqual([null, 2, 3])
    const { deletedAt, expiresAt } = items[0] as TrashItem
    expect(Date.parse(expiresAt ?? '') - Date.parse(deletedAt ?? '')).toBe(30 * 86_400_000)
  })

  it('goes on where a page ended', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt', '/docs/b.txt', '/docs/deep/c.txt')
    const first = await list(ann, '?limit=2')
    const second = await list(ann, `?limit=2&cursor=${first.next}`)
    expect([...pathsOf(first), ...pathsOf(second)]).toEqual([
      '/docs/deep/c.txt',
      '/docs/b.txt',
      '/a.txt',
    ])
    expect(second.next).toBe(null)
  })

  it('is filtered by folder, account and text', async () => {
    const app = await open()
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/a.txt', '/docs/b.txt')
    await put(bob, '/docs/deep/c.txt')
    expect(pathsOf(await list(ann, '?path=/docs'))).toEqual(['/docs/deep/c.txt', '/docs/b.txt'])
    expect(pathsOf(await list(ann, '?account=bob'))).toEqual(['/docs/deep/c.txt'])
    expect(pathsOf(await list(ann, '?q=B.TX'))).toEqual(['/docs/b.txt'])
  })

  it('has the size of a folder when it was counted', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/docs')
    expect(await only(ann)).toMatchObject({ isDir: true, size: null })
    await expect.poll(() => only(ann)).toMatchObject({ size: 5, files: 2 })
  })
})

describe('an account that may not see where an entry was', () => {
  it('meets nothing of it in the list, its total included', async () => {
    const app = await open()
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/secret/s.txt', '/a.txt')
    expect(await list(bob)).toMatchObject({ total: 1, totalBytes: 1, items: [{ path: '/a.txt' }] })
  })

  it('gets 404 for its id, by whatever call', async () => {
    const app = await open()
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/secret/s.txt')
    const { id } = await only(ann)
    for (const address of [`/api/trash/${id}`, `/api/trash/${id}/?raw=true`])
      expect((await bob.fetch(address)).status).toBe(404)
    expect((await erase(bob, `/${id}`)).status).toBe(404)
    expect(await restore(bob, { ids: [id] })).toEqual({
      restored: [],
      failed: [{ id, code: 'not_found' }],
    })
    expect((await erase(bob, '')).status).toBe(202)
    expect(await only(ann)).toMatchObject({ id })
  })

  it('meets nothing denied inside of a folder that another has deleted', async () => {
    const rules = [{ ...RULE, allow: false, path: '/docs/deep' }]
    const app = await open({ users: [{ username: 'ann' }, { username: 'bob', rules }] })
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/docs')
    const { id } = await only(bob)
    const { items } = await (await bob.fetch(`/api/trash/${id}`)).json()
    expect(items.map(({ path }: { path: string }) => path)).toEqual(['/docs/b.txt'])
    for (const below of ['/deep', '/deep/c.txt', '/deep/c.txt?raw=true'])
      expect((await bob.fetch(`/api/trash/${id}${below}`)).status).toBe(403)
    expect((await ann.fetch(`/api/trash/${id}/deep/c.txt`)).status).toBe(200)
  })

  it('sees by other paths what lies in its own folder', async () => {
    const app = await open()
    const [ann, cat] = [await app.as('ann'), await app.as('cat')]
    await put(ann, '/a.txt', '/docs/b.txt')
    expect(pathsOf(await list(cat))).toEqual(['/b.txt'])
  })
})

describe('content', () => {
  it('is read with the headers of a download, in parts as well', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/docs')
    const { id } = await only(ann)
    const answer = await ann.fetch(`/api/trash/${id}/deep/c.txt?raw=true`, {
      headers: { Range: 'bytes=1-' },
    })
    expect([answer.status, await answer.text()]).toEqual([206, 'cc'])
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename*=utf-8''c.txt`)
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  })

  it('of a deleted file has the name that it had', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt')
    const { id } = await only(ann)
    const info = await (await ann.fetch(`/api/trash/${id}`)).json()
    expect(info).toMatchObject({ path: '/a.txt', name: 'a.txt', size: 1, type: 'textImmutable' })
    expect(await (await ann.fetch(`/api/trash/${id}/?raw=true`)).text()).toBe('a')
  })

  it('is not given to who may not download', async () => {
    const app = await open({
      users: [{ username: 'ann' }, { username: 'bob', perm: { ...NO_ADMIN, download: false } }],
    })
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/docs')
    const { id } = await only(bob)
    for (const below of ['/b.txt?raw=true', '/?raw=true'])
      expect((await bob.fetch(`/api/trash/${id}${below}`)).status).toBe(202)
  })

  it('is not left by a path or a link', async () => {
    const app = await open({ tree: { 'docs/out': { link: '../a.txt' }, 'a.txt': 'outside' } })
    const ann = await app.as('ann')
    await put(ann, '/docs')
    const { id } = await only(ann)
    expect((await ann.fetch(`/api/trash/${id}/out?raw=true`)).status).toBe(403)
    expect((await ann.fetch(`/api/trash/${id}/%2e%2e/info?raw=true`)).status).not.toBe(200)
  })
})

describe('restoring', () => {
  it('puts entries where they were, with the folders around them', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/docs/deep/c.txt', '/docs')
    const ids = (await list(ann)).items.filter(({ isDir }) => !isDir).map(({ id }) => id)
    const { restored, failed } = await restore(ann, { ids })
    expect([restored.map(({ path }) => path), failed]).toEqual([['/docs/deep/c.txt'], []])
    expect(await app.tree.read('docs/deep/c.txt')).toBe('ccc')
    expect(await restore(ann, { ids })).toMatchObject({ failed: [{ code: 'not_found' }] })
  })

  it('goes into another folder', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt')
    const { id } = await only(ann)
    expect(await restore(ann, { ids: [id], to: '/docs' })).toMatchObject({
      restored: [{ path: '/docs/a.txt' }],
    })
  })

  it.each([
    ['fail', { failed: [{ code: 'exists' }] }, 'new'],
    ['rename', { restored: [{ path: '/a(1).txt' }] }, 'new'],
    ['replace', { restored: [{ path: '/a.txt' }] }, 'a'],
  ])('with %s where the name is taken', async (conflict, answer, content) => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt')
    await writeFile(app.tree.at('a.txt'), 'new')
    const { id } = await only(ann)
    expect(await restore(ann, { ids: [id], conflict })).toMatchObject(answer)
    expect(await app.tree.read('a.txt')).toBe(content)
  })

  it('of a folder is refused where a rule denies something in it', async () => {
    const rules = [{ ...RULE, allow: false, path: '/docs/deep' }]
    const app = await open({ users: [{ username: 'ann' }, { username: 'bob', rules }] })
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/docs')
    const { id } = await only(bob)
    expect(await restore(bob, { ids: [id] })).toMatchObject({ failed: [{ code: 'forbidden' }] })
    expect(existsSync(app.tree.at('docs'))).toBe(false)
    expect(await restore(ann, { ids: [id] })).toMatchObject({ restored: [{ path: '/docs' }] })
  })

  it('puts what it replaces into the trash', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt')
    await writeFile(app.tree.at('a.txt'), 'newer')
    const { id } = await only(ann)
    await restore(ann, { ids: [id], conflict: 'replace' })
    expect(await only(ann)).toMatchObject({ path: '/a.txt', size: 5 })
  })

  it('needs the right to create', async () => {
    const app = await open({
      users: [{ username: 'ann' }, { username: 'bob', perm: { ...NO_ADMIN, create: false } }],
    })
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/a.txt')
    const { id, canRestore } = await only(bob)
    expect(canRestore).toBe(false)
    expect(await restore(bob, { ids: [id] })).toMatchObject({ failed: [{ code: 'forbidden' }] })
    expect(existsSync(app.tree.at('a.txt'))).toBe(false)
  })
})

describe('deleting for good', () => {
  it('takes the entry from the list at once, and from the disk', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/docs')
    const { id } = await only(ann)
    expect((await erase(ann, `/${id}`)).status).toBe(202)
    expect((await list(ann)).total).toBe(0)
    await expect.poll(() => existsSync(app.tree.at('.fb-trash'))).toBe(false)
  })

  it('is for what one has deleted oneself, and for administrators', async () => {
    const app = await open()
    const [ann, bob, admin] = [await app.as('ann'), await app.as('bob'), await app.as('admin')]
    await put(ann, '/a.txt')
    const { id, canErase } = await only(bob)
    expect(canErase).toBe(false)
    expect((await erase(bob, `/${id}`)).status).toBe(403)
    expect((await erase(bob, '')).status).toBe(202)
    expect((await list(bob)).total).toBe(1)
    expect((await erase(admin, `/${id}`)).status).toBe(202)
    expect((await list(bob)).total).toBe(0)
  })

  it('needs the right to delete', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt')
    const { id } = await only(ann)
    const user = app.store.all(USERS).find(({ username }) => username === 'ann') as User
    await app.store.transaction((tx) =>
      tx.replace(USERS, { ...user, perm: { ...user.perm, delete: false } }),
    )
    expect((await erase(ann, `/${id}`)).status).toBe(403)
  })

  it('spares what is younger than asked for', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt')
    expect((await erase(ann, '?olderThan=7d')).status).toBe(202)
    expect((await list(ann)).total).toBe(1)
    expect((await erase(ann, '?olderThan=soon')).status).toBe(400)
  })

  it('leaves lines in the audit log', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/a.txt', '/docs')
    const { items } = await list(ann)
    await restore(ann, { ids: [items[1]?.id] })
    await erase(ann, '')
    const read = async () => (await readFile(`${app.store.file}.audit.jsonl`, 'utf8')).split('\n')
    await expect
      .poll(async () => (await read()).filter((l) => /restore|erase/.test(l)))
      .toEqual([
        expect.stringMatching(/"restore".*"names":\["\/a.txt"\],"selected":1/),
        expect.stringMatching(/"erase".*"result":"ok","names":\["\/docs"\]/),
      ])
  })
})

describe('restoring a part of a deleted folder', () => {
  it('brings that alone back, with its time and mode, and leaves the rest', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await chmod(app.tree.at('docs/deep/c.txt'), 0o604)
    await utimes(app.tree.at('docs/deep/c.txt'), 1_700_000_000, 1_700_000_000)
    await put(ann, '/docs')
    const { id } = await only(ann)
    const part = `${id}/deep/c.txt`
    expect(await restore(ann, { ids: [part] })).toEqual({
      restored: [{ id: part, path: '/docs/deep/c.txt' }],
      failed: [],
    })
    const { mode, mtimeMs } = await stat(app.tree.at('docs/deep/c.txt'))
    expect([mode & 0o777, mtimeMs]).toEqual([0o604, 1_700_000_000_000])
    expect(await readdir(app.tree.at('docs'))).toEqual(['deep'])
    expect((await restore(ann, { ids: [part] })).failed).toEqual([{ id: part, code: 'not_found' }])
    await expect.poll(async () => (await only(ann)).size).toBe(2)
  })

  it('is undone and done again, and brings back its share alone', async () => {
    const app = await open()
    const ann = await app.as('ann')
    const share = async (path: string) =>
      (await (await ann.fetch(`/api/share${path}`, { method: 'POST', body: '{}' })).json()).hash
    const [of, other] = [await share('/docs/deep/c.txt'), await share('/docs/b.txt')]
    await put(ann, '/docs')
    const { id } = await only(ann)
    await restore(ann, { ids: [`${id}/deep/c.txt`] })
    const statusOf = async (hash: string) => (await app.fetch(`/api/public/share/${hash}`)).status
    expect([await statusOf(of), await statusOf(other)]).toEqual([200, 404])
    const undoLast = async () => {
      const { items } = await (await ann.fetch('/api/history?limit=1')).json()
      const { status } = await ann.fetch(`/api/history/${items[0].id}/undo`, { method: 'POST' })
      expect(status).toBe(200)
    }
    await undoLast()
    expect(existsSync(app.tree.at('docs/deep/c.txt'))).toBe(false)
    expect(pathsOf(await list(ann))).toEqual(['/docs/deep/c.txt', '/docs'])
    await undoLast()
    expect(await app.tree.read('docs/deep/c.txt')).toBe('ccc')
  })

  it('goes into another folder, a folder with all it holds', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/docs')
    const { id } = await only(ann)
    const { restored } = await restore(ann, { ids: [`${id}/deep`], to: '/secret' })
    expect(restored.map(({ path }) => path)).toEqual(['/secret/deep'])
    expect(await app.tree.read('secret/deep/c.txt')).toBe('ccc')
  })

  it('leaves what has taken its place, or moves it into the trash', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await put(ann, '/docs')
    const { id } = await only(ann)
    await app.tree.add({ 'docs/b.txt': 'new' })
    const part = `${id}/b.txt`
    expect((await restore(ann, { ids: [part] })).failed).toEqual([{ id: part, code: 'exists' }])
    await restore(ann, { ids: [part], conflict: 'replace' })
    expect(await app.tree.read('docs/b.txt')).toBe('bb')
    expect(pathsOf(await list(ann))).toEqual(['/docs/b.txt', '/docs'])
  })

  it('is refused where the caller may not see it, whatever the spelling, and where a link leads out', async () => {
    const app = await open({
      tree: { 'docs/secret/s.txt': 's', 'docs/b.txt': 'b', 'other.txt': 'o' },
      users: [
        { username: 'ann' },
        { username: 'bob', rules: [{ ...RULE, allow: false, path: '/docs/secret' }] },
      ],
    })
    await symlink(app.tree.at('other.txt'), app.tree.at('docs/out'))
    await symlink(app.tree.root, app.tree.at('docs/top'))
    await symlink('secret', app.tree.at('docs/way'))
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    await put(ann, '/docs')
    const { id } = await only(bob)
    const parts = [
      'secret',
      'secret/s.txt',
      'x/../secret/s.txt',
      'secret//s.txt',
      'way/s.txt',
      'top/other.txt',
      '../x',
    ]
    const { restored, failed } = await restore(bob, { ids: parts.map((part) => `${id}/${part}`) })
    expect(restored).toEqual([])
    expect(failed).toHaveLength(parts.length)
    expect(existsSync(app.tree.at('docs'))).toBe(false)
    expect(await app.tree.read('other.txt')).toBe('o')
  })
})

describe('what is in the trash without a word of where it was', () => {
  async function lose() {
    const app = await open()
    await put(await app.as('ann'), '/a.txt', '/docs')
    const store = join(app.tree.root, '.fb-trash/info')
    for (const name of await readdir(store)) if (name.includes('docs')) await rm(join(store, name))
    return app
  }

  it('is for administrators, and stays however old it is', async () => {
    const app = await lose()
    const [ann, admin] = [await app.as('ann'), await app.as('admin')]
    expect(pathsOf(await list(ann))).toEqual(['/a.txt'])
    const lost = (await list(admin)).items.find(({ isLost }) => isLost)
    expect(lost).toMatchObject({ path: '/docs', isDir: true, deletedAt: null, expiresAt: null })
    expect((await ann.fetch(`/api/trash/${lost?.id}`)).status).toBe(404)
    await erase(admin, '?olderThan=1ms')
    expect(pathsOf(await list(admin))).toContain('/docs')
  })

  it('comes back beside the trash', async () => {
    const app = await lose()
    const admin = await app.as('admin')
    const lost = (await list(admin)).items.find(({ isLost }) => isLost)
    expect((await restore(admin, { ids: [lost?.id] })).restored).toEqual([
      { id: lost?.id, path: '/docs' },
    ])
    expect(await app.tree.read('docs/deep/c.txt')).toBe('ccc')
  })
})

describe('the usage of the trash', () => {
  const usageFor = (user: SignedIn) => user.fetch('/api/trash/usage')

  it('tells administrators of everybody, by account and by disk, the largest first', async () => {
    const app = await open()
    const [ann, cat, admin] = [await app.as('ann'), await app.as('cat'), await app.as('admin')]
    await put(ann, '/a.txt')
    await put(cat, '/b.txt')
    await put(cat, '/deep')
    const read = async () => (await (await usageFor(admin)).json()) as TrashUsage
    // The folder is counted when somebody asks.
    await expect
      .poll(async () => (await read()).accounts)
      .toEqual([
        { by: 'cat', items: 2, bytes: 5, versions: 0, versionBytes: 0 },
        { by: 'ann', items: 1, bytes: 1, versions: 0, versionBytes: 0 },
      ])
    const { disks } = await read()
    expect(disks).toMatchObject([{ path: app.tree.root, items: 3, bytes: 6 }])
    expect(disks[0]?.totalBytes).toBeGreaterThan(0)
  })

  it('counts versions as well, also of files that are gone', async () => {
    const app = await open()
    const [ann, admin] = [await app.as('ann'), await app.as('admin')]
    const kept = { items: 0, bytes: 0, versions: 1, versionBytes: 2 }
    const path = '/api/resources/docs/b.txt'
    await ann.fetch(path, { method: 'PUT', body: 'new text' })
    await ann.fetch(`${path}?trash=false`, { method: 'DELETE' })
    const { accounts, disks } = (await (await usageFor(admin)).json()) as TrashUsage
    expect(accounts).toEqual([{ by: 'ann', ...kept }])
    expect(disks).toMatchObject([{ path: app.tree.root, ...kept }])
  })

  it('is 403 for others', async () => {
    const app = await open()
    expect((await usageFor(await app.as('ann'))).status).toBe(403)
  })
})

describe('what the page does for an account', () => {
  const address = '/api/preferences'
  const say = (user: SignedIn, change: object) =>
    user.fetch(address, { method: 'PUT', body: JSON.stringify(change) })
  const read = async (user: SignedIn) => (await user.fetch(address)).json()

  it('is the usual until an account says otherwise, for itself alone', async () => {
    const app = await open()
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    const usual = { onDelete: 'trash', openTarget: false }
    expect(await read(ann)).toEqual(usual)
    expect((await say(ann, { onDelete: 'gone' })).status).toBe(204)
    expect(await read(ann)).toEqual({ ...usual, onDelete: 'gone' })
    expect((await say(ann, { openTarget: true })).status).toBe(204)
    expect(await read(ann)).toEqual({ onDelete: 'gone', openTarget: true })
    expect(await read(bob)).toEqual(usual)
    for (const wrong of [{ onDelete: 'burn' }, { openTarget: 'yes' }])
      expect((await say(ann, wrong)).status).toBe(400)
    expect(await read(ann)).toEqual({ onDelete: 'gone', openTarget: true })
  })

  it('is no record while it is the usual, and none of an account that is gone', async () => {
    const app = await open()
    const { store } = app
    const ann = await app.as('ann')
    await say(ann, { onDelete: 'ask', openTarget: true })
    expect(store.all(PREFERENCES)).toMatchObject([{ onDelete: 'ask', openTarget: true }])
    await say(ann, { onDelete: 'trash', openTarget: false })
    expect(store.all(PREFERENCES)).toEqual([])
    await say(ann, { onDelete: 'ask' })
    const [user] = store.find(USERS, 'username', 'ann')
    await store.transaction((tx) => removeUser(tx, user?.id ?? 0))
    expect(store.all(PREFERENCES)).toEqual([])
  })
})
