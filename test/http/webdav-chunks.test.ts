// Files in parts, as clients of Nextcloud send them (docs/webdav.md).
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { setHome } from '../../src/store/access/groups.ts'
import { type OpenedApp, openApp, startApp } from '../support/app.ts'
import { basic, type DavAsk, davAs, davOf, LOCK_INFO, tokenFor } from '../support/dav.ts'
import { holdRequest } from '../support/held-request.ts'
import { sendRaw } from '../support/raw-http.ts'

const UPLOADS = '/remote.php/dav/uploads/admin'
const FILES = '/remote.php/dav/files/admin'
const TREE = { 'old.txt': 'old', 'folder/x.txt': 'x' }

const hidden = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith('.fb-tmp-'))

/** Sends parts as version 2 does, the target with each request. */
async function send(dav: DavAsk, id: string, parts: Record<string, string>, target: string) {
  const Destination = `https://proxy${FILES}${target}`
  const statuses = [(await dav('MKCOL', `${UPLOADS}/${id}`, { Destination })).status]
  for (const [name, body] of Object.entries(parts))
    statuses.push((await dav('PUT', `${UPLOADS}/${id}/${name}`, { Destination }, body)).status)
  return statuses
}

const join = (dav: DavAsk, id: string, target: string, headers: Record<string, string> = {}) =>
  dav('MOVE', `${UPLOADS}/${id}/.file`, { Destination: FILES + target, ...headers })

const clientIn = async (app: OpenedApp) => davAs(app)

