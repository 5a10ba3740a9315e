// Folders that stand at the top of a tree beside its home: in the served folder, and in a root on another disk.
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FolderAccess, FolderList } from '../../src/access-types.ts'
import type { FileEntry } from '../../src/api-types.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import type { Folder } from '../../src/store/access/folder-record.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { FOLDERS, KNOWN_ROOTS, SHARES } from '../../src/store/collections.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { changeRecords } from '../support/records.ts'
import { readPublic } from '../support/shares.ts'
import { runLine } from '../support/shell.ts'

const [ADMIN, ANN, BOB, CAT] = ['admin', 'ann', 'bob', 'cat']
const people = new Map<string, SignedIn>()
let app: TestApp
/** The root `photos`, on a disk; the served folder is in memory. */
let photos: string

const record = (place: string, as: string, ...grants: Folder['grants']): Folder => ({
  place: place as PlaceText,
  as,
  quota: null,
  grants,
})

beforeAll(async () => {
  photos = await mkdtemp(join(process.env.TESTS_DISK ?? tmpdir(), 'filebrowser-photos-'))
  app = await startApp({
    tree: {},
    config: { roots: { photos, gone: join(photos, 'x') }, enableExec: true },
    users: [
      { username: ANN, scope: '/users/ann', commands: ['pwd'] },
      { username: BOB, scope: '/users/bob' },
      { username: CAT, scope: '/users/cat' },
    ],
  })
})

beforeAll(async () => {
  for (const name of [ADMIN, ANN, BOB, CAT]) people.set(name, await app.as(name))
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(photos, { recursive: true, force: true })
})

// Everything anew for each: files, records, shares.
beforeEach(async () => {
  for (const name of await readdir(photos)) await rm(join(photos, name), { recursive: true })
  for (const name of await readdir(app.tree.root)) await rm(app.tree.at(name), { recursive: true })
  await app.tree.add({
    'users/ann/own.txt': 'own',
    'users/bob/own.txt': 'of bob',
    'users/cat/own.txt': 'of cat',
    'docs/report.txt': 'report',
    'docs/sub/x.txt': 'x',
  })
  await mkdir(join(photos, '2024'))
  await writeFile(join(photos, '2024/a.txt'), 'a photo')
  await app.store.transaction((tx) => {
    for (const { place } of tx.all(FOLDERS)) tx.remove(FOLDERS, place)
    for (const { hash } of tx.all(SHARES)) tx.remove(SHARES, hash)
    tx.insert(FOLDERS, record('photos:/', 'photos', { who: 'user:2', see: true }))
    tx.insert(FOLDERS, record('/docs', 'docs', { who: 'everyone', see: true }))
    setHome(tx, { userID: 4, home: false, homeQuota: null })
  })
})

const as = (who: string) => people.get(who) ?? expect.unreachable(who)
const call = (who: string, path: string, init?: RequestInit) => as(who).fetch(path, init)
async function share(who: string, path: string): Promise<string> {
  const made = await call(who, `/api/share${path}`, { method: 'POST', body: '{}' })
  return ((await made.json()) as { hash: string }).hash
}
const statusOf = async (...args: Parameters<typeof call>) => (await call(...args)).status
const namesAt = async (who: string, path: string) => {
  const response = await call(who, `/api/resources${path}`)
  const { items } = (await response.json()) as { items: FileEntry[] }
  return items.map(({ name }) => name).sort()
}
const move = (who: string, action: 'copy' | 'rename', from: string, to: string, more = '') =>
  statusOf(
    who,
    `/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}${more}`,
    {
      method: 'PATCH',
    },
  )
const places = () =>
  app.store
    .all(FOLDERS)
    .map(({ place }) => place)
    .sort()

