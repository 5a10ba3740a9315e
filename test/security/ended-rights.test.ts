// Rights that end while a body is still on its way: what is done then is what a request that begins
// then could do, whoever asks and whatever it asks for.

import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { removeGroup } from '../../src/store/access/groups.ts'
import type { Change } from '../../src/store/collection.ts'
import { defaultPermissions, type User } from '../../src/store/document.ts'
import { endSessions, findUser, removeUser, replaceUser } from '../../src/store/users.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { makeGroup } from '../support/groups.ts'
import { holdRequest } from '../support/held-request.ts'
import { changeRecords, recordsOf } from '../support/records.ts'
import { makeShare } from '../support/shares.ts'

const ADMIN_RIGHTS = { ...defaultPermissions(), admin: true }
const NONE = Object.fromEntries(
  Object.keys(ADMIN_RIGHTS).map((name) => [name, false]),
) as unknown as User['perm']
const EVE = 2

function withEve(): Promise<TestApp> {
  return startApp({
    tree: { 'a.txt': 'old', 'gone.txt': 'stays' },
    users: [{ username: 'eve', perm: ADMIN_RIGHTS }, { username: 'bob' }],
  })
}

const changeEve =
  (change: Partial<User>): Change<void> =>
  (tx) =>
    void replaceUser(tx, { ...(findUser(tx, EVE) as User), ...change })
const WAYS = {
  'lost every right': changeEve({ perm: NONE }),
  'was deleted': (tx) => void removeUser(tx, EVE),
  'was signed out': (tx) => endSessions(tx, EVE),
  'was given another password': (tx) => {
    changeEve({ password: 'another' })(tx)
    endSessions(tx, EVE)
  },
  'was moved to another home': changeEve({ scope: '/elsewhere' }),
} satisfies Record<string, Change<void>>
const change = (app: TestApp, way: Change<void>) => app.store.transaction(way)

const backdoor = {
  id: 0,
  username: 'backdoor',
  password: 'Green-Bottle-55-Harbour',
  scope: '/',
  perm: ADMIN_RIGHTS,
}
const envelope = (data: object, which: string[] = []) =>
  JSON.stringify({ what: 'user', which, current_password: PASSWORD, data })
const SOME_LINES = ['POST /api/users', 'PUT /api/settings', 'PUT /api/resources/a.txt']
const seen = JSON.stringify({ entries: { '/gone.txt': null } })

