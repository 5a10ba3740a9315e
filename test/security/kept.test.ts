// What the server keeps of what was deleted or replaced, and who meets it.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TrashPage } from '../../src/keep-types.ts'
import { openApp } from '../support/app.ts'

const DENIED = { regex: false, regexp: null, allow: false, path: '/secret' }

async function open() {
  const app = await openApp({
    tree: { 'a.txt': 'a', 'secret/s.txt': 'secret' },
    users: [{ username: 'ann' }, { username: 'bob', rules: [DENIED] }],
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const [ann, bob] = [await app.as('ann'), await app.as('bob')]
  const saved = await ann.fetch('/api/resources/a.txt', { method: 'PUT', body: 'aa' })
  expect(saved.status).toBe(200)
  for (const path of ['/secret/s.txt', '/a.txt']) {
    const { status } = await ann.fetch(`/api/resources${path}`, { method: 'DELETE' })
    expect(status).toBe(204)
  }
  return { ann, bob }
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
})
