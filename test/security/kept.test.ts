// What the server keeps of what was deleted or replaced, and who meets it.
import { mkdir, rm } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HistoryPage } from '../../src/history-types.ts'
import type { LeftVersionsPage, TrashPage } from '../../src/keep-types.ts'
import { USERS } from '../../src/store/collections.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { findUserByName } from '../../src/store/users.ts'
import { openApp } from '../support/app.ts'

const DENIED = ['/secret', '/secret.txt'].map((path) => ({
  ...{ regex: false, regexp: null, allow: false },
  path,
}))

async function open() {
  const app = await openApp({
    tree: { 'a.txt': 'a', 'secret/s.txt': 'secret', 'secret.txt': 'secret' },
    users: [
      { username: 'ann' },
      { username: 'bob', rules: DENIED },
      { username: 'eve', perm: { ...defaultPermissions(), admin: false, modify: false } },
    ],
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const [ann, bob] = [await app.as('ann'), await app.as('bob')]
  for (const path of ['/secret/s.txt', '/secret.txt', '/a.txt']) {
    const saved = await ann.fetch(`/api/resources${path}`, { method: 'PUT', body: 'new text' })
    expect(saved.status).toBe(200)
    const { status } = await ann.fetch(`/api/resources${path}`, { method: 'DELETE' })
    expect(status).toBe(204)
  }
  return { app, ann, bob }
}

describe('what is kept', () => {
  it('is met in the trash by nobody who may not see where it was', async () => {
    const { ann, bob } = await open()
    const { items } = (await (await ann.fetch('/api/trash')).json()) as TrashPage
    const secret = items.find(({ path }) => path === '/secret/s.txt')
    expect(secret).toBeDefined()
    const seen = (await (await bob.fetch('/api/trash')).json()) as TrashPage
    expect(seen.items.map(({ path }) => path)).toEqual(['/a.txt'])
    for (const query of ['', '?raw=true']) {
      const { status } = await bob.fetch(`/api/trash/${secret?.id}/${query}`)
      expect(status).toBe(404)
    }
  })

  it('is met as a version by who may change the file alone', async () => {
    const { app, ann, bob } = await open()
    const left = async (user: typeof ann) => {
      const page = await (await user.fetch('/api/versions/?gone=true')).json()
      return (page as LeftVersionsPage).items.map(({ path }) => path).sort()
    }
    expect(await left(ann)).toEqual(['/a.txt', '/secret.txt', '/secret/s.txt'])
    expect(await left(bob)).toEqual(['/a.txt'])
    expect(await left(await app.as('eve'))).toEqual([])
    expect((await bob.fetch('/api/versions/secret/s.txt')).status).toBe(403)
  })

  it('is met by administrators alone where nobody knows its place', async () => {
    const { app, ann } = await open()
    await rm(app.tree.at('.fb-trash/info'), { recursive: true })
    await mkdir(app.tree.at('.fb-trash/info'), { mode: 0o700 })
    const total = async (user: typeof ann) =>
      ((await (await user.fetch('/api/trash')).json()) as TrashPage).total
    expect(await total(await app.as('admin'))).toBe(3)
    expect(await total(ann)).toBe(0)
  })

  it('is met in the history by nobody who may not see it any more', async () => {
    const { app, ann } = await open()
    const user = findUserByName(app.store, 'ann')
    if (!user) throw new Error('there is no ann')
    await app.store.transaction((tx) => tx.replace(USERS, { ...user, rules: DENIED }))
    const { items } = (await (await ann.fetch('/api/history')).json()) as HistoryPage
    expect(items.length).toBeGreaterThan(2)
    expect(JSON.stringify(items)).not.toContain('secret')
  })
})
