// Limits of folders hold for many at once, and by every name of a folder.
import { symlink } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openApp, PASSWORD } from '../support/app.ts'
import { sumOf } from '../support/quotas.ts'

const LIMIT = 1_000
/** Twice as much as there may be. */
const ASKED = Array.from({ length: 20 }, (_, i) => `${i}.bin`)
const body = new Uint8Array(LIMIT / 10)

async function open() {
  const app = await openApp({
    tree: { full: null, 'full/inner': null, other: null },
    users: [{ username: 'bob' }],
  })
  const admin = await app.as('admin')
  await admin.fetch('/api/confirm', {
    method: 'POST',
    body: JSON.stringify({ password: PASSWORD }),
  })
  for (const [place, quota] of [
    ['/full', LIMIT],
    ['/full/inner', 10 * LIMIT],
  ] as const) {
    const record = JSON.stringify({ place, as: '', quota, grants: [] })
    expect((await admin.fetch('/api/folders', { method: 'PUT', body: record })).status).toBe(200)
  }
  return { app, bob: await app.as('bob') }
}

it.each([
  ['into it', '/full'],
  ['into a folder in it that has a larger limit of its own', '/full/inner'],
  ['by a link', '/link'],
])('a limit is passed by nobody: twenty files at once, %s', async (_, folder) => {
  const { app, bob } = await open()
  await using __ = app
  await symlink('full', app.tree.at('link'))
  const statuses = await Promise.all(
    ASKED.map(async (name) => {
      const sent = { method: 'POST', body }
      return (await bob.fetch(`/api/resources${folder}/${name}`, sent)).status
    }),
  )
  expect(statuses.sort()).toEqual([...Array(10).fill(200), ...Array(10).fill(507)])
  expect(sumOf(app.tree.at('full'))).toBe(LIMIT)
})

it('a limit is passed by nobody: a folder that is moved into it has to fit as a whole', async () => {
  const { app, bob } = await open()
  await using _ = app
  for (const name of ASKED)
    await bob.fetch(`/api/resources/other/${name}`, { method: 'POST', body })
  const query = 'action=rename&destination=/full/other'
  const moved = await bob.fetch(`/api/resources/other?${query}`, { method: 'PATCH' })
  expect(moved.status).toBe(507)
  expect(sumOf(app.tree.at('full'))).toBe(0)
  expect(sumOf(app.tree.at('other'))).toBe(2 * LIMIT)
})

it('a limit is passed by nobody: what an upload in parts has announced is taken', async () => {
  const { app, bob } = await open()
  await using _ = app
  const statuses: number[] = []
  for (const name of ASKED) {
    const headers = { 'Upload-Length': String(LIMIT / 10) }
    statuses.push((await bob.fetch(`/api/tus/full/${name}`, { method: 'POST', headers })).status)
  }
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(10).fill(507)])
})
