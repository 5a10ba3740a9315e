import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type {
  AccountVerdicts,
  FolderAccess,
  FolderList,
  FolderRecord,
  GrantRecord,
} from '../../src/access-types.ts'
import type { FileInfo, RecursiveEntry } from '../../src/api-types.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { FOLDERS } from '../../src/store/collections.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

const TREE = {
  'pub/a.txt': 'content of a',
  'pub/team/b.txt': 'content of b',
  'pub/team/deep/c.txt': 'content of c',
  'pub/hidden-canary/d-canary.txt': 'content of d',
  'own/e.txt': 'content of e',
}

/** `admin` is 1, `anna` 2, `ben` 3. */
async function open(records: Partial<FolderRecord>[] = [], tree: Record<string, string> = TREE) {
  const app = await openApp({ tree, users: [{ username: 'anna' }, { username: 'ben' }] })
  for (const record of records) expect((await put(app, record)).status).toBe(200)
  return app
}

async function put(app: OpenedApp, record: object): Promise<Response> {
  const admin = await app.as('admin')
  const body = JSON.stringify({ ...record, current_password: PASSWORD })
  return admin.fetch('/api/folders', { method: 'PUT', body })
}

const everyone = (said: Omit<GrantRecord, 'who'>): GrantRecord => ({ who: 'everyone', ...said })
const anna = (said: Omit<GrantRecord, 'who'>): GrantRecord => ({ who: 'user:2', ...said })

/** Nobody changes anything in /pub but Anna. */
const READ_ONLY: Partial<FolderRecord> = {
  place: '/pub',
  grants: [
    everyone({ create: false, modify: false, rename: false, delete: false }),
    anna({ create: true, modify: true, rename: true, delete: true }),
  ],
}
/** Ben sees nothing of /pub but /pub/team/deep. */
const WAY: Partial<FolderRecord>[] = [
  { place: '/pub', grants: [{ who: 'user:3', see: false }] },
  { place: '/pub/team/deep', grants: [{ who: 'user:3', see: true }] },
]

async function statusOf(user: SignedIn, method: string, path: string, body?: string) {
  const headers = { 'Upload-Length': '3' }
  const response = await user.fetch(path, { method, headers, ...(body !== undefined && { body }) })
  await response.arrayBuffer()
  return response.status
}

async function folderOf(user: SignedIn, path: string): Promise<FileInfo> {
  const response = await user.fetch(`/api/resources${path}`)
  expect(response.status).toBe(200)
  return response.json()
}

const CHANGES: [method: string, path: string, body?: string][] = [
  ['POST', '/api/resources/pub/new.txt', 'x'],
  ['POST', '/api/resources/pub/new/'],
  ['POST', '/api/resources/pub/a.txt?override=true', 'x'],
  ['PUT', '/api/resources/pub/a.txt', 'x'],
  ['POST', '/api/tus/pub/up.txt'],
  ['PATCH', '/api/resources/pub/a.txt?action=rename&destination=/pub/z.txt'],
  ['PATCH', '/api/resources/pub/z.txt?action=copy&destination=/pub/copy.txt'],
  ['PATCH', '/api/resources/pub/z.txt?action=rename&destination=/own/z.txt'],
  ['PATCH', '/api/resources/own/e.txt?action=copy&destination=/pub/e.txt'],
  ['DELETE', '/api/resources/pub/team'],
]

describe('a folder that is read-only for all but one', () => {
  it('takes every change from that one', async () => {
    await using app = await open([READ_ONLY])
    const user = await app.as('anna')
    for (const [method, path, body] of CHANGES)
      expect({ path, status: await statusOf(user, method, path, body) }).toEqual({
        path,
        status: expect.toBeOneOf([200, 201, 204]),
      })
  })

  it('refuses every change of others, and stays as it is', async () => {
    await using app = await open([READ_ONLY])
    const user = await app.as('ben')
    for (const [method, path, body] of CHANGES)
      expect({ path, status: await statusOf(user, method, path, body) }).toEqual({
        path,
        status: 403,
      })
    expect(await readFile(app.tree.at('pub/a.txt'), 'utf8')).toBe('content of a')
    expect((await readdir(app.tree.at('pub'))).sort()).toEqual(['a.txt', 'hidden-canary', 'team'])
  })

  it('lets others read it, and tells them what they may do', async () => {
    await using app = await open([READ_ONLY])
    const folder = await folderOf(await app.as('ben'), '/pub')
    expect(folder.items).toHaveLength(3)
    expect(folder.rights).toEqual({
      download: true,
      create: false,
      modify: false,
      rename: false,
      delete: false,
      share: true,
    })
  })
})

