// Many files in one request: each as by an upload of its own.
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { setHome } from '../../src/store/access/groups.ts'
import { startApp } from '../support/app.ts'
import { linesOf, type Part, sendPart, tarOf } from '../support/bundles.ts'
import { waitFor } from '../support/deadline.ts'
import type { SignedIn } from '../support/login.ts'

async function send(user: SignedIn, path: string, parts: readonly Part[], headers = {}) {
  const body = new Uint8Array(await tarOf(parts))
  const response = await user.fetch(`/api/bundle${path}`, { method: 'POST', body, headers })
  return { response, lines: linesOf(response.ok ? await response.text() : '') }
}

describe('a bundle', () => {
  it('becomes files with their times, and folders, and tells of each', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const mtimeMs = 1_700_000_000_123
    const large = Buffer.alloc(2_500_000, 7)
    const parts: Part[] = [
      { name: 'photos/a.jpg', content: 'first', mtimeMs },
      { name: 'photos/ü/b.jpg', content: '', mtimeMs },
      { name: './photos/large.bin', content: large, mtimeMs },
      { name: 'empty/', type: 'directory' },
      { name: `${'long/'.repeat(60)}c.txt`, content: 'deep', mtimeMs },
    ]
    const { response, lines } = await send(admin, '/in/', parts)
    expect(response.headers.get('content-type')).toContain('application/x-ndjson')
    expect(new Set(lines.map(({ name, status }) => `${status} ${name}`))).toEqual(
      new Set(parts.map(({ name }) => `200 ${name}`)),
    )
    expect(await readFile(app.tree.at('in/photos/a.jpg'), 'utf8')).toBe('first')
    expect((await stat(app.tree.at('in/photos/a.jpg'))).mtimeMs).toBe(mtimeMs)
    expect(await readFile(app.tree.at('in/photos/large.bin'))).toEqual(large)
    expect((await stat(app.tree.at('in/photos/ü/b.jpg'))).size).toBe(0)
    expect(await readdir(app.tree.at('in'))).toEqual(
      expect.arrayContaining(['empty', 'long', 'photos']),
    )
  })

  it('replaces nothing unless it is asked to, and then keeps what was there', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'old', folder: null } })
    const admin = await app.as('admin')
    const parts = [
      { name: 'a.txt', content: 'new' },
      { name: 'folder', content: 'x' },
      { name: 'b.txt', content: 'b' },
    ]
    const { lines } = await send(admin, '/', parts)
    expect(lines.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1))).toEqual([
      { name: 'a.txt', status: 409, code: 'exists' },
      { name: 'b.txt', status: 200 },
      { name: 'folder', status: 409, code: 'exists' },
    ])
    expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('old')
    const again = await send(admin, '/?override=true', [parts[0] as Part])
    expect(again.lines).toEqual([{ name: 'a.txt', status: 200 }])
    expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('new')
    const versions = await (await admin.fetch('/api/versions/a.txt')).json()
    expect(JSON.stringify(versions)).toContain('"size":3')
  })

  it('of two entries of one name takes the first', async () => {
    await using app = await startApp({ tree: {} })
    const parts = [
      { name: 'a.txt', content: 'first' },
      { name: 'a.txt', content: 'second' },
    ]
    const { lines } = await send(await app.as('admin'), '/', parts)
    expect(lines.map(({ status }) => status)).toEqual([200, 409])
    expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('first')
  })

  it('leads nowhere else, by names or by links', async () => {
    await using app = await startApp({ tree: { in: null } })
    const names = ['../out', '/abs', 'x/../../out', '..', 'a\\..\\..\\out', 'n'.repeat(300)]
    const { lines } = await send(await app.as('admin'), '/in/', [
      ...names.map((name) => ({ name, content: 'x' })),
      { name: 'link', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'link/passwd', content: 'x' },
    ])
    expect(lines.map(({ name, status, code }) => [name, status, code])).toEqual([
      ...names.map((name) => [name, 400, 'invalid_name']),
      ['link', 415, 'unsupported'],
      ['link/passwd', 200, undefined],
    ])
    expect(await readdir(app.tree.root)).toEqual(['in'])
    expect((await lstat(app.tree.at('in/link'))).isDirectory()).toBe(true)
  })

  it('obeys rules for each name, and needs the right to create', async () => {
    const rule = { regex: false, allow: false, path: '/in/secret', regexp: { raw: '' } }
    const perm = { admin: false, create: false } as never
    await using app = await startApp({
      tree: { in: null },
      users: [
        { username: 'ruled', rules: [rule] },
        { username: 'reader', perm },
      ],
    })
    const parts = [
      { name: 'secret/a', content: 'x' },
      { name: 'open/a', content: 'x' },
    ]
    const { lines } = await send(await app.as('ruled'), '/in/', parts)
    expect(new Set(lines.map(({ name, code }) => `${name} ${code}`))).toEqual(
      new Set(['secret/a forbidden', 'open/a undefined']),
    )
    expect(await readdir(app.tree.at('in'))).toEqual(['open'])
    expect((await send(await app.as('reader'), '/in/', parts)).response.status).toBe(403)
    const body = new Uint8Array(await tarOf(parts))
    expect((await app.fetch('/api/bundle/in/', { method: 'POST', body })).status).toBe(401)
  })

  it('fills a home no further than its limit', async () => {
    const tree = { 'users/bob': null }
    await using app = await startApp({ tree, users: [{ username: 'bob', scope: '/users/bob' }] })
    await app.store.transaction((tx) => setHome(tx, { userID: 2, home: true, homeQuota: 25_000 }))
    const parts = Array.from({ length: 5 }, (_, i) => ({
      name: `${i}`,
      content: 'x'.repeat(10_000),
    }))
    const { lines } = await send(await app.as('bob'), '/', parts)
    expect(lines.filter(({ code }) => code === 'quota_exceeded')).toHaveLength(3)
    expect(await readdir(app.tree.at('users/bob'))).toHaveLength(2)
  })

  it('is one operation for Undo, and a line for each file in the audit log', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const parts = Array.from({ length: 3 }, (_, i) => ({ name: `d/${i}.txt`, content: `${i}` }))
    await send(admin, '/', parts, { 'X-Operation': 'bundle-1234' })
    const { items } = (await (await admin.fetch('/api/history')).json()) as {
      items: { id: string }[]
    }
    expect(items).toHaveLength(1)
    const lines = await (await admin.fetch('/api/audit?action=upload')).json()
    expect(JSON.stringify(lines).match(/"\/d\/\d\.txt"/g)).toHaveLength(3)
    await admin.fetch(`/api/history/${items[0]?.id}/undo`, { method: 'POST', body: '{}' })
    expect(await readdir(app.tree.root)).not.toContain('d')
  })

  it('runs hooks for each file', async () => {
    const commands = { before_upload: ['false'] }
    await using app = await startApp({
      tree: {},
      config: { enableExec: true },
      settings: { commands },
    })
    const parts = [{ name: 'a', content: 'x' }]
    const { lines } = await send(await app.as('admin'), '/', parts)
    expect(lines).toEqual([{ name: 'a', status: 500, code: 'command_failed' }])
    expect(await readdir(app.tree.root)).toEqual([])
  })

  it('that is none is refused, and one that ends too early says so after what has landed', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const body = new Uint8Array(5_000).fill(120)
    const none = await admin.fetch('/api/bundle/', { method: 'POST', body })
    expect([none.status, none.headers.get('x-error-code')]).toEqual([400, 'damaged'])
    const whole = await tarOf([
      { name: 'a', content: 'x'.repeat(600) },
      { name: 'b', content: 'y'.repeat(60_000) },
    ])
    const part = new Uint8Array(whole.subarray(0, 30_000))
    const broken = await admin.fetch('/api/bundle/', { method: 'POST', body: part })
    expect(linesOf(await broken.text())).toEqual([
      { name: 'a', status: 200 },
      { status: 400, code: 'damaged' },
    ])
    expect(await readdir(app.tree.root)).toEqual(['a'])
  })

  it('whose connection is cut leaves whole files only', async () => {
    await using app = await startApp({ tree: {} })
    const { token } = await app.as('admin')
    const bytes = await tarOf([
      { name: 'a', content: 'a'.repeat(20_000) },
      { name: 'b', content: 'b'.repeat(20_000) },
      { name: 'large', content: Buffer.alloc(3_000_000) },
    ])
    const sent = sendPart(app.port, token, '/api/bundle/', bytes.subarray(0, 1_500_000))
    await waitFor('two lines', () => sent.lines().length === 2)
    await waitFor('the third', async () => (await readdir(app.tree.root)).length === 3)
    sent.cut()
    await expect.poll(() => readdir(app.tree.root)).toEqual(['a', 'b'])
    expect((await stat(app.tree.at('b'))).size).toBe(20_000)
    expect(app.errors).toEqual([])
  })

  it('ends with the session of who sends it', async () => {
    await using app = await startApp({ tree: {} })
    const user = await app.as('admin')
    const bytes = await tarOf(
      ['a', 'b', 'c'].map((name) => ({ name, content: name.repeat(20_000) })),
    )
    const sent = sendPart(app.port, user.token, '/api/bundle/', bytes.subarray(0, 30_000))
    await waitFor('the first', () => sent.lines().length === 1)
    await user.fetch('/api/logout', { method: 'POST' })
    sent.more(bytes.subarray(30_000))
    await waitFor('the refusal', () => sent.lines().length > 1)
    expect(sent.lines()[1]).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect(await readdir(app.tree.root)).toEqual(['a'])
    sent.cut()
  })
})
