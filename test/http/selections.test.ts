import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSelections } from '../../src/files/archive/selections.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { checkNames } from '../../src/routes/selections.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { unpack } from '../support/archives.ts'
import type { SignedIn } from '../support/login.ts'
import { countTurns } from '../support/turns.ts'

const MINUTE_MS = 60_000

/** Names that together are far longer than any server takes in an address. */
function manyNames(): string[] {
  return Array.from({ length: 2_000 }, (_, i) => `ein, langer Name mit ü & % Nr. ${i}.txt`)
}

async function register(who: SignedIn, files: unknown): Promise<Response> {
  return who.fetch('/api/selections', { method: 'POST', body: JSON.stringify({ files }) })
}

async function idOf(response: Response): Promise<string> {
  expect(response.status).toBe(200)
  return (await response.json()).id
}

/** The names of what a tar holds, sorted. */
async function namesFrom(app: OpenedApp, response: Response): Promise<string[]> {
  expect(response.status).toBe(200)
  const into = await mkdtemp(join(app.tree.base, 'unpacked-'))
  await writeFile(`${into}.tar`, Buffer.from(await response.arrayBuffer()))
  await unpack('tar', `${into}.tar`, into)
  return (await readdir(into)).sort()
}

async function sharedFolder(app: OpenedApp, path: string, body: object = {}): Promise<string> {
  const admin = await app.as('admin')
  const init = { method: 'POST', body: JSON.stringify(body) }
  return (await (await admin.fetch(`/api/share${path}`, init)).json()).hash
}

