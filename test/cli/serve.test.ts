import { once } from 'node:events'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { verifyPassword } from '../../src/auth/hash.ts'
import type { Document } from '../../src/store/document.ts'
import { type RunningCli, runCli, startCli } from '../support/cli.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'

const TLS = join(import.meta.dirname, '..', 'data', 'tls')
const PASSWORD = 'Correct-Horse-9-Battery'
const HASH = '$2a$10$UMsDfS1ZN9Hizn/njXrklOaimHYgovpdIUb3khMRn.LrGaLLXAwJ.'

let cwd: string
let servers: RunningCli[]

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-serve-'))
  await mkdir(join(cwd, 'srv'))
  await writeFile(join(cwd, 'srv', 'a.txt'), 'hello')
  servers = []
})
afterEach(async () => {
  for (const server of servers) server.signal('stop', 'SIGTERM')
  await Promise.all(servers.map(({ ended }) => ended))
  await rm(cwd, { recursive: true, force: true })
})

interface Served {
  cli: RunningCli
  origin: string
  port: number
  stop(): Promise<number>
}

/** Starts on a free port unless the words say otherwise; waits until it listens. */
async function serve(words: string[] = [], env: Record<string, string> = {}): Promise<Served> {
  const tcp =
    words.some((word) => /^(-p|--port|--socket)/.test(word)) || env.FB_PORT || env.FB_SOCKET
  const cli = startCli(['-r', 'srv', ...(tcp ? [] : ['-p', '0']), ...words], { cwd, env })
  let over = false
  cli.ended.then(() => {
    over = true
  })
  const block = await waitFor('the start block', () => {
    if (over) throw new Error(JSON.stringify(cli.output()))
    return /\n {2}(Open|Socket) +(\S+)\n/.exec(cli.output().stderr)
  })
  servers.push(cli)
  const origin = (block[2] ?? '').replace(/\/$/, '').replace('localhost', '127.0.0.1')
  return {
    cli,
    origin,
    port: Number(URL.canParse(origin) ? new URL(origin).port : 0),
    stop() {
      servers = servers.filter((server) => server !== cli)
      cli.signal('stop', 'SIGTERM')
      return withDeadline('the stop of the server', 15_000, cli.ended)
    },
  }
}

const failed = async (words: string[], env: Record<string, string> = {}) => {
  const result = await withDeadline('a start that fails', 10_000, runCli(words, { cwd, env }))
  expect(result.code).toBe(1)
  return result
}

const database = async (): Promise<Document> =>
  JSON.parse(await readFile(join(cwd, 'filebrowser.db'), 'utf8'))

const login = (origin: string, password: string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/api/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: 'admin', password }),
  })

async function health(options: object, tls = false) {
  return new Promise<{ status: number; subject: string }>((resolve, reject) => {
    const request = (tls ? httpsRequest : httpRequest)({
      path: '/health',
      agent: false,
      ...options,
    })
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume()
      const socket = response.socket as TLSSocket
      const subject = tls ? String(socket.getPeerCertificate().subject.CN) : ''
      resolve({ status: response.statusCode ?? 0, subject })
    })
    request.end()
  })
}

