// One file, many spellings (CVE-2026-25890, CVE-2026-32758, CVE-2026-35605, CVE-2026-72835): a
// rule must meet all of them, as source and as destination.
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { compileRules, foldName } from '../../src/access/rules.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { davAs, davOf, LOCK_INFO, tokenFor } from '../support/dav.ts'

const SECRET = 'denied-content'
const SPELLINGS = [
  '/denied/s.txt',
  '//denied/s.txt',
  '/./denied/s.txt',
  '/open/../denied/s.txt',
  '/open/%2e%2e/denied/s.txt',
  '/open%2F..%2Fdenied/s.txt',
  '/denied%2Fs.txt',
  '/denied/./s.txt',
  '/denied//s.txt',
  '/denied/s.txt/',
  '/%64enied/s.txt',
  '/open/..%2fdenied/s.txt',
  '/denied/x/../s.txt',
]

const options = {
  tree: { 'denied/s.txt': SECRET, 'denied2/ok.txt': 'allowed', 'open/a.txt': 'a' },
  users: [
    {
      username: 'bob',
      rules: [{ regex: false, allow: false, path: '/denied', regexp: null }],
    },
  ],
}

/** Sends the target exactly as written and follows one redirect, as a client would. */
async function raw(
  app: TestApp,
  token: string,
  target: string,
  credentials = `X-Auth: ${token}`,
  method = 'GET',
  content = '',
): Promise<{ status: number; body: string }> {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    const length = content ? `Content-Length: ${content.length}\r\n` : ''
    const head = `Host: x\r\n${credentials}\r\n${length}Connection: close\r\n`
    socket.write(`${method} ${target} HTTP/1.1\r\n${head}\r\n${content}`)
  })
  const status = Number(text.split(' ')[1])
  const location = /^location: (.+)\r$/im.exec(text)?.[1]
  return status === 301 && location
    ? raw(app, token, location, credentials, method, content)
    : { status, body: text }
}

/** Every method of WebDAV with a path, with what it needs to be understood. */
const BY_DAV: [method: string, headers?: string, body?: string][] = [
  ['GET'],
  ['HEAD'],
  ['PROPFIND', 'Depth: 0'],
  ['PROPFIND', 'Depth: 1'],
  [
    'PROPPATCH',
    'Depth: 0',
    '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="urn:x">1</x></prop></set></propertyupdate>',
  ],
  ['LOCK', 'Depth: 0', LOCK_INFO],
  ['PUT', 'Content-Type: text/plain', 'planted'],
  ['PUT', 'Content-Range: bytes 0-6/7', 'planted'],
  [
    'PATCH',
    'Content-Type: application/x-sabredav-partialupdate\r\nX-Update-Range: append',
    'planted',
  ],
  ['MKCOL'],
  ['COPY', 'Destination: /dav/open/copied'],
  ['MOVE', 'Destination: /dav/open/moved'],
  ['DELETE'],
]

