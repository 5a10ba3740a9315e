// A proxy in front sends files itself: real ones, by the recipes of docs/deploy.md.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import type { Config } from '../../src/config/config.ts'
import { parseSendfile, sendfileHeader } from '../../src/config/sendfile.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { AWKWARD_NAMES, SECRET } from '../support/tree.ts'

const NGINX = '/usr/sbin/nginx'
const APACHE = '/usr/sbin/apache2'
const XSENDFILE = '/usr/lib/apache2/modules/mod_xsendfile.so'
const isRoot = process.getuid?.() === 0

const forwarded = { 'X-Forwarded-For': '192.0.2.7' }
const nginxConfig: Partial<Config> = {
  sendfile: parseSendfile('x-accel-redirect=/internal/'),
  trustedProxies: ['127.0.0.1'],
}
const apacheConfig: Partial<Config> = {
  sendfile: parseSendfile('x-sendfile'),
  trustedProxies: ['127.0.0.1'],
}

const tree = {
  ...Object.fromEntries(AWKWARD_NAMES.map((name) => [name, `content of ${name}`])),
  'folder/page.html': '<p>page</p>',
  'zero.bin': '',
  'large.bin': Buffer.alloc(300_000, 'x'),
  'link.txt': { link: 'plain.txt' },
}