describe('a folder that is not seen', () => {
  it('answers as if all of it were denied, whether or not something is there', async () => {
    await using app = await open([
      { place: '/pub/hidden-canary', grants: [{ who: 'user:3', see: false }] },
    ])
    const user = await app.as('ben')
    const answers = ['d-canary.txt', 'none'].map(async (name) => {
      const statuses: number[] = []
      for (const [method, path] of [
        ['GET', `/api/resources/pub/hidden-canary/${name}`],
        ['GET', `/api/raw/pub/hidden-canary/${name}`],
        ['GET', `/api/preview/thumb/pub/hidden-canary/${name}`],
        ['GET', `/api/subtitle/pub/hidden-canary/${name}`],
        ['GET', `/api/usage/pub/hidden-canary/${name}`],
        ['POST', `/api/resources/pub/hidden-canary/${name}`],
        ['PUT', `/api/resources/pub/hidden-canary/${name}`],
        ['POST', `/api/tus/pub/hidden-canary/${name}`],
        ['POST', `/api/share/pub/hidden-canary/${name}`],
        ['DELETE', `/api/resources/pub/hidden-canary/${name}`],
        ['PATCH', `/api/resources/pub/a.txt?action=copy&destination=/pub/hidden-canary/${name}`],
        ['PATCH', `/api/resources/pub/hidden-canary/${name}?action=copy&destination=/own/x`],
      ] as const)
        statuses.push(await statusOf(user, method, path, method === 'GET' ? undefined : '{}'))
      return statuses
    })
    for (const statuses of await Promise.all(answers))
      expect(new Set(statuses)).toEqual(new Set([403]))
  })

  it('leaves no name of it in any answer', async () => {
    await using app = await open([
      { place: '/pub/hidden-canary', grants: [{ who: 'user:3', see: false }] },
    ])
    await symlink('hidden-canary', app.tree.at('pub/link'))
    await symlink('hidden-canary/d-canary.txt', app.tree.at('pub/link.txt'))
    const user = await app.as('ben')
    for (const [method, path] of [
      ['GET', '/api/resources/'],
      ['GET', '/api/resources/pub'],
      ['GET', '/api/resources/pub/link'],
      ['GET', '/api/resources/pub/link.txt'],
      ['GET', '/api/resources/recursive/'],
      ['GET', '/api/search/?query=&details=true'],
      ['GET', '/api/search/pub?query=canary'],
      ['GET', '/api/search/pub/link?query='],
      ['GET', '/api/raw/?algo=tar'],
      ['GET', '/api/raw/pub?algo=tar&files=link,link.txt,hidden%252Dcanary,a.txt'],
      ['GET', '/api/raw/pub/link.txt'],
      ['GET', '/api/uploads'],
      ['DELETE', '/api/resources/pub'],
      ['PATCH', '/api/resources/pub?action=copy&destination=/copy'],
      ['PATCH', '/api/resources/pub/link?action=copy&destination=/copy'],
    ] as const) {
      const response = await user.fetch(path, { method })
      const text = JSON.stringify([...response.headers]) + (await response.text())
      expect({ path, leaks: /canary|content of d/.test(text) }).toEqual({ path, leaks: false })
    }
    expect(await readdir(app.tree.root)).not.toContain('copy')
  })

  it('does not hide anything from others', async () => {
    await using app = await open([
      { place: '/pub/hidden-canary', grants: [{ who: 'user:3', see: false }] },
    ])
    const folder = await folderOf(await app.as('anna'), '/pub')
    expect(folder.items?.map(({ name }) => name)).toContain('hidden-canary')
    expect(folder).not.toHaveProperty('rights')
  })
})

