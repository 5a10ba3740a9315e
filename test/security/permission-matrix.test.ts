// Every door of the interface against every permission bit (CVE-2026-29188, CVE-2026-32761,
// CVE-2026-35606, GHSA-7whw-q6gh-xr59): a right that is missing closes exactly its doors, and a
// person who may not download gets no content by any of them.
import { describe, expect, it } from 'vitest'
import type { Permissions } from '../../src/api-types.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { startApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

const CANARY = 'canary-content-of-the-file'
const TUS = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }

interface Door {
  name: string
  needs: (keyof Permissions)[]
  denied: number
  /** Status with every right. */
  open: number
  go(user: SignedIn): Promise<Response>
}

const get = (path: string) => (user: SignedIn) => user.fetch(path)
const send =
  (method: string, path: string, body = 'x', headers: Record<string, string> = {}) =>
  (user: SignedIn) =>
    user.fetch(path, { method, body, headers })

const DOORS: Door[] = [
  { name: 'raw file', needs: ['download'], denied: 202, open: 200, go: get('/api/raw/a.txt') },
  {
    name: 'raw inline',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/raw/a.txt?inline=true'),
  },
  { name: 'archive', needs: ['download'], denied: 202, open: 200, go: get('/api/raw/?algo=tar') },
  {
    name: 'archive of a selection',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/raw/?files=a.txt&algo=zip'),
  },
  {
    name: 'checksum',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/resources/a.txt?checksum=sha256'),
  },
  {
    name: 'bytes through X-Encoding',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: (user) => user.fetch('/api/resources/a.txt', { headers: { 'X-Encoding': 'true' } }),
  },
  {
    name: 'preview',
    needs: ['download'],
    denied: 202,
    open: 501,
    go: get('/api/preview/thumb/a.txt'),
  },
  { name: 'subtitle', needs: ['download'], denied: 202, open: 200, go: get('/api/subtitle/a.srt') },
  {
    name: 'create a file',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/resources/new.txt'),
  },
  {
    name: 'create a folder',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/resources/new/'),
  },
  {
    name: 'overwrite',
    needs: ['create', 'modify'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/resources/over.txt?override=true'),
  },
  {
    name: 'save',
    needs: ['modify'],
    denied: 403,
    open: 200,
    go: send('PUT', '/api/resources/edit.txt'),
  },
  {
    name: 'delete',
    needs: ['delete'],
    denied: 403,
    open: 204,
    go: send('DELETE', '/api/resources/del.txt', ''),
  },
  {
    name: 'copy',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: send('PATCH', '/api/resources/a.txt?action=copy&destination=/copy.txt'),
  },
  {
    name: 'copy over',
    needs: ['create', 'modify'],
    denied: 403,
    open: 200,
    go: send('PATCH', '/api/resources/a.txt?action=copy&destination=/over.txt&override=true'),
  },
  {
    name: 'rename',
    needs: ['rename'],
    denied: 403,
    open: 200,
    go: send('PATCH', '/api/resources/move.txt?action=rename&destination=/moved.txt'),
  },
  {
    name: 'rename over',
    needs: ['rename', 'modify'],
    denied: 403,
    open: 200,
    go: send(
      'PATCH',
      '/api/resources/move2.txt?action=rename&destination=/over2.txt&override=true',
    ),
  },
  {
    name: 'begin a resumable upload',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/tus/t.bin', '', { 'Upload-Length': '2' }),
  },
  {
    name: 'begin one over a file',
    needs: ['create', 'modify'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/tus/over3.txt?override=true', '', { 'Upload-Length': '2' }),
  },
  {
    name: 'go on with one',
    needs: ['create'],
    denied: 403,
    open: 404,
    go: send('PATCH', '/api/tus/none.bin', 'ab', TUS),
  },
  {
    name: 'ask for its state',
    needs: ['create'],
    denied: 403,
    open: 404,
    go: (user) => user.fetch('/api/tus/none.bin', { method: 'HEAD' }),
  },
  {
    name: 'cancel one',
    needs: ['delete'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/tus/none.bin', ''),
  },
  {
    name: 'list shares',
    needs: ['share', 'download'],
    denied: 403,
    open: 200,
    go: get('/api/shares'),
  },
  {
    name: 'shares of a path',
    needs: ['share', 'download'],
    denied: 403,
    open: 200,
    go: get('/api/share/a.txt'),
  },
  {
    name: 'share',
    needs: ['share', 'download'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/share/a.txt', '{}'),
  },
  {
    name: 'end a share',
    needs: ['share', 'download'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/share/none', ''),
  },
  { name: 'list accounts', needs: ['admin'], denied: 403, open: 200, go: get('/api/users') },
  {
    name: 'create an account',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('POST', '/api/users', '{}'),
  },
  { name: 'read settings', needs: ['admin'], denied: 403, open: 200, go: get('/api/settings') },
  {
    name: 'change settings',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('PUT', '/api/settings', ''),
  },
  {
    name: 'all sessions',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/sessions?all=true'),
  },
  { name: 'listing', needs: [], denied: 0, open: 200, go: get('/api/resources/') },
  { name: 'info', needs: [], denied: 0, open: 200, go: get('/api/resources/a.txt') },
  {
    name: 'everything below',
    needs: [],
    denied: 0,
    open: 200,
    go: get('/api/resources/recursive/'),
  },
  { name: 'search', needs: [], denied: 0, open: 200, go: get('/api/search/?query=a') },
  { name: 'usage', needs: [], denied: 0, open: 200, go: get('/api/usage/') },
]

const FILES = Object.fromEntries(
  ['a', 'over', 'over2', 'over3', 'edit', 'del', 'move', 'move2'].map((name) => [
    `${name}.txt`,
    CANARY,
  ]),
)
const tree = { ...FILES, 'a.srt': `1\n00:00:01,000 --> 00:00:02,000\n${CANARY}\n` }
const full: Permissions = { ...defaultPermissions(), admin: true }

describe.each(Object.keys(full) as (keyof Permissions)[])('without the right to %s', (bit) => {
  it('its doors are closed and all others open', async () => {
    await using app = await startApp({
      tree,
      users: [{ username: 'subject', perm: { ...full, [bit]: false } }],
    })
    const subject = await app.as('subject')
    for (const door of DOORS) {
      const response = await door.go(subject)
      const expected = door.needs.includes(bit) ? door.denied : door.open
      expect(response.status, door.name).toBe(expected)
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
      if (bit === 'download') expect(body, door.name).not.toContain(CANARY)
    }
  })
})

it('opens nothing at all without a session', async () => {
  await using app = await startApp({ tree })
  const nobody = { token: '', cookie: '', fetch: app.fetch } as SignedIn
  for (const door of DOORS) {
    const response = await door.go(nobody)
    expect(response.status, door.name).toBe(401)
  }
})
