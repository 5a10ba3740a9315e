import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { ApiTokenRecord, Permissions } from '../../src/api-types.ts'
import { mapFields } from '../../src/lib/fields.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { API_TOKENS, FOLDERS, USERS } from '../../src/store/collections.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'

/** All that a token can be given. */
const ALL = { ...defaultPermissions(), execute: false }
const DAY_MS = 86_400_000

interface Wanted {
  name?: string
  perm?: Partial<Permissions>
  folder?: string
  expires?: string
}

type Made = ApiTokenRecord & { token: string }

async function ask(app: OpenedApp, wanted: Wanted, username = 'anna'): Promise<Response> {
  const who = await app.as(username)
  const body = JSON.stringify({ name: 'backup', perm: ALL, current_password: PASSWORD, ...wanted })
  return who.fetch('/api/tokens', { method: 'POST', body })
}

async function make(app: OpenedApp, wanted: Wanted = {}, username = 'anna') {
  const response = await ask(app, wanted, username)
  expect(response.status).toBe(201)
  const made: Made = await response.json()
  return {
    made,
    fetch: (path: string, init: RequestInit = {}) =>
      app.fetch(path, { ...init, headers: { ...init.headers, 'X-Auth': made.token } }),
  }
}

/** Status and error code by request; bodies are valid JSON. */
async function answersTo(
  fetch: (path: string, init: RequestInit) => Promise<Response>,
  requests: readonly string[],
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ')
    const body = method === 'POST' || method === 'PUT' ? '{}' : null
    const response = await fetch(path, { method, headers: { 'Upload-Length': '3' }, body })
    answers[request] = `${response.status} ${response.headers.get('X-Error-Code')}`
  }
  return answers
}

const openWithAnna = (tree: Record<string, string> = { 'docs/a.txt': 'a', 'b.txt': 'b' }) =>
  openApp({ tree, users: [{ username: 'anna' }, { username: 'ben' }] })

