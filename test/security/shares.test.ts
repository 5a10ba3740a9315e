// Life cycle of shares (class 5): what a visitor reaches is exactly what its owner may still share.

import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultPermissions } from '../../src/store/document.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { changeRecords, recordsOf } from '../support/records.ts'
import { makeShare, readPublic } from '../support/shares.ts'

const SECRET = 'bytes that were not shared'
const INSIDE = 'shared bytes'

const tree = {
  'docs/pub/a.txt': INSIDE,
  'docs/pub/sub/b.srt': `1\n00:00:01,000 --> 00:00:02,000\n${INSIDE}\n`,
  'docs/secret.txt': SECRET,
  'docs/pub-other/secret.txt': SECRET,
  'docs/pub/way-out': { link: '../secret.txt' },
  'docs/pub/way-up': { link: '..' },
}

describe('CVE-2026-28492: the root of a share is exactly the shared path', () => {
  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/sub/../../secret.txt',
    '/..',
    '-other/secret.txt',
    '/../pub-other/secret.txt',
    '/way-out',
    '/way-up/secret.txt',
    '/way-up',
    '/docs/secret.txt',
    '//docs/secret.txt',
  ])('nothing beside it is reached as %s', async (below) => {
    await using app = await startApp({ tree })
    const hash = await makeShare(app, '/docs/pub/')
    const { text } = await readPublic(app, hash, below)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('secret.txt')
  })

  it('a selection cannot climb out of it', async () => {
    await using app = await startApp({ tree })
    const hash = await makeShare(app, '/docs/pub/')
    for (const files of ['../secret.txt', '%2E%2E%2Fsecret.txt', '/docs/secret.txt', 'way-out'])
      for (const algo of ['zip', 'tar']) {
        const query = `algo=${algo}&files=${encodeURIComponent(files)}`
        const response = await app.fetch(`/api/public/dl/${hash}?${query}`)
        const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1')
        expect(bytes, files).not.toContain(SECRET)
      }
  })

  it('a shared file gives nothing but itself', async () => {
    await using app = await startApp({ tree })
    const hash = await makeShare(app, '/docs/pub/a.txt')
    for (const below of ['/../secret.txt', '/secret.txt', '/../../secret.txt']) {
      const { text } = await readPublic(app, hash, below)
      expect(text).not.toContain(SECRET)
    }
  })
})

it.each(['share', 'download'] as const)(
  'CVE-2026-35604: a share is dead while its owner has no right to %s',
  async (bit) => {
    await using app = await startApp({ tree, users: [{ username: 'bob' }] })
    const hash = await makeShare(app, '/docs/pub/', {}, 'bob')
    const open = await readPublic(app, hash, '/a.txt')
    expect(open.text).toContain(INSIDE)
    await setPermission(app, 'bob', bit, false)
    for (const below of ['', '/a.txt', '/sub', '/sub/b.srt']) {
      const { statuses, text } = await readPublic(app, hash, below)
      expect(new Set(statuses), below).toEqual(new Set([403]))
      expect(text).not.toContain(INSIDE)
      expect(text).not.toContain('a.txt')
    }
    await setPermission(app, 'bob', bit, true)
    expect((await readPublic(app, hash, '/a.txt')).text).toContain(INSIDE)
  },
)

it('CVE-2026-35604: a share follows the rules its owner has got since', async () => {
  await using app = await startApp({ tree, users: [{ username: 'bob' }] })
  const hash = await makeShare(app, '/docs/pub/', {}, 'bob')
  await changeRecords(app.store, (doc) => {
    const rules = [{ regex: false, allow: false, path: '/docs/pub/a.txt', regexp: null }]
    const users = doc.users.map((user) => (user.username === 'bob' ? { ...user, rules } : user))
    return { ...doc, users }
  })
  const { text } = await readPublic(app, hash)
  expect(text).not.toContain('a.txt')
  expect((await readPublic(app, hash, '/a.txt')).text).not.toContain(INSIDE)
})

it('CVE-2026-54096: nothing is shared that is not there or lies outside of the scope', async () => {
  await using app = await startApp({
    tree: { ...tree, 'bob/own.txt': 'own', 'bob/out': { link: '../docs/secret.txt' } },
    users: [{ username: 'bob', scope: '/bob' }],
  })
  const bob = await app.as('bob')
  const cases = [
    '/none.txt',
    '/none/',
    '/docs/secret.txt',
    '/../docs/secret.txt',
    '/out',
    '/own.txt/x',
  ]
  for (const path of cases) {
    const response = await bob.fetch(`/api/share${path}`, { method: 'POST', body: '{}' })
    expect(response.status, path).toBeGreaterThanOrEqual(400)
  }
  expect(recordsOf(app.store).shares).toEqual([])
  // A share made in advance would open whatever is put there later.
  await app.tree.add({ 'bob/none.txt': 'later' })
  expect(recordsOf(app.store).shares).toEqual([])
})

