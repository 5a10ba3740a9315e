// What the server keeps is met by no call that goes by a path, by whatever spelling, link or account.
import { mkdir, symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { leadsToReserved } from '../../src/files/volume/reserved-name.ts'
import { openApp } from '../support/app.ts'

const STORES = [
  '.fb-trash',
  '.FB-TRASH',
  '.Fb-Versions',
  '.fb-trash.',
  '.fb-versions . ',
  '.fb-trash::$INDEX_ALLOCATION',
  'FB-TRA~1',
  'fb-ver~12',
  '.fb-tra\u017fh',
  '.fb-tr\u200cash',
  '\u200d.fb-trash',
  '\uff0efb-trash',
]
const OTHERS = ['.fb-trash-can', 'fb-trash', '.fb-trashed', '.fb-', 'x.fb-trash', 'fb-trace~1', 'é']

test.each(STORES)('the name %j is reserved, at the top and below', (name) => {
  for (const path of [`/${name}`, `/a/${name}`, `/a/${name}/files/x`])
    expect(leadsToReserved(path)).toBe(true)
})

test.each(OTHERS)('the name %j is anybody’s', (name) => {
  expect(leadsToReserved(`/a/${name}/b`)).toBe(false)
})

/** An application with something in its trash, a link to that, and an account whose folder is in there. */
async function openWithTrash() {
  const app = await openApp({
    tree: { 'docs/a.txt': 'deleted', 'b.txt': 'b' },
    users: [{ username: 'inside', scope: '/.fb-trash/files' }],
  })
  const admin = await app.as('admin')
  expect((await admin.fetch('/api/resources/docs', { method: 'DELETE' })).status).toBe(204)
  await mkdir(app.tree.at('links'))
  await symlink('../.fb-trash', app.tree.at('links/trash'))
  await symlink('../.fb-trash/files', app.tree.at('links/files'))
  return { app, admin, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test.each([
  ['GET', 'resources/.fb-trash/'],
  ['GET', 'resources/.FB-trash/files/'],
  ['GET', 'resources/links/trash/'],
  ['GET', 'resources/links/files/'],
  ['GET', 'raw/.fb-trash/'],
  ['GET', 'raw/links/files/'],
  ['GET', 'usage/.fb-trash/'],
  ['POST', 'resources/.fb-trash/new.txt'],
  ['POST', 'resources/links/files/new.txt'],
  ['POST', 'resources/.fb-versions/'],
  ['POST', 'share/.fb-trash'],
  ['POST', 'tus/.fb-trash/new.txt'],
  ['DELETE', 'resources/.fb-trash'],
  ['PATCH', 'resources/.fb-trash?action=copy&destination=/copy'],
  ['PATCH', 'resources/b.txt?action=rename&destination=/.fb-trash/b.txt'],
  ['PATCH', 'resources/b.txt?action=copy&destination=/.fb-versions'],
] as const)('%s /api/%s meets nothing', async (method, path) => {
  await using setup = await openWithTrash()
  const headers = { 'Upload-Length': '1', 'Tus-Resumable': '1.0.0' }
  const answer = await setup.admin.fetch(`/api/${path}`, { method, headers })
  expect([403, 404]).toContain(answer.status)
})

test('listings, archives and searches leave it out', async () => {
  await using setup = await openWithTrash()
  const { admin } = setup
  const { items } = (await (await admin.fetch('/api/resources/')).json()) as {
    items: { name: string }[]
  }
  expect(items.map(({ name }) => name).sort()).toEqual(['b.txt', 'links'])
  for (const path of [
    '/api/resources/recursive/',
    '/api/raw/?algo=tar',
    '/api/search/?query=a.txt',
    '/api/search/.fb-trash/?query=a.txt',
  ]) {
    const text = Buffer.from(await (await admin.fetch(path)).arrayBuffer()).toString('latin1')
    expect(text).not.toContain('fb-trash')
    expect(text).not.toContain('deleted')
    expect(text).not.toContain('a.txt')
  }
})

test('an account whose folder lies in the trash has none', async () => {
  await using setup = await openWithTrash()
  const inside = await setup.app.as('inside')
  expect((await inside.fetch('/api/resources/')).status).toBe(404)
})