describe('who is shown what', () => {
  it('folders stand beside the home of those to whom they are given, as plain folders', async () => {
    expect(await namesAt(ANN, '/')).toEqual(['docs', 'own.txt', 'photos'])
    expect(await namesAt(BOB, '/')).toEqual(['docs', 'own.txt'])
    expect(await statusOf(BOB, '/api/resources/photos/')).toBe(404)
    const response = await call(ANN, '/api/resources/')
    const { items } = (await response.json()) as { items: FileEntry[] }
    const found = items.find(({ name }) => name === 'photos')
    expect(found).toMatchObject({ isDir: true, isSymlink: false, path: '/photos' })
    expect((found?.mode ?? 0) & 0x80000000).not.toBe(0)
  })

  it('a folder that lies in the home already does not stand there again', async () => {
    expect(await namesAt(ADMIN, '/')).toEqual(['docs', 'users'])
  })

  it('who has no home sees the folders alone, and puts nothing beside them', async () => {
    expect(await namesAt(CAT, '/')).toEqual(['docs'])
    expect(await statusOf(CAT, '/api/resources/own.txt')).toBe(403)
    for (const path of ['/new.txt', '/new/'])
      expect(await statusOf(CAT, `/api/resources${path}`, { method: 'POST', body: '' })).toBe(403)
    const headers = { 'Upload-Length': '3' }
    expect(await statusOf(CAT, '/api/tus/new.txt', { method: 'POST', headers })).toBe(403)
    expect(await move(CAT, 'copy', '/docs/report.txt', '/report.txt')).toBe(403)
    expect(await statusOf(CAT, '/api/resources/docs/new.txt', { method: 'POST', body: 'c' })).toBe(
      200,
    )
    expect(await app.tree.read('docs/new.txt')).toBe('c')
    expect(await readdir(app.tree.at('users/cat'))).toEqual(['own.txt'])
  })

  it('who does not see the home comes to the folders by the top, and to nothing of the home', async () => {
    await app.store.transaction((tx) =>
      tx.insert(FOLDERS, record('/users/ann', '', { who: 'user:2', see: false })),
    )
    expect(await namesAt(ANN, '/')).toEqual(['docs', 'photos'])
    const hits = await (await call(ANN, '/api/search/?query=')).text()
    expect(hits).toContain('photos/2024/a.txt')
    expect(hits).not.toContain('own.txt')
    expect(await statusOf(ANN, '/api/resources/own.txt')).toBe(403)
    expect(await statusOf(ANN, '/api/raw/photos/2024/a.txt')).toBe(200)
  })

  it('a file that has the place of a folder stands nowhere, in no search and no archive either', async () => {
    await app.store.transaction((tx) =>
      tx.insert(FOLDERS, record('/docs/report.txt', 'report', { who: 'everyone', see: true })),
    )
    expect(await namesAt(CAT, '/')).toEqual(['docs'])
    expect(await (await call(CAT, '/api/search/?query=report')).text()).not.toContain('"report"')
    const archive = await (await call(ANN, '/api/raw/?algo=zip')).text()
    expect(archive).toContain('docs/report.txt')
    expect(archive).not.toMatch(/(?<!docs\/)report\b/)
  })

  it('a grant that is taken away takes effect on the next request', async () => {
    const ann = as(ANN)
    expect((await ann.fetch('/api/resources/photos/')).status).toBe(200)
    await app.store.transaction((tx) => tx.remove(FOLDERS, 'photos:/'))
    expect((await ann.fetch('/api/resources/photos/')).status).toBe(404)
  })
})

