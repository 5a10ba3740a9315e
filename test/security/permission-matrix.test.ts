// Every door of the interface against every permission bit (CVE-2026-29188, CVE-2026-32761,
// CVE-2026-35606, GHSA-7whw-q6gh-xr59): a right that is missing closes exactly its doors, and a
// person who may not download gets no content by any of them.
import { describe, expect, it } from 'vitest'
import type { Permissions } from '../../src/api-types.ts'
import { parseTarget } from '../../src/http/request-path.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { VERBS } from '../../src/lib/verbs.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { USERS } from '../../src/store/collections.ts'
import type { TestApp } from '../support/app.ts'
import {
  CANARY,
  DOORS,
  full,
  joinDirectory,
  shareOf,
  startMatrix,
  subjectByToken,
  TUS,
} from '../support/doors.ts'
import { makeGroup } from '../support/groups.ts'
import type { SignedIn } from '../support/login.ts'
import { readPublic } from '../support/shares.ts'
import { runLine } from '../support/shell.ts'

const none = Object.fromEntries(
  Object.keys(full).map((bit) => [bit, false]),
) as never as Permissions

describe.each(Object.keys(full) as (keyof Permissions)[])('without the right to %s', (bit) => {
  it('its doors are closed and all others open', async () => {
    await using app = await startMatrix({ ...full, [bit]: false })
    const subject = await app.as('subject')
    for (const door of DOORS) {
      const response = await door.go(subject, app)
      const expected = door.needs.includes(bit) ? door.denied : door.open
      expect(response.status, door.name).toBe(expected)
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
      if (bit === 'download') expect(body, door.name).not.toContain(CANARY)
    }
  })
})

/** Says of every verb but `see` that the subject, or `who` is given, may, or may not, everywhere. */
async function sayOfAll(app: TestApp, allowed: boolean, who?: string): Promise<void> {
  const [user] = app.store.find(USERS, 'username', 'subject')
  const said = Object.fromEntries(VERBS.slice(1).map((verb) => [verb, allowed]))
  const grants = [{ who: who ?? `user:${user?.id}`, ...said }]
  const folder = { place: '/' as PlaceText, as: '', quota: null, grants }
  await app.store.transaction((tx) => setFolder(tx, folder))
}

const NO_VERBS = { ...none, admin: true, execute: true }

it.each([
  ['a record that takes every right', full, false, undefined],
  ['a record that gives every right', NO_VERBS, true, undefined],
  ['a record that takes every right of a group, to its member,', full, false, 'group:1'],
  ['a record that gives every right to a group, to its member,', NO_VERBS, true, 'group:1'],
] as const)('%s counts at every door', async (_, perm, allowed, who) => {
  await using app = await startMatrix(perm)
  await makeGroup(app.store, { members: [2] })
  await sayOfAll(app, allowed, who)
  const subject = await app.as('subject')
  for (const door of DOORS) {
    const isOpen = allowed || !door.needs.some((bit) => (VERBS as readonly string[]).includes(bit))
    const response = await door.go(subject, app)
    expect(response.status, door.name).toBe(isOpen ? door.open : door.denied)
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
    if (!allowed) expect(body, door.name).not.toContain(CANARY)
  }
})

it('to a stranger, who does not see the folder, every door is closed, and none tells content', async () => {
  await using app = await startMatrix(full)
  const folder = { place: '/' as PlaceText, as: '', quota: null }
  const grants = [{ who: 'everyone', see: false }]
  await app.store.transaction((tx) => setFolder(tx, { ...folder, grants }))
  const subject = await app.as('subject')
  for (const door of DOORS) {
    const response = await door.go(subject, app)
    // What is not seen is not there, where it has no address of its own.
    const closed = [door.denied, 403, ...(door.open === 404 ? [] : [404])]
    if (door.needs.some((bit) => (VERBS as readonly string[]).includes(bit)))
      expect(closed, door.name).toContain(response.status)
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
    expect(body, door.name).not.toContain(CANARY)
  }
})

const TOKEN_RIGHTS: (keyof Permissions)[] = (Object.keys(full) as (keyof Permissions)[]).filter(
  (bit) => bit !== 'admin' && bit !== 'execute',
)

/** Tries all doors by a token with these rights, of an account that has every right. */
async function tryByToken(app: TestApp, perm: Permissions): Promise<void> {
  const subject = await subjectByToken(app, perm)
  // Visitors of the account's shares carry no token, and commands are tried by tokens elsewhere.
  const doors = DOORS.filter(({ name }) => !/visitors|run a command/.test(name))
  for (const door of doors) {
    const response = await door.go(subject, app)
    const isForPeople = door.isPersonal || door.needs.includes('admin')
    const lacks = door.needs.some((bit) => TOKEN_RIGHTS.includes(bit) && !perm[bit])
    const expected = lacks ? door.denied : isForPeople ? 403 : door.open
    expect(response.status, door.name).toBe(expected)
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
    if (!perm.download) expect(body, door.name).not.toContain(CANARY)
  }
}

describe.each(TOKEN_RIGHTS)('a token without the right to %s', (bit) => {
  it('finds its doors closed and those of people, all others open', async () => {
    await using app = await startMatrix(full)
    await tryByToken(app, { ...full, [bit]: false })
  })
})