describe('the first start', () => {
  test('makes the database and shows a random password once', async () => {
    const first = await serve()
    const { stderr, stdout } = first.cli.output()
    const shown = stderr.match(/User 'admin' initialized with randomly generated password: (\S+)/g)
    expect(shown).toHaveLength(1)
    const password = /password: (\S{16})\n/.exec(stderr)?.[1] ?? ''
    expect(stdout).not.toContain(password)
    expect((await login(first.origin, password)).status).toBe(200)
    expect(stderr).toContain('-a 0.0.0.0')
    await first.stop()
    const second = await serve()
    expect(second.cli.output().stderr).not.toContain('password')
  })

  test('stores what the original stores', async () => {
    await serve(['--username', 'root', '--address=127.0.0.1'], { FB_LOG: 'stderr' })
    const { settings, users, nextUserId } = await database()
    expect(settings).toMatchObject({
      authMethod: 'json',
      hideLoginButton: true,
      userHomeBasePath: '/users',
      defaults: {
        redirectAfterCopyMove: true,
        viewMode: 'mosaic',
        sorting: { by: '', asc: false },
        scope: '.',
        locale: 'en',
      },
      server: { root: 'srv', port: '0', log: 'stderr', socket: '', enableExec: false },
    })
    expect(users).toHaveLength(1)
    expect(users[0]).toMatchObject({ id: 1, username: 'root', scope: '.', lockPassword: false })
    expect(Object.values(users[0]?.perm ?? {})).toEqual(new Array(8).fill(true))
    expect(users[0]?.sorting.by).toBe('name')
    expect(nextUserId).toBe(2)
  })

  test('takes a plain password, and a hash as it is', async () => {
    const plain = await serve(['--password', PASSWORD])
    expect((await login(plain.origin, PASSWORD)).status).toBe(200)
    expect((await database()).users[0]?.password).toMatch(/^\$argon2id\$/)
    await plain.stop()
    for (const name of ['filebrowser.db', 'filebrowser.db.bak']) await rm(join(cwd, name))
    await serve([], { FB_PASSWORD: HASH })
    expect((await database()).users[0]?.password).toBe(HASH)
    expect(await verifyPassword(PASSWORD, HASH)).toBe(true)
  })

  test('a weak plain password is taken with a warning, an administrator chose it', async () => {
    const { cli } = await serve(['--password', 'admin'])
    expect(cli.output().stderr).toContain('password is too short')
  })

  test('a hash that the shell ate is refused before anything is made', async () => {
    const { stderr } = await failed(['--password', '$2a$'])
    expect(stderr).toContain('quote it')
    expect(await readdir(cwd)).toEqual(['srv'])
  })

  test('an empty user name is refused before anything is made', async () => {
    await failed(['--username', ' '])
    expect(await readdir(cwd)).toEqual(['srv'])
  })

  test('--noauth lets everybody in as user 1', async () => {
    const { origin } = await serve(['--noauth'])
    expect((await database()).settings.authMethod).toBe('noauth')
    const answer = await fetch(`${origin}/api/login`, { method: 'POST' })
    expect(answer.status).toBe(200)
    const token = await answer.text()
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const [first] = (await database()).users
    expect(first).toMatchObject({ id: 1, username: 'admin' })
    expect(claims.user).toMatchObject({ id: 1, username: 'admin' })
    const own = await fetch(`${origin}/api/users/1`, { headers: { 'X-Auth': token } })
    expect(await own.json()).toMatchObject({ id: 1, username: 'admin' })
  })

  test('the editor theme comes from the configuration file', async () => {
    await writeFile(join(cwd, '.filebrowser.yaml'), 'defaults:\n  aceEditorTheme: nord\n')
    await serve()
    expect((await database()).settings.defaults.aceEditorTheme).toBe('nord')
  })

  test('shows the password even when it cannot listen', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await waitFor('the port', () => taken.listening)
    const { port } = taken.address() as { port: number }
    const { stderr } = await failed(['-p', String(port)])
    taken.close()
    expect(stderr).toContain(`port ${port} is in use by another program`)
    expect(stderr).toMatch(/generated password: \S{16}\n/)
  })
})