describe('a top folder itself', () => {
  it.each(['photos', 'docs'])('can be neither moved, replaced nor deleted: %s', async (name) => {
    expect(await statusOf(ANN, `/api/resources/${name}`, { method: 'DELETE' })).toBe(403)
    expect(await move(ANN, 'rename', `/${name}`, '/other')).toBe(403)
    expect(await move(ANN, 'rename', `/${name}`, `/${name}/sub`)).not.toBe(200)
    await app.tree.add({ 'users/ann/dir/f': '' })
    expect(await move(ANN, 'rename', '/dir', `/${name}`, '&override=true')).toBe(403)
    expect(await namesAt(ANN, '/')).toEqual(['dir', 'docs', 'own.txt', 'photos'])
  })

  it('is there already for who would make it', async () => {
    expect(await statusOf(ANN, '/api/resources/photos/', { method: 'POST' })).toBe(200)
    expect(await statusOf(ANN, '/api/resources/photos', { method: 'POST', body: 'x' })).not.toBe(
      200,
    )
    expect(await readdir(app.tree.at('users/ann'))).toEqual(['own.txt'])
  })

  it('can be copied with all that differs in it, without what its disk has kept', async () => {
    await app.store.transaction((tx) =>
      tx.insert(FOLDERS, record('photos:/2024', '', { who: 'user:2', modify: false })),
    )
    await writeFile(join(photos, 'gone.txt'), 'gone')
    expect(await statusOf(ANN, '/api/resources/photos/gone.txt', { method: 'DELETE' })).toBe(204)
    expect(await readdir(photos)).toContain('.fb-trash')
    expect(await move(ANN, 'copy', '/photos', '/copy')).toBe(200)
    expect(await readdir(app.tree.at('users/ann/copy'))).toEqual(['2024'])
  })

  it('can be copied into the home', async () => {
    expect(await move(ANN, 'copy', '/photos', '/mine')).toBe(200)
    expect(await app.tree.read('users/ann/mine/2024/a.txt')).toBe('a photo')
  })
})