describe('a denied folder', () => {
  it.each(SPELLINGS)('CVE-2026-25890: is not read as %s', async (spelling) => {
    await using app = await startApp(options)
    const bob = await app.as('bob')
    for (const prefix of [
      '/api/raw',
      '/api/resources',
      '/api/preview/big',
      '/api/resources/recursive',
    ]) {
      const { status, body } = await raw(app, bob.token, prefix + spelling)
      expect(body, prefix).not.toContain(SECRET)
      expect([400, 403, 404], `${prefix}${spelling}`).toContain(status)
    }
  })

  it.each(SPELLINGS)('CVE-2026-25890: is not reached by WebDAV as %s', async (spelling) => {
    await using app = await startApp(options)
    const token = await tokenFor(app, 2)
    const credentials = `Authorization: Bearer ${token}`
    for (const mount of ['/dav', '/remote.php/webdav', '/remote.php/dav/files/bob'])
      for (const [method, headers, body] of BY_DAV) {
        const all = headers ? `${credentials}\r\n${headers}` : credentials
        const answer = await raw(app, token, mount + spelling, all, method, body)
        expect(answer.body, mount).not.toContain(SECRET)
        // A folder's address is no file's, whatever is there.
        const refused = method === 'PUT' && spelling.endsWith('/') ? [405] : [400, 403, 404]
        expect(refused, `${method} ${mount}${spelling}`).toContain(answer.status)
      }
    const dav = davOf(app, token)
    const parts = '/remote.php/dav/uploads/bob/u'
    expect((await dav('MKCOL', parts)).status).toBe(201)
    expect((await dav('PUT', `${parts}/1`, {}, 'planted')).status).toBe(201)
    for (const [method, path] of [
      ['COPY', '/dav/open/a.txt'],
      ['MOVE', '/dav/open/a.txt'],
      ['MKCOL', '/remote.php/dav/uploads/bob/other'],
      ['MOVE', `${parts}/.file`],
    ] as const)
      for (const Destination of [`/dav${spelling}`, `http://x/dav${spelling}`]) {
        const { status } = await dav(method, path, { Destination })
        expect([400, 403, 404], `${method} to ${Destination}`).toContain(status)
      }
    expect(await app.tree.read('denied/s.txt')).toBe(SECRET)
    expect(await readdir(app.tree.at('denied'))).toEqual(['s.txt'])
    expect((await readdir(app.tree.at('open'))).filter((name) => !name.startsWith('.'))).toEqual([
      'a.txt',
    ])
    const admin = await davAs(app)
    const told = await (await admin('PROPFIND', '/dav/denied/s.txt', { Depth: '0' })).text()
    expect(told).not.toMatch(/urn:x|activelock/)
  })

  it.each(SPELLINGS)('CVE-2026-32758: is no destination as %s', async (spelling) => {
    await using app = await startApp(options)
    const bob = await app.as('bob')
    const destination = encodeURIComponent(spelling)
    const response = await bob.fetch(
      `/api/resources/open/a.txt?action=copy&destination=${destination}&override=true`,
      { method: 'PATCH' },
    )
    expect(response.status).toBe(403)
    expect(await app.tree.read('denied/s.txt')).toBe(SECRET)
  })

  it('CVE-2026-35605: does not take its neighbour with the same beginning along', async () => {
    await using app = await startApp(options)
    const bob = await app.as('bob')
    expect((await bob.fetch('/api/raw/denied2/ok.txt')).status).toBe(200)
  })

  it('CVE-2026-72835: is denied in any case where the disk ignores it', async () => {
    await using app = await startApp({ ...options, foldCase: true })
    const bob = await app.as('bob')
    await app.tree.add({ 'DENIED/s.txt': SECRET, 'dEnIeD2/ok.txt': 'allowed' })
    for (const path of ['/api/raw/DENIED/s.txt', '/api/resources/DENIED/', '/api/raw/?algo=tar']) {
      const text = await (await bob.fetch(path)).text()
      expect(text, path).not.toContain(SECRET)
      expect(text, path).not.toContain('s.txt')
    }
    expect((await bob.fetch('/api/raw/dEnIeD2/ok.txt')).status).toBe(200)
  })

  it.each([
    ['another composition', '/Ge\u0301heim', '/gÉHEIM'],
    ['a long s', '/secret', '/\u017fecret'],
    ['a Kelvin sign', '/key', '/\u212aey'],
    ['a sharp s', '/straße', '/STRASSE'],
    ['a capital sharp s', '/straße', '/stra\u1e9ee'],
    ['a capital sharp s where the rule has two letters', '/strasse', '/STRA\u1e9eE'],
    ['a character that shows nothing', '/secret', '/se\u00adc\u200dret'],
    ['a full-width letter in the other case', '/ａ', '/Ａ'],
  ])('CVE-2026-72835: is denied as a disk without case spells it: %s', (_, rule, path) => {
    const regexp = { raw: '' }
    const judge = compileRules([{ regex: false, allow: false, path: rule, regexp }], true)
    expect(judge(`${path}/s.txt` as VPath)).toBe(false)
    expect(judge(`${path}2/s.txt` as VPath)).toBe(true)
  })

  it('CVE-2026-72835: is denied in the upper and the lower case of every character', () => {
    for (let point = 0x80; point < 0x20000; point++) {
      const char = String.fromCodePoint(point)
      for (const other of [char.toLowerCase(), char.toUpperCase()])
        if (other !== char && foldName(other) !== foldName(char)) expect.unreachable(char + other)
    }
  })

  it('CVE-2026-72835: is not reached by a backslash, which is part of a name here', async () => {
    await using app = await startApp(options)
    const bob = await app.as('bob')
    for (const path of ['open%5C..%5Cdenied%5Cs.txt', '%5Cdenied%5Cs.txt', 'denied%5Cs.txt']) {
      const { status, body } = await raw(app, bob.token, `/api/raw/${path}`)
      expect(status, path).toBe(404)
      expect(body).not.toContain(SECRET)
    }
  })

  it('is not reached by NUL', async () => {
    await using app = await startApp(options)
    const bob = await app.as('bob')
    expect((await raw(app, bob.token, '/api/raw/denied%00/s.txt')).status).toBe(400)
  })
})