describe('the way to a folder that is seen', () => {
  it('shows its name and nothing else', async () => {
    await using app = await open(WAY)
    const user = await app.as('ben')
    const top = await folderOf(user, '/')
    const pub = top.items?.find(({ name }) => name === 'pub')
    expect(pub).toMatchObject({ size: 0, isDir: true, modified: '1970-01-01T00:00:00Z' })
    const folder = await folderOf(user, '/pub')
    expect(folder.items?.map(({ name }) => name)).toEqual(['team'])
    expect(folder).toMatchObject({ size: 0, modified: '1970-01-01T00:00:00Z' })
    expect(Object.values(folder.rights ?? {})).toEqual(Array(6).fill(false))
    expect((await folderOf(user, '/pub/team')).items?.map(({ name }) => name)).toEqual(['deep'])
    expect(await (await user.fetch('/api/raw/pub/team/deep/c.txt')).text()).toBe('content of c')
  })

  it('is no door to anything beside it', async () => {
    await using app = await open(WAY)
    const user = await app.as('ben')
    for (const [method, path] of [
      ['GET', '/api/resources/pub/a.txt'],
      ['GET', '/api/raw/pub'],
      ['GET', '/api/usage/pub'],
      ['POST', '/api/resources/pub/x'],
      ['POST', '/api/share/pub'],
      ['DELETE', '/api/resources/pub'],
      ['PATCH', '/api/resources/pub?action=rename&destination=/x'],
    ] as const)
      expect({
        path,
        status: await statusOf(user, method, path, method === 'GET' ? undefined : '{}'),
      }).toEqual({ path, status: 403 })
  })

  it('is found by no search and stands in no recursive listing', async () => {
    await using app = await open(WAY)
    const user = await app.as('ben')
    const hits = await (await user.fetch('/api/search/?query=')).text()
    const all: RecursiveEntry[] = await (await user.fetch('/api/resources/recursive/')).json()
    const paths = ['/own', '/own/e.txt', '/pub/team/deep', '/pub/team/deep/c.txt']
    expect(all.map(({ path }) => path)).toEqual(paths)
    expect(
      hits
        .trim()
        .split('\n')
        .map((line) => `/${JSON.parse(line).path}`),
    ).toEqual(paths)
  })
})

describe('content that may not be downloaded', () => {
  const RECORD = { place: '/pub/team', grants: [{ who: 'user:3', download: false }] }

  it('is refused at every door, before anything is said of it', async () => {
    await using app = await open([RECORD])
    await symlink('team/b.txt', app.tree.at('pub/link.txt'))
    const user = await app.as('ben')
    for (const path of [
      '/api/raw/pub/team/b.txt',
      '/api/raw/pub/team',
      '/api/raw/pub/link.txt',
      '/api/preview/thumb/pub/team/b.txt',
      '/api/subtitle/pub/team/b.srt',
      '/api/resources/pub/team/b.txt?checksum=sha256',
      '/api/resources/pub/link.txt?checksum=sha256',
    ]) {
      const response = await user.fetch(path, { headers: { 'If-None-Match': '*' } })
      expect({ path, status: response.status }).toEqual({ path, status: 202 })
      expect(response.headers.get('ETag')).toBeNull()
      expect(await response.text()).not.toContain('content of')
    }
    for (const path of ['/pub/team/b.txt', '/pub/link.txt'])
      expect(await folderOf(user, path)).not.toHaveProperty('content')
  })

  it('is left out of archives', async () => {
    await using app = await open([RECORD])
    const archive = await (await (await app.as('ben')).fetch('/api/raw/pub?algo=tar')).text()
    expect(archive).toContain('content of a')
    expect(archive).not.toMatch(/content of [bc]|team/)
  })

  it('is neither copied nor moved to where it may be', async () => {
    await using app = await open([RECORD])
    await symlink('team/b.txt', app.tree.at('pub/link.txt'))
    const user = await app.as('ben')
    for (const [source, action] of [
      ['/pub/team/b.txt', 'copy'],
      ['/pub/team/b.txt', 'rename'],
      ['/pub/team', 'rename'],
      ['/pub', 'copy'],
      ['/pub/link.txt', 'copy'],
    ] as const) {
      const path = `/api/resources${source}?action=${action}&destination=/own/taken`
      expect({ path, status: await statusOf(user, 'PATCH', path) }).toEqual({ path, status: 403 })
    }
    expect(await readdir(app.tree.at('own'))).toEqual(['e.txt'])
  })
})