it.each([
  ['every right', full],
  ['none', none],
])('a token with %s of somebody in a directory opens the same doors', async (_, perm) => {
  await using app = await startMatrix({ ...full, admin: false })
  await joinDirectory(app)
  await tryByToken(app, perm)
})

it('a token gets no right that it has not, where a record gives it to its account', async () => {
  await using app = await startMatrix(full)
  await sayOfAll(app, true)
  await tryByToken(app, none)
})

it('every right has a door', () => {
  const guarded = new Set(DOORS.flatMap(({ needs }) => needs))
  expect([...guarded].sort()).toEqual(Object.keys(full).sort())
})

/** Routes without a door above: they ask for no right, and concern the caller alone or nobody. */
const OPEN_ON_PURPOSE = [
  'POST /api/logout',
  'DELETE /api/sessions',
  'POST /api/public/selections',
  'GET /api/openapi.json',
  'POST /api/login/second',
  'POST /api/login/passkey',
  'POST /api/login/passkey/options',
  'POST /api/login/enrol',
  'GET /api/oidc/login',
  'GET /api/oidc/callback',
  'POST /api/oidc/backchannel-logout',
]

it('every route of the interface has a door', async () => {
  await using app = await startMatrix(full)
  const subject = await app.as('subject')
  const reached = new Set(['GET /api/command'])
  const noting =
    (go: SignedIn['fetch']): SignedIn['fetch'] =>
    (path, init = {}) => {
      const method = init.method ?? 'GET'
      // The route for GET answers HEAD, too.
      const served = method === 'HEAD' ? 'GET' : method
      reached.add(`${served} ${parseTarget(path, '', method).key}`)
      return go(path, init)
    }
  const watched = { ...app, fetch: noting(app.fetch) }
  for (const door of DOORS) await door.go({ ...subject, fetch: noting(subject.fetch) }, watched)
  const mounted = app.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path}`)
  expect(mounted.length).toBeGreaterThan(50)
  const isReached = (route: string) => {
    const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`)
    return [...reached].some((asked) => pattern.test(asked))
  }
  const missing = mounted.filter((route) => !isReached(route) && !OPEN_ON_PURPOSE.includes(route))
  expect(missing).toEqual([])
})

it('opens nothing at all without a session', async () => {
  await using app = await startMatrix(full)
  const nobody = { token: '', cookie: '', fetch: app.fetch } as SignedIn
  const signedIn = DOORS.filter(({ name }) => !/visitors|run a command/.test(name))
  for (const door of signedIn) {
    const response = await door.go(nobody, app)
    expect(response.status, door.name).toBe(401)
  }
  await expect(runLine(app, '', 'echo hello')).rejects.toThrow('401')
})

it('CVE-2026-29188: an upload under way is not ended without the right to delete', async () => {
  await using app = await startMatrix({ ...full, delete: false })
  const subject = await app.as('subject')
  const begin = { method: 'POST', headers: { 'Upload-Length': '4' } }
  expect((await subject.fetch('/api/tus/under-way.bin', begin)).status).toBe(201)
  expect((await subject.fetch('/api/tus/under-way.bin', { method: 'DELETE' })).status).toBe(403)
  expect((await subject.fetch('/api/tus/a.txt', { method: 'DELETE' })).status).toBe(403)
  const whole = { method: 'PATCH', headers: TUS, body: 'abcd' }
  expect((await subject.fetch('/api/tus/under-way.bin', whole)).status).toBe(204)
  expect(await app.tree.read('under-way.bin')).toBe('abcd')
  expect(await app.tree.read('a.txt')).toBe(CANARY)
})

it('CVE-2026-32761: who may not download cannot have it done by a share', async () => {
  await using app = await startMatrix({ ...full, download: false })
  const subject = await app.as('subject')
  for (const path of ['/a.txt', '/', '/shared/'])
    expect((await subject.fetch(`/api/share${path}`, { method: 'POST', body: '{}' })).status).toBe(
      403,
    )
  const { text } = await readPublic(app, shareOf(app), '/a.txt')
  expect(text).not.toContain(CANARY)
})

it('CVE-2026-35606: facts about a text are not the text', async () => {
  await using app = await startMatrix({ ...full, download: false })
  const subject = await app.as('subject')
  for (const headers of [
    {},
    { 'X-Encoding': 'true' },
    { 'X-Encoding': 'TRUE' },
    { Range: 'bytes=0-' },
  ])
    for (const path of ['a.txt', 'a.txt/', 'a.txt?content=true', 'a.srt']) {
      const response = await subject.fetch(`/api/resources/${path}`, { headers })
      const body = await response.text()
      expect(body, path).not.toContain(CANARY)
      expect(body, path).not.toContain('"content"')
    }
})

it('GHSA-7whw-q6gh-xr59: nor is a sum that only who has the text could make', async () => {
  await using app = await startMatrix({ ...full, download: false })
  const subject = await app.as('subject')
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512', 'MD5', 'crc']) {
    const response = await subject.fetch(`/api/resources/a.txt?checksum=${algorithm}`)
    expect(response.status, algorithm).toBe(202)
    expect(await response.text()).toBe('202 Accepted\n')
  }
})