describe('every call over a top folder on another disk', () => {
  it('reads: listing, content, archive, search, recursive listing, usage', async () => {
    expect(await namesAt(ANN, '/photos/2024/')).toEqual(['a.txt'])
    const file = await call(ANN, '/api/resources/photos/2024/a.txt')
    expect(await file.json()).toMatchObject({ path: '/photos/2024/a.txt', content: 'a photo' })
    expect(await (await call(ANN, '/api/raw/photos/2024/a.txt')).text()).toBe('a photo')
    const archive = await call(ANN, '/api/raw/?algo=tar')
    const bytes = Buffer.from(await archive.arrayBuffer()).toString('latin1')
    for (const name of ['photos/2024/a.txt', 'docs/report.txt', 'own.txt'])
      expect(bytes).toContain(name)
    const own = await call(ANN, '/api/raw/photos?algo=tar')
    expect(own.headers.get('content-disposition')).toContain('photos.tar')
    const found = await (await call(ANN, '/api/search/?query=.txt')).text()
    expect(found.match(/"path":"[^"]*"/g)?.sort()).toEqual(
      ['docs/report.txt', 'docs/sub/x.txt', 'own.txt', 'photos/2024/a.txt'].map(
        (p) => `"path":"${p}"`,
      ),
    )
    expect(await (await call(ANN, '/api/search/photos/?query=a')).text()).toContain('"2024/a.txt"')
    const [all, disk] = await Promise.all(
      ['/', '/photos/'].map(async (path) => (await call(ANN, `/api/usage${path}`)).json()),
    )
    expect(disk.total).not.toBe(all.total)
  })

  it('writes: upload, save, folder, resumable upload, deletion', async () => {
    const at = (name: string) => readFile(join(photos, name), 'utf8')
    const post = (path: string) =>
      statusOf(ANN, `/api/resources${path}`, { method: 'POST', body: 'n' })
    expect(await post('/photos/new/deep.txt')).toBe(200)
    expect(await at('new/deep.txt')).toBe('n')
    const put = { method: 'PUT', body: 'saved' }
    expect(await statusOf(ANN, '/api/resources/photos/2024/a.txt', put)).toBe(200)
    expect(await at('2024/a.txt')).toBe('saved')
    const ann = as(ANN)
    const headers = { 'Upload-Length': '5' }
    expect((await ann.fetch('/api/tus/photos/t.bin', { method: 'POST', headers })).status).toBe(201)
    const piece = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
    const sent = { method: 'PATCH', headers: piece, body: 'hello' }
    expect((await ann.fetch('/api/tus/photos/t.bin', sent)).status).toBe(204)
    expect(await at('t.bin')).toBe('hello')
    expect(await statusOf(ANN, '/api/resources/photos/2024', { method: 'DELETE' })).toBe(204)
    expect((await readdir(photos)).sort()).toEqual(['.fb-trash', '.fb-versions', 'new', 't.bin'])
  })

  it.each([
    ['/own.txt', '/photos/own.txt'],
    ['/photos/2024', '/2024'],
    ['/docs/sub', '/photos/sub'],
    ['/photos/2024/a.txt', '/docs/a.txt'],
    ['/docs/sub', '/sub'],
  ])('copies and moves between the trees: %s to %s', async (from, to) => {
    const before = await call(ANN, `/api/raw${from}?algo=tar`)
    const bytes = (await before.arrayBuffer()).byteLength
    expect(await move(ANN, 'copy', from, to)).toBe(200)
    expect(await statusOf(ANN, `/api/resources${from}`)).toBe(200)
    expect(await move(ANN, 'rename', from, to)).toBe(409)
    expect(await move(ANN, 'rename', from, `${to}-moved`)).toBe(200)
    expect(await statusOf(ANN, `/api/resources${from}`)).toBe(404)
    const after = await call(ANN, `/api/raw${to}-moved?algo=tar`)
    expect((await after.arrayBuffer()).byteLength).toBe(bytes)
  })

  it('previews, commands, shares and tokens work there', async () => {
    for (const folder of [photos, app.tree.at('users/ann')])
      await copyFile(join(SAMPLES, 'picture.jpg'), join(folder, 'p.jpg'))
    const [here, atHome] = await Promise.all(
      ['/photos/p.jpg', '/p.jpg'].map(async (path) => {
        const preview = await call(ANN, `/api/preview/big${path}`)
        return [preview.status, (await preview.arrayBuffer()).byteLength]
      }),
    )
    expect(here).toEqual(atHome)
    expect(here?.[0]).toBe(200)
    const { token } = as(ANN)
    expect(await runLine(app, token, 'pwd', '/photos/2024')).toEqual([join(photos, '2024')])
    const hash = await share(ANN, '/photos/2024')
    const visit = await app.fetch(`/api/public/share/${hash}/a.txt`)
    expect(await visit.json()).toMatchObject({ path: '/a.txt' })
    expect(await (await app.fetch(`/api/public/dl/${hash}/a.txt`)).text()).toBe('a photo')
    expect((await readPublic(app, hash, '/../own.txt')).text).not.toContain('own')
    await app.store.transaction((tx) => tx.remove(FOLDERS, 'photos:/'))
    expect((await app.fetch(`/api/public/share/${hash}`)).status).toBe(404)
  })

  it('event commands are told host paths, and the folder as their scope', async () => {
    const out = join(app.tree.base, 'told.txt')
    const commands = { after_upload: [`sh -c 'echo "$SCOPE|$FILE" >> ${out}'`] }
    await changeRecords(app.store, (doc) => ({ settings: { ...doc.settings, commands } }))
    for (const path of ['/photos/n', '/docs/n', '/n'])
      await statusOf(ANN, `/api/resources${path}`, { method: 'POST', body: '' })
    await changeRecords(app.store, (doc) => ({ settings: { ...doc.settings, commands: {} } }))
    expect((await readFile(out, 'utf8')).trim().split('\n')).toEqual([
      `${photos}|${photos}/n`,
      `${app.tree.at('docs')}|${app.tree.at('docs')}/n`,
      `/users/ann|${app.tree.at('users/ann')}/n`,
    ])
  })

  it('links lead nowhere outside of the folder, not even into the home', async () => {
    await symlink(app.tree.at('users/ann'), join(photos, 'home'))
    await symlink(photos, app.tree.at('users/ann/link'))
    expect(await namesAt(ANN, '/photos/')).toEqual(['2024'])
    expect(await statusOf(ANN, '/api/resources/photos/home/own.txt')).toBe(403)
    expect(await statusOf(ANN, '/api/resources/link/2024/a.txt')).toBe(403)
  })
})

