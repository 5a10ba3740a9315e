import { execFileSync } from 'node:child_process'
import { readdir, stat, utimes } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { defaultPermissions } from '../../src/store/document.ts'
import { openApp, PASSWORD } from '../support/app.ts'
import { basic, davAs, davOf, tokenFor } from '../support/dav.ts'

const TREE = { 'a.txt': 'hello', 'folder/b.txt': 'b', 'other/c.txt': 'c' }
const ask = (names: string) => `<propfind xmlns="DAV:"><prop>${names}</prop></propfind>`
const DEEP = { Depth: '1' }
const FLAT = { Depth: '0' }

const hrefsOf = async (response: Response) =>
  [...(await response.text()).matchAll(/<D:href>([^<]*)</g)].map(([, href]) => href)

describe('WebDAV', () => {
  it('announces what it can do', async () => {
    await using app = await openApp({ tree: TREE })
    const answer = await (await davAs(app))('OPTIONS', '/dav/')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('dav')).toMatch(/^1/)
    expect(answer.headers.get('ms-author-via')).toBe('DAV')
    expect(answer.headers.get('allow')).toContain('PROPFIND')
  })

  it('refuses other methods, and says which there are', async () => {
    await using app = await openApp({ tree: TREE })
    const answer = await (await davAs(app))('POST', '/dav/a.txt')
    expect([answer.status, answer.headers.get('allow')]).toEqual([
      405,
      expect.stringContaining('PUT'),
    ])
  })

  it('is closed by --dav=false', async () => {
    await using app = await openApp({ tree: TREE, config: { dav: false } })
    expect((await (await davAs(app))('PROPFIND', '/dav/', FLAT)).status).toBe(404)
    expect((await app.fetch('/dav/')).headers.get('content-type')).toContain('text/html')
  })

  it('leaves addresses beside it to the page', async () => {
    await using app = await openApp({ tree: TREE })
    for (const path of ['/davos', '/davos/', '/remote.php', '/remote.php/dav/files'])
      expect((await app.fetch(path)).headers.get('content-type'), path).toContain('text/html')
  })

  it('sends a browser to the page', async () => {
    await using app = await openApp({ tree: TREE })
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const headers of [{ 'Sec-Fetch-Mode': 'navigate' }, { Accept: accept }]) {
      const answer = await app.fetch('/dav/folder/a%20b', { headers: headers as never })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/files/folder/a%20b'])
      expect(answer.headers.get('www-authenticate')).toBeNull()
    }
  })

  it('asks a program of KDE for credentials, which accepts HTML first as well', async () => {
    await using app = await openApp({ tree: TREE })
    const headers = { Accept: 'text/html, text/*;q=0.9, image/jpeg;q=0.9, */*;q=0.8' }
    expect((await app.fetch('/dav/folder/a%20b', { headers })).status).toBe(401)
  })

  it('hands out content that runs nothing', async () => {
    await using app = await openApp({ tree: { 'x.html': '<script>fire()</script>' } })
    const { headers } = await (await davAs(app))('GET', '/dav/x.html')
    expect(headers.get('content-security-policy')).toContain("script-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('tells a failure as XML with a sentence', async () => {
    await using app = await openApp({ tree: TREE })
    const answer = await (await davAs(app))('GET', '/dav/none.txt')
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'not_found'])
    expect(await answer.text()).toContain('There is nothing of this name.</s:message></D:error>')
  })

  it('writes lines in the log for refusals, and none for names that are not there', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    await dav('PROPFIND', '/dav/._a.txt', FLAT)
    expect(app.log.filter((line) => line.includes('/dav'))).toEqual([])
    await app.fetch('/dav/a.txt', { headers: basic('admin', 'wrong') })
    expect(app.log.filter((line) => line.startsWith('/dav: 401 127.0.0.1'))).toHaveLength(1)
  })
})

describe('above the tree', () => {
  const WINDOWS = { 'User-Agent': 'Microsoft-WebDAV-MiniRedir/10.0.22631' }

  it('it is announced to everybody, and a folder to clients of Microsoft', async () => {
    await using app = await openApp({ tree: TREE, config: { baseURL: '/base' } })
    for (const path of ['/', '/base', '/base/']) {
      const { status, headers } = await app.fetch(path, { method: 'OPTIONS' })
      expect([status, headers.get('ms-author-via')]).toEqual([200, 'DAV'])
      expect(headers.get('dav')).toMatch(/^1, 2, 3/)
      const found = await app.fetch(path, { method: 'PROPFIND', headers: WINDOWS })
      expect(found.status).toBe(207)
      expect(await hrefsOf(found)).toEqual([path.endsWith('/') ? path : `${path}/`])
      // GNOME would mount it.
      expect((await app.fetch(path, { method: 'PROPFIND' })).status).toBe(404)
    }
  })

  it('nothing is announced where WebDAV is closed', async () => {
    await using app = await openApp({ tree: TREE, config: { dav: false } })
    const { headers } = await app.fetch('/', { method: 'OPTIONS' })
    expect(headers.get('dav')).toBeNull()
  })
})