describe('listening', () => {
  test('on the address and port given', async () => {
    const { cli, port } = await serve(['-a', '127.0.0.2'])
    expect((await health({ host: '127.0.0.2', port })).status).toBe(200)
    expect(cli.output().stdout).toContain(`Listening on 127.0.0.2:${port}\n`)
    await expect(health({ host: '127.0.0.1', port })).rejects.toThrow(/ECONNREFUSED/)
  })

  test('on all interfaces with an empty address, and on IPv6 in brackets', async () => {
    const all = await serve(['-a', ''])
    expect((await health({ host: '127.0.0.1', port: all.port })).status).toBe(200)
    const six = await serve(['-a', '[::1]', '-d', 'six.db'])
    expect(six.cli.output().stdout).toContain('Listening on [::1]:')
    expect((await health({ host: '::1', port: six.port })).status).toBe(200)
  })

  test('on a unix socket with the permissions given, removed at the end', async () => {
    const { stop, cli } = await serve(['--socket', 'fb.sock', '--socketPerm', '0640'])
    const socketPath = join(cwd, 'fb.sock')
    expect((await health({ socketPath })).status).toBe(200)
    expect((await stat(socketPath)).mode & 0o777).toBe(0o640)
    expect(cli.output().stdout).toContain(`Listening on ${socketPath}\n`)
    expect((await database()).settings.server.socket).toBe('')
    await stop()
    await expect(stat(socketPath)).rejects.toThrow(/ENOENT/)
  })

  test('a socket file that nobody listens on is replaced; a live one and a plain file are not', async () => {
    const socketPath = join(cwd, 'fb.sock')
    const old = createServer().listen(join(cwd, 'old.sock'))
    await waitFor('the old socket', () => old.listening)
    // Moved away, so that closing it leaves the file behind, as a crash does.
    await rename(join(cwd, 'old.sock'), socketPath)
    expect((await failed(['-r', 'srv', '--socket', socketPath])).stderr).toContain(
      'another program listens',
    )
    await new Promise((resolve) => old.close(resolve))
    await serve(['--socket', socketPath])
    expect((await health({ socketPath })).status).toBe(200)
    await writeFile(join(cwd, 'plain'), 'precious')
    expect((await failed(['-r', 'srv', '--socket', 'plain'])).stderr).toContain('not a socket')
    expect(await readFile(join(cwd, 'plain'), 'utf8')).toBe('precious')
  })

  test('with TLS, and with a renewed certificate after SIGHUP', async () => {
    await copyFile(join(TLS, 'first-cert.pem'), join(cwd, 'cert.pem'))
    await copyFile(join(TLS, 'first-key.pem'), join(cwd, 'key.pem'))
    const { origin, port, cli } = await serve(['-t', 'cert.pem', '-k', 'key.pem'])
    expect(origin).toMatch(/^https:/)
    const ask = () => health({ host: '127.0.0.1', port, rejectUnauthorized: false }, true)
    expect(await ask()).toEqual({ status: 200, subject: 'first.test.invalid' })

    await writeFile(join(cwd, 'cert.pem'), 'half written')
    cli.signal('reload', 'SIGHUP')
    await waitFor('the complaint', () => cli.output().stdout.includes('old certificate stays'))
    expect((await ask()).subject).toBe('first.test.invalid')

    await copyFile(join(TLS, 'second-cert.pem'), join(cwd, 'cert.pem'))
    await copyFile(join(TLS, 'second-key.pem'), join(cwd, 'key.pem'))
    cli.signal('reload', 'SIGHUP')
    await waitFor(
      'the new certificate',
      async () => (await ask()).subject === 'second.test.invalid',
    )
  })

  test('TLS below 1.2 is refused', async () => {
    const { port } = await serve([
      '-t',
      join(TLS, 'first-cert.pem'),
      '-k',
      join(TLS, 'first-key.pem'),
    ])
    const options = {
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      ciphers: 'DEFAULT@SECLEVEL=0',
    }
    await expect(
      health({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, true),
    ).rejects.toThrow()
    expect((await health({ ...options, maxVersion: 'TLSv1.2' }, true)).status).toBe(200)
  })

  test('a pair that does not belong together, or is missing, stops the start', async () => {
    const cert = join(TLS, 'first-cert.pem')
    const wrong = await failed([
      '-r',
      'srv',
      '-p',
      '0',
      '-t',
      cert,
      '-k',
      join(TLS, 'second-key.pem'),
    ])
    expect(wrong.stderr).toContain('no usable pair')
    const missing = await failed(['-r', 'srv', '-p', '0', '-t', cert, '-k', 'nowhere.pem'])
    expect(missing.stderr).toContain('cannot read')
  })

  test('--baseURL answers with and without the prefix', async () => {
    const { origin } = await serve(['-b', '/fb/'])
    expect(origin).toMatch(/\/fb$/)
    expect((await fetch(`${origin}/health`)).status).toBe(200)
    expect((await fetch(`${new URL(origin).origin}/health`)).status).toBe(200)
    const page = await (await fetch(`${origin}/`)).text()
    expect(page).toContain('"BaseURL":"/fb"')
  })
})

describe('configuration reaches the server', () => {
  test('flag over environment over file over database', async () => {
    await writeFile(join(cwd, 'c.toml'), 'baseURL = "/file"\nport = 0\n')
    const first = await serve(['-c', 'c.toml', '-b', '/flag', '-p', '0'], { FB_BASE_URL: '/env' })
    expect(first.origin).toMatch(/\/flag$/)
    expect((await database()).settings.server.baseURL).toBe('/flag')
    await first.stop()
    const second = await serve(['-c', 'c.toml', '-p', '0'], { FB_BASE_URL: '/env' })
    expect(second.origin).toMatch(/\/env$/)
    await second.stop()
    const third = await serve(['-c', 'c.toml', '-p', '0'])
    expect(third.origin).toMatch(/\/file$/)
    await third.stop()
    const fourth = await serve()
    expect(fourth.origin).toMatch(/\/flag$/)
    // An override of one run is not stored.
    expect((await database()).settings.server.baseURL).toBe('/flag')
  })

  test('deprecated flags still work, with a notice', async () => {
    const { cli } = await serve(['--disable-exec=false', '--img-processors', '2', '--baseurl=/x'])
    expect(cli.output().stderr).toContain('--disable-exec is an old name, use --disableExec')
    expect(cli.output().stderr).toContain('shell commands are enabled')
    expect((await database()).settings.server).toMatchObject({ enableExec: true, baseURL: '/x' })
  })

  test.each<[string[], Record<string, string>, RegExp]>([
    [['--imageProcessors=0'], {}, /--imageProcessors: "0" is not valid/],
    [[], { FB_DISABLE_EXEC: 'yes' }, /FB_DISABLE_EXEC: "yes" is not valid/],
    [['--socket', '/s', '--port', '80'], {}, /exclude each other/],
    [['--tokenExpirationTime', 'soon'], {}, /expected a duration/],
    [['-p', '99999'], {}, /expected a port/],
  ])('%j %j stops the start and makes nothing', async (words, env, text) => {
    const { stderr } = await failed(words, env)
    expect(stderr).toMatch(text)
    expect(await readdir(cwd)).toEqual(['srv'])
  })

  test('warns about open doors', async () => {
    const { cli } = await serve(['--followExternalSymlinks'])
    expect(cli.output().stderr).toContain('every link opens what it points to')
  })

  test('--tokenExpirationTime is the life of a token', async () => {
    const { origin } = await serve(['--password', PASSWORD, '--tokenExpirationTime', '90s'])
    const token = await (await login(origin, PASSWORD)).text()
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.exp - claims.iat).toBe(90)
  })

  test('--loginRateLimit answers 429 after that many refusals; 0 never does', async () => {
    const limited = await serve(['--password', PASSWORD, '--loginRateLimit', '2/1h'])
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await login(limited.origin, 'wrong')).status)
    expect(statuses.slice(0, 2)).toEqual([403, 403])
    expect(statuses[3]).toBe(429)
    await limited.stop()
    const open = await serve(['--loginRateLimit', '0'])
    for (let i = 0; i < 12; i++) expect((await login(open.origin, 'wrong')).status).toBe(403)
  })

  test('--trustedProxies decides whose X-Forwarded-For counts', async () => {
    const forwarded = { 'X-Forwarded-For': '203.0.113.9' }
    for (const [list, address] of [
      ['loopback', '203.0.113.9'],
      ['10.0.0.0/8', '127.0.0.1'],
      ['', '127.0.0.1'],
    ] as const) {
      const { origin, cli, stop } = await serve(['--trustedProxies', list])
      await login(origin, 'wrong', forwarded)
      await waitFor('the log line', () =>
        cli.output().stdout.includes(`/api/login: 403 ${address} <nil>\n`),
      )
      await stop()
    }
  })

  test('--contentOrigin serves files opened in a tab, the help address is in the page', async () => {
    const { origin } = await serve([
      ...['--contentOrigin', 'https://content.example.org'],
      ...['--branding.helpURL', 'https://help.example.org/'],
    ])
    expect(await (await fetch(`${origin}/`)).text()).toContain('https://help.example.org/')
    const statusThere = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { Host: 'content.example.org' }
        const sending = httpRequest(origin + path, { headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sending.on('error', reject).end()
      })
    expect(await statusThere('/')).toBe(404)
    expect(await statusThere('/api/raw/a.txt')).toBe(401)
  })

  test('thumbnail and exec switches reach the page', async () => {
    const boot = async (words: string[]) => {
      const { origin, stop } = await serve(words)
      const page = await (await fetch(`${origin}/`)).text()
      await stop()
      return page
    }
    const on = await boot(['--disableExec=false'])
    for (const text of ['"EnableThumbs":true', '"ResizePreview":true', '"EnableExec":true']) {
      expect(on).toContain(text)
    }
    const off = await boot(['--disableThumbnails', '--disablePreviewResize', '--disableExec'])
    for (const text of ['"EnableThumbs":false', '"ResizePreview":false', '"EnableExec":false']) {
      expect(off).toContain(text)
    }
  })
})