it('CVE-2026-54097: neither hash of the password nor ticket leaves the server', async () => {
  await using app = await startApp({ tree })
  const admin = await app.as('admin')
  const made = await admin.fetch('/api/share/docs/pub', {
    method: 'POST',
    body: JSON.stringify({ password: 'open sesame 42' }),
  })
  const answers = [
    await made.text(),
    await (await admin.fetch('/api/shares')).text(),
    await (await admin.fetch('/api/share/docs/pub')).text(),
    await (await admin.fetch('/api/users')).text(),
  ]
  for (const text of answers) {
    expect(text).not.toMatch(/argon2|\$2[aby]\$|passwordHash|password_hash|"token"/i)
    expect(text).not.toContain('sesame')
  }
  expect(JSON.parse(answers[0] ?? '')).toEqual({
    hash: expect.stringMatching(/^[\w-]{8}$/),
    path: '/docs/pub',
    userID: 1,
    expire: 0,
    hasPassword: true,
  })
})

describe('CVE-2026-62684: the password of a share', () => {
  it('guards names as well as bytes, at every door', async () => {
    const loginRateLimit = { attempts: 0, windowMs: 1_000 }
    await using app = await startApp({ tree, config: { loginRateLimit } })
    const hash = await makeShare(app, '/docs/pub/', { password: 'sesame' })
    for (const below of ['', '/a.txt', '/sub', '/sub/b.srt', '/none'])
      for (const headers of [{}, { 'X-SHARE-PASSWORD': 'wrong' }, { 'X-SHARE-PASSWORD': '' }]) {
        const { statuses, text } = await readPublic(app, hash, below, { headers })
        expect(new Set(statuses), below).toEqual(new Set([401]))
        expect(text).not.toContain(INSIDE)
        expect(text).not.toMatch(/a\.txt|"size"|sub\/b/)
      }
    const right = { headers: { 'X-SHARE-PASSWORD': 'sesame' } }
    expect((await readPublic(app, hash, '/a.txt', right)).text).toContain(INSIDE)
  })

  it('gives a ticket for this share alone', async () => {
    await using app = await startApp({ tree })
    const hash = await makeShare(app, '/docs/pub/', { password: 'sesame' })
    const other = await makeShare(app, '/docs/secret.txt', { password: 'sesame' })
    const headers = { 'X-SHARE-PASSWORD': 'sesame' }
    const opened = await app.fetch(`/api/public/share/${hash}`, { headers })
    const { token } = (await opened.json()) as { token: string }
    expect(token).toMatch(/^[\w-]{128}$/)
    const download = await app.fetch(`/api/public/dl/${hash}/a.txt?token=${token}`)
    expect(await download.text()).toBe(INSIDE)
    expect((await app.fetch(`/api/public/dl/${other}?token=${token}`)).status).toBe(401)
    const last = token.endsWith('A') ? 'B' : 'A'
    const forged = token.slice(0, -1) + last
    for (const bad of ['', 'x', forged, token.slice(0, 64), token + token])
      expect((await app.fetch(`/api/public/dl/${hash}/a.txt?token=${bad}`)).status).toBe(401)
  })

  it('answers 400 when it is not percent-encoded', async () => {
    await using app = await startApp({ tree })
    const hash = await makeShare(app, '/docs/pub/', { password: 'sesame' })
    const headers = { 'X-SHARE-PASSWORD': '%zz' }
    expect((await app.fetch(`/api/public/share/${hash}`, { headers })).status).toBe(400)
  })
})

it('CVE-2025-64523: only its owner or an administrator ends a share', async () => {
  await using app = await startApp({
    tree,
    users: [{ username: 'bob' }, { username: 'eve' }],
  })
  const first = await makeShare(app, '/docs/pub/', {}, 'bob')
  const second = await makeShare(app, '/docs/pub/', {}, 'bob')
  const end = async (who: string, hash: string) =>
    (await (await app.as(who)).fetch(`/api/share/${hash}`, { method: 'DELETE' })).status
  expect(await end('eve', first)).toBe(403)
  expect((await app.fetch(`/api/public/share/${first}`)).status).toBe(200)
  expect(await end('bob', first)).toBe(200)
  expect(await end('admin', second)).toBe(200)
  expect((await app.fetch(`/api/public/share/${second}`)).status).toBe(404)
})

it('CVE-2025-64523: nobody sees the shares of another person', async () => {
  await using app = await startApp({ tree, users: [{ username: 'bob' }, { username: 'eve' }] })
  const hash = await makeShare(app, '/docs/pub/', {}, 'bob')
  const eve = await app.as('eve')
  for (const path of ['/api/shares', '/api/share/docs/pub/'])
    expect(await (await eve.fetch(path)).text(), path).not.toContain(hash)
})