describe('a page of another origin', () => {
  const ORIGINS = ['https://app.example', 'https://*.example.org']
  const openFor = (davOrigins: string[]) => openApp({ tree: TREE, config: { davOrigins } })
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')

  it('may use it where its origin is named', async () => {
    await using app = await openFor(ORIGINS)
    const dav = await davAs(app)
    for (const Origin of ['https://app.example', 'https://notes.example.org']) {
      const headers = { Origin, 'Access-Control-Request-Method': 'PROPFIND' }
      const preflight = await app.fetch('/dav/a.txt', { method: 'OPTIONS', headers })
      expect([preflight.status, allowed(preflight)]).toEqual([204, Origin])
      expect(preflight.headers.get('access-control-allow-methods')).toContain('MKCOL')
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
      const answer = await dav('GET', '/dav/a.txt', { Origin })
      expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([
        200,
        Origin,
        'Origin',
      ])
      const refused = await app.fetch('/dav/a.txt', { headers: { Origin } })
      expect([refused.status, allowed(refused)]).toEqual([401, Origin])
      expect(refused.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example.evil.example',
    'https://evilexample.org',
    'https://evil.example/x.example.org',
    'null',
  ])('%s may not', async (Origin) => {
    await using app = await openFor(ORIGINS)
    const headers = { Origin, 'Access-Control-Request-Method': 'PROPFIND' }
    const preflight = await app.fetch('/dav/a.txt', { method: 'OPTIONS', headers })
    expect([preflight.status, allowed(preflight)]).toEqual([401, null])
    expect(allowed(await (await davAs(app))('GET', '/dav/a.txt', { Origin }))).toBeNull()
  })
})

describe('signing in by WebDAV', () => {
  const statusOf = async (app: Awaited<ReturnType<typeof openApp>>, name: string, secret: string) =>
    (await app.fetch('/dav/a.txt', { headers: basic(name, secret) })).status

  it('takes a token as password, with or without the name of its account', async () => {
    await using app = await openApp({ tree: TREE, users: [{ username: 'bob' }] })
    const token = await tokenFor(app, 2)
    for (const name of ['', 'bob', 'LAPTOP\\bob'])
      expect(await statusOf(app, name, token)).toBe(200)
    expect(await statusOf(app, 'admin', token)).toBe(401)
    const bearer = await app.fetch('/dav/a.txt', { headers: { Authorization: `Bearer ${token}` } })
    expect(bearer.status).toBe(200)
  })

  it('asks whoever brings nothing, but no page', async () => {
    await using app = await openApp({ tree: TREE })
    const answer = await app.fetch('/dav/a.txt')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      'Basic realm="File Browser", charset="UTF-8"',
    )
    const byPage = await app.fetch('/dav/a.txt', { headers: { 'Sec-Fetch-Mode': 'no-cors' } })
    expect([byPage.status, byPage.headers.get('www-authenticate')]).toEqual([401, null])
  })

  it('takes the password of an account with --davPasswords alone', async () => {
    await using closed = await openApp({ tree: TREE })
    expect(await statusOf(closed, 'admin', PASSWORD)).toBe(401)
    await using app = await openApp({ tree: TREE, config: { davPasswords: true } })
    expect(await statusOf(app, 'admin', PASSWORD)).toBe(200)
    expect(await statusOf(app, 'admin', `${PASSWORD}x`)).toBe(401)
  })

  it('takes no password where a second step is owed', async () => {
    const config = { davPasswords: true, secondFactor: 'everyone' } as const
    await using app = await openApp({ tree: TREE, config })
    expect(await statusOf(app, 'admin', PASSWORD)).toBe(401)
  })

  it('forgets a password that was changed', async () => {
    await using app = await openApp({ tree: TREE, config: { davPasswords: true } })
    expect(await statusOf(app, 'admin', PASSWORD)).toBe(200)
    const admin = await app.as('admin')
    const changed = await admin.fetch('/api/users/1', {
      method: 'PUT',
      body: JSON.stringify({
        what: 'user',
        which: ['password'],
        current_password: PASSWORD,
        data: { id: 1, password: 'Green-Teapot-88-Door' },
      }),
    })
    expect(changed.status).toBe(200)
    expect(await statusOf(app, 'admin', PASSWORD)).toBe(401)
    expect(await statusOf(app, 'admin', 'Green-Teapot-88-Door')).toBe(200)
  })

  it('counts the same wrong pair once, and stops guesses', async () => {
    await using app = await openApp({ tree: TREE })
    for (let i = 0; i < 30; i++)
      expect(await statusOf(app, 'admin', 'fbt.forgotten.phone')).toBe(401)
    const guesses: number[] = []
    for (let i = 0; i < 12; i++) guesses.push(await statusOf(app, 'admin', `guess ${i}`))
    expect(guesses).toContain(429)
    // Neither the page nor who has a token is held up.
    await app.as('admin')
    expect(await statusOf(app, 'admin', await tokenFor(app, 1))).toBe(200)
  })

  it('asks nobody where nobody signs in', async () => {
    await using app = await openApp({ tree: TREE, settings: { authMethod: 'noauth' } })
    expect((await app.fetch('/dav/a.txt')).status).toBe(200)
  })

  it('shows the folder of a token, and nothing outside', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = davOf(app, await tokenFor(app, 1, { folder: '/folder' }))
    expect(await hrefsOf(await dav('PROPFIND', '/dav/', DEEP))).toEqual(['/dav/', '/dav/b.txt'])
    expect(await (await dav('GET', '/dav/b.txt')).text()).toBe('b')
    expect((await dav('GET', '/dav/../a.txt')).status).toBe(400)
    expect((await dav('DELETE', '/dav/')).status).toBe(403)
  })

  it('ends with the account in the middle of a body', async () => {
    await using app = await openApp({ tree: TREE, users: [{ username: 'bob' }] })
    const dav = await davAs(app, 2)
    const admin = await app.as('admin')
    const gone = { method: 'DELETE', body: JSON.stringify({ current_password: PASSWORD }) }
    expect((await admin.fetch('/api/users/2', gone)).status).toBe(200)
    expect((await dav('PUT', '/dav/new.txt', {}, 'x')).status).toBe(401)
  })
})

