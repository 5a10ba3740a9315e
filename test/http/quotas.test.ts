// Limits of homes over HTTP: no way of writing passes one, and old clients see theirs in the bar.
import { access, readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { RestoreAnswer, TrashPage } from '../../src/keep-types.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import type { Folder } from '../../src/store/access/folder-record.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type DavAsk, davAs } from '../support/dav.ts'
import { makeGroup } from '../support/groups.ts'
import type { SignedIn } from '../support/login.ts'
import { sumOf } from '../support/quotas.ts'
import { makeTree } from '../support/tree.ts'

const KIB = 1024
const CHUNK = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }

const limitHome = ({ store }: TestApp, userID: number, homeQuota: number | null) =>
  store.transaction((tx) => setHome(tx, { userID, home: true, homeQuota }))

const post = (bob: SignedIn, path: string, bytes: number, query = '') =>
  bob.fetch(`/api/resources${path}${query}`, { method: 'POST', body: new Uint8Array(bytes) })

const put = (bob: SignedIn, path: string, bytes: number) =>
  bob.fetch(`/api/resources${path}`, { method: 'PUT', body: new Uint8Array(bytes) })

// In pieces, so that nobody knows how many there will be.
function chunked(bob: SignedIn, path: string, bytes: number): Promise<Response> {
  const pieces = Array.from({ length: 4 }, () => Buffer.alloc(bytes / 4))
  const body = Readable.toWeb(Readable.from(pieces)) as ReadableStream
  return bob.fetch(`/api/resources${path}`, { method: 'POST', body, duplex: 'half' } as RequestInit)
}

const begin = (bob: SignedIn, path: string, bytes: number, query = '') =>
  bob.fetch(`/api/tus${path}${query}`, {
    method: 'POST',
    headers: { 'Upload-Length': String(bytes) },
  })

async function tus(bob: SignedIn, path: string, bytes: number): Promise<Response> {
  const begun = await begin(bob, path, bytes)
  if (!begun.ok) return begun
  const body = new Uint8Array(bytes)
  return bob.fetch(`/api/tus${path}`, { method: 'PATCH', headers: CHUNK, body })
}

const change = (who: SignedIn, action: string, from: string, to: string) =>
  who.fetch(`/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}`, {
    method: 'PATCH',
  })

async function expectFull(answer: Response | Promise<Response>): Promise<void> {
  const response = await answer
  expect([response.status, response.headers.get('x-error-code')]).toEqual([507, 'quota_exceeded'])
}

const usage = async (who: SignedIn, path = '/') =>
  (await who.fetch(`/api/usage${path}`)).json() as Promise<{ total: number; used: number }>

/** bob (2) has the home `home`, admin (1) sees all. */
async function withHome(
  homeQuota: number,
  content: Record<string, Uint8Array | null>,
  work: (app: TestApp, bob: SignedIn, admin: SignedIn) => Promise<void>,
): Promise<void> {
  await using app = await startApp({
    tree: { home: null, ...content },
    users: [{ username: 'bob', scope: '/home' }],
  })
  await limitHome(app, 2, homeQuota)
  await work(app, await app.as('bob'), await app.as('admin'))
  expect(app.errors).toEqual([])
}

