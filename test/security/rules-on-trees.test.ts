// Rules reach every node (class 2): an operation on a folder stops at, or leaves out, what a rule
// denies below it. Links inside the scope: cve-2026-90930-link-target.

import { readdir, rm, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { PlaceText } from '../../src/lib/places.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { changeRecords } from '../support/records.ts'
import { makeShare, readPublic } from '../support/shares.ts'
import { keepInTrash } from '../support/trash.ts'
import { makeChain } from '../support/tree.ts'

const SECRET = 'bytes behind a rule'
const deny = (path: string) => ({ regex: false, allow: false, path, regexp: null })

const options = {
  tree: {
    'p/open.txt': 'open',
    'p/denied/s.txt': SECRET,
    'p/denied/s.srt': `1\n00:00:01,000 --> 00:00:02,000\n${SECRET}\n`,
    'p/sub/denied.txt': SECRET,
    'q/beside.txt': 'beside',
  },
  users: [{ username: 'bob', rules: [deny('/p/denied'), deny('/p/sub/denied.txt')] }],
}

describe('CVE-2026-54091: a change of a folder with a denied descendant', () => {
  it.each(['/p', '/p/', '/p/sub', '/'])('does not copy, move or delete %s', async (path) => {
    await using app = await openApp(options)
    const bob = await app.as('bob')
    for (const action of ['copy', 'rename'])
      for (const more of ['', '&override=true', '&rename=true']) {
        const query = `action=${action}&destination=/q/taken${more}`
        const response = await bob.fetch(`/api/resources${path}?${query}`, { method: 'PATCH' })
        expect(response.status, query).toBeGreaterThanOrEqual(400)
      }
    expect((await bob.fetch(`/api/resources${path}`, { method: 'DELETE' })).status).toBe(403)
    expect(await app.tree.read('p/denied/s.txt')).toBe(SECRET)
    expect(await app.tree.read('p/sub/denied.txt')).toBe(SECRET)
    expect(await app.tree.read('p/open.txt')).toBe('open')
    await expect(app.tree.read('q/taken/denied/s.txt')).rejects.toThrow()
    await expect(app.tree.read('q/taken/denied.txt')).rejects.toThrow()
  })

  it('does not put a folder where one of its parts would be denied', async () => {
    await using app = await openApp({
      ...options,
      tree: { ...options.tree, 'q/p/denied.txt': 'mine', 'q/sub/denied.txt': 'mine' },
    })
    const bob = await app.as('bob')
    const query = 'action=copy&destination=/p/sub&override=true'
    const response = await bob.fetch(`/api/resources/q/sub?${query}`, { method: 'PATCH' })
    expect(response.status).toBe(403)
    expect(await app.tree.read('p/sub/denied.txt')).toBe(SECRET)
  })

  it('is not refused for what a rule allows again', async () => {
    await using app = await openApp({
      ...options,
      users: [
        { username: 'bob', rules: [deny('/p/denied'), { ...deny('/p/denied'), allow: true }] },
      ],
    })
    const bob = await app.as('bob')
    const query = 'action=copy&destination=/taken'
    const response = await bob.fetch(`/api/resources/p?${query}`, { method: 'PATCH' })
    expect(response.status).toBe(200)
  })
})

describe.each([
  ['nobody has rules', [], false],
  ['the account has rules', [deny('/none')], false],
  ['a record lies in it', [], true],
])('a folder with something of the server in it, while %s,', (_, rules, hasRecord) => {
  const open = async () => {
    const tree = { 'd/s/b.txt': 'b' }
    const app = await openApp({ tree, users: [{ username: 'bob', rules }] })
    const grants = [{ who: 'user:2', share: false }]
    const record = { place: '/d/s' as PlaceText, as: '', quota: null, grants }
    if (hasRecord) await app.store.transaction((tx) => setFolder(tx, record))
    await keepInTrash(app.tree.at('d'), 'd/x', 'x')
    return app
  }
  const change = async (app: OpenedApp, method: string, path: string) =>
    (await (await app.as('bob')).fetch(`/api/resources${path}`, { method })).status

  it('gets permission bits, and what is the server’s does not', async () => {
    await using app = await open()
    expect(await change(app, 'PATCH', '/d?action=mode&mode=640&recursive=true')).toBe(200)
    expect((await stat(app.tree.at('d/s/b.txt'))).mode & 0o777).toBe(0o640)
    expect((await stat(app.tree.at('d/.fb-trash/info'))).mode & 0o777).toBe(0o700)
  })

  it('is copied without it', async () => {
    await using app = await open()
    expect(await change(app, 'PATCH', '/d?action=copy&destination=/e')).toBe(200)
    expect(await readdir(app.tree.at('e'))).toEqual(['s'])
  })

  it.each([
    ['PATCH', '/d/s?action=mode&mode=750&recursive=true'],
    ['PATCH', '/d/s?action=rename&destination=/e'],
    ['DELETE', '/d/s'],
    ['DELETE', '/d/s?trash=false'],
  ])('is changed while somebody uploads into it: %s %s', async (method, path) => {
    await using app = await open()
    const upload = { method: 'POST', headers: { 'Upload-Length': '4' } }
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/tus/d/s/up.bin', upload)).status).toBe(201)
    expect(await change(app, method, path)).toBeOneOf([200, 204])
  })
})

describe.runIf(process.platform === 'linux')('a tree with a path too long for the system', () => {
  /** Longer than PATH_MAX (4,096) in few folders: each is a disk's time. */
  const chain = { name: 'd'.repeat(200), depth: 25 }
  const withRules = {
    tree: { 'deep/beside.txt': '', 'p/other.txt': '' },
    users: [{ username: 'bob', rules: [{ ...deny(''), regex: true, regexp: { raw: 'secret' } }] }],
  }
  const change = async (app: OpenedApp, method: string, path: string) =>
    (await (await app.as('bob')).fetch(`/api/resources${path}`, { method })).status

  it('is moved and deleted while rules are in force', async () => {
    await using app = await openApp(withRules)
    makeChain(app.tree.at('deep'), chain, { 'last.txt': '', inside: { link: '../last.txt' } })
    expect(await change(app, 'PATCH', '/deep?action=rename&destination=/p/moved')).toBe(200)
    expect(await change(app, 'DELETE', '/p/moved?trash=false')).toBe(204)
    expect(await readdir(app.tree.root, { recursive: true })).toEqual(['p', 'p/other.txt'])
  })

  it('is not copied in part', async () => {
    await using app = await openApp(withRules)
    makeChain(app.tree.at('deep'), chain, { 'last.txt': '' })
    const admin = await app.as('admin')
    const query = 'action=copy&destination=/p/copied'
    const response = await admin.fetch(`/api/resources/deep?${query}`, { method: 'PATCH' })
    expect(response.headers.get('x-error-code')).toBe('invalid_name')
    expect(await readdir(app.tree.at('p'))).toEqual(['other.txt'])
    await admin.fetch('/api/resources/deep?trash=false', { method: 'DELETE' })
  })

  it.each([
    ['what a rule denies', { 'secret.txt': SECRET }],
    ['a link out of the scope', { out: { link: '/etc/passwd' } }],
  ])('stays as it is with %s at its end', async (_, content) => {
    await using app = await openApp(withRules)
    makeChain(app.tree.at('deep'), chain, content)
    try {
      expect(await change(app, 'PATCH', '/deep?action=rename&destination=/p/moved')).toBe(403)
      expect(await change(app, 'PATCH', '/deep?action=copy&destination=/p/copied')).toBe(403)
      expect(await change(app, 'DELETE', '/deep')).toBe(403)
      expect(await readdir(app.tree.at('deep'))).toEqual(['beside.txt', chain.name])
      expect(await readdir(app.tree.at('p'))).toEqual(['other.txt'])
    } finally {
      await (await app.as('admin')).fetch('/api/resources/deep?trash=false', { method: 'DELETE' })
    }
  })
})

describe('CVE-2026-73612: what is read of a folder with a denied descendant', () => {
  it.each([
    '/api/raw/p?algo=tar',
    '/api/raw/p?algo=zip',
    '/api/raw/?algo=tar',
    '/api/raw/?algo=zip&files=p',
    '/api/raw/p/?algo=tar&files=denied,sub',
    '/api/search/?query=',
    '/api/search/p/?query=s.txt',
    '/api/search/p/denied/?query=',
    '/api/resources/p/',
    '/api/resources/p/sub/',
    '/api/resources/recursive/',
    '/api/resources/recursive/p/denied/',
  ])('is nothing of it by %s', async (path) => {
    await using app = await openApp(options)
    const response = await (await app.as('bob')).fetch(path)
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
    expect(text).not.toContain(SECRET)
    expect(text).not.toMatch(/s\.txt|s\.srt|denied\.txt/)
  })

  it.each([
    ['the folder above', '/p/', ['', '/denied', '/denied/s.txt', '/denied/s.srt', '/sub']],
    ['the folder itself', '/p/sub/', ['', '/denied.txt']],
  ])('is nothing of it through a share of %s', async (_, shared, belows) => {
    await using app = await openApp(options)
    const hash = await makeShare(app, shared, {}, 'bob')
    for (const below of belows) {
      const { text } = await readPublic(app, hash, below)
      expect(text, below).not.toContain(SECRET)
      expect(text, below).not.toMatch(/s\.txt|s\.srt|denied\.txt/)
    }
  })

  it('is nothing at all through a share of what was denied later', async () => {
    await using app = await openApp({ ...options, users: [{ username: 'bob' }] })
    const hash = await makeShare(app, '/p/denied/', {}, 'bob')
    await changeRecords(app.store, ({ settings }) => ({
      settings: { ...settings, rules: [deny('/p')] },
    }))
    for (const below of ['', '/s.txt', '/s.srt']) {
      const { statuses, text } = await readPublic(app, hash, below)
      expect(new Set(statuses)).toEqual(new Set([403]))
      expect(text).not.toContain(SECRET)
    }
  })
})

it('a folder that is allowed below a denied one takes files and folders', async () => {
  const rules = [deny('/p'), { ...deny('/p/sub'), allow: true }]
  await using app = await openApp({ ...options, users: [{ username: 'bob', rules }] })
  const bob = await app.as('bob')
  const post = async (path: string) =>
    (await bob.fetch(`/api/resources${path}`, { method: 'POST', body: 'x' })).status
  expect(await post('/p/sub/new.txt')).toBe(200)
  expect(await post('/p/sub/new/')).toBe(200)
  expect(await post('/p/sub/further/new.txt')).toBe(200)
  expect(await post('/p/sub2/')).toBe(403)
  await rm(app.tree.at('p/sub'), { recursive: true })
  expect(await post('/p/sub/')).toBe(200)
})
