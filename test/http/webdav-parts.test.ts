// What a client says of a body beside it: which part of a file it is, its sum, its length, and whether it is wanted.
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, openApp, startApp } from '../support/app.ts'
import { basic, davAs, LOCK_INFO, tokenFor } from '../support/dav.ts'
import { holdRequest } from '../support/held-request.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

const TREE = { 'a.txt': '0123456789', 'folder/b.txt': 'b' }
const PATCH_TYPE = 'application/x-sabredav-partialupdate'
const part = (range: string) => ({ 'X-Update-Range': range, 'Content-Type': PATCH_TYPE })

const leftIn = async (app: OpenedApp) =>
  (await readdir(app.tree.root)).filter((name) => name.startsWith('.')).length

async function clientOf(
  app: OpenedApp,
): Promise<{ head: string; headers: Record<string, string> }> {
  const headers = { Host: 'x', ...basic('', await tokenFor(app, 1)) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return { head: lines.join(''), headers }
}

describe('PATCH', () => {
  it.each([
    ['append', 'ab', '0123456789ab'],
    ['bytes=3-4', 'ab', '012ab56789'],
    ['bytes=9-', 'ab', '012345678ab'],
    ['bytes=-2', 'ab', '01234567ab'],
    ['bytes=12-', 'ab', '0123456789\0\0ab'],
  ])('%s writes a part of a file', async (range, body, content) => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const answer = await dav('PATCH', '/dav/a.txt', part(range), body)
    expect(answer.status).toBe(204)
    expect(await app.tree.read('a.txt')).toBe(content)
    const { headers } = await dav('HEAD', '/dav/a.txt')
    expect(answer.headers.get('etag')).toBe(headers.get('etag'))
  })

  it('is refused where it is none', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await dav('PATCH', path, headers, 'ab')).status
    expect(await statusOf('/dav/a.txt', part('bytes=3-6'))).toBe(416)
    expect(await statusOf('/dav/a.txt', part('all'))).toBe(400)
    expect(await statusOf('/dav/a.txt', { 'X-Update-Range': 'append' })).toBe(415)
    expect(await statusOf('/dav/a.txt', { 'Content-Type': PATCH_TYPE })).toBe(400)
    expect(await statusOf('/dav/none.txt', part('append'))).toBe(404)
    expect(await statusOf('/dav/folder', part('append'))).toBe(405)
    expect(await statusOf('/dav/a.txt', { ...part('append'), 'If-Match': '"x"' })).toBe(412)
    expect(await app.tree.read('a.txt')).toBe(TREE['a.txt'])
  })

  it('needs to know its length', async () => {
    await using app = await startApp({ tree: TREE })
    const { head } = await clientOf(app)
    const lines = `X-Update-Range: append\r\nContent-Type: ${PATCH_TYPE}\r\nTransfer-Encoding: chunked\r\n`
    const text = `PATCH /dav/a.txt HTTP/1.1\r\n${head}${lines}Connection: close\r\n\r\n2\r\nab\r\n0\r\n\r\n`
    expect(statusesOf(await sendRaw(app.port, text, true))).toEqual([411])
  })

  it('that breaks off leaves the file as it was, and nothing beside it', async () => {
    await using app = await startApp({ tree: TREE })
    const { head } = await clientOf(app)
    const before = await leftIn(app)
    const lines = `X-Update-Range: append\r\nContent-Type: ${PATCH_TYPE}\r\nContent-Length: 20\r\n`
    await sendRaw(app.port, `PATCH /dav/a.txt HTTP/1.1\r\n${head}${lines}\r\nab`)
    await expect.poll(() => leftIn(app)).toBe(before)
    expect(await app.tree.read('a.txt')).toBe(TREE['a.txt'])
  })

  it('never mixes with what somebody else has written meanwhile', async () => {
    await using app = await startApp({ tree: TREE })
    const { headers } = await clientOf(app)
    const held = await holdRequest(app.port, 'PATCH /dav/a.txt', 'ab', {
      ...headers,
      ...part('append'),
    })
    expect((await (await davAs(app))('PUT', '/dav/a.txt', {}, 'other')).status).toBe(204)
    expect(await held.finish()).toBe(409)
    expect(await app.tree.read('a.txt')).toBe('other')
  })
})