describe('twenty at once never pass the limit by a byte', () => {
  // Half of them fit, to the byte.
  const BYTES = 40 * KIB
  const LIMIT = 10 * BYTES
  const many = (work: (i: number) => Promise<Response>) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => work(i)))
  const files = (folder: string) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`${folder}/${i}`, new Uint8Array(BYTES)]),
    )

  it.each([
    ['POST with a length', (bob: SignedIn, i: number) => post(bob, `/new/${i}`, BYTES)],
    ['resumable uploads', (bob: SignedIn, i: number) => tus(bob, `/new/${i}`, BYTES)],
    [
      'PUT by WebDAV',
      (_bob: SignedIn, i: number, _admin: SignedIn, dav: DavAsk) =>
        dav('PUT', `/dav/${i}`, {}, new Uint8Array(BYTES)),
    ],
    [
      'copies',
      (_bob: SignedIn, i: number, admin: SignedIn) =>
        change(admin, 'copy', `/from/${i}`, `/home/${i}`),
    ],
    [
      'moves',
      (_bob: SignedIn, i: number, admin: SignedIn) =>
        change(admin, 'rename', `/from/${i}`, `/home/${i}`),
    ],
  ])('%s', (_name, send) =>
    withHome(LIMIT, files('from'), async (app, bob, admin) => {
      const { tree } = app
      const dav = await davAs(app, 2)
      const answers = await many((i) => send(bob, i, admin, dav))
      const refused = answers.filter(({ ok }) => !ok)
      expect(refused).toHaveLength(10)
      for (const answer of refused) await expectFull(answer)
      expect(sumOf(tree.at('home'))).toBe(LIMIT)
      expect(await usage(bob)).toEqual({ total: LIMIT, used: LIMIT })
    }),
  )

  it('POST without a length', () =>
    withHome(LIMIT, {}, async ({ tree }, bob) => {
      const answers = await many((i) => chunked(bob, `/${i}`, BYTES))
      for (const answer of answers) if (!answer.ok) await expectFull(answer)
      // What did not fit beside the others has let go of its pieces.
      const done = answers.filter(({ ok }) => ok).length
      expect(sumOf(tree.at('home'))).toBe(done * BYTES)
      expect(done).toBeLessThanOrEqual(10)
      expect((await usage(bob)).used).toBe(done * BYTES)
      expect((await readdir(tree.at('home'))).length).toBe(done)
    }))

  it('PUT over files that are there', () =>
    withHome(LIMIT + 20, {}, async ({ tree }, bob) => {
      for (let i = 0; i < 20; i++) await post(bob, `/${i}`, 1)
      const answers = await many((i) => put(bob, `/${i}`, BYTES + 1))
      const refused = answers.filter(({ ok }) => !ok)
      expect(refused).toHaveLength(10)
      for (const answer of refused) await expectFull(answer)
      expect(sumOf(tree.at('home'))).toBe(LIMIT + 20)
      expect((await usage(bob)).used).toBe(LIMIT + 20)
    }))

  it('restores from the trash', () =>
    withHome(2 * LIMIT, files('home'), async (app, bob) => {
      for (let i = 0; i < 20; i++)
        expect((await bob.fetch(`/api/resources/${i}`, { method: 'DELETE' })).status).toBe(204)
      await limitHome(app, 2, LIMIT)
      const { items } = (await (await bob.fetch('/api/trash')).json()) as TrashPage
      expect(items).toHaveLength(20)
      const answers = await many(async (i) => {
        const body = JSON.stringify({ ids: [items[i]?.id] })
        return bob.fetch('/api/trash/restore', { method: 'POST', body })
      })
      const codes: string[] = []
      for (const answer of answers) {
        const { failed } = (await answer.json()) as RestoreAnswer
        codes.push(...failed.map(({ code }) => code))
      }
      expect(codes).toEqual(Array(10).fill('quota_exceeded'))
      expect(sumOf(app.tree.at('home'))).toBe(LIMIT)
      expect((await usage(bob)).used).toBe(LIMIT)
    }))

  it('versions that are brought back', () =>
    withHome(2 * LIMIT, files('home'), async (app, bob) => {
      for (let i = 0; i < 20; i++) expect((await put(bob, `/${i}`, 1)).status).toBe(200)
      await limitHome(app, 2, LIMIT + 10)
      const answers = await many(async (i) => {
        const { items } = await (await bob.fetch(`/api/versions/${i}`)).json()
        const body = JSON.stringify({ id: items[0].id, action: 'restore' })
        return bob.fetch(`/api/versions/${i}`, { method: 'POST', body })
      })
      const refused = answers.filter(({ ok }) => !ok)
      expect(refused).toHaveLength(10)
      for (const answer of refused) await expectFull(answer)
      expect(sumOf(app.tree.at('home'))).toBe(LIMIT + 10)
      expect((await usage(bob)).used).toBe(LIMIT + 10)
    }))
})

describe('a limited home', () => {
  it('refuses a resumable upload when it is begun, and holds its length until it ends', () =>
    withHome(100, {}, async (_, bob) => {
      await expectFull(begin(bob, '/large.bin', 101))
      expect((await begin(bob, '/a.bin', 90)).status).toBe(201)
      expect(await usage(bob)).toEqual({ total: 100, used: 90 })
      await expectFull(begin(bob, '/b.bin', 11))
      await expectFull(post(bob, '/b.bin', 11))
      // Begun anew it does not count twice.
      expect((await begin(bob, '/a.bin', 95)).status).toBe(201)
      expect((await bob.fetch('/api/tus/a.bin', { method: 'DELETE' })).status).toBe(204)
      expect((await post(bob, '/b.bin', 100)).status).toBe(200)
    }))

  it('lets an overwrite through that fits, and no other', () =>
    withHome(100, {}, async ({ tree }, bob) => {
      await post(bob, '/a.bin', 90)
      expect((await post(bob, '/a.bin', 100, '?override=true')).status).toBe(200)
      await expectFull(post(bob, '/a.bin', 101, '?override=true'))
      expect((await begin(bob, '/a.bin', 100, '?override=true')).status).toBe(201)
      expect(sumOf(tree.at('home'))).toBe(100)
    }))

  it('that is over its limit can be read, emptied and made smaller', () =>
    withHome(100, { 'home/a.bin': new Uint8Array(150) }, async (_, bob) => {
      await expectFull(post(bob, '/b.bin', 1))
      expect((await bob.fetch('/api/raw/a.bin')).status).toBe(200)
      expect((await put(bob, '/a.bin', 120)).status).toBe(200)
      expect((await change(bob, 'rename', '/a.bin', '/c.bin')).status).toBe(200)
      expect((await bob.fetch('/api/resources/c.bin', { method: 'DELETE' })).status).toBe(204)
      expect(await usage(bob)).toEqual({ total: 100, used: 0 })
    }))

  it('says in the answer how much there may be and what to do', () =>
    withHome(100, { 'home/a.bin': new Uint8Array(90) }, async (_, bob) => {
      expect(await (await post(bob, '/b.bin', 20)).text()).toBe(
        '507 Insufficient Storage (the folder may hold 100 bytes and 90 bytes of them are taken, so ' +
          '20 bytes more do not fit: delete something in it, or ask an administrator for more)\n',
      )
    }))

  it('is limited for whoever writes there, and its owner elsewhere is not', () =>
    withHome(100, { other: null }, async (_, _bob, admin) => {
      await expectFull(post(admin, '/home/a.bin', 101))
      expect((await post(admin, '/other/a.bin', 101)).status).toBe(200)
    }))

  it('has the largest limit of its groups unless the account has one of its own', async () => {
    await using app = await startApp({
      tree: { home: null },
      users: [{ username: 'bob', scope: '/home' }],
    })
    const bob = await app.as('bob')
    expect((await usage(bob)).total).toBeGreaterThan(200)
    await makeGroup(app.store, { name: 'small', homeQuota: 100, members: [2] })
    await makeGroup(app.store, { name: 'large', homeQuota: 200, members: [2] })
    expect((await usage(bob)).total).toBe(200)
    await limitHome(app, 2, 50)
    expect((await usage(bob)).total).toBe(50)
    await expectFull(post(bob, '/a.bin', 51))
    await limitHome(app, 2, null)
    expect((await post(bob, '/a.bin', 200)).status).toBe(200)
  })
})

