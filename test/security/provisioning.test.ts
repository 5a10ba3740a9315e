// Accounts that come into being by themselves (class 6; docs/http-api.md 3.8, 4.6, 4.7): no power they were
// not given, and a home that is theirs alone.

import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultPermissions, defaultSettings, type Settings } from '../../src/store/document.ts'
import { type OpenedApp, openApp, PASSWORD, type TestAppOptions } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { changeRecords, recordsOf } from '../support/records.ts'

const byProxy = { authMethod: 'proxy', auther: { header: 'X-User', command: '', recaptcha: null } }
const generous: Settings['defaults'] = {
  ...defaultSettings().defaults,
  perm: { ...defaultPermissions(), admin: true, execute: true },
  commands: ['rm'],
}

function proxyLogin(app: OpenedApp, username: string): Promise<Response> {
  return app.fetch('/api/login', { method: 'POST', headers: { 'X-User': username } })
}

function passwordLogin(app: OpenedApp, username: string, password = PASSWORD): Promise<Response> {
  return app.fetch('/api/login', { method: 'POST', body: JSON.stringify({ username, password }) })
}

function account(app: OpenedApp, username: string) {
  return recordsOf(app.store).users.find((user) => user.username === username)
}

/** Starts an application whose sign-in program prints `answers`. */
async function withHook(answers: string[], options: TestAppOptions = {}): Promise<OpenedApp> {
  const app = await openApp({ tree: {}, ...options })
  const script = join(app.tree.base, 'hook.sh')
  await writeFile(script, `cat <<'END'\n${answers.join('\n')}\nEND\n`)
  const auther = { header: '', command: `sh ${script}`, recaptcha: null }
  await changeRecords(app.store, (doc) => ({
    ...doc,
    settings: { ...doc.settings, authMethod: 'hook', auther },
  }))
  return app
}

describe('CVE-2026-62685: an account made by a sign-in program', () => {
  it('inherits neither administration nor commands from the defaults', async () => {
    await using app = await withHook(['hook.action=auth'], { settings: { defaults: generous } })
    expect((await passwordLogin(app, 'hugo')).status).toBe(200)
    expect(account(app, 'hugo')).toMatchObject({
      perm: { admin: false, create: true },
      commands: [],
      lockPassword: true,
      scope: '/users/hugo',
    })
  })

  it('gets what the program names', async () => {
    const answers = ['hook.action=auth', 'user.perm.admin=true', 'user.commands=ls pwd']
    await using app = await withHook([...answers, 'user.scope=/shared'])
    expect((await passwordLogin(app, 'hugo')).status).toBe(200)
    expect(account(app, 'hugo')).toMatchObject({
      perm: { admin: true, execute: true },
      commands: ['ls', 'pwd'],
      scope: '/shared',
    })
    expect(await readdir(app.tree.root)).toEqual(['shared'])
  })

  it('keeps its folder when the program prints an empty scope, also at later logins', async () => {
    await using app = await withHook(['hook.action=auth', 'user.scope= '])
    for (const _ of ['first', 'second']) {
      expect((await passwordLogin(app, 'hugo')).status).toBe(200)
      expect(account(app, 'hugo')?.scope).toBe('/users/hugo')
    }
  })

  it('keeps rules and theme when a later login changes it', async () => {
    const rules = [{ regex: false, allow: false, path: '/no', regexp: null }]
    await using app = await withHook(['hook.action=auth', 'user.locale=fr'], {
      users: [{ username: 'bob', rules, aceEditorTheme: 'monokai' }],
    })
    expect((await passwordLogin(app, 'bob', 'Another-Long-Pass-55')).status).toBe(200)
    expect(account(app, 'bob')).toMatchObject({ locale: 'fr', rules, aceEditorTheme: 'monokai' })
  })

  it('adds no lines to the answer of a program that prints its name', async () => {
    await using app = await withHook([])
    const script = join(app.tree.base, 'hook.sh')
    await writeFile(script, 'echo hook.action=auth; echo "user.scope=/home/$USERNAME"\n')
    const name = 'hugo\nuser.perm.admin=true'
    expect((await passwordLogin(app, name)).status).toBe(403)
    expect((await passwordLogin(app, 'hugo', 'nul\0byte')).status).toBe(403)
    expect(recordsOf(app.store).users).toHaveLength(1)
    expect((await passwordLogin(app, 'hugo')).status).toBe(200)
    expect(account(app, 'hugo')?.scope).toBe('/home/hugo')
  })

  it('is refused, passed on or an error as the program says', async () => {
    for (const [answer, status] of [
      ['hook.action=block', 403],
      ['hook.action=pass', 200],
      ['hook.action=dance', 500],
      ['', 500],
    ] as const) {
      await using app = await withHook([answer])
      expect((await passwordLogin(app, 'admin')).status, answer).toBe(status)
    }
  })
})