it('a folder behind a link is not copied by who may not download it, also while it is empty', async () => {
  await using app = await open([
    { place: '/pub/team/deep', grants: [{ who: 'user:3', download: false }] },
  ])
  await symlink('../pub/team', app.tree.at('own/link'))
  const path = '/api/resources/own/link?action=copy&destination=/own/taken'
  expect(await statusOf(await app.as('ben'), 'PATCH', path)).not.toBe(200)
  expect(await readdir(app.tree.at('own/taken'))).toEqual(['b.txt'])
})

it.each([
  ['what lies behind it', '/own/link', ['/own/link', '/own/link/team']],
  ['a link in it', '/own', ['/own/link', '/own/link/team', '/own']],
])('a job that copies %s names nothing that is not seen', async (_, item, told) => {
  await using app = await open([
    { place: '/pub/hidden-canary', grants: [{ who: 'user:3', see: false }] },
    { place: '/pub/team/deep', grants: [{ who: 'user:3', see: false }] },
    { place: '/pub/team/b.txt', grants: [{ who: 'user:3', see: false }] },
  ])
  await symlink('../pub', app.tree.at('own/link'))
  await symlink('../pub/hidden-canary', app.tree.at('own/canary'))
  await mkdir(app.tree.at('to'))
  const job = { kind: 'copy', items: [item], to: '/to' }
  const init = { method: 'POST', body: JSON.stringify(job) }
  const answer = await (await (await app.as('ben')).fetch('/api/jobs?wait=20', init)).json()
  expect(answer.errors.map(({ path }: { path: string }) => path).sort()).toEqual(told.sort())
})

describe('a path that goes through a link', () => {
  const BEHIND = [
    { place: '/pub/team', grants: [{ who: 'user:3', download: false }] },
    { place: '/pub/team/deep', grants: [{ who: 'user:3', delete: false }] },
    { place: '/pub/new/deep', grants: [{ who: 'user:3', create: false }] },
    { place: '/pub/empty', grants: [{ who: 'user:3', download: false }] },
  ]
  const PUB = ['a.txt', 'empty', 'hidden-canary', 'team']
  it.each([
    ['PATCH', '/own/link/team?action=copy&destination=/own/taken'],
    ['PATCH', '/own/link/empty?action=copy&destination=/own/taken'],
    ['PATCH', '/own/link/team?action=rename&destination=/own/taken'],
    ['PATCH', '/own/tree?action=copy&destination=/own/link/new'],
    ['DELETE', '/own/link/team'],
  ])('is judged by where it leads, with all below: %s %s', async (method, path) => {
    await using app = await open(BEHIND)
    await symlink('../pub', app.tree.at('own/link'))
    await mkdir(app.tree.at('pub/empty'))
    await mkdir(app.tree.at('own/tree/deep'), { recursive: true })
    expect(await statusOf(await app.as('ben'), method, `/api/resources${path}`)).toBe(403)
    expect((await readdir(app.tree.at('own'))).sort()).toEqual(['e.txt', 'link', 'tree'])
    expect((await readdir(app.tree.at('pub'))).sort()).toEqual(PUB)
    expect(await readdir(app.tree.at('pub/team/deep'))).toEqual(['c.txt'])
  })
})

it('a file behind a link is replaced by who may modify it there, too', async () => {
  await using app = await open([{ place: '/pub', grants: [anna({ modify: false })] }])
  await symlink('../pub', app.tree.at('own/link'))
  const user = await app.as('anna')
  const file = 'own/link/a.txt?override=true'
  for (const door of ['resources', 'tus'])
    expect(await statusOf(user, 'POST', `/api/${door}/${file}`, 'x')).toBe(403)
  expect(await readFile(app.tree.at('pub/a.txt'), 'utf8')).toBe('content of a')
})