describe('a file in parts', () => {
  it('is put together in the order of their numbers, and nothing of it is left', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await clientIn(app)
    const parts = { '10': 'ddd', '2': 'cc', '1': 'aaaa' }
    expect(await send(dav, 'u1', parts, '/new.bin')).toEqual([201, 201, 201, 201])
    expect((await dav('PUT', `${UPLOADS}/u1/1`, {}, 'bb')).status).toBe(201)
    const sum = createHash('sha1').update('bbccddd').digest('hex')
    const headers = {
      'OC-Checksum': `SHA1:${sum}`,
      'X-OC-Mtime': '1500000000',
      'OC-Total-Length': '7',
    }
    expect((await join(dav, 'u1', '/new.bin', { 'OC-Total-Length': '8' })).status).toBe(400)
    const answer = await join(dav, 'u1', '/new.bin', headers)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-oc-mtime')).toBe('accepted')
    const file = await dav('HEAD', '/dav/new.bin')
    expect(file.headers.get('etag')).toBe(answer.headers.get('etag'))
    expect(Date.parse(file.headers.get('last-modified') ?? '')).toBe(1_500_000_000_000)
    expect(await app.tree.read('new.bin')).toBe('bbccddd')
    expect(await hidden(app.tree.root)).toEqual([])
    expect((await dav('DELETE', `${UPLOADS}/u1`)).status).toBe(404)
  })

  it('finds its target at the end, as version 1 does', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await clientIn(app)
    const name = (first: number, last: number) =>
      [first, last].map((byte) => String(byte).padStart(15, '0')).join('-')
    expect((await dav('PUT', `${UPLOADS}/r/${name(0, 2)}`, {}, 'abc')).status).toBe(404)
    expect((await dav('MKCOL', `${UPLOADS}/r/`)).status).toBe(201)
    expect((await dav('MKCOL', `${UPLOADS}/r/`)).status).toBe(405)
    await dav('PUT', `${UPLOADS}/r/${name(3, 4)}`, {}, 'de')
    expect((await join(dav, 'r', '/folder/x.txt')).status).toBe(409)
    await dav('PUT', `${UPLOADS}/r/${name(0, 2)}`, {}, 'abc')
    expect((await join(dav, 'r', '/none/x.txt')).status).toBe(409)
    expect((await join(dav, 'r', '/folder/x.txt', { Overwrite: 'F' })).status).toBe(412)
    expect((await join(dav, 'r', '/folder/x.txt')).status).toBe(204)
    expect(await app.tree.read('folder/x.txt')).toBe('abcde')
    expect(await hidden(app.tree.root)).toEqual([])
  })

  it('is seen by its parts, and gone when it is given up', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await clientIn(app)
    await send(dav, 'u', { '1': 'aa' }, '/new.bin')
    const list = async (path: string, Depth: string) =>
      [...(await (await dav('PROPFIND', path, { Depth })).text()).matchAll(/<D:href>([^<]+)/g)].map(
        ([, href]) => href,
      )
    expect(await list(`${UPLOADS}/`, '1')).toEqual([`${UPLOADS}/`])
    expect(await list(`${UPLOADS}/u`, '0')).toEqual([`${UPLOADS}/u/`])
    expect(await list(`${UPLOADS}/u/`, '1')).toEqual([`${UPLOADS}/u/`, `${UPLOADS}/u/1`])
    expect(await (await dav('PROPFIND', `${UPLOADS}/u/1`, { Depth: '0' })).text()).toContain(
      '<D:getcontentlength>2<',
    )
    expect(await (await dav('PROPFIND', '/dav/', { Depth: '1' })).text()).not.toContain('fb-tmp')
    expect(await hidden(app.tree.root)).toHaveLength(1)
    expect((await dav('DELETE', `${UPLOADS}/u`)).status).toBe(204)
    expect(await hidden(app.tree.root)).toEqual([])
    expect((await dav('PROPFIND', `${UPLOADS}/u`)).status).toBe(404)
  })

  it('leaves the old file as it is while it is not whole', async () => {
    await using app = await startApp({ tree: TREE })
    const dav = await clientIn(app)
    await send(dav, 'u', { '1': 'first' }, '/old.txt')
    const head = `Host: x\r\nAuthorization: ${basic('', await tokenFor(app, 1)).Authorization}\r\n`
    await sendRaw(app.port, `PUT ${UPLOADS}/u/2 HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\nabc`)
    expect(await app.tree.read('old.txt')).toBe('old')
    expect((await join(dav, 'u', '/old.txt', { 'OC-Checksum': 'MD5:00' })).status).toBe(400)
    expect(await app.tree.read('old.txt')).toBe('old')
    expect((await dav('PUT', `${UPLOADS}/u/2`, {}, ' second')).status).toBe(201)
    expect((await join(dav, 'u', '/old.txt')).status).toBe(204)
    expect(await app.tree.read('old.txt')).toBe('first second')
  })

  it('may send several parts at the same time', async () => {
    await using app = await startApp({ tree: TREE })
    const dav = await clientIn(app)
    await send(dav, 'u', {}, '/new.bin')
    const headers = { Host: 'x', ...basic('', await tokenFor(app, 1)) }
    const parts = ['a'.repeat(70_000), 'b'.repeat(80_000), 'c'.repeat(90_000)]
    const held = await Promise.all(
      parts.map((body, i) => holdRequest(app.port, `PUT ${UPLOADS}/u/${3 - i}`, body, headers)),
    )
    expect(await Promise.all(held.map((each) => each.finish()))).toEqual([201, 201, 201])
    expect((await join(dav, 'u', '/new.bin')).status).toBe(201)
    expect(await app.tree.read('new.bin')).toBe([...parts].reverse().join(''))
  })

  it('is judged by the rights of its target, at the beginning and at the end', async () => {
    const rules = [{ regex: false, allow: false, path: '/folder', regexp: { raw: '' } }]
    await using app = await openApp({
      tree: TREE,
      users: [{ username: 'bo', rules }],
    })
    const bo = await davAs(app, 2)
    const [uploads, files] = [UPLOADS, FILES].map((path) => path.replace('admin', 'bo')) as [
      string,
      string,
    ]
    const to = (path: string) => ({ Destination: files + path })
    const begin = async (id: string, headers: Record<string, string> = {}) =>
      (await bo('MKCOL', `${uploads}/${id}`, headers)).status
    expect(await begin('a', to('/folder/new.txt'))).toBe(403)
    expect(await begin('a', to('/.fb-trash/x'))).toBe(403)
    expect(await begin('a', to('/none/x'))).toBe(409)
    expect(await begin('a', to('/'))).toBe(405)
    expect(await begin('a', { Destination: FILES })).toBe(403)
    expect((await bo('MKCOL', `${UPLOADS}/a`)).status).toBe(403)
    expect(await begin('a')).toBe(201)
    await bo('PUT', `${uploads}/a/1`, {}, 'new')
    const end = async (path: string) => (await bo('MOVE', `${uploads}/a/.file`, to(path))).status
    expect(await end('/folder/x.txt')).toBe(403)
    expect((await (await clientIn(app))('LOCK', '/dav/old.txt', {}, LOCK_INFO)).status).toBe(200)
    expect(await end('/old.txt')).toBe(423)
    expect(await end('/new.txt')).toBe(201)
    expect(await app.tree.read('old.txt')).toBe('old')
  })

  it('is another one for another account of the same name for it', async () => {
    await using app = await openApp({ tree: TREE, users: [{ username: 'bo' }] })
    const [dav, bo] = [await clientIn(app), await davAs(app, 2)]
    await send(dav, 'u', { '1': 'admin' }, '/new.bin')
    const own = UPLOADS.replace('admin', 'bo')
    expect((await bo('PUT', `${own}/u/1`, {}, 'bo')).status).toBe(404)
    expect((await bo('PUT', `${UPLOADS}/u/1`, {}, 'bo')).status).toBe(403)
    expect((await join(dav, 'u', '/new.bin')).status).toBe(201)
    expect(await app.tree.read('new.bin')).toBe('admin')
  })

  it('takes names that are numbers, a length, and nothing else', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await clientIn(app)
    await send(dav, 'u', {}, '/new.bin')
    expect((await dav('PUT', `${UPLOADS}/u/one`, {}, 'x')).status).toBe(400)
    expect((await dav('GET', `${UPLOADS}/u/1`)).status).toBe(405)
    expect((await dav('COPY', `${UPLOADS}/u/1`)).status).toBe(405)
    expect((await dav('PUT', `${UPLOADS}/u`, {}, 'x')).status).toBe(405)
    expect((await dav('PUT', `${UPLOADS}/u/1/2`, {}, 'x')).status).toBe(404)
    expect((await dav('OPTIONS', `${UPLOADS}/u`)).headers.get('dav')).toContain('1, 2')
    expect((await dav('MOVE', `${UPLOADS}/u/1`, { Destination: `${FILES}/x` })).status).toBe(403)
    expect((await dav('MOVE', '/dav/old.txt', { Destination: `${UPLOADS}/u/1` })).status).toBe(502)
  })

  it('goes where a token that is limited to a folder may write', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = davOf(app, await tokenFor(app, 1, { folder: '/folder' }))
    expect((await dav('MKCOL', `${UPLOADS}/t`)).status).toBe(201)
    await dav('PUT', `${UPLOADS}/t/1`, {}, 'in')
    expect(await hidden(`${app.tree.root}/folder`)).toHaveLength(1)
    expect((await join(dav, 't', '/y.txt')).status).toBe(201)
    expect(await app.tree.read('folder/y.txt')).toBe('in')
  })

  it('counts as it comes, once, and is free again when it is given up', async () => {
    await using app = await openApp({
      tree: { home: null },
      users: [{ username: 'bo', scope: '/home' }],
    })
    await app.store.transaction((tx) => setHome(tx, { userID: 2, home: true, homeQuota: 1000 }))
    const bo = await davAs(app, 2)
    const at = UPLOADS.replace('admin', 'bo')
    const Destination = `${FILES.replace('admin', 'bo')}/new.bin`
    const put = async (id: string, name: string, bytes: number) =>
      (await bo('PUT', `${at}/${id}/${name}`, {}, 'x'.repeat(bytes))).status
    expect((await bo('MKCOL', `${at}/a`, { Destination, 'OC-Total-Length': '1001' })).status).toBe(
      507,
    )
    expect((await bo('MKCOL', `${at}/a`, { Destination, 'OC-Total-Length': '700' })).status).toBe(
      201,
    )
    expect(await put('a', '1', 700)).toBe(201)
    expect((await bo('MKCOL', `${at}/b`)).status).toBe(201)
    expect(await put('b', '1', 300)).toBe(507)
    expect((await bo('PUT', '/dav/other.bin', {}, 'x'.repeat(300))).status).toBe(507)
    expect((await bo('MOVE', `${at}/a/.file`, { Destination })).status).toBe(201)
    expect(await put('b', '1', 200)).toBe(201)
    expect((await bo('PUT', '/dav/other.bin', {}, 'x'.repeat(200))).status).toBe(507)
    expect((await bo('DELETE', `${at}/b`)).status).toBe(204)
    expect((await bo('PUT', '/dav/other.bin', {}, 'x'.repeat(200))).status).toBe(201)
    expect(app.errors).toEqual([])
  })
})