describe('PUT with Content-Range', () => {
  it('goes on with a file, begins one, and ends it where it says', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const put = async (path: string, range: string, body: string) =>
      (await dav('PUT', path, { 'Content-Range': range }, body)).status
    expect(await put('/dav/a.txt', 'bytes 8-11/12', 'abcd')).toBe(204)
    expect(await app.tree.read('a.txt')).toBe('01234567abcd')
    expect(await put('/dav/a.txt', 'bytes 0-1/*', 'xy')).toBe(204)
    expect(await app.tree.read('a.txt')).toBe('xy234567abcd')
    expect(await put('/dav/a.txt', 'bytes 0-1/4', 'AB')).toBe(204)
    expect(await app.tree.read('a.txt')).toBe('AB23')
    expect(await put('/dav/new.txt', 'bytes 0-1/4', 'ab')).toBe(201)
    expect(await app.tree.read('new.txt')).toBe('ab')
    expect(await put('/dav/a.txt', 'bytes 0-5/6', 'xy')).toBe(400)
    expect(await put('/dav/a.txt', 'bytes 1-0/6', 'xy')).toBe(400)
    expect(await app.tree.read('a.txt')).toBe('AB23')
  })
})

describe('PUT', () => {
  it('with a sum is that or nothing', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const sum = createHash('sha1').update('new').digest('hex')
    const put = async (body: string, header: string) =>
      (await dav('PUT', '/dav/a.txt', { 'OC-Checksum': header }, body)).status
    expect(await put('now', `SHA1:${sum}`)).toBe(400)
    expect(await app.tree.read('a.txt')).toBe(TREE['a.txt'])
    expect(await put('new', `SHA1:${sum}`)).toBe(204)
    expect(await put('any', 'CRC64:00')).toBe(204)
  })

  it('in chunks is as long as announced or nothing', async () => {
    await using app = await startApp({ tree: TREE })
    const { head } = await clientOf(app)
    const put = async (chunks: string) => {
      const lines =
        'Transfer-Encoding: chunked\r\nX-Expected-Entity-Length: 3\r\nConnection: close\r\n'
      const text = `PUT /dav/a.txt HTTP/1.1\r\n${head}${lines}\r\n${chunks}0\r\n\r\n`
      return statusesOf(await sendRaw(app.port, text, true))
    }
    expect(await put('2\r\nab\r\n')).toEqual([400])
    expect(await put('2\r\nab\r\n2\r\ncd\r\n')).toEqual([400])
    expect(await app.tree.read('a.txt')).toBe(TREE['a.txt'])
    expect(await put('2\r\nab\r\n1\r\nc\r\n')).toEqual([204])
  })

  it('that waits to be asked is refused before its body', async () => {
    await using app = await startApp({ tree: TREE })
    const { head } = await clientOf(app)
    await (await davAs(app))('LOCK', '/dav/folder/b.txt', {}, LOCK_INFO)
    const ask = async (path: string, more: string) => {
      const lines = `${more}Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n`
      return sendRaw(app.port, `PUT ${path} HTTP/1.1\r\n${lines}\r\n`, true)
    }
    for (const [path, more, status] of [
      ['/dav/a.txt', 'Host: x\r\n', 401],
      ['/dav/.fb-trash/x', head, 403],
      ['/dav/none/x.txt', head, 409],
      ['/dav/folder/b.txt', head, 423],
    ] as const)
      expect(statusesOf(await ask(path, more)), path).toEqual([status])
    const headers = (await clientOf(app)).headers
    expect(await (await holdRequest(app.port, 'PUT /dav/a.txt', 'ab', headers)).finish()).toBe(204)
  })
})