it('without a limit nothing is counted and there is no file', async () => {
  await using app = await startApp({ users: [{ username: 'bob', scope: '/folder' }] })
  await post(await app.as('bob'), '/a.bin', 100)
  await expect(access(`${app.store.file}.usage`)).rejects.toMatchObject({ code: 'ENOENT' })
})

describe('a limited folder', () => {
  const record = (place: string, quota: number): Folder => ({
    place: vpathOf(place) as string as Folder['place'],
    as: '',
    quota,
    grants: [],
  })
  const limit = ({ store }: TestApp, ...records: Folder[]) =>
    store.transaction((tx) => {
      for (const folder of records) setFolder(tx, folder)
    })

  it('is limited beside the home it lies in, and the bar shows where the least is left', async () => {
    await using app = await startApp({
      tree: { 'home/docs/a.bin': new Uint8Array(10) },
      users: [{ username: 'bob', scope: '/home' }],
    })
    const bob = await app.as('bob')
    await limitHome(app, 2, 100)
    await limit(app, record('/home/docs', 50))
    expect(await usage(bob)).toEqual({ total: 100, used: 10 })
    expect(await usage(bob, '/docs')).toEqual({ total: 50, used: 10 })
    await expectFull(post(bob, '/docs/b.bin', 41))
    expect((await post(bob, '/b.bin', 80)).status).toBe(200)
    expect(await usage(bob, '/docs')).toEqual({ total: 100, used: 90 })
    await expectFull(post(bob, '/docs/b.bin', 11))
    expect((await change(bob, 'rename', '/b.bin', '/docs/b.bin')).status).toBe(507)
  })

  it('in a further root is passed by no kind of upload', async () => {
    await using further = await makeTree({ 'x/old': new Uint8Array(10) })
    await using app = await startApp({
      tree: { 'home/large': new Uint8Array(200) },
      config: { roots: { photos: further.root } },
      users: [{ username: 'bob', scope: '/home' }],
    })
    const grants = [{ who: 'user:2', see: true }]
    const place = 'photos:/x' as Folder['place']
    await limit(app, { place, as: 'x', quota: 100, grants })
    const bob = await app.as('bob')
    await expectFull(post(bob, '/x/a', 91))
    await expectFull(chunked(bob, '/x/a', 200))
    await expectFull(tus(bob, '/x/a', 91))
    await expectFull(put(bob, '/x/old', 101))
    await expectFull(change(bob, 'copy', '/large', '/x/a'))
    await expectFull(change(bob, 'rename', '/large', '/x/a'))
    expect(sumOf(further.root)).toBe(10)
    expect((await tus(bob, '/x/a', 90)).status).toBe(204)
    expect(await usage(bob, '/x')).toEqual({ total: 100, used: 100 })
  })

  it('tells administrators what it holds', async () => {
    await using app = await startApp({ tree: { 'docs/a.bin': new Uint8Array(10), other: null } })
    await limit(app, record('/docs', 50), record('/gone', 50))
    const admin = await app.as('admin')
    await usage(admin, '/docs')
    const { items } = await (await admin.fetch('/api/folders')).json()
    expect(items).toMatchObject([{ place: '/docs', quota: 50, usedBytes: 10 }, { place: '/gone' }])
  })
})