describe('a right that is given in one folder alone', () => {
  it('is enough there', async () => {
    await using app = await openApp({
      tree: TREE,
      users: [
        {
          username: 'anna',
          perm: { ...defaultPermissions(), create: false, download: false, share: false },
        },
      ],
    })
    await put(app, { place: '/pub', grants: [anna({ create: true, download: true, share: true })] })
    const user = await app.as('anna')
    expect(await statusOf(user, 'POST', '/api/resources/pub/new.txt', 'x')).toBe(200)
    expect(await statusOf(user, 'POST', '/api/resources/own/new.txt', 'x')).toBe(403)
    expect(await statusOf(user, 'GET', '/api/raw/pub/a.txt')).toBe(200)
    expect(await statusOf(user, 'GET', '/api/raw/own/e.txt')).toBe(202)
    expect(await statusOf(user, 'POST', '/api/share/pub/a.txt', '{}')).toBe(200)
    expect(await statusOf(user, 'POST', '/api/share/own/e.txt', '{}')).toBe(403)
    expect(await statusOf(user, 'GET', '/api/shares')).toBe(200)
  })

  it('to share is told by the token, from the next request on', async () => {
    await using app = await openApp({
      tree: TREE,
      users: [
        { username: 'anna', perm: { ...defaultPermissions(), share: false } },
        { username: 'ben', perm: { ...defaultPermissions(), share: true } },
      ],
    })
    const [toldAnna, toldBen] = await Promise.all(
      ['anna', 'ben'].map(async (name) => {
        const user = await app.as(name)
        return async () => {
          const renewed = await user.fetch('/api/renew', { method: 'POST' })
          const claims = JSON.parse(atob((await renewed.text()).split('.')[1] ?? ''))
          const listed = await user.fetch('/api/shares')
          return [claims.user.mayShare, listed.status]
        }
      }),
    )
    expect([await toldAnna?.(), await toldBen?.()]).toEqual([
      [undefined, 403],
      [undefined, 200],
    ])
    await put(app, { place: '/', grants: [{ who: 'user:3', share: false }] })
    await put(app, { place: '/pub', grants: [anna({ share: true })] })
    expect([await toldAnna?.(), await toldBen?.()]).toEqual([
      [true, 200],
      [false, 403],
    ])
  })

  it('to share is a reason to renew tokens of those of whom the record speaks', async () => {
    await using app = await open()
    const [user, other] = [await app.login('anna'), await app.login('ben')]
    let share = false
    // Tokens tell the second in which they were made, and a record that stays as it is changes nothing.
    await expect
      .poll(async () => {
        share = !share
        await put(app, { place: '/pub', grants: [anna({ share })] })
        return (await user.fetch('/api/resources/')).headers.get('X-Renew-Token')
      })
      .toBe('true')
    expect((await other.fetch('/api/resources/')).headers.get('X-Renew-Token')).toBeNull()
  })

  it('is no right of a token that has not got it', async () => {
    await using app = await open([{ place: '/pub', grants: [anna({ delete: true })] }])
    const user = await app.as('anna')
    const perm = { ...defaultPermissions(), execute: false, delete: false }
    const body = JSON.stringify({ name: 't', perm, current_password: PASSWORD })
    const { token } = await (await user.fetch('/api/tokens', { method: 'POST', body })).json()
    const ask = (method: string, path: string) =>
      app.fetch(path, { method, headers: { 'X-Auth': token } })
    expect((await ask('DELETE', '/api/resources/pub/a.txt')).status).toBe(403)
    expect((await ask('GET', '/api/raw/pub/a.txt')).status).toBe(200)
  })
})

describe('the visitor of a share', () => {
  const visit = async (app: OpenedApp, path: string) => {
    const response = await app.fetch(path)
    return { status: response.status, text: await response.text() }
  }

  it('gets what the owner may share and download now, and learns of nothing else', async () => {
    await using app = await open()
    const user = await app.as('anna')
    const { hash } = await (
      await user.fetch('/api/share/pub/', { method: 'POST', body: '{}' })
    ).json()
    expect((await visit(app, `/api/public/share/${hash}`)).text).toContain('hidden-canary')
    await put(app, { place: '/pub/hidden-canary', grants: [anna({ share: false })] })
    for (const path of ['share', 'dl']) {
      const found = await visit(app, `/api/public/${path}/${hash}`)
      expect(found.status).toBe(200)
      expect(found.text).not.toMatch(/canary|content of d/)
      expect((await visit(app, `/api/public/${path}/${hash}/hidden-canary`)).status).toBe(403)
    }
  })

  it('is shown no way, so that an archive holds what the listings lead to', async () => {
    await using app = await open()
    const user = await app.as('anna')
    const { hash } = await (
      await user.fetch('/api/share/pub/', { method: 'POST', body: '{}' })
    ).json()
    await put(app, { place: '/pub/hidden-canary', grants: [anna({ see: false })] })
    await app.tree.add({ 'pub/hidden-canary/inner/given.txt': 'given to the owner' })
    await put(app, { place: '/pub/hidden-canary/inner', grants: [anna({ see: true })] })
    const own = await (await user.fetch('/api/raw/pub/?algo=tar')).text()
    expect(own).toContain('given to the owner')
    for (const path of [`share/${hash}`, `dl/${hash}?algo=tar`]) {
      const found = await visit(app, `/api/public/${path}`)
      expect(found.status).toBe(200)
      expect(found.text).not.toMatch(/canary|given/)
    }
  })

  it('gets nothing once the owner may not share the place', async () => {
    await using app = await open()
    const user = await app.as('anna')
    const { hash } = await (
      await user.fetch('/api/share/pub/', { method: 'POST', body: '{}' })
    ).json()
    await put(app, { place: '/', grants: [everyone({ share: false })] })
    expect((await visit(app, `/api/public/dl/${hash}/a.txt`)).status).toBe(403)
  })
})