describe('PROPFIND', () => {
  it('tells properties, and which there are not', async () => {
    await using app = await openApp({ tree: TREE })
    await utimes(app.tree.at('a.txt'), 1_700_000_000, 1_700_000_000)
    const names = '<getcontentlength/><getlastmodified/><resourcetype/><x xmlns="urn:x"/>'
    const answer = await (await davAs(app))('PROPFIND', '/dav/a.txt', FLAT, ask(names))
    expect(answer.status).toBe(207)
    const text = await answer.text()
    expect(text).toContain('<D:getcontentlength>5</D:getcontentlength>')
    expect(text).toContain('<D:getlastmodified>Tue, 14 Nov 2023 22:13:20 GMT</D:getlastmodified>')
    expect(text).toContain(
      '<D:propstat><D:prop><x:x xmlns:x="urn:x"/></D:prop><D:status>HTTP/1.1 404 Not Found',
    )
  })

  it('lists a folder with or without its slash, under the address it came by', async () => {
    await using app = await openApp({ tree: TREE, config: { baseURL: '/base' } })
    const dav = await davAs(app)
    const expected = (mount: string) => [`${mount}/folder/`, `${mount}/folder/b.txt`]
    for (const mount of ['/dav', '/base/dav', '/remote.php/webdav', '/remote.php/dav/files/admin'])
      for (const path of ['/folder', '/folder/', '//folder//'])
        expect(await hrefsOf(await dav('PROPFIND', mount + path, DEEP))).toEqual(expected(mount))
    expect((await dav('PROPFIND', '/remote.php/dav/files/bob/', FLAT)).status).toBe(403)
  })

  it('lists no whole trees', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    for (const headers of [{}, { Depth: 'infinity' }] as Record<string, string>[]) {
      const answer = await dav('PROPFIND', '/dav/', headers)
      expect(answer.status).toBe(403)
      expect(await answer.text()).toContain('<D:propfind-finite-depth/>')
    }
  })

  it('tells the room of the disk where it is asked for', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const names = '<quota-available-bytes/><quota-used-bytes/>'
    const { total, used } = (await (await (await app.as('admin')).fetch('/api/usage/')).json()) as {
      total: number
      used: number
    }
    const text = await (await dav('PROPFIND', '/dav/', FLAT, ask(names))).text()
    const [free, taken] = [...text.matchAll(/bytes>(\d+)</g)].map(([, bytes]) => Number(bytes))
    // Others write to the disk meanwhile.
    expect(Math.abs((taken ?? 0) - used)).toBeLessThan(total / 10)
    expect((free ?? 0) + (taken ?? 0)).toBe(total)
    expect(await (await dav('PROPFIND', '/dav/', FLAT)).text()).not.toContain('quota')
  })

  it('lists no hidden names to who hides them, but knows them', async () => {
    const users = [{ username: 'bob', hideDotfiles: true }]
    await using app = await openApp({ tree: { '._x': 'dot', 'a.txt': 'a' }, users })
    const dav = await davAs(app, 2)
    expect(await hrefsOf(await dav('PROPFIND', '/dav/', DEEP))).toEqual(['/dav/', '/dav/a.txt'])
    expect(await (await dav('GET', '/dav/._x')).text()).toBe('dot')
  })

  it('tells the same tag as GET, HEAD and PUT', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const put = (await dav('PUT', '/dav/a.txt', {}, 'other')).headers.get('etag')
    const told = /<D:getetag>&quot;(\w+)&quot;</.exec(
      await (await dav('PROPFIND', '/dav/a.txt', FLAT)).text(),
    )?.[1]
    expect(put).toBe(`"${told}"`)
    for (const method of ['GET', 'HEAD'])
      expect((await dav(method, '/dav/a.txt')).headers.get('etag')).toBe(put)
  })
})