describe('what administrators are told and change', () => {
  const list = async () => (await call(ADMIN, '/api/folders')).json() as Promise<FolderList>
  const put = (body: object) =>
    statusOf(ADMIN, '/api/folders', {
      method: 'PUT',
      body: JSON.stringify({ ...body, current_password: PASSWORD }),
    })

  it('whose entries a name hides, which places are missing, and by which place a path is judged', async () => {
    await app.tree.add({ 'users/bob/docs/own': '' })
    await app.store.transaction((tx) => tx.insert(FOLDERS, record('/nowhere', 'n')))
    const { items, roots } = await list()
    expect(items).toMatchObject([{ place: 'photos:/' }, { hides: [BOB] }, { isMissing: true }])
    expect(items[0]).not.toHaveProperty('isMissing')
    expect(roots).toEqual([
      { name: 'photos', isMissing: false },
      { name: 'gone', isMissing: true },
    ])
    const why = await call(ADMIN, '/api/access?user=2&path=/photos/2024')
    expect(await why.json()).toMatchObject({
      place: 'photos:/2024',
      verbs: { see: { allowed: true } },
    })
    const who = await call(ADMIN, '/api/access?path=/docs')
    const { items: seeing } = (await who.json()) as FolderAccess
    expect(seeing.map(({ user }) => user.username)).toEqual([ADMIN, ANN, BOB, CAT])
  })

  it('a new name at the top, which links and tokens below follow', async () => {
    const hash = await share(ANN, '/photos/2024')
    const token = await as(ANN).fetch('/api/tokens', {
      method: 'POST',
      body: JSON.stringify({
        name: 'frame',
        perm: { download: true },
        folder: '/photos/2024',
        current_password: PASSWORD,
      }),
    })
    const made = (await token.json()) as { token: string }
    const byToken = (path: string) =>
      app.fetch(`/api/resources${path}`, { headers: { 'X-Auth': made.token } })
    expect((await byToken('/photos/2024/a.txt')).status).toBe(200)
    for (const path of ['/', '/photos', '/own.txt', '/docs'])
      expect((await byToken(path)).status, path).toBe(403)
    expect(
      await put({ place: 'photos:/', as: 'Bilder', grants: [{ who: 'user:2', see: true }] }),
    ).toBe(200)
    expect(await namesAt(ANN, '/')).toEqual(['Bilder', 'docs', 'own.txt'])
    expect(await (await app.fetch(`/api/public/dl/${hash}/a.txt`)).text()).toBe('a photo')
    expect((await byToken('/Bilder/2024/a.txt')).status).toBe(200)
  })

  it('one name is one place, in any case', async () => {
    const other = { place: '/users', as: 'DOCS', grants: [{ who: 'user:2', see: true }] }
    expect(await put(other)).toBe(400)
  })
})

describe('a root that is not there', () => {
  it('is 404 not_mounted, is not made by an upload, and keeps its record', async () => {
    expect(await namesAt(ANN, '/photos/')).toEqual(['2024'])
    const away = `${photos}-away`
    await rename(photos, away)
    try {
      const answer = await call(ANN, '/api/resources/photos/2024/a.txt')
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'not_mounted'])
      for (const path of ['/photos/new.txt', '/photos/new/', '/photos/'])
        expect(await statusOf(ANN, `/api/resources${path}`, { method: 'POST', body: '' })).toBe(404)
      const headers = { 'Upload-Length': '3' }
      expect(await statusOf(ANN, '/api/tus/photos/n', { method: 'POST', headers })).toBe(404)
      expect(await namesAt(ANN, '/')).toEqual(['docs', 'own.txt'])
      expect((await call(ANN, '/api/search/?query=own')).status).toBe(200)
      expect(await readdir(app.tree.at('users/ann'))).toEqual(['own.txt'])
      expect(places()).toContain('photos:/')
      // Its place on the disk below, where nothing must be written.
      await symlink(app.tree.at('docs'), photos)
      expect(await statusOf(ANN, '/api/resources/photos/')).toBe(404)
    } finally {
      await rm(photos, { force: true })
      await rename(away, photos)
    }
    expect(await namesAt(ANN, '/photos/')).toEqual(['2024'])
  })

  it('that the server was not given is 404 as well, and nothing goes into the home instead', async () => {
    const grants = { who: 'user:2', see: true }
    await app.store.transaction((tx) => tx.insert(FOLDERS, record('tapes:/a', 'tapes', grants)))
    expect(await namesAt(ANN, '/')).toEqual(['docs', 'own.txt', 'photos'])
    expect(await statusOf(ANN, '/api/resources/tapes/x', { method: 'POST', body: '' })).toBe(404)
    expect(await readdir(app.tree.at('users/ann'))).toEqual(['own.txt'])
  })

  it('is known by what was there when it was first used', async () => {
    await namesAt(ANN, '/photos/')
    expect(app.store.all(KNOWN_ROOTS)).toMatchObject([{ name: 'photos', path: photos }])
  })
})

