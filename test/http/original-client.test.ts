// The requests of the original's pages, one by one as they make them, for somebody whose tree has folders of groups
// in it: they know nothing of records, roots and limits, find plain folders and are refused as they have always been.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { PlaceText } from '../../src/lib/places.ts'
import type { Folder } from '../../src/store/access/folder-record.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { makeGroup, NO_PERMISSIONS as NOTHING } from '../support/groups.ts'

const KEYS = ['extension', 'isDir', 'isSymlink', 'mode', 'modified', 'name', 'path', 'size', 'type']
const LIMIT = 100_000

type Ask = (method: string, path: string, init?: RequestInit) => Promise<Response>

/** As the page holds it: one token, sent with each call and by nothing else. */
async function logIn(app: TestApp, username: string): Promise<{ ask: Ask; claims: Claims }> {
  const body = JSON.stringify({ username, password: PASSWORD, recaptcha: '' })
  const token = await (await app.fetch('/api/login', { method: 'POST', body })).text()
  const renewed = await app.fetch('/api/renew', { method: 'POST', headers: { 'X-Auth': token } })
  expect(renewed.status).toBe(200)
  const own = await renewed.text()
  const { user } = JSON.parse(Buffer.from(own.split('.')[1] ?? '', 'base64url').toString())
  const ask: Ask = (method, path, init) =>
    app.fetch(path, { ...init, method, headers: { 'X-Auth': own, ...init?.headers } })
  return { ask, claims: user }
}
interface Claims {
  id: number
  perm: Record<string, boolean>
}

const record = (place: string, as: string, quota: number | null, grants: Folder['grants']) => ({
  place: place as PlaceText,
  as,
  quota,
  grants,
})

async function open(): Promise<TestApp> {
  const photos = await mkdtemp(join(tmpdir(), 'filebrowser-photos-'))
  const app = await startApp({
    tree: { 'users/ann/own.txt': 'own', 'users/ann/sub/s.txt': 's', 'team/plan.txt': 'plan' },
    config: { roots: { photos } },
    users: [{ username: 'ann', scope: '/users/ann', perm: NOTHING }],
  })
  onTestFinished(async () => {
    await app[Symbol.asyncDispose]()
    await rm(photos, { recursive: true, force: true })
  })
  const perm = {
    ...NOTHING,
    create: true,
    modify: true,
    rename: true,
    delete: true,
    download: true,
  }
  await makeGroup(app.store, { name: 'staff', perm: { ...perm, share: true }, members: [2] })
  await app.store.transaction((tx) => {
    const see = { who: 'group:1', see: true }
    setFolder(tx, record('/team', 'Team', LIMIT, [{ ...see, delete: false, rename: false }]))
    setFolder(tx, record('photos:/', 'photos', null, [see]))
    setHome(tx, { userID: 2, home: true, homeQuota: LIMIT })
  })
  return app
}