it('CVE-2025-52996: nothing that is handed on leads around the password', async () => {
  await using app = await startApp({ tree })
  const hash = await makeShare(app, '/docs/pub/', { password: 'sesame' })
  // What a copied link or a QR code holds is the address of the page and the share's hash.
  const page = await app.fetch(`/share/${hash}`)
  expect(page.status).toBe(200)
  const html = await page.text()
  expect(html).not.toMatch(/[?&]token=/)
  expect(html).not.toContain('a.txt')
  const stored = recordsOf(app.store).shares[0]
  expect(stored?.token).toBe('')
  const guesses = ['', 'null', 'undefined', stored?.passwordHash ?? '', hash]
  for (const guess of guesses.map(encodeURIComponent)) {
    const download = await app.fetch(`/api/public/dl/${hash}/a.txt?token=${guess}`)
    expect(download.status, guess).toBe(401)
  }
})

describe('GHSA-pp88-jhwj-5qh5: with the file its shares end, and nobody else’s', () => {
  const people = {
    tree: {
      'bob/x.txt': INSIDE,
      'bob/dir/y.txt': INSIDE,
      'bob/dir2/z.txt': INSIDE,
      'eve/x.txt': INSIDE,
    },
    users: [
      { username: 'bob', scope: '/bob' },
      { username: 'eve', scope: '/eve' },
    ],
  }

  it('deleting it', async () => {
    await using app = await startApp(people)
    const own = await makeShare(app, '/x.txt', {}, 'bob')
    const foreign = await makeShare(app, '/x.txt', {}, 'eve')
    const below = await makeShare(app, '/dir/y.txt', {}, 'bob')
    const beside = await makeShare(app, '/dir2/', {}, 'bob')
    const bob = await app.as('bob')
    for (const path of ['x.txt', 'dir/'])
      expect((await bob.fetch(`/api/resources/${path}`, { method: 'DELETE' })).status).toBe(204)
    // Another file under the old name is not shared.
    await app.tree.add({ 'bob/x.txt': SECRET, 'bob/dir/y.txt': SECRET })
    for (const hash of [own, below]) {
      const { statuses, text } = await readPublic(app, hash)
      expect(new Set(statuses)).toEqual(new Set([404]))
      expect(text).not.toContain(SECRET)
    }
    for (const hash of [foreign, beside])
      expect((await app.fetch(`/api/public/share/${hash}`)).status).toBe(200)
  })

  it('moving it: the link follows the file and never opens what comes after it', async () => {
    await using app = await startApp(people)
    const own = await makeShare(app, '/x.txt', {}, 'bob')
    const foreign = await makeShare(app, '/x.txt', {}, 'eve')
    const bob = await app.as('bob')
    const query = 'action=rename&destination=/moved.txt'
    expect((await bob.fetch(`/api/resources/x.txt?${query}`, { method: 'PATCH' })).status).toBe(200)
    await app.tree.add({ 'bob/x.txt': SECRET })
    const { text } = await readPublic(app, own)
    expect(text).toContain(INSIDE)
    expect(text).not.toContain(SECRET)
    expect(await (await app.fetch(`/api/public/dl/${foreign}`)).text()).toBe(INSIDE)
  })

  it('taking it away behind the server’s back', async () => {
    await using app = await startApp(people)
    const hash = await makeShare(app, '/dir/', {}, 'bob')
    await mkdir(join(app.tree.base, 'aside'))
    await rename(app.tree.at('bob/dir'), join(app.tree.base, 'aside/dir'))
    expect(new Set((await readPublic(app, hash)).statuses)).toEqual(new Set([404]))
  })

  it('removing the account', async () => {
    await using app = await startApp(people)
    const hash = await makeShare(app, '/x.txt', {}, 'bob')
    const admin = await app.as('admin')
    const body = JSON.stringify({ current_password: PASSWORD })
    expect((await admin.fetch('/api/users/2', { method: 'DELETE', body })).status).toBe(200)
    expect(new Set((await readPublic(app, hash)).statuses)).toEqual(new Set([404]))
  })
})

it('an expired share is as good as none', async () => {
  await using app = await startApp({ tree })
  for (const expires of ['0', '-5']) {
    const hash = await makeShare(app, '/docs/pub/', { expires, unit: 'seconds' })
    expect(new Set((await readPublic(app, hash)).statuses)).toEqual(new Set([404]))
  }
})

function setPermission(
  app: TestApp,
  username: string,
  bit: 'share' | 'download',
  value: boolean,
): Promise<unknown> {
  return changeRecords(app.store, (doc) => {
    const users = doc.users.map((user) =>
      user.username === username
        ? { ...user, perm: { ...defaultPermissions(), [bit]: value } }
        : user,
    )
    return { ...doc, users }
  })
}
