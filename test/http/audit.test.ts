import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { dirname } from 'node:path'
import { TOTP } from 'otpauth'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { AuditPage, AuditRecord } from '../../src/audit-types.ts'
import { SHARES } from '../../src/store/collections.ts'
import { type OpenedApp, openApp, PASSWORD, startApp } from '../support/app.ts'
import { tarOf } from '../support/bundles.ts'
import { basic, davAs, LOCK_INFO } from '../support/dav.ts'
import type { SignedIn } from '../support/login.ts'
import { addPasskey, authenticator, ORIGIN, signInWith } from '../support/passkeys.ts'
import { keepInTrash } from '../support/trash.ts'

const USERS = [{ username: 'anna', scope: '/home/anna' }, { username: 'ben' }]
const TREE = {
  'home/anna/a.txt': 'hello',
  'home/anna/docs/b.txt': 'b',
  'home/a.vtt': 'WEBVTT',
  'c.txt': 'c',
}
const openWithUsers = async () => {
  const create = { width: 1500, height: 1200, channels: 3, background: '#336699' } as const
  const pictures = {
    'home/wide.png': await sharp({ create }).png().toBuffer(),
    'home/drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  }
  return openApp({ tree: { ...TREE, ...pictures }, users: USERS, settings: { signup: true } })
}

async function read(who: SignedIn, query = ''): Promise<AuditRecord[]> {
  const response = await who.fetch(`/api/audit?${query}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as AuditPage).lines
}

/** Lines that a request leaves, the newest first. */
async function linesOf(admin: SignedIn, ask: () => Promise<unknown>): Promise<AuditRecord[]> {
  const before = (await read(admin, 'limit=1000')).length
  await ask()
  const all = await read(admin, 'limit=1000')
  return all.slice(0, all.length - before)
}

const json = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
})

async function versionOf(admin: SignedIn): Promise<string> {
  const { items } = await (await admin.fetch('/api/versions/new.txt')).json()
  return items[0].id
}

/** What the routes of the application do; each request is made once, in this order. */
type Ask = (by: { admin: SignedIn; app: OpenedApp }) => Promise<Response>
const byDav =
  (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body = method === 'PUT' ? 'x' : undefined,
  ): Ask =>
  async ({ app }) =>
    (await davAs(app))(method, path, headers, body)

const proppatchOf = (xml: string) =>
  `<propertyupdate xmlns="DAV:"><set><prop>${xml}</prop></set></propertyupdate>`

/** Where clients of Nextcloud send parts. */
const IN_PARTS = '/remote.php/dav/uploads/admin'

const ACTS: [route: string, action: string, ask: Ask][] = [
  ['ALL /dav', 'make-folder', byDav('MKCOL', '/dav/by-dav')],
  ['ALL /dav', 'upload', byDav('PUT', '/dav/by-dav/a.txt')],
  ['ALL /dav', 'save', byDav('PUT', '/dav/by-dav/a.txt')],
  ['ALL /dav', 'download', byDav('GET', '/dav/by-dav/a.txt')],
  ['ALL /dav', 'copy', byDav('COPY', '/dav/by-dav/a.txt', { Destination: '/dav/by-dav/b.txt' })],
  ['ALL /dav', 'move', byDav('MOVE', '/dav/by-dav/a.txt', { Destination: '/dav/by-dav/b.txt' })],
  [
    'ALL /-/dav-uploads',
    'upload',
    async ({ app }) => {
      const dav = await davAs(app)
      const Destination = '/remote.php/dav/files/admin/by-dav/parts.bin'
      await dav('MKCOL', `${IN_PARTS}/u1`, { Destination })
      for (const part of ['1', '2']) await dav('PUT', `${IN_PARTS}/u1/${part}`, {}, part)
      return dav('MOVE', `${IN_PARTS}/u1/.file`, { Destination })
    },
  ],
  ['ALL /dav', 'lock', byDav('LOCK', '/dav/by-dav/b.txt', {}, LOCK_INFO)],
  [
    'ALL /dav',
    'unlock',
    async (by) => {
      const found = await byDav('PROPFIND', '/dav/by-dav/b.txt', { Depth: '0' })(by)
      const token = /urn:uuid:[\w-]+/.exec(await found.text())?.[0]
      // Longer, which is no other lock.
      expect((await byDav('LOCK', '/dav/by-dav/b.txt', { If: `(<${token}>)` })(by)).status).toBe(
        200,
      )
      return byDav('UNLOCK', '/dav/by-dav/b.txt', { 'Lock-Token': `<${token}>` })(by)
    },
  ],
  ['ALL /dav', 'upload', byDav('LOCK', '/dav/by-dav/new.txt', {}, LOCK_INFO)],
  [
    'DELETE /api/locks',
    'unlock',
    async ({ admin }) => {
      const address = '/api/locks/by-dav/new.txt'
      const { items } = await (await admin.fetch(address)).json()
      return admin.fetch(`${address}?id=${items[0].id}`, { method: 'DELETE' })
    },
  ],
  [
    'ALL /dav',
    'properties',
    byDav('PROPPATCH', '/dav/by-dav/b.txt', {}, proppatchOf('<n xmlns="urn:x">1</n>')),
  ],
  [
    'ALL /dav',
    'mode',
    byDav(
      'PROPPATCH',
      '/dav/by-dav/b.txt',
      {},
      proppatchOf('<executable xmlns="http://apache.org/dav/props/">T</executable>'),
    ),
  ],
  [
    'ALL /-/dav-uploads',
    'upload-discard',
    async ({ app }) => {
      const dav = await davAs(app)
      await dav('MKCOL', `${IN_PARTS}/u2`)
      return dav('DELETE', `${IN_PARTS}/u2`)
    },
  ],
  ['ALL /dav', 'delete', byDav('DELETE', '/dav/by-dav')],
  [
    'ALL /api/login',
    'sign-in',
    ({ app }) => app.fetch('/api/login', json('POST', { username: 'ben', password: PASSWORD })),
  ],
  [
    'ALL /api/signup',
    'sign-up',
    ({ app }) => app.fetch('/api/signup', json('POST', { username: 'cleo', password: PASSWORD })),
  ],
  [
    'POST /api/logout',
    'sign-out',
    async ({ app }) => (await app.as('ben')).fetch('/api/logout', { method: 'POST' }),
  ],
  [
    'DELETE /api/sessions',
    'session-end',
    async ({ app }) => (await app.as('ben')).fetch('/api/sessions', { method: 'DELETE' }),
  ],
  [
    'DELETE /api/sessions/:id',
    'session-end',
    async ({ admin }) => {
      const sessions = await (await admin.fetch('/api/sessions?all=true')).json()
      const { id } = sessions.find((s: { current: boolean }) => !s.current)
      return admin.fetch(`/api/sessions/${id}`, { method: 'DELETE' })
    },
  ],
  [
    'POST /api/resources',
    'upload',
    ({ admin }) => admin.fetch('/api/resources/new.txt', { method: 'POST', body: 'new' }),
  ],
  [
    'POST /api/bundle',
    'upload',
    async ({ admin }) => {
      const body = new Uint8Array(await tarOf([{ name: 'bundled.txt', content: 'b' }]))
      const answer = await admin.fetch('/api/bundle/', { method: 'POST', body })
      await answer.text()
      return answer
    },
  ],
  [
    'POST /api/resources',
    'make-folder',
    ({ admin }) => admin.fetch('/api/resources/dir/', { method: 'POST' }),
  ],
  [
    'PUT /api/resources',
    'save',
    ({ admin }) => admin.fetch('/api/resources/new.txt', { method: 'PUT', body: 'newer' }),
  ],
  [
    'PATCH /api/resources',
    'copy',
    ({ admin }) =>
      admin.fetch('/api/resources/new.txt?action=copy&destination=/copy.txt', { method: 'PATCH' }),
  ],
  [
    'PATCH /api/resources',
    'move',
    ({ admin }) =>
      admin.fetch('/api/resources/copy.txt?action=rename&destination=/dir/d.txt', {
        method: 'PATCH',
      }),
  ],
  [
    'POST /api/versions',
    'save',
    async ({ admin }) => {
      const id = await versionOf(admin)
      return admin.fetch('/api/versions/new.txt', json('POST', { id, action: 'restore' }))
    },
  ],
  [
    'GET /api/versions',
    'download',
    async ({ admin }) => admin.fetch(`/api/versions/new.txt?id=${await versionOf(admin)}`),
  ],
  ...(['keep', 'release'] as const).map((action): [string, string, Ask] => [
    'POST /api/versions',
    `version-${action}`,
    async ({ admin }) => {
      const id = await versionOf(admin)
      return admin.fetch('/api/versions/new.txt', json('POST', { id, action }))
    },
  ]),
  [
    'POST /api/versions',
    'copy',
    async ({ admin }) => {
      const id = await versionOf(admin)
      const body = { id, action: 'copy', to: '/older.txt' }
      return admin.fetch('/api/versions/new.txt', json('POST', body))
    },
  ],
  [
    'DELETE /api/versions',
    'delete',
    async ({ admin }) => {
      const id = await versionOf(admin)
      return admin.fetch(`/api/versions/new.txt?id=${id}`, { method: 'DELETE' })
    },
  ],
  [
    'PATCH /api/resources',
    'mode',
    ({ admin }) =>
      admin.fetch('/api/resources/new.txt?action=mode&mode=600', {
        method: 'PATCH',
        headers: { 'X-Operation': 'audited-mode' },
      }),
  ],
  [
    'POST /api/history/:id/undo',
    'undo',
    ({ admin }) => admin.fetch('/api/history/audited-mode/undo', { method: 'POST' }),
  ],
  [
    'DELETE /api/resources',
    'delete',
    ({ admin }) => admin.fetch('/api/resources/dir/d.txt', { method: 'DELETE' }),
  ],
  [
    'POST /api/trash/restore',
    'restore',
    async ({ admin, app }) => {
      const id = await keepInTrash(app.tree.root, 'back.txt', 'x')
      return admin.fetch('/api/trash/restore', json('POST', { ids: [id] }))
    },
  ],
  [
    'GET /api/trash/:id',
    'download',
    async ({ admin, app }) => {
      const id = await keepInTrash(app.tree.root, 'kept.txt', 'x')
      return admin.fetch(`/api/trash/${id}?raw=true`)
    },
  ],
  [
    'DELETE /api/trash/:id',
    'erase',
    async ({ admin, app }) => {
      const id = await keepInTrash(app.tree.root, 'gone.txt', 'x')
      return admin.fetch(`/api/trash/${id}`, { method: 'DELETE' })
    },
  ],
  ['DELETE /api/trash', 'erase', ({ admin }) => admin.fetch('/api/trash', { method: 'DELETE' })],
  ['GET /api/resources', 'download', ({ admin }) => admin.fetch('/api/resources/c.txt')],
  ['GET /api/raw', 'download', ({ admin }) => admin.fetch('/api/raw/c.txt')],
  ['GET /api/subtitle', 'download', ({ admin }) => admin.fetch('/api/subtitle/home/a.vtt')],
  ['GET /api/raw', 'download', ({ admin }) => admin.fetch('/api/raw/home/?files=anna&algo=tar')],
  [
    'POST /api/tus',
    'upload',
    ({ admin }) =>
      admin.fetch('/api/tus/empty.bin', { method: 'POST', headers: { 'Upload-Length': '0' } }),
  ],
  [
    'PATCH /api/tus',
    'upload',
    async ({ admin }) => {
      await admin.fetch('/api/tus/parts.bin', { method: 'POST', headers: { 'Upload-Length': '4' } })
      const part = (offset: number) =>
        admin.fetch('/api/tus/parts.bin', {
          method: 'PATCH',
          headers: {
            'Upload-Offset': String(offset),
            'Content-Type': 'application/offset+octet-stream',
          },
          body: 'ab',
        })
      await part(0)
      return part(2)
    },
  ],
  ...(['tus', 'uploads'] as const).map((address): [string, string, Ask] => [
    `DELETE /api/${address}`,
    'upload-discard',
    async ({ admin }) => {
      const headers = { 'Upload-Length': '4' }
      await admin.fetch('/api/tus/half.bin', { method: 'POST', headers })
      return admin.fetch(`/api/${address}/half.bin`, { method: 'DELETE' })
    },
  ]),
  [
    'POST /api/pictures',
    'save',
    ({ admin }) =>
      admin.fetch('/api/pictures/home/wide.png', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ rotate: 90 }),
      }),
  ],
  ['GET /api/preview', 'download', ({ admin }) => admin.fetch('/api/preview/big/home/wide.png')],
  ['POST /api/share', 'share', ({ admin }) => admin.fetch('/api/share/home/', json('POST', {}))],
  [
    'GET /api/public/share',
    'visit',
    ({ app }) => app.fetch(`/api/public/share/${app.store.all(SHARES)[0]?.hash}/`),
  ],
  [
    'GET /api/public/dl',
    'download',
    ({ app }) => app.fetch(`/api/public/dl/${app.store.all(SHARES)[0]?.hash}/anna/a.txt`),
  ],
  [
    'GET /api/public/subtitle',
    'download',
    ({ app }) => app.fetch(`/api/public/subtitle/${app.store.all(SHARES)[0]?.hash}/a.vtt`),
  ],
  [
    'GET /api/public/preview',
    'download',
    ({ app }) => app.fetch(`/api/public/preview/big/${app.store.all(SHARES)[0]?.hash}/wide.png`),
  ],
  [
    'DELETE /api/share',
    'unshare',
    ({ admin, app }) =>
      admin.fetch(`/api/share/${app.store.all(SHARES)[0]?.hash}`, { method: 'DELETE' }),
  ],
  [
    'POST /api/users',
    'user-add',
    ({ admin }) =>
      admin.fetch(
        '/api/users',
        json('POST', {
          what: 'user',
          which: [],
          current_password: PASSWORD,
          data: { username: 'dora', password: PASSWORD, scope: '.' },
        }),
      ),
  ],
  [
    'PUT /api/preferences',
    'user-change',
    ({ admin }) => admin.fetch('/api/preferences', json('PUT', { onDelete: 'ask' })),
  ],
  [
    'PUT /api/users/:id',
    'user-change',
    ({ admin }) =>
      admin.fetch(
        '/api/users/2',
        json('PUT', { what: 'user', which: ['locale'], data: { id: 2, locale: 'de' } }),
      ),
  ],
  [
    'DELETE /api/users/:id',
    'user-delete',
    ({ admin }) => admin.fetch('/api/users/3', json('DELETE', { current_password: PASSWORD })),
  ],
  [
    'POST /api/groups',
    'group-add',
    ({ admin }) =>
      admin.fetch('/api/groups', json('POST', { name: 'staff', current_password: PASSWORD })),
  ],
  [
    'PUT /api/groups/:id',
    'group-change',
    ({ admin }) =>
      admin.fetch('/api/groups/1', json('PUT', { members: [], current_password: PASSWORD })),
  ],
  [
    'DELETE /api/groups/:id',
    'group-delete',
    ({ admin }) => admin.fetch('/api/groups/1', json('DELETE', { current_password: PASSWORD })),
  ],
  [
    'PUT /api/folders',
    'folder-change',
    ({ admin }) =>
      admin.fetch(
        '/api/folders',
        json('PUT', {
          place: '/docs',
          grants: [{ who: 'everyone', delete: false }],
          current_password: PASSWORD,
        }),
      ),
  ],
  [
    'DELETE /api/folders',
    'folder-delete',
    ({ admin }) =>
      admin.fetch('/api/folders?place=/docs', json('DELETE', { current_password: PASSWORD })),
  ],
  [
    'PUT /api/settings',
    'settings',
    async ({ admin }) =>
      admin.fetch('/api/settings', json('PUT', await (await admin.fetch('/api/settings')).json())),
  ],
  [
    'POST /api/confirm',
    'confirm',
    ({ admin }) => admin.fetch('/api/confirm', json('POST', { password: PASSWORD })),
  ],
  ['GET /api/audit/export', 'audit-export', ({ admin }) => admin.fetch('/api/audit/export')],
  [
    'POST /api/tokens',
    'token-add',
    ({ admin }) =>
      admin.fetch('/api/tokens', json('POST', { name: 'x', current_password: PASSWORD })),
  ],
  [
    'DELETE /api/tokens/:id',
    'token-delete',
    async ({ admin }) => {
      const [{ id }] = await (await admin.fetch('/api/tokens')).json()
      return admin.fetch(`/api/tokens/${id}`, { method: 'DELETE' })
    },
  ],
]

/** Routes that change nothing of anybody's and hand out no content, or whose line somebody else writes. */
const WITHOUT_LINE = [
  // What all requests pass, and what the top of the server says to Windows.
  'ALL /*',
  'ALL /-/dav-root',
  // The same session goes on, which has the line of its sign-in.
  'ALL /api/renew',
  'ALL /health',
  'ALL /ready',
  // Leads to the page.
  'POST /-/page',
  // A challenge, which opens nothing before it is answered: that has the line.
  'POST /api/confirm/options',
  'POST /api/login/passkey/options',
  // Says when photographs were taken, as a listing says when they were changed.
  'POST /api/taken',
  // Names what a download will hold; the download leaves a line.
  'POST /api/selections',
  'POST /api/public/selections',
  // A job writes its own line when it is over, and a request that was refused one at once; see jobs.test.ts.
  'POST /api/jobs',
  'POST /api/jobs/:id/pause',
  'POST /api/jobs/:id/resume',
  'POST /api/jobs/:id/cancel',
  'POST /api/jobs/:id/retry',
  // A job that is over leaves the list of its owner.
  'DELETE /api/jobs/:id',
  // A line for each command; see commands.test.ts.
  'GET /api/command',
]
/** In the tests of two-step sign-in and of providers. */
const TWO_STEPS = [
  'GET /api/oidc/callback',
  'DELETE /api/oidc/identity',
  'POST /api/oidc/backchannel-logout',
  'POST /api/second-factor',
  'PUT /api/second-factor',
  'DELETE /api/second-factor',
  'POST /api/second-factor/recovery',
  'PUT /api/second-factors/:id',
  'DELETE /api/second-factors/:id',
  'POST /api/login/enrol',
  'POST /api/login/second',
]
/** In the test of passkeys. */
const BY_PASSKEY = [
  'POST /api/login/passkey',
  'POST /api/passkeys/options',
  'POST /api/passkeys',
  'PATCH /api/passkeys/:id',
  'DELETE /api/passkeys/:id',
]
/** Lists and facts: each by its name, so that a new route has to be thought about. */
const READS = [
  'static',
  'favicon.ico',
  '-/page',
  'docs/api',
  'api/openapi.json',
  'api/sessions',
  'api/second-factor',
  'api/second-factors',
  'api/confirm',
  'api/passkeys',
  'api/oidc',
  'api/oidc/login',
  'api/oidc/connect',
  'api/oidc/confirm',
  'api/oidc/identity',
  'api/users',
  'api/users/:id',
  'api/identities',
  'api/groups',
  'api/groups/:id',
  'api/folders',
  'api/access',
  'api/tokens',
  'api/audit',
  'api/history',
  'api/jobs',
  'api/jobs/:id',
  'api/events',
  'api/preferences',
  'api/settings',
  'api/resources/recursive',
  'api/tus',
  'api/uploads',
  'api/trash',
  'api/trash/usage',
  'api/usage',
  'api/shares',
  'api/share',
  'api/locks',
  'api/nodes',
  'api/search',
].map((path) => `GET /${path}`)

describe('the audit log', () => {
  it('has exactly one line for whatever changes or hands out something', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const covered = new Set([
      ...READS,
      ...TWO_STEPS,
      ...BY_PASSKEY,
      ...ACTS.map(([route]) => route),
      ...WITHOUT_LINE,
    ])
    const routes = [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))]
    expect(routes.filter((route) => !covered.has(route))).toEqual([])
    expect([...covered].filter((route) => !routes.includes(route))).toEqual([])
    for (const [route, action, ask] of ACTS) {
      let status = 0
      const lines = await linesOf(admin, async () => {
        status = (await ask({ admin, app })).status
      })
      const own = lines.filter((line) => line.action !== 'sign-in' || action === 'sign-in')
      expect([route, status < 400, own.map((line) => line.action)]).toEqual([route, true, [action]])
      expect(own[0]).toMatchObject({ result: 'ok', status, address: expect.any(String) })
    }
  })

  it('says who came how, what it was to them, and where that is', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const anna = await app.as('anna')
    const [line] = await linesOf(admin, () =>
      anna.fetch('/api/resources/docs/b.txt?action=rename&destination=/docs/c.txt', {
        method: 'PATCH',
      }),
    )
    expect(line).toMatchObject({
      user: 'anna',
      via: 'session',
      by: expect.stringMatching(/^.{8}$/),
      action: 'move',
      path: '/docs/b.txt',
      to: '/docs/c.txt',
      place: '/home/anna/docs/b.txt',
    })
  })

  it('has sign-ins that were refused, with the name that was typed', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const lines = await linesOf(admin, () =>
      app.fetch('/api/login', json('POST', { username: 'anna', password: 'wrong' })),
    )
    expect(lines).toMatchObject([
      { action: 'sign-in', user: 'anna', result: 'refused', status: 403 },
    ])
  })

  it('has wrong passwords where they are asked for again', async () => {
    await using app = await openWithUsers()
    const [admin, ben] = [await app.login('admin'), await app.login('ben')]
    const wrong = json('POST', { password: 'wrong' })
    const lines = await linesOf(admin, () => ben.fetch('/api/confirm', wrong))
    const expected = { action: 'confirm', user: 'ben', result: 'refused', status: 400 }
    expect(lines).toMatchObject([expected])
  })

  it('has no pictures of a listing, but the file that is sent in place of one', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const thumb = (name: string) =>
      linesOf(admin, () => admin.fetch(`/api/preview/thumb/home/${name}`))
    expect(await thumb('wide.png')).toEqual([])
    expect(await thumb('drawing.svg')).toMatchObject([
      { action: 'download', path: '/home/drawing.svg', result: 'ok' },
    ])
  })

  it('has wrong passwords and tokens by WebDAV, of a program that repeats itself once', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const knock = (username: string, secret: string) =>
      app.fetch('/dav/', { method: 'PROPFIND', headers: basic(username, secret) })
    const lines = await linesOf(admin, async () => {
      for (const secret of ['wrong', 'wrong', 'wrong', 'worse'])
        expect((await knock('ben', secret)).status).toBe(401)
      expect((await app.fetch('/dav/', { method: 'PROPFIND' })).status).toBe(401)
    })
    const refused = { user: 'ben', via: 'webdav', action: 'sign-in', result: 'refused' }
    expect(lines).toMatchObject([refused, refused])
    // What follows a sign-in that was right is no sign-in.
    expect(await linesOf(admin, async () => (await davAs(app))('PROPFIND', '/dav/none'))).toEqual(
      [],
    )
  })

  it('has who signs in with a passkey, and who adds, renames and removes one', async () => {
    await using app = await openApp({ users: USERS, config: { externalURL: ORIGIN } })
    const ben = await app.login('ben')
    const key = authenticator()
    const { id } = await addPasskey(ben, key)
    const address = `/api/passkeys/${id}`
    expect((await ben.fetch(address, json('PATCH', { name: 'Blue' }))).status).toBe(204)
    expect((await signInWith(app, key)).status).toBe(200)
    expect((await ben.fetch('/api/passkeys/options', json('POST', {}))).status).toBe(400)
    expect((await ben.fetch(address, json('DELETE', { current_password: PASSWORD }))).status).toBe(
      204,
    )
    expect((await signInWith(app, key)).status).toBe(403)
    const lines = await read(await app.login('admin'), 'limit=1000')
    const told = lines.map(({ action, result, user, via, target }) =>
      [action, result, user, via, target].filter(Boolean).join(' '),
    )
    expect(told.slice(1, -1).reverse()).toEqual([
      'passkey-add ok ben session Phone',
      'passkey-change ok ben session Blue',
      'sign-in ok ben passkey',
      'passkey-add refused ben session',
      'passkey-delete ok ben session Blue',
      'sign-in refused passkey',
    ])
  })

  it('has each step of a two-step sign-in, and who switches it on and off', async () => {
    await using app = await openWithUsers()
    const admin = await app.login('admin')
    const ben = await app.login('ben')
    const proof = { current_password: PASSWORD }
    const address = '/api/second-factor'
    const { secret } = await (await ben.fetch(address, json('POST', proof))).json()
    const code = new TOTP({ secret }).generate()
    const { recovery } = await (await ben.fetch(address, json('PUT', { code }))).json()
    const credentials = { username: 'ben', password: PASSWORD, code: '' }
    const { ticket } = await (await app.fetch('/api/login', json('POST', credentials))).json()
    const step = (given: string) =>
      app.fetch('/api/login/second', json('POST', { ticket, recovery: given }))
    expect((await step('wrong')).status).toBe(403)
    expect((await step(recovery[0])).status).toBe(200)
    const renewed = json('POST', { ...proof, recovery: recovery[1] })
    const codes = (await (await ben.fetch(`${address}/recovery`, renewed)).json()).recovery
    const off = json('DELETE', { ...proof, recovery: codes[0] })
    expect((await ben.fetch(address, off)).status).toBe(204)
    const required = json('PUT', { required: true, ...proof })
    expect((await admin.fetch('/api/second-factors/3', required)).status).toBe(204)
    expect((await admin.fetch('/api/second-factors/3', json('DELETE', proof))).status).toBe(404)
    const first = await (await app.fetch('/api/login', json('POST', credentials))).json()
    await app.fetch('/api/login/enrol', json('POST', { ticket: first.ticket }))
    const lines = await read(admin, 'limit=1000')
    const told = lines.map(({ action, result, user, target }) =>
      [action, result, user, ...(target ? [target] : [])].join(' '),
    )
    expect(told.slice(0, -2).reverse()).toEqual([
      'second-factor-on ok ben',
      'password-accepted ok ben',
      'sign-in refused ben',
      'sign-in ok ben',
      'recovery-codes ok ben',
      'second-factor-off ok ben',
      'user-change ok admin ben',
      'second-factor-off failed admin ben',
      'password-accepted ok ben',
    ])
  })

  it('has what an account may not do, and nothing of those without one', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const ben = await app.as('ben')
    const refused = await linesOf(admin, () => ben.fetch('/api/settings', json('PUT', {})))
    expect(refused).toMatchObject([{ user: 'ben', action: 'settings', result: 'refused' }])
    const stranger = () => app.fetch('/api/resources/c.txt', { method: 'DELETE' })
    expect(await linesOf(admin, stranger)).toEqual([])
  })

  it('has what a token asks for outside of its folder, and no line for a folder that is listed', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/dir/', { method: 'POST' })
    const wanted = {
      name: 't',
      folder: '/dir',
      perm: { download: true },
      current_password: PASSWORD,
    }
    const made = await admin.fetch('/api/tokens', json('POST', wanted))
    const headers = { 'X-Auth': (await made.json()).token }
    const ask = (path: string) => app.fetch(path, { headers })
    const lines = await linesOf(admin, async () => {
      expect((await ask('/api/resources/new.txt')).status).toBe(403)
      return ask('/api/resources/dir/')
    })
    const refused = { user: 'admin', via: 'token', action: 'download', result: 'refused' }
    expect(lines).toMatchObject([{ ...refused, path: '/new.txt', status: 403 }])
  })

  it('adds up the parts of a file that are asked for within a minute', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const lines = await linesOf(admin, async () => {
      for (const range of ['bytes=0-1', 'bytes=2-3', 'bytes=4-4'])
        await admin.fetch('/api/raw/home/anna/a.txt', { headers: { Range: range } })
    })
    expect(lines).toMatchObject([{ action: 'download', status: 206, bytes: 5, times: 3 }])
  })

  it('has no line for a file that the browser has already', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const first = await admin.fetch('/api/raw/c.txt')
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    const lines = await linesOf(admin, async () => {
      expect((await admin.fetch('/api/raw/c.txt', { headers })).status).toBe(304)
    })
    expect(lines).toEqual([])
  })

  it('has wrong passwords of links, and not the question for one', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const made = await admin.fetch(
      '/api/share/home/',
      json('POST', { password: 'Quiet-Harbour-5' }),
    )
    const { hash } = await made.json()
    const ask = (password?: string) => {
      const headers = password === undefined ? {} : { 'X-SHARE-PASSWORD': password }
      return app.fetch(`/api/public/share/${hash}/`, { headers })
    }
    expect(await linesOf(admin, () => ask())).toEqual([])
    expect(await linesOf(admin, () => ask('wrong'))).toMatchObject([
      { action: 'visit', via: 'share', result: 'refused', status: 401 },
    ])
    expect(await linesOf(admin, () => ask('Quiet-Harbour-5'))).toMatchObject([{ result: 'ok' }])
  })

  it('tells a download that broke off from one that arrived', async () => {
    await using app = await startApp({ tree: { 'large.bin': Buffer.alloc(32 << 20) } })
    const admin = await app.as('admin')
    const headers = { 'X-Auth': admin.token }
    await new Promise<void>((resolve) => {
      const asked = request(`${app.origin}/api/raw/large.bin`, { headers }, (response) => {
        response.once('data', () => response.destroy())
        response.once('close', resolve)
      })
      asked.end()
    })
    await expect
      .poll(() => read(admin, 'action=download'))
      .toMatchObject([{ path: '/large.bin', result: 'broken', status: 200 }])
    const [line] = await read(admin, 'action=download')
    expect(line?.bytes).toBeLessThan(32 << 20)
  })

  it('is for administrators; visits to a link are for whoever made it', async () => {
    await using app = await openWithUsers()
    const anna = await app.as('anna')
    const ben = await app.as('ben')
    const { hash } = await (await anna.fetch('/api/share/docs/', json('POST', {}))).json()
    await app.fetch(`/api/public/share/${hash}/`)
    await app.fetch(`/api/public/dl/${hash}/b.txt`)
    expect((await anna.fetch('/api/audit')).status).toBe(403)
    expect((await anna.fetch('/api/audit/export')).status).toBe(403)
    expect((await ben.fetch(`/api/audit?share=${hash}`)).status).toBe(403)
    const lines = await read(anna, `share=${hash}`)
    expect(lines.map(({ action }) => action).sort()).toEqual(['download', 'visit'])
    expect(lines.find(({ action }) => action === 'download')).toMatchObject({
      path: '/b.txt',
      place: '/home/anna/docs/b.txt',
      via: 'share',
    })
  })

  it('holds nothing that opens anything', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    const { hash } = await (await admin.fetch('/api/share/home/', json('POST', {}))).json()
    await app.fetch(`/api/public/share/${hash}/`)
    const body = { name: 'x', current_password: PASSWORD }
    const { token } = await (await admin.fetch('/api/tokens', json('POST', body))).json()
    await app.fetch('/api/resources/home/', { headers: { 'X-Auth': token } })
    await read(admin)
    const text = await readFile(`${app.store.file}.audit.jsonl`, 'utf8')
    const [session] = await (await admin.fetch('/api/sessions')).json()
    for (const secret of [hash, token, PASSWORD, session.id, admin.token])
      expect(text).not.toContain(secret)
  })

  it('is exported for programs and for spreadsheets, where no name is a formula', async () => {
    await using app = await openWithUsers()
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/=1+1,"x".txt', { method: 'POST', body: 'x' })
    const csv = await (await admin.fetch('/api/audit/export?format=csv')).text()
    const [head, ...rows] = csv.trimEnd().split('\r\n')
    expect(head).toMatch(/^\ufeff?time,user,via,by,address,action,path/)
    expect(rows.at(-1)).toContain('upload,"/=1+1,""x"".txt",')
    const jsonl = await (await admin.fetch('/api/audit/export?action=upload')).text()
    expect(
      jsonl
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ action: 'upload', user: 'admin' }])
    expect((await admin.fetch('/api/audit/export?format=xml')).status).toBe(400)
  })

  it('is in no file where it is off', async () => {
    await using app = await openApp({ tree: TREE, config: { audit: 'off' } })
    const admin = await app.as('admin')
    expect(await (await admin.fetch('/api/audit')).json()).toEqual({
      lines: [],
      next: null,
      target: 'off',
    })
    expect((await admin.fetch('/api/audit/export')).status).toBe(404)
    expect(existsSync(`${app.store.file}.audit.jsonl`)).toBe(false)
  })

  it('stops no request when it cannot be written, and says so once', async () => {
    await using app = await openWithUsers()
    const file = `${app.store.file}.audit.jsonl`
    await mkdir(file)
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/resources/1.txt', { method: 'POST', body: '1' })).status).toBe(
      200,
    )
    await admin.fetch('/api/audit').catch(() => {})
    expect(app.log.filter((line) => line.includes('audit log cannot be written'))).toHaveLength(1)
    await rm(file, { recursive: true })
    await admin.fetch('/api/resources/2.txt', { method: 'POST', body: '2' })
    expect((await read(admin)).some(({ action }) => action === 'lines-lost')).toBe(true)
    expect(await readdir(dirname(file))).toContain('filebrowser.db.audit.jsonl')
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['action=fly', 'action'],
    ['result=good', 'result'],
    ['from=yesterday', 'from'],
    ['before=x', 'before'],
  ])('refuses %s', async (query, name) => {
    await using app = await openWithUsers()
    const response = await (await app.as('admin')).fetch(`/api/audit?${query}`)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(name)
  })
})
