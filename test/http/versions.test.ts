// The old content of files that are replaced (docs/http-api.md 35).
import { readdirSync, statSync } from 'node:fs'
import { chmod, link, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LeftVersionsPage, VersionItem } from '../../src/keep-types.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

async function itemsOf(user: SignedIn, path: string): Promise<VersionItem[]> {
  const response = await user.fetch(`/api/versions/${path}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { items: VersionItem[] }).items
}

/** The texts of all versions, the newest first. */
async function textsOf(user: SignedIn, path: string): Promise<string[]> {
  const items = await itemsOf(user, path)
  const texts = items.map(async ({ id }) =>
    (await user.fetch(`/api/versions/${path}?id=${id}`)).text(),
  )
  return Promise.all(texts)
}

function put(user: SignedIn, path: string, body: string): Promise<Response> {
  return user.fetch(`/api/resources/${path}`, { method: 'PUT', body })
}

function act(user: SignedIn, path: string, body: object): Promise<Response> {
  return user.fetch(`/api/versions/${path}`, { method: 'POST', body: JSON.stringify(body) })
}

async function upload(user: SignedIn, path: string, body: string): Promise<void> {
  const headers = { 'Upload-Length': String(body.length) }
  await user.fetch(`/api/tus/${path}?override=true`, { method: 'POST', headers })
  const chunk = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
  await user.fetch(`/api/tus/${path}`, { method: 'PATCH', headers: chunk, body })
}

function transfer(user: SignedIn, action: string, from: string, to: string): Promise<Response> {
  const query = `action=${action}&destination=/${to}&override=true`
  return user.fetch(`/api/resources/${from}?${query}`, { method: 'PATCH' })
}

/** Names of all that is kept below the root, without the times. */
function keptIn({ tree }: OpenedApp): string[] {
  const names = readdirSync(join(tree.root, '.fb-versions'), { recursive: true }) as string[]
  return names.filter((name) => statSync(join(tree.root, '.fb-versions', name)).isFile())
}

describe('a file that is replaced', () => {
  const tree = { 'docs/a.txt': 'old', 'b.txt': 'other' }
  const ways: [string, (user: SignedIn) => Promise<unknown>][] = [
    ['a save', (user) => put(user, 'docs/a.txt', 'new text')],
    [
      'an upload',
      (user) =>
        user.fetch('/api/resources/docs/a.txt?override=true', { method: 'POST', body: 'new text' }),
    ],
    ['an upload in parts', (user) => upload(user, 'docs/a.txt', 'new text')],
    ['a copy', (user) => transfer(user, 'copy', 'b.txt', 'docs/a.txt')],
    ['a move', (user) => transfer(user, 'rename', 'b.txt', 'docs/a.txt')],
  ]

  it.each(ways)('comes back with its time and mode after %s', async (_, replace) => {
    await using app = await openApp({ tree })
    const admin = await app.as('admin')
    const file = app.tree.at('docs/a.txt')
    await chmod(file, 0o604)
    await utimes(file, 1e9, 1e9)
    await replace(admin)
    const [item] = await itemsOf(admin, 'docs/a.txt')
    const restored = await act(admin, 'docs/a.txt', { id: item?.id, action: 'restore' })
    expect(restored.status).toBe(204)
    expect(await app.tree.read('docs/a.txt')).toBe('old')
    const { mode, mtimeMs } = await stat(file)
    expect([mode & 0o777, mtimeMs]).toEqual([0o604, 1e12])
  })

  it.each(ways)('becomes a version by %s', async (_, replace) => {
    await using app = await openApp({ tree })
    const admin = await app.as('admin')
    const { ino } = await stat(app.tree.at('docs/a.txt'))
    await replace(admin)
    expect(await app.tree.read('docs/a.txt')).not.toBe('old')
    expect(await textsOf(admin, 'docs/a.txt')).toEqual(['old'])
    const [name = ''] = keptIn(app)
    expect(name).toMatch(/^docs\/a\.txt\/\d{8}T\d{9}Z-1$/)
    // No byte is copied.
    expect((await stat(join(app.tree.root, '.fb-versions', name))).ino).toBe(ino)
  })

  it('becomes one version for each time', async () => {
    await using app = await openApp({ tree: { 'a.txt': '1' } })
    const admin = await app.as('admin')
    for (const text of ['22', '333', '4444']) await put(admin, 'a.txt', text)
    expect(await textsOf(admin, 'a.txt')).toEqual(['333', '22', '1'])
  })

  it('becomes none when nothing changes', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'same' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'same')
    expect(await itemsOf(admin, 'a.txt')).toEqual([])
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  })

  it('becomes one where another program has written as many bytes and set its time back', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'zero' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'ours')
    const { atime, mtimeNs } = await stat(app.tree.at('a.txt'), { bigint: true })
    await writeFile(app.tree.at('a.txt'), 'more')
    await utimes(app.tree.at('a.txt'), atime, Number(mtimeNs) / 1e9)
    await put(admin, 'a.txt', 'ours')
    expect(await textsOf(admin, 'a.txt')).toEqual(['more', 'zero'])
  })

  it('is copied when it is written in place, so that its other names show the new content', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old' } })
    await link(app.tree.at('a.txt'), app.tree.at('b.txt'))
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new text')
    expect(await app.tree.read('b.txt')).toBe('new text')
    expect(await textsOf(admin, 'a.txt')).toEqual(['old'])
  })

  it('leaves no version with --versions=false', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old' }, config: { versions: false } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new')
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
    expect(await itemsOf(admin, 'a.txt')).toEqual([])
  })

  it('keeps its time in the version, and tells who replaced it', async () => {
    const users = [{ username: 'ada' }]
    await using app = await openApp({ tree: { 'a.txt': 'old' }, users })
    const { mtime } = await stat(app.tree.at('a.txt'))
    await put(await app.as('ada'), 'a.txt', 'new')
    const [item] = await itemsOf(await app.as('admin'), 'a.txt')
    expect(item).toMatchObject({ size: 3, by: 'ada', keep: false })
    expect(Math.trunc(Date.parse(item?.modified ?? '') / 1000)).toBe(Math.trunc(+mtime / 1000))
  })
})

describe('versions', () => {
  it('follow a file that is renamed, and one whose folder is', async () => {
    await using app = await openApp({ tree: { 'docs/a.txt': 'old' } })
    const admin = await app.as('admin')
    await put(admin, 'docs/a.txt', 'new')
    await transfer(admin, 'rename', 'docs/a.txt', 'docs/b.txt')
    await transfer(admin, 'rename', 'docs', 'papers')
    expect(await textsOf(admin, 'papers/b.txt')).toEqual(['old'])
    expect(await readdir(app.tree.at('.fb-versions'))).toEqual(['papers'])
    expect(await readdir(app.tree.at('.fb-versions/papers'))).toEqual(['b.txt'])
  })

  it('of a moved file and of the one it replaces are those of the file then', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'a1', 'b.txt': 'b1' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'a2 is longer')
    await put(admin, 'b.txt', 'b2 is longer')
    await transfer(admin, 'rename', 'a.txt', 'b.txt')
    const [now, ...before] = await textsOf(admin, 'b.txt')
    expect(now).toBe('b2 is longer')
    // Of two that were replaced within a millisecond either may be the later one.
    expect(before.sort()).toEqual(['a1', 'b1'])
    expect(await itemsOf(admin, 'a.txt')).toEqual([])
  })

  it('are restored by a save that keeps what is there', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'first' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'second text')
    const [item] = await itemsOf(admin, 'a.txt')
    expect((await act(admin, 'a.txt', { id: item?.id, action: 'restore' })).status).toBe(204)
    expect(await app.tree.read('a.txt')).toBe('first')
    expect(await textsOf(admin, 'a.txt')).toEqual(['second text', 'first'])
  })

  it('bring back a file that is gone', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'first', 'b.txt': '' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'second text')
    await admin.fetch('/api/resources/a.txt', { method: 'DELETE' })
    const [item] = await itemsOf(admin, 'a.txt')
    expect((await act(admin, 'a.txt', { id: item?.id, action: 'restore' })).status).toBe(204)
    expect(await app.tree.read('a.txt')).toBe('first')
  })

  it('are copied beside the file, never over another', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old', 'b.txt': 'mine' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new')
    const [item] = await itemsOf(admin, 'a.txt')
    const copy = (to: string) => act(admin, 'a.txt', { id: item?.id, action: 'copy', to })
    expect((await copy('/was.txt')).status).toBe(204)
    expect((await copy('/b.txt')).status).toBe(409)
    expect((await copy('')).status).toBe(400)
    expect(await app.tree.read('was.txt')).toBe('old')
    expect(await app.tree.read('b.txt')).toBe('mine')
  })

  it('are marked, unmarked and removed for good', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new')
    const id = (await itemsOf(admin, 'a.txt'))[0]?.id ?? ''
    for (const [action, keep] of [
      ['keep', true],
      ['release', false],
    ] as const) {
      expect((await act(admin, 'a.txt', { id, action })).status).toBe(204)
      expect(await itemsOf(admin, 'a.txt')).toMatchObject([{ id, keep }])
    }
    const gone = await admin.fetch(`/api/versions/a.txt?id=${id}`, { method: 'DELETE' })
    expect(gone.status).toBe(204)
    expect(await itemsOf(admin, 'a.txt')).toEqual([])
    // An empty folder is nobody's.
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  })

  it('are sent in parts, as what is saved and not shown', async () => {
    await using app = await openApp({ tree: { 'a.html': '0123456789' } })
    const admin = await app.as('admin')
    await put(admin, 'a.html', 'new')
    const id = (await itemsOf(admin, 'a.html'))[0]?.id ?? ''
    const headers = { Range: 'bytes=2-4' }
    const part = await admin.fetch(`/api/versions/a.html?id=${id}`, { headers })
    expect([part.status, await part.text()]).toEqual([206, '234'])
    expect(part.headers.get('content-disposition')).toContain('attachment')
    expect(part.headers.get('content-security-policy')).toContain('sandbox')
  })

  it('are for who may modify and download the file, and removed by who may delete it', async () => {
    const perm = { admin: false, execute: false, share: true, create: true, rename: true }
    const all = { ...perm, modify: true, delete: true, download: true }
    const users = [
      { username: 'reader', perm: { ...all, modify: false } },
      { username: 'writer', perm: { ...all, download: false } },
      { username: 'editor', perm: { ...all, delete: false } },
    ]
    await using app = await openApp({ tree: { 'a.txt': 'old' }, users })
    await put(await app.as('admin'), 'a.txt', 'new')
    for (const name of ['reader', 'writer']) {
      const refused = await (await app.as(name)).fetch('/api/versions/a.txt')
      expect([name, refused.status]).toEqual([name, 403])
    }
    const editor = await app.as('editor')
    const id = (await itemsOf(editor, 'a.txt'))[0]?.id
    const refused = await editor.fetch(`/api/versions/a.txt?id=${id}`, { method: 'DELETE' })
    expect(refused.status).toBe(403)
  })

  it('of what a rule denies are denied', async () => {
    const rules = [{ regex: false, regexp: null, allow: false, path: '/secret' }]
    await using app = await openApp({
      tree: { 'secret/a.txt': 'old' },
      users: [{ username: 'ada', rules }],
    })
    await put(await app.as('admin'), 'secret/a.txt', 'new')
    const ada = await app.as('ada')
    expect((await ada.fetch('/api/versions/secret/a.txt')).status).toBe(403)
    expect((await ada.fetch('/api/resources/.fb-versions/secret/a.txt')).status).toBe(404)
  })

  it('are met by no listing, path, archive or search', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new')
    for (const path of ['.fb-versions', '.FB-Versions', '.fb-versions.', '.fb-versions/a.txt']) {
      expect([path, (await admin.fetch(`/api/resources/${path}`)).status]).toEqual([path, 404])
      const made = await admin.fetch(`/api/resources/${path}/x.txt`, { method: 'POST', body: 'x' })
      expect([path, made.status]).toEqual([path, 403])
    }
    const listed = await (await admin.fetch('/api/resources/')).text()
    const found = await (await admin.fetch('/api/search/?query=fb-versions')).text()
    const archive = await (await admin.fetch('/api/raw/?algo=tar')).text()
    for (const text of [listed, found, archive]) expect(text).not.toContain('fb-versions')
    const whole = await (await admin.fetch('/api/resources/recursive/')).text()
    expect(whole).not.toContain('fb-versions')
  })

  it('need no name that is a version, an action that is known', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old', folder: null } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new')
    await writeFile(join(app.tree.root, '.fb-versions/a.txt/notes.txt'), 'not ours')
    expect(await itemsOf(admin, 'a.txt')).toHaveLength(1)
    for (const id of ['', 'notes.txt', '../b.txt/x', '20261123T120000000Z-1'])
      expect((await act(admin, 'a.txt', { id, action: 'restore' })).status).toBe(404)
    expect((await act(admin, 'a.txt', { id: '', action: 'burn' })).status).toBe(400)
    expect((await admin.fetch('/api/versions/folder')).status).toBe(500)
    expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('new')
  })
})

describe('versions of a file that is gone', () => {
  const leftOf = async (user: SignedIn, folder = '') => {
    const answer = await user.fetch(`/api/versions/${folder}?gone=true`)
    return (await answer.json()) as LeftVersionsPage
  }
  const removeFile = (user: SignedIn, path: string) =>
    user.fetch(`/api/resources/${path}`, { method: 'DELETE' })

  it('are listed until it is back, also when its folder is gone', async () => {
    await using app = await openApp({ tree: { 'docs/a.txt': 'old', 'b.txt': 'other' } })
    const admin = await app.as('admin')
    await put(admin, 'docs/a.txt', 'new text')
    await put(admin, 'b.txt', 'present')
    expect((await leftOf(admin)).total).toBe(0)
    await removeFile(admin, 'docs')
    expect(await leftOf(admin)).toMatchObject({
      items: [{ path: '/docs/a.txt', versions: 1, size: 3 }],
      total: 1,
      totalBytes: 3,
    })
    expect((await leftOf(admin, 'else')).total).toBe(0)
    const [item] = await itemsOf(admin, 'docs/a.txt')
    const restored = await act(admin, 'docs/a.txt', { id: item?.id, action: 'restore' })
    expect(restored.status).toBe(204)
    expect(await app.tree.read('docs/a.txt')).toBe('old')
    expect((await leftOf(admin)).total).toBe(0)
  })

  it('are removed for good all at once, also where a folder has its name', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old' } })
    const admin = await app.as('admin')
    await put(admin, 'a.txt', 'new')
    await removeFile(admin, 'a.txt')
    await admin.fetch('/api/resources/a.txt/', { method: 'POST' })
    expect(await itemsOf(admin, 'a.txt')).toHaveLength(1)
    const all = { method: 'DELETE' }
    expect((await admin.fetch('/api/versions/a.txt?all=true', all)).status).toBe(204)
    expect((await leftOf(admin)).total).toBe(0)
    expect((await admin.fetch('/api/versions/a.txt')).status).toBe(500)
  })

  it('are for who could change it there', async () => {
    const rules = [{ regex: false, regexp: null, allow: false, path: '/secret' }]
    await using app = await openApp({
      tree: { 'secret/a.txt': 'old', 'b.txt': 'old' },
      users: [
        { username: 'ada', rules },
        { username: 'sub', scope: '/secret' },
      ],
    })
    const admin = await app.as('admin')
    for (const path of ['secret/a.txt', 'b.txt']) {
      await put(admin, path, 'new')
      await removeFile(admin, path)
    }
    const pathsFor = async (name: string) =>
      (await leftOf(await app.as(name))).items.map(({ path }) => path)
    expect(await pathsFor('ada')).toEqual(['/b.txt'])
    expect(await pathsFor('sub')).toEqual(['/a.txt'])
    const gone = await (await app.as('ada')).fetch('/api/versions/secret/a.txt?all=true', {
      method: 'DELETE',
    })
    expect(gone.status).toBe(403)
  })
})