describe('an API token', () => {
  it('is short enough for apps that cut longer ones, and works as X-Auth and as Bearer', async () => {
    await using app = await openWithAnna()
    const { made, fetch } = await make(app)
    expect(made.token).toMatch(/^fbt\.[0-9a-z]{6}\.[\w-]{24}$/)
    expect((await fetch('/api/resources/')).status).toBe(200)
    const headers = { Authorization: `Bearer ${made.token}` }
    const response = await app.fetch('/api/raw/b.txt', { headers })
    expect(await response.text()).toBe('b')
  })

  it('is told once: the files hold a hash, the list holds neither', async () => {
    await using app = await openWithAnna()
    const { made } = await make(app)
    const secret = made.token.split('.')[2] ?? ''
    const kept = await readFile(`${app.store.file}.tokens`, 'utf8')
    expect(kept).toContain(made.id)
    expect(kept).not.toContain(secret)
    const list = await (await (await app.as('anna')).fetch('/api/tokens')).text()
    expect(list).toContain(made.id)
    expect(list).not.toContain(secret)
    expect(list).not.toContain('secretHash')
  })

  it('costs no file as long as nobody makes one', async () => {
    await using app = await openWithAnna()
    await (await app.as('anna')).fetch('/api/tokens')
    expect(existsSync(`${app.store.file}.tokens`)).toBe(false)
  })

  it('may do what both it and its account may', async () => {
    await using app = await openWithAnna()
    const reader = await make(app, { perm: { download: true } })
    expect((await reader.fetch('/api/raw/b.txt')).status).toBe(200)
    const upload = { method: 'POST', body: 'new' }
    expect((await reader.fetch('/api/resources/new.txt', upload)).status).toBe(403)
    expect((await reader.fetch('/api/resources/b.txt', { method: 'DELETE' })).status).toBe(403)
    const writer = await make(app, { name: 'writer' })
    expect((await writer.fetch('/api/resources/new.txt', upload)).status).toBe(200)
    await app.store.transaction((tx) => {
      const anna = tx.find(USERS, 'username', 'anna')[0]
      if (anna) tx.replace(USERS, { ...anna, perm: { ...anna.perm, create: false } })
    })
    expect((await writer.fetch('/api/resources/newer.txt', upload)).status).toBe(403)
  })

  it('never administrates and never runs commands, whoever made it', async () => {
    await using app = await openWithAnna()
    const perm = { ...ALL, admin: true, execute: true }
    const { made, fetch } = await make(app, { perm }, 'admin')
    expect(made.perm).toMatchObject({ admin: false, execute: false })
    expect((await fetch('/api/users')).status).toBe(403)
    expect((await fetch('/api/settings')).status).toBe(403)
  })

  it('is refused where only a person may act', async () => {
    await using app = await openWithAnna()
    const { fetch } = await make(app)
    const answers = await answersTo(fetch, [
      'POST /api/renew',
      'POST /api/logout',
      'GET /api/sessions',
      'DELETE /api/sessions',
      'GET /api/tokens',
      'POST /api/tokens',
      'DELETE /api/tokens/abcdef',
      'POST /api/users',
      'PUT /api/users/2',
      'DELETE /api/users/2',
      'GET /api/command/',
    ])
    expect(new Set(Object.values(answers))).toEqual(new Set(['403 token_not_allowed']))
  })

  it('counts for nothing once it is wrong, expired or removed, or its account is', async () => {
    await using app = await openWithAnna()
    const { made, fetch } = await make(app)
    const status = async (token: string) =>
      (await app.fetch('/api/resources/', { headers: { 'X-Auth': token } })).status
    const last = made.token.endsWith('A') ? 'B' : 'A'
    expect(await status(made.token.slice(0, -1) + last)).toBe(401)
    expect(await status(`fbt.zzzzzz.${made.token.split('.')[2]}`)).toBe(401)
    await app.store.transaction((tx) => {
      const token = tx.get(API_TOKENS, made.id)
      if (token) tx.replace(API_TOKENS, { ...token, expiresMs: Date.now() - 1 })
    })
    expect(await status(made.token)).toBe(401)
    const other = await make(app, { name: 'other' })
    const anna = await app.as('anna')
    const gone = await anna.fetch(`/api/tokens/${other.made.id}`, { method: 'DELETE' })
    expect(gone.status).toBe(204)
    expect((await other.fetch('/api/resources/')).status).toBe(401)
    const third = await make(app, { name: 'third' })
    const body = JSON.stringify({ current_password: PASSWORD })
    await (await app.as('admin')).fetch('/api/users/2', { method: 'DELETE', body })
    expect((await third.fetch('/api/resources/')).status).toBe(401)
    expect(app.store.all(API_TOKENS)).toEqual([])
    expect((await fetch('/api/resources/')).status).toBe(401)
  })

  it('ends when an administrator sets another password, and stays when its owner does', async () => {
    await using app = await openWithAnna()
    const { fetch } = await make(app)
    const change = async (username: string, current: string, password: string) => {
      const who = await app.as(username).catch(() => app.as('admin'))
      const body = { what: 'user', which: ['password'], current_password: current }
      return who.fetch('/api/users/2', {
        method: 'PUT',
        body: JSON.stringify({ ...body, data: { id: 2, username: 'anna', password } }),
      })
    }
    expect((await change('anna', PASSWORD, 'Yellow-Teapot-31-Door')).status).toBe(200)
    expect((await fetch('/api/resources/')).status).toBe(200)
    expect((await change('admin', PASSWORD, 'Green-Carpet-98-Wall')).status).toBe(200)
    expect((await fetch('/api/resources/')).status).toBe(401)
  })

  it('leaves a Bearer alone that is not ours, and is not rescued by a cookie', async () => {
    await using app = await openWithAnna()
    const anna = await app.as('anna')
    const foreign = { Authorization: 'Bearer ey.foreign.jwt' }
    expect((await anna.fetch('/api/resources/', { headers: foreign })).status).toBe(200)
    expect((await app.fetch('/api/resources/', { headers: foreign })).status).toBe(401)
    const headers = { 'X-Auth': 'fbt.aaaaaa.wrong', Cookie: anna.cookie }
    expect((await app.fetch('/api/resources/', { headers })).status).toBe(401)
  })

  it('is made only with the current password, a free name and a time to come', async () => {
    await using app = await openWithAnna()
    const refused = async (wanted: object) => {
      const response = await ask(app, wanted as Wanted)
      return [response.status, response.headers.get('X-Error-Code')]
    }
    expect(await refused({ current_password: 'wrong' })).toEqual([400, 'invalid_password'])
    expect(await refused({ name: ' ' })).toEqual([400, 'bad_request'])
    const past = new Date(Date.now() - DAY_MS).toISOString()
    expect(await refused({ expires: past })).toEqual([400, 'bad_request'])
    await make(app)
    expect(await refused({})).toEqual([409, 'exists'])
    const { made } = await make(app, {
      name: 'soon',
      expires: new Date(Date.now() + DAY_MS).toISOString(),
    })
    expect(Date.parse(made.expires ?? '')).toBeGreaterThan(Date.now())
  })

  it('is made for nobody where nobody signs in', async () => {
    await using app = await openApp({ settings: { authMethod: 'noauth' } })
    expect((await ask(app, {}, 'admin')).status).toBe(403)
  })

  it('is one of at most a hundred of an account', async () => {
    await using app = await openWithAnna()
    const { made } = await make(app)
    await app.store.transaction((tx) => {
      const token = tx.get(API_TOKENS, made.id)
      for (let i = 0; token && i < 99; i++)
        tx.insert(API_TOKENS, { ...token, id: `other${i}`, name: `other ${i}` })
    })
    expect((await ask(app, { name: 'one more' })).status).toBe(409)
    await make(app, {}, 'ben')
  })

  it('is the business of its owner alone', async () => {
    await using app = await openWithAnna()
    const { made } = await make(app)
    const ben = await app.as('ben')
    expect(await (await ben.fetch('/api/tokens')).json()).toEqual([])
    const response = await ben.fetch(`/api/tokens/${made.id}`, { method: 'DELETE' })
    expect(response.status).toBe(404)
  })

  it('tells when it was last used', async () => {
    await using app = await openWithAnna()
    const { fetch } = await make(app)
    const list = async (): Promise<ApiTokenRecord[]> =>
      (await (await app.as('anna')).fetch('/api/tokens')).json()
    expect((await list())[0]?.lastUsed).toBeNull()
    await fetch('/api/resources/')
    expect(Date.parse((await list())[0]?.lastUsed ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })
})

describe('an API token for one folder', () => {
  const tree = {
    'docs/a.txt': 'inside',
    'docs/sub/c.txt': 'inside, too',
    'docs2/d.txt': 'outside',
    'b.txt': 'outside',
  }

  it('reads and changes what is below it, by the addresses of its account', async () => {
    await using app = await openWithAnna(tree)
    const { fetch } = await make(app, { folder: '/docs' })
    expect((await fetch('/api/resources/docs/')).status).toBe(200)
    expect(await (await fetch('/api/raw/docs/sub/c.txt')).text()).toBe('inside, too')
    const upload = { method: 'POST', body: 'new' }
    expect((await fetch('/api/resources/docs/new.txt', upload)).status).toBe(200)
    const moved = '/api/resources/docs/new.txt?action=rename&destination=%2Fdocs%2Fsub%2Fnew.txt'
    expect((await fetch(moved, { method: 'PATCH' })).status).toBe(200)
    expect(await app.tree.read('docs/sub/new.txt')).toBe('new')
  })

  it('is refused what is outside', async () => {
    await using app = await openWithAnna(tree)
    const { fetch } = await make(app, { folder: '/docs' })
    const answers = await answersTo(fetch, [
      'GET /api/resources/',
      'GET /api/resources/b.txt',
      'GET /api/raw/b.txt',
      'GET /api/raw/docs2/d.txt',
      'GET /api/raw/?algo=tar',
      'GET /api/preview/thumb/b.txt',
      'GET /api/usage/docs2/',
      'POST /api/resources/new.txt',
      'PUT /api/resources/b.txt',
      'DELETE /api/resources/docs2',
      'DELETE /api/resources/b.txt',
      'PATCH /api/resources/docs/a.txt?action=rename&destination=%2Fa.txt',
      'PATCH /api/resources/docs/a.txt?action=copy&destination=%2Fdocs2%2Fa.txt',
      'PATCH /api/resources/b.txt?action=copy&destination=%2Fdocs%2Fb.txt',
      'POST /api/tus/new.txt',
      'POST /api/share/b.txt',
    ])
    expect(new Set(Object.values(answers))).toEqual(new Set(['403 forbidden']))
    expect(await app.tree.read('b.txt')).toBe('outside')
    for (const name of ['new.txt', 'a.txt', 'docs2/a.txt', 'docs/b.txt'])
      expect(existsSync(app.tree.at(name))).toBe(false)
  })

  it('follows no link out of it, though its account may', async () => {
    await using app = await openWithAnna(tree)
    await symlink('../docs2', app.tree.at('docs/link'))
    await symlink('../b.txt', app.tree.at('docs/b.txt'))
    const anna = await app.as('anna')
    expect((await anna.fetch('/api/raw/docs/link/d.txt')).status).toBe(200)
    const { fetch } = await make(app, { folder: '/docs' })
    expect((await fetch('/api/raw/docs/link/d.txt')).status).toBe(403)
    expect((await fetch('/api/raw/docs/b.txt')).status).toBe(403)
    const body = 'through the link'
    expect((await fetch('/api/resources/docs/b.txt', { method: 'PUT', body })).status).toBe(403)
    expect((await fetch('/api/resources/docs/link/', { method: 'GET' })).status).toBe(403)
    expect(await app.tree.read('b.txt')).toBe('outside')
    const archive = await fetch('/api/raw/docs?algo=tar')
    expect(Buffer.from(await archive.arrayBuffer()).includes('outside')).toBe(false)
  })

  it('finds and lists shares of that folder alone', async () => {
    await using app = await openWithAnna(tree)
    const anna = await app.as('anna')
    for (const path of ['/docs/a.txt', '/b.txt'])
      await anna.fetch(`/api/share${path}`, { method: 'POST', body: '{}' })
    const { fetch } = await make(app, { folder: '/docs' })
    const shares: { path: string }[] = await (await fetch('/api/shares')).json()
    expect(shares.map(({ path }) => path)).toEqual(['/docs/a.txt'])
    const found = await (await fetch('/api/search/docs/?query=txt')).text()
    expect(found).toContain('a.txt')
    expect(found).not.toContain('d.txt')
  })

  it('reaches no folder that stands beside the home, whatever its record gives', async () => {
    await using app = await openApp({
      tree: { 'users/anna/docs/a.txt': 'a', 'team/b.txt': 'b' },
      users: [{ username: 'anna', scope: '/users/anna' }],
    })
    const { admin: _, execute: __, ...rights } = mapFields(defaultPermissions(), () => true)
    const grants = [{ who: 'user:2', see: true, ...rights }]
    const folder = { place: '/team' as PlaceText, as: 'team', quota: null, grants }
    await app.store.transaction((tx) => tx.insert(FOLDERS, folder))
    const { fetch } = await make(app, { folder: '/docs' })
    const paths = ['resources/team/', 'raw/team/b.txt', 'usage/team/', 'resources/recursive/team/']
    for (const path of paths) expect((await fetch(`/api/${path}`)).status, path).toBe(403)
    expect(await (await fetch('/api/search/?query=txt')).text()).not.toContain('team')
    const copy = '/api/resources/docs/a.txt?action=copy&destination=/team/c.txt'
    expect((await fetch(copy, { method: 'PATCH' })).status).toBe(403)
    const weak = await make(app, { name: 'weak', folder: '/team', perm: { download: true } })
    expect((await weak.fetch('/api/raw/team/b.txt')).status).toBe(200)
    const save = { method: 'PUT', body: 'x' }
    expect((await weak.fetch('/api/resources/team/b.txt', save)).status).toBe(403)
    expect((await weak.fetch('/api/resources/team/b.txt', { method: 'DELETE' })).status).toBe(403)
  })

  it('cannot be made for what is no folder', async () => {
    await using app = await openApp({ tree, users: [{ username: 'anna' }] })
    const refused = async (folder: string) => {
      const response = await ask(app, { folder })
      return `${response.status} ${response.headers.get('X-Error-Code')} ${await response.text()}`
    }
    expect(await refused('/dosc')).toBe(
      '400 not_found 400 Bad Request (there is no folder /dosc)\n',
    )
    expect(await refused('/docs/a.txt')).toMatch(/^400 not_a_folder .*is no folder/)
    expect(await refused('/docs/a.txt/below')).toMatch(/^400 /)
    expect((await ask(app, { folder: '/docs' })).status).toBe(201)
  })

  it('cannot be made for a folder that rules hide from its account', async () => {
    await using app = await openApp({
      tree,
      users: [
        {
          username: 'anna',
          rules: [{ regex: false, allow: false, path: '/docs2', regexp: null }],
        },
      ],
    })
    expect((await ask(app, { folder: '/docs2' })).status).toBe(400)
    const { fetch } = await make(app, { folder: '/docs' })
    expect((await fetch('/api/raw/docs/a.txt')).status).toBe(200)
  })
})