test('warns at the start when accounts that make themselves see everything', async () => {
  for (const [words, warned] of [
    [['--signup', '--scope', '/'], true],
    [['--auth.method', 'proxy', '--auth.header', 'X-User', '--scope', '/'], true],
    [['--signup', '--scope', '.'], false],
    [['--signup', '--scope', '/', '--createUserDir'], false],
  ] as const) {
    await rm(join(cwd, 'filebrowser.db'), { force: true })
    expect((await runCli(['config', 'init', ...words], { cwd, env: {} })).code).toBe(0)
    const { cli, stop } = await serve()
    const { stderr } = cli.output()
    expect(stderr.includes('see the whole served folder'), words.join(' ')).toBe(warned)
    await stop()
  }
})

describe('--cacheDir', () => {
  test('is made at the start, for its owner only', async () => {
    const { cli } = await serve(['--cacheDir', 'new/cache'])
    expect((await stat(join(cwd, 'new', 'cache'))).mode & 0o777).toBe(0o700)
    expect(cli.output().stderr).not.toContain('cacheDir')
  })

  test('that cannot be used is a warning, and the server serves', async () => {
    await writeFile(join(cwd, 'file'), '')
    const { cli, origin } = await serve(['--cacheDir', 'file/cache'])
    expect(cli.output().stderr).toMatch(
      /warning: --cacheDir .*file\/cache cannot be written \(ENOTDIR\)/,
    )
    expect((await fetch(`${origin}/health`)).status).toBe(200)
  })
})