/** A destination is encoded when the page gets it and once more when it is sent. */
const patch = (ask: Ask, action: string, from: string, to: string) => {
  const query = `action=${action}&destination=${encodeURIComponent(encodeURI(to))}`
  return ask('PATCH', `/api/resources${from}?${query}&override=false&rename=false`)
}
const listed = async (ask: Ask, path: string) => {
  const headers = { 'X-Encoding': 'false' }
  const answer = await ask('GET', `/api/resources${path}`, { headers })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function uploadByTus(ask: Ask, path: string, text: string): Promise<number[]> {
  const begun = await ask('POST', `/api/tus${path}?override=false`, {
    headers: { 'Upload-Length': String(text.length), 'Tus-Resumable': '1.0.0' },
  })
  if (begun.status !== 201) return [begun.status]
  const offset = (await ask('HEAD', `/api/tus${path}`)).headers.get('Upload-Offset')
  const sent = await ask('PATCH', `/api/tus${path}?override=false`, {
    headers: {
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': offset ?? '',
      'Tus-Resumable': '1.0.0',
    },
    body: text,
  })
  return [begun.status, sent.status]
}

it('pages of the original show folders at the top as plain ones, and work in them', async () => {
  const app = await open()
  const { ask, claims } = await logIn(app, 'ann')
  // Its buttons follow the claims.
  expect(claims.perm).toMatchObject({ create: true, download: true, share: true, admin: false })
  const top = await listed(ask, '/')
  expect(top.items.map(({ name }: { name: string }) => name).sort()).toEqual(
    ['Team', 'own.txt', 'photos', 'sub'].sort(),
  )
  for (const item of top.items)
    expect(Object.keys(item)).toEqual(expect.arrayContaining(KEYS.filter((key) => key in item)))
  const team = top.items.find(({ name }: { name: string }) => name === 'Team')
  expect(team).toMatchObject({
    path: '/Team',
    isDir: true,
    isSymlink: false,
    size: expect.any(Number),
  })
  expect(team.mode & 0x80000000).not.toBe(0)
  // The bar in the sidebar.
  expect(await (await ask('GET', '/api/usage/Team/')).json()).toEqual({ total: LIMIT, used: 4 })
  expect(await (await ask('GET', '/api/usage/')).json()).toEqual({ total: LIMIT, used: 4 })

  expect((await ask('POST', '/api/resources/Team/new/?override=false')).status).toBe(200)
  expect((await ask('POST', '/api/resources/Team/new/empty.txt?override=false')).status).toBe(200)
  expect((await ask('PUT', '/api/resources/Team/plan.txt', { body: 'better plan' })).status).toBe(
    200,
  )
  expect(await uploadByTus(ask, '/Team/up.txt', 'uploaded')).toEqual([201, 204])
  expect(await uploadByTus(ask, '/photos/up.txt', 'uploaded')).toEqual([201, 204])
  expect(await uploadByTus(ask, '/Team/huge.bin', 'x'.repeat(LIMIT))).toEqual([507])
  expect((await patch(ask, 'copy', '/own.txt', '/Team/new/own.txt')).status).toBe(200)
  expect((await patch(ask, 'copy', '/Team/plan.txt', '/photos/plan.txt')).status).toBe(200)
  expect((await patch(ask, 'rename', '/sub', '/photos/sub')).status).toBe(200)
  const found = await ask('GET', '/api/search/?query=plan')
  expect((await found.text()).trim().split('\n').sort()).toEqual([
    JSON.stringify({ dir: false, path: 'Team/plan.txt' }),
    JSON.stringify({ dir: false, path: 'photos/plan.txt' }),
  ])
  const files = encodeURIComponent(['/Team/plan.txt', '/photos/sub'].map(encodeURI).join(','))
  const archive = await ask('GET', `/api/raw/?files=${files}&algo=zip&`)
  expect([archive.status, archive.headers.get('Content-Type')]).toEqual([200, 'application/zip'])
})

it('pages of the original are refused as they know it, and nothing happens', async () => {
  const app = await open()
  const { ask } = await logIn(app, 'ann')
  for (const [method, path] of [
    ['DELETE', '/api/resources/Team/plan.txt'],
    ['DELETE', '/api/resources/Team'],
    ['PATCH', '/api/resources/Team?action=rename&destination=%2FOther'],
    ['PATCH', '/api/resources/Team/plan.txt?action=rename&destination=%2FTeam%2Fb.txt'],
    ['PATCH', '/api/resources/Team/plan.txt?action=rename&destination=%2Fplan.txt'],
    ['GET', '/api/users'],
    ['GET', '/api/settings'],
  ] as const)
    expect([path, (await ask(method, path)).status]).toEqual([path, 403])
  expect(await app.tree.read('team/plan.txt')).toBe('plan')
})

it('the form of an account in the original writes back what it has read, and takes nothing away', async () => {
  const app = await open()
  const { ask } = await logIn(app, 'admin')
  const before = await (await ask('GET', '/api/users/2')).json()
  expect(before.perm).toEqual(NOTHING)
  const body = { what: 'user', which: ['all'], data: { ...before, password: '', locale: 'de' } }
  const written = await ask('PUT', '/api/users/2', {
    body: JSON.stringify({ ...body, current_password: PASSWORD }),
  })
  expect(written.status).toBe(200)
  const after = await (await ask('GET', '/api/users/2')).json()
  expect(after).toEqual({ ...before, locale: 'de' })
  const { claims } = await logIn(app, 'ann')
  expect(claims.perm).toMatchObject({ create: true, admin: false })
  // One that knows no keys of ours sends none of them.
  const { effective: _, groups: __, home: ___, homeQuota: ____, ...known } = before
  await ask('PUT', '/api/users/2', {
    body: JSON.stringify({ ...body, data: known, current_password: PASSWORD }),
  })
  expect(await (await ask('GET', '/api/users/2')).json()).toEqual(before)
})