describe('a move', () => {
  const LIMITED = {
    place: '/pub/team',
    grants: [{ who: 'user:3', rename: true, delete: false, modify: false }],
  }

  it('within one record needs the right to rename alone', async () => {
    await using app = await open([LIMITED])
    const path = '/api/resources/pub/team/b.txt?action=rename&destination=/pub/team/deep/b.txt'
    expect(await statusOf(await app.as('ben'), 'PATCH', path)).toBe(200)
  })

  it('out of it needs the right to delete', async () => {
    await using app = await open([LIMITED])
    const path = '/api/resources/pub/team/b.txt?action=rename&destination=/own/b.txt'
    expect(await statusOf(await app.as('ben'), 'PATCH', path)).toBe(403)
  })

  it('through a link is one out of where the link leads', async () => {
    await using app = await open([LIMITED])
    await symlink('../pub/team', app.tree.at('own/link'))
    const path = '/api/resources/own/link/b.txt?action=rename&destination=/own/b.txt'
    expect(await statusOf(await app.as('ben'), 'PATCH', path)).toBe(403)
  })

  it('takes a folder only where all it holds may go along', async () => {
    await using app = await open([{ ...LIMITED, place: '/pub/team/deep' }])
    const path = '/api/resources/pub/team?action=rename&destination=/own/team'
    await put(app, { place: '/own', grants: [{ who: 'user:3', create: true }] })
    expect(await statusOf(await app.as('ben'), 'PATCH', path)).toBe(403)
    expect(await statusOf(await app.as('anna'), 'PATCH', path)).toBe(200)
  })
})

describe('a deletion', () => {
  it('of a link is asked for where it lies, whether or not there are rules', async () => {
    const rule = { regex: false, regexp: null, allow: false, path: '/nothing' }
    await using app = await openApp({
      tree: TREE,
      users: [{ username: 'anna' }, { username: 'ben', rules: [rule] }],
    })
    await put(app, { place: '/pub', grants: [everyone({ delete: false, rename: false })] })
    for (const name of ['anna', 'ben']) {
      await symlink('../pub', app.tree.at(`own/${name}`))
      const user = await app.as(name)
      const path = `/api/resources/own/${name}`
      const renamed = `${path}?action=rename&destination=/own/new`
      expect(await statusOf(user, 'PATCH', renamed)).toBe(200)
      expect(await statusOf(user, 'DELETE', '/api/resources/own/new')).toBe(204)
    }
    expect(await readdir(app.tree.at('pub'))).toHaveLength(3)
  })

  it('is refused where something below may not be deleted', async () => {
    await using app = await open([
      { place: '/pub/team/deep', grants: [everyone({ delete: false })] },
    ])
    const user = await app.as('anna')
    expect(await statusOf(user, 'DELETE', '/api/resources/pub')).toBe(403)
    expect(await statusOf(user, 'DELETE', '/api/resources/pub/team/b.txt')).toBe(204)
  })
})