describe('logging', () => {
  test('a refused sign-in prints the line that fail2ban reads', async () => {
    const { origin, cli } = await serve()
    await login(origin, 'wrong')
    await waitFor('the line', () =>
      /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \/api\/login: 403 127\.0\.0\.1 <nil>$/m.test(
        cli.output().stdout,
      ),
    )
  })

  test('successful requests are not logged', async () => {
    const { origin, cli, stop } = await serve()
    await fetch(`${origin}/health`)
    await stop()
    expect(cli.output().stdout.match(/health/)).toBeNull()
  })

  test('--log stderr, an empty target, and a file that is reopened on SIGHUP', async () => {
    const err = await serve(['-l', 'stderr'])
    expect(err.cli.output()).toMatchObject({ stdout: '' })
    expect(err.cli.output().stderr).toContain('Listening on')
    await err.stop()
    const none = await serve(['-l', ''])
    expect(`${none.cli.output().stdout}${none.cli.output().stderr}`).not.toContain('Listening on')
    await none.stop()

    const file = join(cwd, 'logs', 'fb.log')
    const { cli, origin } = await serve(['-l', 'logs/fb.log'])
    await waitFor('the log file', async () =>
      (await readFile(file, 'utf8')).includes('Listening on'),
    )
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await rename(file, `${file}.1`)
    cli.signal('reload', 'SIGHUP')
    await waitFor('the new file', () => stat(file))
    await login(origin, 'wrong')
    await waitFor('the line', async () =>
      (await readFile(file, 'utf8')).includes('/api/login: 403'),
    )
  })

  test('--logFormat json gives one object per line', async () => {
    const { cli, origin } = await serve(['--logFormat', 'json'])
    await login(origin, 'wrong')
    await waitFor('the line', () => cli.output().stdout.includes('/api/login'))
    const lines = cli
      .output()
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ path: '/api/login', status: 403, address: '127.0.0.1' })
    expect(Date.parse(lines[0].time)).toBeGreaterThan(0)
  })

  test('a line break in an address cannot forge a line, and secrets do not appear', async () => {
    const { cli, origin, stop } = await serve(['--password', PASSWORD])
    await fetch(`${origin}/api/resources/x%0A2026%2F01%2F01%20forged?auth=SECRET-IN-QUERY`)
    await login(origin, 'SECRET-PASSWORD')
    await stop()
    const all = cli.output().stdout + cli.output().stderr
    expect(all.split('\n').filter((line) => line.includes('forged')).length).toBeLessThanOrEqual(1)
    expect(all.split('\n').some((line) => line.startsWith('2026/01/01 forged'))).toBe(false)
    for (const secret of ['SECRET-IN-QUERY', 'SECRET-PASSWORD', PASSWORD])
      expect(all).not.toContain(secret)
  })
})