interface Proxy extends AsyncDisposable {
  origin: string
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await withDeadline('a port', 5_000, new Promise((resolve) => server.once('listening', resolve)))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function startProxy(port: number, words: [string, ...string[]]): Promise<Proxy> {
  const [program, ...args] = words
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  let hasEnded = false
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const origin = `http://127.0.0.1:${port}`
  child.once('exit', () => (hasEnded = true))
  await waitFor(program, () => {
    if (hasEnded) return true
    return fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  if (hasEnded) throw new Error(said)
  return {
    origin,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await withDeadline('the end of the proxy', 5_000, gone)
    },
  }
}

/** A block of docs/deploy.md that begins with a line. */
function recipe(firstLine: string): string {
  const text = readFileSync(join(ROOT, 'docs', 'deploy.md'), 'utf8')
  const block = text.split('```').find((part) => part.includes(`\n${firstLine}\n`))
  if (block === undefined) throw new Error(`docs/deploy.md has no ${firstLine}`)
  return block.slice(block.indexOf('\n'))
}

async function startNginx(app: TestApp): Promise<Proxy> {
  const port = await freePort()
  const folder = app.tree.base
  const internal = recipe('# nginx: files are sent by it').replaceAll(
    '/srv/files/',
    `${app.tree.root}/`,
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  await writeFile(
    join(folder, 'nginx.conf'),
    `user root; daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;
     events {}
     http {
       access_log off; ${temporary}
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass http://127.0.0.1:${app.port};
           proxy_set_header Host $http_host;
           proxy_set_header X-Forwarded-For $remote_addr;
         }
         ${internal}
       }
     }`,
  )
  return startProxy(port, [NGINX, '-p', folder, '-c', join(folder, 'nginx.conf')])
}

async function startApache(app: TestApp): Promise<Proxy> {
  const port = await freePort()
  const folder = app.tree.base
  // It refuses to run as root.
  await chmod(folder, 0o755)
  const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'xsendfile']
  const own = recipe('# Apache: files are sent by it').replaceAll('/srv/files', app.tree.root)
  await writeFile(
    join(folder, 'apache.conf'),
    `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
     ServerName localhost
     ServerRoot ${folder}
     PidFile ${folder}/apache.pid
     ErrorLog ${folder}/apache.log
     User www-data
     Group www-data
     Listen 127.0.0.1:${port}
     AllowEncodedSlashes NoDecode
     ProxyPass / http://127.0.0.1:${app.port}/ nocanon
     ${own}`,
  )
  return startProxy(port, [APACHE, '-DFOREGROUND', '-f', join(folder, 'apache.conf')])
}

const pathOf = (name: string) => `/api/raw/${encodeURIComponent(name)}`

describe('the header for the proxy', () => {
  it('has the real path below the root, escaped, for a proxy that passes the request on', async () => {
    await using app = await startApp({ tree, config: nginxConfig })
    const admin = await app.as('admin')
    const ask = (path: string, headers = {}) =>
      admin.fetch(path, { headers: { ...forwarded, ...headers } })
    const link = await ask('/api/raw/link.txt')
    expect(link.headers.get('x-accel-redirect')).toBe('/internal/plain.txt')
    expect(link.headers.get('content-length')).toBe('0')
    expect(link.headers.get('content-security-policy')).toContain('sandbox')
    const question = await ask(pathOf('question?.txt'))
    expect(question.headers.get('x-accel-redirect')).toBe('/internal/question%3F.txt')
    const dav = await ask('/api/raw/folder/page.html', { Range: 'bytes=0-3' })
    expect(dav.status).toBe(200)
    expect(dav.headers.get('content-range')).toBeNull()
    expect(dav.headers.get('x-accel-redirect')).toBe('/internal/folder/page.html')
  })

  it('is for nobody else, and for nothing that the proxy would answer in another way', async () => {
    await using app = await startApp({ tree, config: nginxConfig })
    const admin = await app.as('admin')
    const name = pathOf('plain.txt')
    const { headers } = await admin.fetch(name)
    const etag = headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    const asked: [Record<string, string>, number][] = [
      [{}, 200],
      [{ ...forwarded, 'If-None-Match': etag }, 304],
      [{ ...forwarded, 'If-Match': etag }, 200],
      [{ ...forwarded, 'If-Match': '"other"' }, 412],
      [{ ...forwarded, Range: 'bytes=0-1,3-4' }, 206],
      [{ ...forwarded, Range: 'bytes=900-' }, 416],
      [{ ...forwarded, Range: 'bytes=0-1', 'If-Range': etag }, 206],
    ]
    for (const [headers, status] of asked) {
      const answer = await admin.fetch(name, { headers })
      expect([headers, answer.status]).toEqual([headers, status])
      expect(answer.headers.get('x-accel-redirect')).toBeNull()
      await answer.arrayBuffer()
    }
    const archive = await admin.fetch('/api/raw/folder?algo=zip', { headers: forwarded })
    expect(archive.headers.get('x-accel-redirect')).toBeNull()
    await archive.arrayBuffer()
    const refused = await app.fetch(name, { headers: forwarded })
    expect([refused.status, refused.headers.get('x-accel-redirect')]).toEqual([401, null])

    await using other = await startApp({
      tree,
      config: { ...nginxConfig, trustedProxies: ['192.0.2.1'] },
    })
    const answer = await (await other.as('admin')).fetch(name, { headers: forwarded })
    expect(answer.headers.get('x-accel-redirect')).toBeNull()
    expect(await answer.text()).toBe('content of plain.txt')
  })

  it('is left out for files that lie elsewhere, and names what a file is called by now', async () => {
    await using app = await startApp({
      tree: { ...tree, 'out.txt': { link: '../outside/secret.txt' } },
      config: { ...nginxConfig, followExternalSymlinks: true },
    })
    const admin = await app.as('admin')
    const outside = await admin.fetch('/api/raw/out.txt', { headers: forwarded })
    expect(outside.headers.get('x-accel-redirect')).toBeNull()
    expect(await outside.text()).toBe(SECRET)
    await rename(app.tree.at('plain.txt'), app.tree.at('renamed.txt'))
    const renamed = await admin.fetch('/api/raw/renamed.txt', { headers: forwarded })
    expect(renamed.headers.get('x-accel-redirect')).toBe('/internal/renamed.txt')
    expect((await admin.fetch('/api/raw/link.txt', { headers: forwarded })).status).toBe(404)
  })

  it('keeps within the root, whose name may begin another', () => {
    const how = { header: 'X-Sendfile' } as const
    const at = (path: string) => sendfileHeader(how, Buffer.from('/srv'), Buffer.from(path))
    expect(at('/srv/a b')).toMatchObject({ 'X-Sendfile': '/srv/a b' })
    expect(at('/srv2/a')).toBeNull()
    for (const name of ['100%', 'a\nb', 'a ']) expect(at(`/srv/${name}`)).toBeNull()
    expect(at('/srv')).toBeNull()
    const top = { header: 'X-Accel-Redirect', prefix: '/i/' } as const
    const byte = Buffer.from([0x2f, 0xff, 0x0a])
    expect(sendfileHeader(top, Buffer.from('/'), byte)).toEqual({ 'X-Accel-Redirect': '/i/%FF%0A' })
  })

  it.each([
    'x-accel-redirect',
    'x-accel-redirect=/',
    'x-accel-redirect=i',
    'x-accel-redirect=/../',
    'yes',
  ])('%s is no way to say it', (text) => expect(() => parseSendfile(text)).toThrow('expected'))
})

const proxies = [
  { name: 'nginx', isThere: existsSync(NGINX), start: startNginx, config: nginxConfig },
  {
    name: 'Apache',
    isThere: existsSync(APACHE) && existsSync(XSENDFILE),
    start: startApache,
    config: apacheConfig,
  },
]

describe.each(proxies)('$name', ({ isThere, start, config }) => {
  it.runIf(isThere && isRoot)(
    'sends whole files and parts, with our headers and no other',
    async () => {
      await using app = await startApp({ tree, config })
      await using proxy = await start(app)
      const { cookie } = await app.as('admin')
      const ask = (path: string, headers: Record<string, string> = {}) =>
        fetch(proxy.origin + path, { headers: { Cookie: cookie, ...headers } })
      for (const name of AWKWARD_NAMES) {
        const answer = await ask(pathOf(name))
        expect([name, answer.status, await answer.text()]).toEqual([
          name,
          200,
          `content of ${name}`,
        ])
        expect(
          answer.headers.get('x-accel-redirect') ?? answer.headers.get('x-sendfile'),
        ).toBeNull()
      }
      const direct = await fetch(`${app.origin}${pathOf('plain.txt')}`, {
        headers: { Cookie: cookie },
      })
      const there = await ask(pathOf('plain.txt'))
      for (const name of [
        ...['content-type', 'content-length', 'content-disposition', 'content-security-policy'],
        ...['x-content-type-options', 'cache-control', 'last-modified', 'etag', 'accept-ranges'],
      ])
        expect([name, there.headers.get(name)]).toEqual([name, direct.headers.get(name)])
      const etag = there.headers.get('etag') ?? ''
      const part = await ask(pathOf('plain.txt'), { Range: 'bytes=3-5' })
      expect([part.status, await part.text()]).toEqual([206, 'ten'])
      expect(part.headers.get('content-range')).toBe('bytes 3-5/20')
      const resumed = await ask(pathOf('plain.txt'), { Range: 'bytes=3-', 'If-Range': etag })
      expect([resumed.status, await resumed.text()]).toEqual([206, 'tent of plain.txt'])
      const stale = await ask(pathOf('plain.txt'), { Range: 'bytes=3-', 'If-Range': '"old"' })
      expect([stale.status, await stale.text()]).toEqual([200, 'content of plain.txt'])
      expect((await ask(pathOf('plain.txt'), { 'If-None-Match': etag })).status).toBe(304)
      expect((await ask(pathOf('plain.txt'), { 'If-Match': etag })).status).toBe(200)
      expect((await ask(pathOf('plain.txt'), { 'If-None-Match': '"old"' })).status).toBe(200)
      expect((await ask(pathOf('plain.txt'), { Range: 'bytes=90-' })).status).toBe(416)
      expect((await (await ask(pathOf('large.bin'))).arrayBuffer()).byteLength).toBe(300_000)
      expect(await (await ask(pathOf('zero.bin'))).text()).toBe('')
      expect((await fetch(proxy.origin + pathOf('plain.txt'))).status).toBe(401)
      expect((await ask('/internal/plain.txt')).headers.get('content-type')).not.toContain('octet')
      const lines = await (await app.as('admin')).fetch('/api/audit/export?action=download')
      expect(await lines.text()).toMatch(/"path":"\/large.bin".*"bytes":300000/)
    },
  )
})