/** Every request that has a body, and what must be left of it. */
const REQUESTS: [string, string, Record<string, string>?][] = [
  ['POST /api/users', envelope(backdoor)],
  ['PUT /api/users/3', envelope({ ...backdoor, id: 3, username: 'bob' }, ['perm'])],
  ['DELETE /api/users/3', JSON.stringify({ current_password: PASSWORD })],
  ['PUT /api/settings', JSON.stringify({ signup: true })],
  ['POST /api/share/a.txt', '{}'],
  ['POST /api/selections', JSON.stringify({ files: ['a.txt'] })],
  ['POST /api/resources/new.txt', 'a body of some length'],
  ['POST /api/resources/a.txt?override=true', 'a body of some length'],
  ['PUT /api/resources/a.txt', 'a body of some length'],
  ['DELETE /api/resources/gone.txt?seen=true', seen],
  [
    'PATCH /api/tus/up.bin',
    'whole',
    { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' },
  ],
]

const SOME = REQUESTS.filter(([line]) => SOME_LINES.includes(line))

describe.each(Object.entries(WAYS))('who %s while a body is on its way', (_, way) => {
  it.each(way === WAYS['was deleted'] || way === WAYS['lost every right'] ? REQUESTS : SOME)(
    'changes nothing by %s',
    async (line, body, headers) => {
      await using app = await withEve()
      const eve = await app.as('eve')
      const upload = { method: 'POST', headers: { 'Upload-Length': '5' } }
      if (line.includes('/api/tus'))
        expect((await eve.fetch('/api/tus/up.bin', upload)).status).toBe(201)
      const held = await holdRequest(app.port, line, body, { 'X-Auth': eve.token, ...headers })
      // Signing in takes longer than judging a head.
      await app.as('admin')
      await change(app, way)
      const before = recordsOf(app.store)

      // A missing right to download is 202.
      expect([202, 401, 403]).toContain(await held.finish())
      const after = recordsOf(app.store)
      expect(after.users).toEqual(before.users)
      expect(after.settings).toEqual(before.settings)
      expect(after.shares).toEqual(before.shares)
      const names = await readdir(app.tree.root)
      expect(names.filter((name) => !name.startsWith('.fb-tmp-'))).toEqual(['a.txt', 'gone.txt'])
      expect(await app.tree.read('a.txt')).toBe('old')
      expect(app.errors).toEqual([])
    },
  )
})

it('an account that nothing happens to does all of it', async () => {
  for (const [line, body, headers] of REQUESTS) {
    await using app = await withEve()
    const eve = await app.as('eve')
    const upload = { method: 'POST', headers: { 'Upload-Length': '5' } }
    if (line.includes('/api/tus')) await eve.fetch('/api/tus/up.bin', upload)
    const held = await holdRequest(app.port, line, body, { 'X-Auth': eve.token, ...headers })
    await app.as('admin')
    // The record is another one, and says the same.
    await change(app, changeEve({}))
    const status = await held.finish()
    if (line.startsWith('DELETE /api/resources')) expect(status).toBe(412)
    else expect([200, 201, 204], line).toContain(status)
  }
})

it('a rule that denies the file ends its upload', async () => {
  await using app = await withEve()
  const eve = await app.as('eve')
  const held = await holdRequest(app.port, 'PUT /api/resources/a.txt', 'new text', {
    'X-Auth': eve.token,
  })
  await app.as('admin')
  const rules = [{ regex: false, allow: false, path: '/a.txt', regexp: null }]
  await change(app, changeEve({ rules }))
  expect(await held.finish()).toBe(403)
  expect(await app.tree.read('a.txt')).toBe('old')
})

it('an upload ends when the rights end, not when the body does', async () => {
  await using app = await withEve()
  const eve = await app.as('eve')
  const body = 'x'.repeat(1000)
  const held = await holdRequest(app.port, 'POST /api/resources/long.bin', body, {
    'X-Auth': eve.token,
    'Content-Length': '2000',
  })
  await app.as('admin')
  await change(app, WAYS['was deleted'])
  // Half of the body never comes.
  expect(await held.finish()).toBe(401)
  expect(await readdir(app.tree.root)).toEqual(['a.txt', 'gone.txt'])
})

it('the current password is the one of now', async () => {
  await using app = await withEve()
  const eve = await app.as('eve')
  const held = await holdRequest(app.port, 'POST /api/users', envelope(backdoor), {
    'X-Auth': eve.token,
  })
  await app.as('admin')
  // As where a change of the password leaves this session alone.
  await change(app, changeEve({ password: 'another' }))
  expect(await held.finish()).toBe(400)
  expect(recordsOf(app.store).users).toHaveLength(3)
})

it('who signs up gets no account when sign-up was switched off meanwhile', async () => {
  await using app = await startApp({ settings: { signup: true } })
  const body = JSON.stringify({ username: 'late', password: 'Green-Bottle-55-Harbour' })
  const held = await holdRequest(app.port, 'POST /api/signup', body)
  await app.as('admin')
  await changeRecords(app.store, ({ settings }) => ({ settings: { ...settings, signup: false } }))
  expect(await held.finish()).toBe(405)
  expect(recordsOf(app.store).users).toHaveLength(1)
})

it('a visitor registers no selection of a share that has ended', async () => {
  await using app = await startApp({ tree: { 'a.txt': 'a' } })
  const hash = await makeShare(app, '/')
  const body = JSON.stringify({ files: ['a.txt'] })
  const held = await holdRequest(app.port, `POST /api/public/selections/${hash}`, body)
  await app.as('admin')
  await changeRecords(app.store, () => ({ shares: [] }))
  expect(await held.finish()).toBe(404)
})

it('an upload ends with the group that allowed it', async () => {
  await using app = await startApp({ users: [{ username: 'eve', perm: NONE }] })
  const group = await makeGroup(app.store, { perm: { create: true }, members: [EVE] })
  const eve = await app.as('eve')
  const held = await holdRequest(app.port, 'POST /api/resources/long.bin', 'x'.repeat(1000), {
    'X-Auth': eve.token,
    'Content-Length': '2000',
  })
  await app.as('admin')
  await change(app, (tx) => void removeGroup(tx, group.id))
  expect(await held.finish()).toBe(403)
})
