import { existsSync } from 'node:fs'
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createDavLocks } from '../../src/store/dav/locks.ts'
import { openApp } from '../support/app.ts'
import { type DavAsk, davAs, LOCK_INFO } from '../support/dav.ts'
import { zipOf } from '../support/zips.ts'

const TREE = { 'a.txt': 'hello', 'team/b.txt': 'b', 'team/deep/c.txt': 'c', 'other/x.txt': 'x' }
const USERS = [{ username: 'anna', scope: '/team' }, { username: 'ben' }]
const SHARED = LOCK_INFO.replace('exclusive', 'shared')
const openWithUsers = () => openApp({ tree: TREE, users: USERS })

async function lock(dav: DavAsk, path: string, headers = {}, info = LOCK_INFO): Promise<string> {
  const answer = await dav('LOCK', path, headers, info)
  expect([200, 201]).toContain(answer.status)
  return answer.headers.get('lock-token') ?? ''
}

const put = async (dav: DavAsk, path: string, headers = {}) =>
  (await dav('PUT', path, headers, 'new')).status

describe('a lock', () => {
  it('of one person is met by others, whatever their tree, by the page and by its owner', async () => {
    await using app = await openWithUsers()
    const [anna, ben] = [await davAs(app, 2), await davAs(app, 3)]
    const token = await lock(anna, '/dav/b.txt', { Timeout: 'Second-600' })
    expect(await put(ben, '/dav/team/b.txt')).toBe(423)
    // The token alone does not do.
    expect(await put(ben, '/dav/team/b.txt', { If: `(${token})` })).toBe(423)
    expect(await put(anna, '/dav/b.txt')).toBe(423)
    const page = await app.as('ben')
    const saved = await page.fetch('/api/resources/team/b.txt', { method: 'PUT', body: 'x' })
    expect(saved.status).toBe(423)
    expect(await saved.text()).toMatch(/^423 Locked \(b.txt is locked by anna until 20.*Z\)/)
    expect(saved.headers.get('x-locked-by')).toBe('anna')
    const leftMs = Date.parse(saved.headers.get('x-locked-until') ?? '') - Date.now()
    expect(leftMs).toBeGreaterThan(590_000)
    expect(leftMs).toBeLessThanOrEqual(600_000)
    expect(await put(anna, '/dav/b.txt', { If: `(${token})` })).toBe(204)
    // Windows sends it so.
    expect(await put(anna, '/dav/b.txt', { 'Lock-Token': token })).toBe(204)
    expect((await ben('UNLOCK', '/dav/team/b.txt', { 'Lock-Token': token })).status).toBe(403)
    expect((await anna('UNLOCK', '/dav/b.txt', { 'Lock-Token': token })).status).toBe(204)
    expect(await put(ben, '/dav/team/b.txt')).toBe(204)
  })

  const BY_PAGE: [what: string, path: string, init: RequestInit][] = [
    ['an upload over it', '/api/resources/team/b.txt?override=true', { method: 'POST', body: 'x' }],
    ['a deletion', '/api/resources/team/b.txt', { method: 'DELETE' }],
    ['a deletion of its folder', '/api/resources/team', { method: 'DELETE' }],
    [
      'a move of its folder',
      '/api/resources/team?action=rename&destination=/elsewhere',
      { method: 'PATCH' },
    ],
    [
      'a copy over it',
      '/api/resources/a.txt?action=copy&destination=/team/b.txt&override=true',
      { method: 'PATCH' },
    ],
    ['a change of its bits', '/api/resources/team/b.txt?action=mode&mode=600', { method: 'PATCH' }],
    [
      'a resumable upload',
      '/api/tus/team/b.txt?override=true',
      { method: 'POST', headers: { 'Upload-Length': '2' } },
    ],
  ]
  it.each(BY_PAGE)('stops %s by the page', async (_, path, init) => {
    await using app = await openWithUsers()
    await lock(await davAs(app, 2), '/dav/b.txt')
    expect((await (await app.as('ben')).fetch(path, init)).status).toBe(423)
    expect(await app.tree.read('team/b.txt')).toBe('b')
  })

  it('is met by a job', async () => {
    await using app = await openWithUsers()
    await lock(await davAs(app, 2), '/dav/b.txt')
    const body = JSON.stringify({ kind: 'delete', items: ['/team/b.txt'] })
    const job = await (await app.as('ben')).fetch('/api/jobs?wait=30', { method: 'POST', body })
    expect(job.status).toBe(423)
    expect(await app.tree.read('team/b.txt')).toBe('b')
  })

  it('is met by what comes out of an archive', async () => {
    await using app = await openWithUsers()
    await writeFile(app.tree.at('new.zip'), zipOf([{ name: 'b.txt', content: 'new' }]))
    await lock(await davAs(app, 2), '/dav/b.txt')
    const wanted = { kind: 'extract', items: ['/new.zip'], to: '/team', conflict: 'replace' }
    const init = { method: 'POST', body: JSON.stringify(wanted) }
    const job = await (await app.as('ben')).fetch('/api/jobs?wait=30', init)
    const [failure] = (await job.json()).errors
    const held = { user: 'anna', until: expect.stringMatching(/^20.*Z$/) }
    expect(failure).toEqual({ path: '/team/b.txt', code: 'locked', lock: held })
    expect(await app.tree.read('team/b.txt')).toBe('b')
  })

  it('of a folder holds what it has names for, a deep one all below', async () => {
    await using app = await openWithUsers()
    const [anna, ben] = [await davAs(app, 2), await davAs(app, 3)]
    const flat = await lock(ben, '/dav/team', { Depth: '0' })
    expect(await put(anna, '/dav/new.txt')).toBe(423)
    expect((await anna('MKCOL', '/dav/new')).status).toBe(423)
    expect((await anna('DELETE', '/dav/b.txt')).status).toBe(423)
    expect(await put(anna, '/dav/b.txt')).toBe(204)
    const page = await app.as('ben')
    const save = { method: 'POST', body: 'x' }
    expect((await page.fetch('/api/resources/team/new/new.txt', save)).status).toBe(423)
    expect((await page.fetch('/api/resources/team/deep/new/new.txt', save)).status).toBe(200)
    await ben('UNLOCK', '/dav/team', { 'Lock-Token': flat })
    const deep = await lock(ben, '/dav/team', { Depth: 'infinity' })
    expect(await put(anna, '/dav/deep/c.txt')).toBe(423)
    expect(await put(ben, '/dav/team/deep/c.txt', { If: `(${deep})` })).toBe(204)
    expect((await ben('DELETE', '/dav/team/deep', { If: `(${deep})` })).status).toBe(204)
  })

  it('of a whole folder needs every member free', async () => {
    await using app = await openWithUsers()
    const [anna, ben] = [await davAs(app, 2), await davAs(app, 3)]
    await lock(anna, '/dav/deep/c.txt')
    const answer = await ben('LOCK', '/dav/team', { Depth: 'infinity' }, LOCK_INFO)
    expect(answer.status).toBe(207)
    expect(await answer.text()).toMatch(/team\/deep\/c.txt<.* 423 .*\/dav\/team\/<.* 424 /)
    expect((await ben('LOCK', '/dav/team/deep/c.txt', {}, LOCK_INFO)).status).toBe(423)
  })

  it('is shared by those who ask for that', async () => {
    await using app = await openWithUsers()
    const [anna, ben] = [await davAs(app, 2), await davAs(app, 3)]
    const token = await lock(anna, '/dav/b.txt', {}, SHARED)
    await lock(ben, '/dav/team/b.txt', {}, SHARED)
    expect((await ben('LOCK', '/dav/team/b.txt', {}, LOCK_INFO)).status).toBe(423)
    expect(await put(anna, '/dav/b.txt', { If: `(${token})` })).toBe(204)
    expect(await put(ben, '/dav/team/b.txt')).toBe(423)
  })

  it('goes to one of many who ask at once', async () => {
    await using app = await openWithUsers()
    const clients = await Promise.all([2, 2, 2].map((id) => davAs(app, id)))
    const asked = clients.map((dav) => dav('LOCK', '/dav/deep/', {}, LOCK_INFO))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 423, 423])
  })

  it('of a new name makes an empty file', async () => {
    await using app = await openWithUsers()
    const dav = await davAs(app, 3)
    const token = await lock(dav, '/dav/new.txt')
    expect(await app.tree.read('new.txt')).toBe('')
    expect(await put(dav, '/dav/new.txt', { If: `(${token})` })).toBe(204)
    expect((await dav('LOCK', '/dav/none/new.txt', {}, LOCK_INFO)).status).toBe(409)
    expect(await readdir(app.tree.root)).not.toContain('none')
  })

  it('is refreshed, told and ended', async () => {
    await using app = await openWithUsers()
    const [anna, ben] = [await davAs(app, 2), await davAs(app, 3)]
    const token = await lock(anna, '/dav/b.txt', { Timeout: 'Second-60' })
    const fresh = await anna('LOCK', '/dav/b.txt', { If: `(${token})`, Timeout: 'Second-1200' })
    expect([fresh.status, fresh.headers.get('lock-token')]).toEqual([200, null])
    expect(await fresh.text()).toContain('<D:timeout>Second-1200</D:timeout>')
    const told = async (dav: DavAsk, path: string) =>
      (await dav('PROPFIND', path, { Depth: '0' })).text()
    expect(await told(anna, '/dav/b.txt')).toContain(`<D:href>${token.slice(1, -1)}</D:href>`)
    // Others learn that, and what its owner has said, but cannot use it.
    expect(await told(ben, '/dav/team/b.txt')).toContain('<D:owner>me</D:owner>')
    expect(await told(ben, '/dav/team/b.txt')).not.toContain(token.slice(1, -1))
    const wrong = await anna('UNLOCK', '/dav/deep', { 'Lock-Token': token })
    expect(wrong.status).toBe(409)
    expect(await wrong.text()).toContain('lock-token-matches-request-uri')
    expect((await anna('LOCK', '/dav/deep', { If: `(${token})` })).status).toBe(412)
  })

  it('goes with the file, and follows no copy', async () => {
    await using app = await openWithUsers()
    const [anna, ben] = [await davAs(app, 2), await davAs(app, 3)]
    const token = await lock(anna, '/dav/b.txt')
    expect((await ben('COPY', '/dav/team/b.txt', { Destination: '/dav/copy.txt' })).status).toBe(
      201,
    )
    expect(await put(ben, '/dav/copy.txt')).toBe(204)
    const to = { Destination: '/dav/moved.txt', If: `(${token})` }
    expect((await anna('MOVE', '/dav/b.txt', to)).status).toBe(201)
    expect(await put(ben, '/dav/team/moved.txt')).toBe(204)
    expect(await put(ben, '/dav/team/b.txt')).toBe(201)
  })

  it('is listed and ended by its owner and administrators', async () => {
    await using app = await openWithUsers()
    await lock(await davAs(app, 2), '/dav/b.txt')
    const [admin, ben] = [await app.as('admin'), await app.as('ben')]
    const list = async (path: string) => (await (await ben.fetch(path)).json()).items
    const [item] = await list('/api/locks/team/b.txt')
    expect(item).toMatchObject({ user: 'anna', isOwn: false, isExclusive: true, isDeep: false })
    const address = `/api/locks/team/b.txt?id=${item.id}`
    expect((await ben.fetch(address, { method: 'DELETE' })).status).toBe(403)
    expect((await admin.fetch(address, { method: 'DELETE' })).status).toBe(204)
    expect(await list('/api/locks/team/b.txt')).toEqual([])
  })

  it('outlives a restart, in a file that is there as long as one is', async () => {
    await using app = await openWithUsers()
    const dav = await davAs(app, 3)
    const file = `${app.store.file}.locks`
    const token = await lock(dav, '/dav/a.txt')
    await expect.poll(() => existsSync(file)).toBe(true)
    const again = createDavLocks(app.store.file, { error: expect.unreachable })
    await again.load()
    expect(again.at(app.tree.at('a.txt'))).toMatchObject([{ userID: 3, token: token.slice(1, -1) }])
    await dav('UNLOCK', '/dav/a.txt', { 'Lock-Token': token })
    await expect.poll(() => existsSync(file)).toBe(false)
  })

  it('that cannot be read back holds nobody up', async () => {
    await using app = await openWithUsers()
    await mkdir(`${app.store.file}.locks`)
    const errors: string[] = []
    const locks = createDavLocks(app.store.file, { error: (line) => void errors.push(line) })
    await locks.load()
    expect(locks.any()).toBe(false)
    expect(errors).toEqual([expect.stringContaining('locks cannot be read')])
    await rmdir(`${app.store.file}.locks`)
  })
})

describe('If by WebDAV', () => {
  const etagOf = async (dav: DavAsk) => (await dav('HEAD', '/dav/a.txt')).headers.get('etag')

  it('stops what is not as the client expects', async () => {
    await using app = await openWithUsers()
    const dav = await davAs(app, 3)
    const etag = await etagOf(dav)
    expect(await put(dav, '/dav/a.txt', { If: '(["other"])' })).toBe(412)
    expect(await put(dav, '/dav/a.txt', { If: '(<urn:uuid:none>)' })).toBe(412)
    expect(await put(dav, '/dav/a.txt', { If: '<http://x/dav/none> (["e"])' })).toBe(412)
    expect(await put(dav, '/dav/a.txt', { If: '<http://x/files/a.txt> (["e"])' })).toBe(412)
    expect(await put(dav, '/dav/a.txt', { If: 'nothing' })).toBe(400)
    expect(await put(dav, '/dav/a.txt', { If: `<https://x/dav/a.txt> ([${etag}])` })).toBe(204)
  })
})