describe('PUT', () => {
  it('makes a file, and replaces it', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    expect((await dav('PUT', '/dav/new.txt', {}, 'one')).status).toBe(201)
    expect((await dav('PUT', '/dav/new.txt', {}, 'two')).status).toBe(204)
    expect(await app.tree.read('new.txt')).toBe('two')
  })

  it('makes no folders, and replaces none', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    expect((await dav('PUT', '/dav/none/new.txt', {}, 'x')).status).toBe(409)
    expect((await dav('PUT', '/dav/a.txt/new.txt', {}, 'x')).status).toBe(409)
    expect((await dav('PUT', '/dav/folder', {}, 'x')).status).toBe(405)
  })

  it('sets the time that the client says', async () => {
    await using app = await openApp({ tree: TREE })
    const answer = await (await davAs(app))(
      'PUT',
      '/dav/n.txt',
      { 'X-OC-Mtime': '1700000000' },
      'x',
    )
    expect(answer.headers.get('x-oc-mtime')).toBe('accepted')
    expect((await stat(app.tree.at('n.txt'))).mtimeMs).toBe(1_700_000_000_000)
  })

  it('is held to what the client expects', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    expect((await dav('PUT', '/dav/a.txt', { 'If-None-Match': '*' }, 'x')).status).toBe(412)
    expect((await dav('PUT', '/dav/n.txt', { 'If-Match': '*' }, 'x')).status).toBe(412)
    expect(
      (await dav('PUT', '/dav/a.txt', { 'If-None-Match': 'JoplinIgnore-1' }, 'x')).status,
    ).toBe(204)
  })

  it('takes names that differ in their composition alone for one, and composes new ones', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const [nfc, nfd] = ['é.txt'.normalize('NFC'), 'é.txt'.normalize('NFD')]
    expect((await dav('PUT', `/dav/${encodeURIComponent(nfd)}`, {}, '1')).status).toBe(201)
    expect(await readdir(app.tree.root)).toContain(nfc)
    expect((await dav('PUT', `/dav/${encodeURIComponent(nfd)}`, {}, '2')).status).toBe(204)
    expect(await (await dav('GET', `/dav/${encodeURIComponent(nfc)}`)).text()).toBe('2')
  })

  it('to a name of the server is refused', async () => {
    await using app = await openApp({ tree: TREE })
    expect((await (await davAs(app))('PUT', '/dav/.fb-trash/x', {}, 'x')).status).toBe(403)
  })

  it('is in the history as done by WebDAV', async () => {
    await using app = await openApp({ tree: TREE })
    await (await davAs(app))('PUT', '/dav/new.txt', {}, 'x')
    const { items } = (await (await (await app.as('admin')).fetch('/api/history')).json()) as {
      items: { via: string; path: string }[]
    }
    expect(items[0]).toMatchObject({ via: 'dav', path: '/new.txt' })
  })
})