describe('records follow what is moved', () => {
  it('with all below it, by whoever, and end with what is deleted', async () => {
    await app.store.transaction((tx) => {
      tx.insert(FOLDERS, record('/docs/sub', '', { who: 'user:3', create: false }))
      tx.insert(FOLDERS, record('/docsuffix', '', { who: 'user:3', create: false }))
    })
    expect(await move(ADMIN, 'rename', '/docs', '/archive/docs')).toBe(200)
    expect(places()).toEqual(['/archive/docs', '/archive/docs/sub', '/docsuffix', 'photos:/'])
    expect(await namesAt(BOB, '/docs/')).toEqual(['report.txt', 'sub'])
    expect(await move(ANN, 'rename', '/docs/sub', '/photos/sub')).toBe(200)
    expect(places()).toEqual(['/archive/docs', '/docsuffix', 'photos:/', 'photos:/sub'])
    expect(await statusOf(ADMIN, '/api/resources/archive', { method: 'DELETE' })).toBe(204)
    expect(places()).toEqual(['/docsuffix', 'photos:/', 'photos:/sub'])
    expect(await namesAt(BOB, '/')).toEqual(['own.txt'])
  })

  it('by where links lead as well', async () => {
    await app.store.transaction((tx) =>
      tx.insert(FOLDERS, record('/docs/sub', '', { who: 'user:3', create: false })),
    )
    await symlink('docs', app.tree.at('way'))
    expect(await move(ADMIN, 'rename', '/way/sub', '/way/moved')).toBe(200)
    expect(places()).toEqual(['/docs', '/docs/moved', 'photos:/'])
    expect(await statusOf(ADMIN, '/api/resources/way/moved', { method: 'DELETE' })).toBe(204)
    expect(places()).toEqual(['/docs', 'photos:/'])
  })

  it('and shares below a top folder stay true when it moves as a whole', async () => {
    const hash = await share(BOB, '/docs/report.txt')
    const text = async () => (await app.fetch(`/api/public/dl/${hash}`)).text()
    expect(await text()).toBe('report')
    expect(await move(ADMIN, 'rename', '/docs', '/papers')).toBe(200)
    expect(await text()).toBe('report')
    const admin = await call(ADMIN, '/api/share/papers/report.txt')
    expect(await admin.json()).toMatchObject([{ hash }])
    expect(await statusOf(ADMIN, '/api/resources/papers', { method: 'DELETE' })).toBe(204)
    expect((await app.fetch(`/api/public/dl/${hash}`)).status).toBe(404)
  })

  it('and the own ones go along to another tree', async () => {
    const hash = await share(ANN, '/photos/2024/a.txt')
    expect(await move(ANN, 'rename', '/photos/2024', '/here')).toBe(200)
    expect(await (await app.fetch(`/api/public/dl/${hash}`)).text()).toBe('a photo')
    expect(app.store.get(SHARES, hash)?.path).toBe('/here/a.txt')
  })
})