describe('the record of a folder', () => {
  it('holds from the next request on', async () => {
    await using app = await open()
    const user = await app.as('ben')
    expect(await statusOf(user, 'GET', '/api/raw/pub/a.txt')).toBe(200)
    await put(app, { place: '/pub', grants: [everyone({ download: false })] })
    expect(await statusOf(user, 'GET', '/api/raw/pub/a.txt')).toBe(202)
  })

  it('holds where the home of an account begins', async () => {
    await using app = await openApp({
      tree: TREE,
      users: [{ username: 'anna', scope: '/pub/team' }],
    })
    await put(app, { place: '/pub', grants: [anna({ delete: false })] })
    const user = await app.as('anna')
    expect((await folderOf(user, '/')).rights?.delete).toBe(false)
    expect(await statusOf(user, 'DELETE', '/api/resources/b.txt')).toBe(403)
  })

  it('holds where a home that is a link leads', async () => {
    await using app = await openApp({ tree: TREE, users: [{ username: 'anna', scope: '/home' }] })
    await symlink('pub/team', app.tree.at('home'))
    await put(app, { place: '/pub/team', grants: [anna({ delete: false })] })
    expect(await statusOf(await app.as('anna'), 'DELETE', '/api/resources/b.txt')).toBe(403)
  })

  it('is listed with the places that are missing, and removed', async () => {
    await using app = await open([
      READ_ONLY,
      { place: '/nowhere', grants: [everyone({ see: false })] },
    ])
    const admin = await app.as('admin')
    const { items }: FolderList = await (await admin.fetch('/api/folders')).json()
    expect(items.map(({ place, isMissing }) => [place, isMissing])).toEqual([
      ['/pub', undefined],
      ['/nowhere', true],
    ])
    const body = JSON.stringify({ current_password: PASSWORD })
    const remove = () => admin.fetch('/api/folders?place=/nowhere', { method: 'DELETE', body })
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404])
  })

  it('is stored in its canonical spelling', async () => {
    await using app = await open()
    const record = await (await put(app, { place: '/pub//x/../team/', quota: 5 })).json()
    expect(record).toEqual({ place: '/pub/team', as: '', quota: 5, grants: [] })
  })

  it.each([
    ['no place', { grants: [everyone({ see: true })] }],
    ['an unknown root', { place: 'photos:/x', grants: [everyone({ see: true })] }],
    ['no path', { place: 'docs', grants: [everyone({ see: true })] }],
    ['nothing said', { place: '/pub' }],
    ['an empty grant', { place: '/pub', grants: [{ who: 'everyone' }] }],
    ['an unknown verb', { place: '/pub', grants: [{ who: 'everyone', write: true }] }],
    ['a word for a yes', { place: '/pub', grants: [{ who: 'everyone', see: 'yes' }] }],
    ['an account that is not there', { place: '/pub', grants: [{ who: 'user:9', see: true }] }],
    ['a group that is not there', { place: '/pub', grants: [{ who: 'group:9', see: true }] }],
    ['somebody twice', { place: '/pub', grants: [anna({ see: true }), anna({ see: false })] }],
    ['too many grants', { place: '/pub', grants: Array(201).fill(everyone({ see: true })) }],
    ['two names in one', { place: '/pub', as: 'a/b' }],
    ['a name of 256 bytes', { place: '/pub', as: 'ä'.repeat(128) }],
    ['a hidden name', { place: '/pub', as: '.a' }],
    ['a negative limit', { place: '/pub', quota: -1 }],
    ['an unknown field', { place: '/pub', quota: 1, note: 'x' }],
  ])('is refused with its reason: %s', async (_, record) => {
    await using app = await open()
    const response = await put(app, record)
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/^400 Bad Request \(.+\)/)
    expect(app.store.count(FOLDERS)).toBe(0)
  })

  it('takes a name at the top once', async () => {
    await using app = await open([{ place: '/pub', as: 'Team' }])
    expect((await put(app, { place: '/own', as: 'team' })).status).toBe(400)
  })

  it('forgets accounts that are deleted, and goes when nothing is left of it', async () => {
    await using app = await open([
      { place: '/pub', grants: [anna({ see: false })] },
      { place: '/own', grants: [anna({ see: false }), everyone({ delete: false })] },
    ])
    const admin = await app.as('admin')
    const body = JSON.stringify({ current_password: PASSWORD })
    await admin.fetch('/api/users/2', { method: 'DELETE', body })
    expect(app.store.all(FOLDERS).map(({ place, grants }) => [place, grants])).toEqual([
      ['/own', [everyone({ delete: false })]],
    ])
  })
})

