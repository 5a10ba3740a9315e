// Shares of what goes into the trash: they end with it, and come back when their owner brings it back.
import { expect, it, onTestFinished } from 'vitest'
import type { TrashPage } from '../../src/keep-types.ts'
import { SHARES, TRASHED_SHARES } from '../../src/store/collections.ts'
import { openApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

async function open() {
  const app = await openApp({
    tree: { 'docs/a.txt': 'a', 'docs/b.txt': 'b', other: null },
    users: [{ username: 'ann' }, { username: 'bob' }],
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const [ann, bob] = [await app.as('ann'), await app.as('bob')]
  const visit = async (hash: string) => (await app.fetch(`/api/public/share/${hash}`)).status
  return { app, ann, bob, visit }
}

async function share(user: SignedIn, path: string): Promise<string> {
  const response = await user.fetch(`/api/share${path}`, { method: 'POST', body: '{}' })
  expect(response.status).toBe(200)
  return (await response.json()).hash
}

async function remove(user: SignedIn, path: string, headers = {}): Promise<void> {
  const response = await user.fetch(`/api/resources${path}`, { method: 'DELETE', headers })
  expect(response.status).toBe(204)
}

async function restore(user: SignedIn, to?: string): Promise<void> {
  const { items } = (await (await user.fetch('/api/trash')).json()) as TrashPage
  const body = JSON.stringify({ ids: [items[0]?.id], ...(to !== undefined && { to }) })
  const response = await user.fetch('/api/trash/restore', { method: 'POST', body })
  expect((await response.json()).failed).toEqual([])
}

it('come back with the folder that they lie in, for its owner', async () => {
  const { app, ann, visit } = await open()
  const hash = await share(ann, '/docs/a.txt')
  await remove(ann, '/docs')
  expect(await visit(hash)).toBe(404)
  await restore(ann)
  expect(await visit(hash)).toBe(200)
  expect(app.store.count(TRASHED_SHARES)).toBe(0)
})

it('come back by Undo', async () => {
  const { ann, visit } = await open()
  const hash = await share(ann, '/docs/a.txt')
  await remove(ann, '/docs/a.txt', { 'X-Operation': 'deletion-of-a' })
  const undone = await ann.fetch('/api/history/deletion-of-a/undo', { method: 'POST' })
  expect(undone.status).toBe(200)
  expect(await visit(hash)).toBe(200)
})

it('come back for their owner alone, whoever deleted', async () => {
  const { app, ann, bob, visit } = await open()
  const [first, second] = [await share(ann, '/docs/a.txt'), await share(ann, '/docs/b.txt')]
  await remove(bob, '/docs/a.txt')
  await restore(bob)
  expect(await visit(first)).toBe(404)
  await remove(bob, '/docs/b.txt')
  await restore(ann)
  expect(await visit(second)).toBe(200)
  expect(app.store.get(SHARES, first)).toMatchObject({ ended: true })
})

it('do not come back in another folder, for good, or when they were ended before', async () => {
  const { app, ann, visit } = await open()
  const moved = await share(ann, '/docs/a.txt')
  const ended = await share(ann, '/docs/b.txt')
  await ann.fetch(`/api/share/${ended}`, { method: 'DELETE' })
  await remove(ann, '/docs/b.txt')
  await restore(ann)
  await remove(ann, '/docs/a.txt')
  await restore(ann, '/other')
  await remove(ann, '/docs/b.txt?trash=false')
  for (const hash of [moved, ended]) expect(await visit(hash)).toBe(404)
  expect(app.store.all(SHARES)).toEqual([])
})

it('are forgotten when their entry has left the trash and with their owner', async () => {
  const { app, ann, bob } = await open()
  await share(ann, '/docs/a.txt')
  await remove(ann, '/docs/a.txt')
  expect(app.store.count(TRASHED_SHARES)).toBe(1)
  const { items } = (await (await ann.fetch('/api/trash')).json()) as TrashPage
  await ann.fetch(`/api/trash/${items[0]?.id}`, { method: 'DELETE' })
  await share(bob, '/docs/b.txt')
  await remove(bob, '/docs/b.txt')
  expect(app.store.all(TRASHED_SHARES).map(({ share }) => share.userID)).toEqual([3])
})