describe('stopping', () => {
  test('lets a running download finish, refuses new connections, ends with 0', async () => {
    const size = 24 * 1024 * 1024
    await writeFile(join(cwd, 'srv', 'big.bin'), Buffer.alloc(size, 1))
    const { origin, port, stop } = await serve(['--password', PASSWORD])
    const token = await (await login(origin, PASSWORD)).text()
    const response = await fetch(`${origin}/api/raw/big.bin`, { headers: { 'X-Auth': token } })
    const reader = response.body?.getReader()
    let received = (await reader?.read())?.value?.length ?? 0
    const stopped = stop()
    await waitFor('the closed door', () =>
      health({ host: '127.0.0.1', port }).then(
        () => false,
        () => true,
      ),
    )
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) break
      received += chunk.value.length
    }
    expect(received).toBe(size)
    expect(await stopped).toBe(0)
  })

  test('a stray failure meanwhile is logged and ends no transfer', async () => {
    const { cli, port, stop } = await serve()
    const body = httpRequest({ port, host: '127.0.0.1', path: '/api/login', method: 'POST' })
    body.setHeader('Content-Length', 2)
    const answered = once(body, 'response')
    body.write('{')
    await waitFor('the request', () => body.socket?.bytesWritten)
    await health({ host: '127.0.0.1', port })
    const stopped = stop()
    await waitFor('the stop', () => cli.output().stdout.includes('stopping'))
    expect(cli.stray(new Error('belongs to no request'))).toBe(true)
    body.end('}')
    const [answer] = await withDeadline('the answer', 5_000, answered)
    answer.resume()
    expect(await stopped).toBe(0)
    expect(cli.output().stdout).toContain('belongs to no request')
  })

  test('idle connections do not hold it up', async () => {
    const { origin, stop } = await serve()
    await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${origin}/health`).then((r) => r.text())),
    )
    const began = performance.now()
    expect(await stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(3000)
  })

  test('a WebSocket is told to go and does not hold it up', async () => {
    const { origin, stop, port } = await serve(['--password', PASSWORD, '--disableExec=false'])
    const token = await (await login(origin, PASSWORD)).text()
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command/`, {
      headers: { 'X-Auth': token, Cookie: `auth=${token}`, Origin: origin },
    })
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    const code = new Promise<number>((resolve) => socket.once('close', resolve))
    const began = performance.now()
    expect(await stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(5000)
    expect(await code).toBe(1001)
  })

  test('the database of the run stays usable', async () => {
    const { stop } = await serve()
    await stop()
    expect((await runCli(['users', 'ls'], { cwd })).stdout).toContain('admin')
  })
})

describe('healthcheck', () => {
  test('finds the server by its options, by environment and by socket', async () => {
    const { port, stop } = await serve(['-b', '/fb'])
    const env = { FB_PORT: String(port), FB_BASE_URL: '/fb' }
    expect(await runCli(['healthcheck'], { cwd, env })).toMatchObject({
      code: 0,
      stdout: 'healthy\n',
    })
    expect((await runCli(['healthcheck', '-p', String(port)], { cwd })).code).toBe(0)
    await stop()
    expect((await runCli(['healthcheck', '-p', String(port)], { cwd })).code).toBe(1)
    await serve(['--socket', 'fb.sock', '-d', 'other.db'])
    expect((await runCli(['healthcheck', '--socket', 'fb.sock'], { cwd })).code).toBe(0)
  })

  test('speaks TLS when the server does', async () => {
    const pair = ['-t', join(TLS, 'first-cert.pem'), '-k', join(TLS, 'first-key.pem')]
    const { port } = await serve(pair)
    expect((await runCli(['healthcheck', '-p', String(port), ...pair], { cwd })).code).toBe(0)
  })

  test('makes no database', async () => {
    expect((await runCli(['healthcheck', '-p', '9'], { cwd })).code).toBe(1)
    expect(await readdir(cwd)).toEqual(['srv'])
  })
})

describe('a database folder that cannot be written', () => {
  test('is explained when a file stands where the folder should be', async () => {
    await writeFile(join(cwd, 'file'), '')
    expect((await failed(['-d', 'file/x.db'])).stderr).toContain('not a folder')
  })

  // Root may write everywhere, so this needs an ordinary user.
  test.skipIf(process.getuid?.() === 0)('names the uid and the folder to give to it', async () => {
    const locked = join(cwd, 'locked')
    await mkdir(locked)
    await chmod(locked, 0o555)
    for (const path of ['locked/x.db', 'locked/new/deep/x.db']) {
      const { stderr } = await failed(['-d', path])
      expect(stderr).toMatch(/cannot be written by uid \d+/)
      const folder = dirname(join(cwd, path))
      expect(stderr).toMatch(new RegExp(`chown \\d+:\\d+ ${folder}\n`))
    }
  })
})
