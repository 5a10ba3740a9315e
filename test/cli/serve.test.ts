import { chmod, copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyPassword } from '../../src/auth/hash.ts'
import type { User } from '../../src/store/document.ts'
import { runCli } from '../support/cli.ts'
import { waitFor } from '../support/deadline.ts'
import { cwd, database, failed, freshFolders, login, PASSWORD, serve } from '../support/serve.ts'

const LEGACY = join(import.meta.dirname, '..', 'data', 'legacy', 'filebrowser.db')

const HASH = '$2a$10$UMsDfS1ZN9Hizn/njXrklOaimHYgovpdIUb3khMRn.LrGaLLXAwJ.'

freshFolders()

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
    const { settings, users, next } = await database()
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
    expect(next).toEqual({ users: 2 })
  })

  test('takes a plain password, and a hash as it is', async () => {
    const plain = await serve(['--password', PASSWORD])
    expect((await login(plain.origin, PASSWORD)).status).toBe(200)
    expect((await database()).users[0]?.password).toMatch(/^\$argon2id\$/)
    await plain.stop()
    await rm(join(cwd, 'filebrowser.db'))
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

  test('an empty or overlong user name is refused before anything is made', async () => {
    await failed(['--username', ' '])
    await failed(['--username', 'x'.repeat(256)])
    expect(await readdir(cwd)).toEqual(['srv'])
  })

  test('a number of connections that does not do, or that a file has no use for, is refused before anything is made', async () => {
    const few = await failed(['--databasePool', '3'])
    expect(few.stderr).toContain('--databasePool: "3" is not valid, a node needs 4 connections')
    const file = await failed([], { FB_DATABASE_POOL: '20' })
    expect(file.stderr).toContain('FB_DATABASE_POOL is for a database at postgres://')
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

describe('many accounts', () => {
  const many = async (change: (text: string) => string) => {
    const first = await serve(['--password', PASSWORD])
    await first.stop()
    const doc = await database()
    const [admin] = doc.users as [User]
    for (let id = 2; id <= 2_000; id++) doc.users.push({ ...admin, id, username: `user${id}` })
    await writeFile(join(cwd, 'filebrowser.db'), change(JSON.stringify(doc, null, 1)))
  }

  test('that are read after the first answer are all there when the server says that it listens', async () => {
    await many((text) => text)
    const { origin } = await serve()
    const body = JSON.stringify({ username: 'user1999', password: PASSWORD })
    expect((await fetch(`${origin}/api/login`, { method: 'POST', body })).status).toBe(200)
  })

  test('end the start when one of them is damaged', async () => {
    await many((text) => text.replace('"user1500"', 'user1500'))
    const { stderr, stdout } = await failed(['-r', 'srv', '-p', '0'])
    expect(stderr).toMatch(/Error: the database .* is damaged .* left untouched/s)
    expect(stderr + stdout).not.toContain('Listening on')
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

describe('a database folder that cannot be written', () => {
  test('is explained when a file stands where the folder should be', async () => {
    await writeFile(join(cwd, 'file'), '')
    expect((await failed(['-d', 'file/x.db'])).stderr).toContain('not a folder')
  })

  // Root may write everywhere, so this needs an ordinary user.
  test.skipIf(process.getuid?.() === 0)('names the uid and the folder to give to it', async () => {
    const locked = join(cwd, 'locked')
    const moved = join(cwd, 'moved')
    for (const folder of [locked, moved]) await mkdir(folder)
    await copyFile(LEGACY, join(moved, 'old.db'))
    for (const folder of [locked, moved]) await chmod(folder, 0o555)
    for (const path of ['locked/x.db', 'locked/new/deep/x.db', 'moved/old.db']) {
      const { stderr } = await failed(['-d', path])
      expect(stderr).toMatch(/cannot be written by uid \d+/)
      const folder = dirname(join(cwd, path))
      expect(stderr).toMatch(new RegExp(`chown \\d+:\\d+ ${folder}\n`))
    }
    // Or nobody could clear it away.
    await chmod(moved, 0o755)
  })
})