describe('an account that makes itself', () => {
  const ways: Record<
    string,
    { ids: string; settings: Partial<Settings>; come(app: OpenedApp): Promise<Response> }
  > = {
    'by signing up': {
      ids: 'CVE-2026-32760, CVE-2026-34528, CVE-2026-72839',
      settings: { signup: true },
      come: (app) => {
        const body = JSON.stringify({ username: 'new', password: PASSWORD })
        return app.fetch('/api/signup', { method: 'POST', body })
      },
    },
    'through a proxy': {
      ids: 'CVE-2026-35607, CVE-2026-72839',
      settings: byProxy,
      come: (app) => proxyLogin(app, 'new'),
    },
  }
  for (const [title, { ids, settings, come }] of Object.entries(ways)) {
    it(`${ids}: ${title} inherits no power and gets a home, not the whole tree`, async () => {
      await using app = await openApp({
        tree: { 'private.txt': 'x' },
        settings: { ...settings, defaults: generous },
      })
      expect((await come(app)).status).toBe(200)
      expect(account(app, 'new')).toMatchObject({
        perm: { admin: false, execute: false, create: true },
        commands: [],
        scope: '/users/new',
      })
      expect((await readdir(app.tree.root)).sort()).toEqual(['private.txt', 'users'])
    })

    it(`${title} gets the whole tree where the administrator wrote so`, async () => {
      const defaults = { ...generous, scope: '/' }
      await using app = await openApp({ tree: {}, settings: { ...settings, defaults } })
      expect((await come(app)).status).toBe(200)
      expect(account(app, 'new')?.scope).toBe('/')
    })

    it.each(['/', '/shared', '.'])(
      `${title} gets a home with --createUserDir, whatever the scope of the others: %j`,
      async (scope) => {
        const defaults = { ...generous, scope }
        const tree = { 'shared/ours.txt': 'x' }
        await using app = await openApp({
          tree,
          settings: { ...settings, defaults, createUserDir: true },
        })
        expect((await come(app)).status).toBe(200)
        expect(account(app, 'new')?.scope).toBe('/users/new')
        expect(await readdir(app.tree.at('users'))).toEqual(['new'])
      },
    )

    it(`${title} gets the folder of the scope without --createUserDir`, async () => {
      const defaults = { ...generous, scope: '/shared' }
      const tree = { 'shared/ours.txt': 'x' }
      await using app = await openApp({ tree, settings: { ...settings, defaults } })
      expect((await come(app)).status).toBe(200)
      expect(account(app, 'new')?.scope).toBe('/shared')
      expect(await readdir(app.tree.root)).toEqual(['shared'])
    })

    it.each(['', '.', './', '..', '//', '/.', '/x/..', ' '])(
      `${title} gets a home where the scope says nothing: %j`,
      async (scope) => {
        const defaults = { ...generous, scope }
        await using app = await openApp({ tree: {}, settings: { ...settings, defaults } })
        expect((await come(app)).status).toBe(200)
        expect(account(app, 'new')?.scope).toBe('/users/new')
      },
    )

    it(`${title} does not stay when its home cannot be made`, async () => {
      await using app = await openApp({ tree: { users: 'a file in the way' }, settings })
      expect((await come(app)).status).toBe(500)
      expect(account(app, 'new')).toBeUndefined()
      await rm(app.tree.at('users'))
      expect((await come(app)).status).toBe(200)
    })
  }

  it('CVE-2026-72836: is one account for all who come first at the same time', async () => {
    await using app = await openApp({ tree: {}, settings: byProxy })
    const answers = await Promise.all([1, 2, 3, 4].map(() => proxyLogin(app, 'new')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(recordsOf(app.store).users.filter(({ username }) => username === 'new')).toHaveLength(1)
  })

  it.each([
    ['teamone-x', 'teamone/x', 'TEAMONE-X', 'team..one-x', ' teamone-x ', 'teamone\\x'],
    ['name@example.org', 'NAME@Example.org', 'name@example..org'],
    ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9'],
  ])('CVE-2026-72837: has a home of its own among names that look alike: %s', async (...names) => {
    await using app = await openApp({ tree: {}, settings: { signup: true } })
    const answers = await Promise.all(
      names.map((username) =>
        app.fetch('/api/signup', {
          method: 'POST',
          body: JSON.stringify({ username, password: PASSWORD }),
        }),
      ),
    )
    const made = recordsOf(app.store).users.slice(1)
    expect(made).toHaveLength(answers.filter(({ status }) => status === 200).length)
    expect(made.length).toBeGreaterThan(0)
    const homes = made.map(({ scope }) => scope.normalize('NFKC').toLowerCase())
    expect(new Set(homes).size).toBe(homes.length)
    expect(await readdir(app.tree.at('users'))).toHaveLength(homes.length)
  })

  it('CVE-2026-72837: through a proxy does not get the home of somebody else', async () => {
    await using app = await openApp({ tree: {}, settings: byProxy })
    expect((await proxyLogin(app, 'teamone-x')).status).toBe(200)
    expect((await proxyLogin(app, 'TeamOne/x')).status).toBe(500)
    expect(await readdir(app.tree.at('users'))).toEqual(['teamone-x'])
  })

  it.each(['..', '/', '.', ' ', '../..', '-'])(
    'CVE-2026-72837: has no home that climbs: %j',
    async (username) => {
      await using app = await openApp({ tree: {}, settings: { signup: true } })
      const body = JSON.stringify({ username, password: PASSWORD })
      const response = await app.fetch('/api/signup', { method: 'POST', body })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(recordsOf(app.store).users).toHaveLength(1)
      expect(await readdir(app.tree.root)).toEqual([])
    },
  )

  it('does not come in while signing up is off, and keeps to the rules for passwords', async () => {
    await using app = await openApp({ tree: {} })
    const signup = (password: string) =>
      app.fetch('/api/signup', {
        method: 'POST',
        body: JSON.stringify({ username: 'new', password }),
      })
    expect((await signup(PASSWORD)).status).toBe(405)
    await changeRecords(app.store, (doc) => ({
      ...doc,
      settings: { ...doc.settings, signup: true, minimumPasswordLength: 30 },
    }))
    expect(await (await signup(PASSWORD)).text()).toContain('minimum length is 30')
    expect(recordsOf(app.store).users).toHaveLength(1)
    expect((await signup(`${PASSWORD}-and-somewhat-longer`)).status).toBe(200)
    expect((await signup(`${PASSWORD}-and-somewhat-longer`)).status).toBe(409)
  })
})

describe('signing up', () => {
  const limited: TestAppOptions = {
    tree: {},
    settings: { signup: true },
    config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
  }
  const signup = async (app: OpenedApp, username: string, password = PASSWORD) => {
    const body = JSON.stringify({ username, password })
    return (await app.fetch('/api/signup', { method: 'POST', body })).status
  }

  it('stays open to somebody who puts mistakes in the form right', async () => {
    await using app = await openApp(limited)
    for (let i = 0; i < 12; i++) expect(await signup(app, 'new', `short ${i}`)).toBe(400)
    for (let i = 0; i < 4; i++) expect(await signup(app, `line\n${i}`)).toBe(400)
    expect(await signup(app, 'new')).toBe(200)
  })

  it('makes no more accounts from one address than sign-ins may fail', async () => {
    await using app = await openApp(limited)
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push(await signup(app, `new-${i}`))
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  })

  it('tells of taken names only so often, whatever else was made', async () => {
    await using app = await openApp(limited)
    expect(await signup(app, 'first')).toBe(200)
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push(await signup(app, 'admin'))
    expect(statuses).toEqual([409, 409, 409, 429])
  })
})

describe('a home that is there already', () => {
  const link = async (app: OpenedApp) => {
    await mkdir(app.tree.at('users'))
    await symlink(app.tree.outside, app.tree.at('users/new'))
  }
  const left = async (app: OpenedApp) => {
    await mkdir(app.tree.at('users/new'), { recursive: true })
    await writeFile(app.tree.at('users/new/diary.txt'), 'MY DIARY')
  }
  const signup = (app: OpenedApp) => {
    const body = JSON.stringify({ username: 'new', password: PASSWORD })
    return app.fetch('/api/signup', { method: 'POST', body })
  }

  it.each([
    ['left by a deleted account', left, 409],
    ['empty', (app: OpenedApp) => mkdir(app.tree.at('users/new'), { recursive: true }), 409],
    ['a link out of the served folder', link, 403],
  ])('%s is not handed to somebody who signs up', async (_, prepare, status) => {
    await using app = await openApp({ tree: {}, settings: { signup: true } })
    await prepare(app)
    expect((await signup(app)).status).toBe(status)
    expect(account(app, 'new')).toBeUndefined()
    await waitFor('the reason in the log', () =>
      app.log.some(
        (line) => line.startsWith(`/api/signup: ${status}`) && line.includes('/users/new'),
      ),
    )
    await rename(app.tree.at('users/new'), app.tree.at('moved away'))
    expect((await signup(app)).status).toBe(200)
    expect(await readdir(app.tree.at('users/new'))).toEqual([])
  })

  it('is that of the person whom a proxy names', async () => {
    await using app = await openApp({ tree: {}, settings: byProxy })
    await left(app)
    expect((await proxyLogin(app, 'new')).status).toBe(200)
    expect(account(app, 'new')?.scope).toBe('/users/new')
  })

  it('is not followed out of the served folder for a proxy either', async () => {
    await using app = await openApp({ tree: {}, settings: byProxy })
    await link(app)
    expect((await proxyLogin(app, 'new')).status).toBe(500)
    expect(account(app, 'new')).toBeUndefined()
  })
})

it.each([false, true])(
  'a scope that a link leads out of the served folder works only with followExternalSymlinks: %s',
  async (followExternalSymlinks) => {
    await using app = await openApp({ tree: {}, config: { followExternalSymlinks } })
    await symlink(app.tree.outside, app.tree.at('out'))
    const admin = await app.as('admin')
    const data = { username: 'new', password: PASSWORD, scope: '/out', perm: { download: true } }
    const body = JSON.stringify({ what: 'user', which: [], current_password: PASSWORD, data })
    const made = await admin.fetch('/api/users', { method: 'POST', body })
    if (!followExternalSymlinks) {
      expect(made.status).toBe(400)
      expect(await made.text()).toContain('followExternalSymlinks')
      expect(account(app, 'new')).toBeUndefined()
      return
    }
    expect(made.status).toBe(201)
    const own = await app.as('new')
    expect((await own.fetch('/api/raw/secret.txt')).status).toBe(200)
  },
)

it('of many who sign in at once no more than eight wait for the program', async () => {
  const config = { trustedProxies: ['127.0.0.1'] }
  await using app = await withHook([], { config })
  const running = join(app.tree.base, 'running')
  await mkdir(running)
  // Each one counts those that run, and lets the others begin before it ends.
  const script = `touch ${running}/$$; ls ${running} | wc -l >>${app.tree.base}/counts; sleep 0.2; rm ${running}/$$`
  await writeFile(join(app.tree.base, 'hook.sh'), `${script}; echo hook.action=block\n`)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      app.fetch('/api/login', {
        method: 'POST',
        headers: { 'X-Forwarded-For': `203.0.113.${i}` },
        body: JSON.stringify({ username: `name-${i}`, password: 'guess' }),
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
  const counts = (await readFile(join(app.tree.base, 'counts'), 'utf8')).trim().split(/\s+/)
  expect(counts).toHaveLength(40)
  expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(8)
  expect(Math.max(...counts.map(Number))).toBeGreaterThan(1)
})

it.each([
  ['a line break', 'new\nadmin'],
  ['NUL', 'new\0'],
  ['no end', 'n'.repeat(256)],
])('no account gets a name with %s, neither made nor renamed', async (_, username) => {
  await using app = await openApp({
    tree: {},
    settings: { signup: true },
    users: [{ username: 'bob' }],
  })
  const post = { method: 'POST', body: JSON.stringify({ username, password: PASSWORD }) }
  expect((await app.fetch('/api/signup', post)).status).toBe(400)
  const admin = await app.as('admin')
  const write = (method: string, path: string, which: string[], data: object) =>
    admin.fetch(path, {
      method,
      body: JSON.stringify({ what: 'user', which, current_password: PASSWORD, data }),
    })
  const made = await write('POST', '/api/users', [], { username, password: PASSWORD, scope: '/' })
  expect(made.status).toBe(400)
  const id = account(app, 'bob')?.id
  expect((await write('PUT', `/api/users/${id}`, ['username'], { id, username })).status).toBe(400)
  expect(recordsOf(app.store).users.map((user) => user.username)).toEqual(['admin', 'bob'])
})

it('an account made by an administrator does not stay without its folder', async () => {
  await using app = await openApp({ tree: { taken: 'a file in the way' } })
  const admin = await app.as('admin')
  const data = { username: 'new', password: PASSWORD, scope: '/taken/new', perm: {} }
  const body = JSON.stringify({ what: 'user', which: [], current_password: PASSWORD, data })
  expect((await admin.fetch('/api/users', { method: 'POST', body })).status).toBe(500)
  expect(account(app, 'new')).toBeUndefined()
  await rm(app.tree.at('taken'))
  await mkdir(app.tree.at('taken'))
  expect((await admin.fetch('/api/users', { method: 'POST', body })).status).toBe(201)
})