describe('GET /api/access', () => {
  it('names what decided for an account', async () => {
    await using app = await open([READ_ONLY])
    const admin = await app.as('admin')
    const { verbs, place } = await (await admin.fetch('/api/access?user=3&path=/pub/team')).json()
    expect(place).toBe('/pub/team')
    expect(verbs.delete).toEqual({ allowed: false, by: { kind: 'everyone', place: '/pub' } })
    expect(verbs.share).toEqual({ allowed: true, by: { kind: 'permission' } })
  })

  it('judges where a link leads as well', async () => {
    await using app = await open([READ_ONLY])
    await mkdir(app.tree.at('x'))
    await symlink('../pub', app.tree.at('x/link'))
    const admin = await app.as('admin')
    const { verbs } = await (await admin.fetch('/api/access?user=3&path=/x/link')).json()
    expect(verbs.delete).toEqual({ allowed: false, by: { kind: 'everyone', place: '/pub' } })
  })

  it('allows nothing where a link leads out of the home, or to what a rule denies', async () => {
    const rule = { regex: false, regexp: null, allow: false, path: '/shut' }
    await using app = await openApp({
      tree: { ...TREE, 'pub/shut/f.txt': 'f' },
      users: [{ username: 'anna', scope: '/pub', rules: [rule] }],
    })
    await put(app, READ_ONLY)
    await symlink('../own', app.tree.at('pub/out'))
    await symlink('shut', app.tree.at('pub/in'))
    const [admin, user] = [await app.as('admin'), await app.as('anna')]
    for (const path of ['/out', '/out/e.txt', '/in', '/in/f.txt']) {
      const { verbs } = await (await admin.fetch(`/api/access?user=2&path=${path}`)).json()
      expect({ path, ...verbs.see }).toEqual({ path, allowed: false, by: { kind: 'rule' } })
      expect(verbs.modify).toEqual({ allowed: false, by: { kind: 'see' } })
      expect(await statusOf(user, 'GET', `/api/resources${path}`)).toBe(403)
    }
  })

  it('judges by the rules of the path that was asked for, not of another folder at the top', async () => {
    const rule = { regex: false, regexp: null, allow: false, path: '/all/team' }
    await using app = await openApp({
      tree: TREE,
      users: [{ username: 'anna', scope: '/own', rules: [rule] }],
    })
    await put(app, { place: '/pub', as: 'all', grants: [anna({ see: true })] })
    await put(app, { place: '/pub/team', as: 'team', grants: [anna({ see: true })] })
    const [admin, user] = [await app.as('admin'), await app.as('anna')]
    for (const [path, isSeen] of [
      ['/team/b.txt', true],
      ['/all/team/b.txt', false],
    ] as const) {
      const { verbs } = await (await admin.fetch(`/api/access?user=2&path=${path}`)).json()
      expect({ path, allowed: verbs.see.allowed }).toEqual({ path, allowed: isSeen })
      expect(await statusOf(user, 'GET', `/api/resources${path}`)).toBe(isSeen ? 200 : 403)
    }
  })

  it('allows nothing beside the folders of who has no home', async () => {
    await using app = await open([{ place: '/pub', as: 'team', grants: [anna({ see: true })] }])
    await app.store.transaction((tx) => setHome(tx, { userID: 2, home: false, homeQuota: null }))
    const admin = await app.as('admin')
    const verbsAt = async (path: string): Promise<AccountVerdicts['verbs']> =>
      (await (await admin.fetch(`/api/access?user=2&path=${path}`)).json()).verbs
    expect((await verbsAt('/team')).create.allowed).toBe(true)
    const top = await verbsAt('/')
    expect(top.see).toEqual({ allowed: true, by: { kind: 'home' } })
    for (const answer of [top.create, top.download, (await verbsAt('/own')).see])
      expect(answer).toEqual({ allowed: false, by: { kind: 'home' } })
  })

  it('tells who may do what at a place, of those who see it', async () => {
    await using app = await open([
      READ_ONLY,
      { place: '/pub/team', grants: [{ who: 'user:1', see: false }] },
    ])
    const admin = await app.as('admin')
    const response = await admin.fetch('/api/access?path=/pub/team')
    const { items }: FolderAccess = await response.json()
    expect(items.map(({ user, rights }) => [user.username, rights.delete])).toEqual([
      ['anna', true],
      ['ben', false],
    ])
  })
})