describe('MKCOL and DELETE', () => {
  it('make and remove folders', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    expect((await dav('MKCOL', '/dav/new/')).status).toBe(201)
    expect((await dav('MKCOL', '/dav/new/')).status).toBe(405)
    expect((await dav('MKCOL', '/dav/none/new')).status).toBe(409)
    expect((await dav('MKCOL', '/dav/x', {}, '<a/>')).status).toBe(415)
    expect((await dav('DELETE', '/dav/folder/', { Depth: '0' })).status).toBe(400)
    expect((await dav('DELETE', '/dav/folder/')).status).toBe(204)
    expect((await dav('DELETE', '/dav/folder/')).status).toBe(404)
    expect((await dav('DELETE', '/dav/a.txt#part')).status).toBe(400)
    expect(await app.tree.read('a.txt')).toBe('hello')
  })
})

describe('COPY and MOVE', () => {
  it('go by the path of the destination, whatever its scheme and host', async () => {
    await using app = await openApp({ tree: TREE, config: { baseURL: '/base' } })
    const dav = await davAs(app)
    const go = async (Destination: string) =>
      (await dav('COPY', '/base/dav/a.txt', { Destination })).status
    expect(await go('https://other.example/base/dav/b.txt')).toBe(201)
    expect(await go('/dav/c.txt')).toBe(201)
    expect(await go('https://other.example/files/d.txt')).toBe(502)
    expect(app.log.at(-2)).toContain('--baseURL')
    expect(await go('/dav/../d.txt')).toBe(400)
    expect((await dav('COPY', '/dav/a.txt')).status).toBe(400)
  })

  it('replace only what may be replaced', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const to = { Destination: '/dav/folder/b.txt' }
    expect((await dav('MOVE', '/dav/a.txt', { ...to, Overwrite: 'F' })).status).toBe(412)
    expect((await dav('MOVE', '/dav/a.txt', to)).status).toBe(204)
    expect(await app.tree.read('folder/b.txt')).toBe('hello')
    expect((await dav('MOVE', '/dav/other', { Destination: '/dav/other' })).status).toBe(403)
    expect((await dav('MOVE', '/dav/other', { Destination: '/dav/other/in' })).status).toBe(403)
    expect((await dav('MOVE', '/dav/other', { Destination: '/dav/none/in' })).status).toBe(409)
  })

  it.each(['all', 'own', 'off'] as const)(
    'do not merge folders, with the trash %s',
    async (trash) => {
      await using app = await openApp({ tree: TREE, config: { trash } })
      const dav = await davAs(app)
      const to = { Destination: '/dav/folder' }
      expect((await dav('COPY', '/dav/other', to)).status).toBe(204)
      expect(await readdir(app.tree.at('folder'))).toEqual(['c.txt'])
      expect((await dav('MOVE', '/dav/a.txt', to)).status).toBe(204)
      expect(await app.tree.read('folder')).toBe('hello')
      const left = (await readdir(app.tree.root)).includes('.fb-trash')
      expect(left).toBe(trash === 'all')
    },
  )

  it('that fail leave what was there', async () => {
    await using app = await openApp({ tree: TREE })
    execFileSync('mkfifo', [app.tree.at('other/pipe')])
    const answer = await (await davAs(app))('COPY', '/dav/other', { Destination: '/dav/folder' })
    expect(answer.status).toBe(409)
    expect(await readdir(app.tree.at('folder'))).toEqual(['b.txt'])
    expect(await readdir(app.tree.root)).not.toContain('.fb-trash')
  })

  it('of a folder alone with Depth 0', async () => {
    await using app = await openApp({ tree: TREE })
    const headers = { Destination: '/dav/new', Depth: '0' }
    expect((await (await davAs(app))('COPY', '/dav/folder', headers)).status).toBe(201)
    expect(await readdir(app.tree.at('new'))).toEqual([])
  })

  it('need the right to delete where a folder is replaced', async () => {
    await using app = await openApp({ tree: TREE, users: [{ username: 'bob' }] })
    const dav = davOf(
      app,
      await tokenFor(app, 2, { perm: { ...defaultPermissions(), delete: false } }),
    )
    expect((await dav('COPY', '/dav/other', { Destination: '/dav/folder' })).status).toBe(403)
    expect(await readdir(app.tree.at('folder'))).toEqual(['b.txt'])
  })
})