describe('a registered selection', () => {
  it('downloads 2,000 of 2,001 files', async () => {
    const names = manyNames()
    const tree = Object.fromEntries(['not this one', ...names].map((name) => [`big/${name}`, name]))
    await using app = await openApp({ tree })
    const admin = await app.as('admin')
    const id = await idOf(await register(admin, names))
    expect(Buffer.from(id, 'base64url')).toHaveLength(16)
    const response = await admin.fetch(`/api/raw/big/?algo=tar&selection=${id}`)
    expect(response.headers.get('content-disposition')).toBe(
      "attachment; filename*=utf-8''_big.tar",
    )
    expect(await namesFrom(app, response)).toEqual(names.sort())
  })

  it('reads nothing that rules or the folder keep from its owner', async () => {
    await using app = await openApp({
      tree: { 'in/a.txt': 'a', 'in/denied.txt': 'no', 'out.txt': 'outside' },
      users: [
        {
          username: 'eve',
          scope: '/in',
          rules: [{ regex: false, allow: false, path: '/denied.txt', regexp: null }],
        },
      ],
    })
    const eve = await app.as('eve')
    const id = await idOf(await register(eve, ['a.txt', 'denied.txt', '../out.txt']))
    expect(await namesFrom(app, await eve.fetch(`/api/raw/?algo=tar&selection=${id}`))).toEqual([
      'a.txt',
    ])
  })

  it('is nothing to another session, another user or a visitor', async () => {
    await using app = await openApp({ tree: { 'dir/a.txt': 'a' }, users: [{ username: 'bob' }] })
    const admin = await app.as('admin')
    const id = await idOf(await register(admin, ['a.txt']))
    const path = `/api/raw/dir/?algo=tar&selection=${id}`
    for (const other of [await app.as('bob'), await app.as('admin')])
      expect((await other.fetch(path)).status).toBe(404)
    const hash = await sharedFolder(app, '/dir/')
    expect((await app.fetch(`/api/public/dl/${hash}?algo=tar&selection=${id}`)).status).toBe(404)
    expect(await namesFrom(app, await admin.fetch(path))).toEqual(['a.txt'])
  })

  it('needs a session, and the right to download', async () => {
    const perm = { admin: false, execute: false, create: true, rename: true, modify: true }
    await using app = await openApp({
      tree: { 'a.txt': 'a' },
      users: [{ username: 'eve', perm: { ...perm, delete: true, share: false, download: false } }],
    })
    const body = JSON.stringify({ files: ['a.txt'] })
    expect((await app.fetch('/api/selections', { method: 'POST', body })).status).toBe(401)
    // A cookie, which other sites can make a browser send, is not enough.
    const { cookie } = await app.as('admin')
    const init = { method: 'POST', body, headers: { cookie } }
    expect((await app.fetch('/api/selections', init)).status).toBe(401)
    expect((await register(await app.as('eve'), ['a.txt'])).status).toBe(202)
  })

  it.each([[[]], [['']], [['a\0b']], [[1]], ['a.txt']])('cannot be %j', async (files) => {
    await using app = await openApp({ tree: { 'a.txt': 'a' } })
    expect((await register(await app.as('admin'), files)).status).toBe(400)
  })

  it('may be 50,000 names in 2 MiB, and for visitors 20,000 in 1 MiB', async () => {
    await using app = await openApp({ tree: { 'dir/a.txt': 'a' } })
    const admin = await app.as('admin')
    const names = Array.from({ length: 50_001 }, (_, i) => `file ${i}`)
    expect((await register(admin, names.slice(1))).status).toBe(200)
    const large = Array.from({ length: 3 }, (_, i) => String(i).repeat(1024 * 1024))
    for (const files of [names, large]) {
      const refused = await register(admin, files)
      expect(refused.status).toBe(400)
      expect(refused.headers.get('x-error-code')).toBe('too_large')
    }
    const hash = await sharedFolder(app, '/dir/')
    const address = `/api/public/selections/${hash}`
    for (const [files, status] of [
      [names.slice(0, 20_000), 200],
      [names.slice(0, 20_001), 400],
      [large.slice(0, 1), 400],
    ]) {
      const init = { method: 'POST', body: JSON.stringify({ files }) }
      expect((await app.fetch(address, init)).status).toBe(status)
    }
  })

  it('is read in slices, so that others are not kept waiting', async () => {
    const files = Array.from({ length: 50_000 }, (_, i) => `file ${i}`)
    const turns = countTurns()
    expect(await checkNames(files, files.length)).toHaveLength(files.length)
    expect(turns()).toBeGreaterThanOrEqual(50)
  })

  it('works in a share, with its password or its ticket alone', async () => {
    await using app = await openApp({
      tree: { 'dir/sub/a.txt': 'a', 'dir/sub/b.txt': 'b', 'dir/sub/c.txt': 'c', 'd.txt': 'd' },
    })
    const hash = await sharedFolder(app, '/dir/', { password: 'sesame' })
    const address = `/api/public/selections/${hash}`
    const body = JSON.stringify({ files: ['a.txt', 'c.txt', '../../d.txt'] })
    expect((await app.fetch(address, { method: 'POST', body })).status).toBe(401)
    const headers = { 'X-SHARE-PASSWORD': 'sesame' }
    const { token } = await (await app.fetch(`/api/public/share/${hash}`, { headers })).json()
    for (const init of [{ headers }, {}]) {
      const query = 'headers' in init ? '' : `?token=${token}`
      const id = await idOf(await app.fetch(address + query, { method: 'POST', body, ...init }))
      const download = `/api/public/dl/${hash}/sub/?algo=tar&selection=${id}`
      expect((await app.fetch(download)).status).toBe(401)
      expect(await namesFrom(app, await app.fetch(`${download}&token=${token}`))).toEqual([
        'a.txt',
        'c.txt',
      ])
    }
  })
})

describe('what is kept', () => {
  it('ends after ten minutes', () => {
    let now = 0
    const selections = createSelections(() => now)
    const id = selections.add('me', [vpathOf('a')])
    now = 10 * MINUTE_MS - 1
    expect(selections.take('me', id)).toEqual(['/a'])
    now += 1
    expect(() => selections.take('me', id)).toThrow('no such selection')
  })

  it('makes room by dropping the oldest of the same owner, then of all', () => {
    const selections = createSelections()
    const mebibytes = (count: number) => [vpathOf('x'.repeat(count * 1024 * 1024))]
    const stays = selections.add('somebody', mebibytes(7))
    const first = selections.add('me', mebibytes(4))
    const second = selections.add('me', mebibytes(3))
    const third = selections.add('me', mebibytes(3))
    expect(() => selections.take('me', first)).toThrow('no such selection')
    expect(selections.take('me', second)).toHaveLength(1)
    expect(selections.take('me', third)).toHaveLength(1)
    expect(selections.take('somebody', stays)).toHaveLength(1)
    expect(() => selections.add('me', mebibytes(9))).toThrow('too long')
    expect(selections.take('me', third)).toHaveLength(1)
    for (const owner of ['a', 'b', 'c']) selections.add(owner, mebibytes(7))
    expect(() => selections.take('somebody', stays)).toThrow('no such selection')
    expect(selections.take('me', third)).toHaveLength(1)
  })
})
