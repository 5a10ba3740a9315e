// The session cookie opens what a page loads by address, and changes nothing: no other site can use
// it to act for somebody who is signed in.

import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import { recordsOf } from '../support/records.ts'

const CHANGES: [method: string, path: string, body?: string][] = [
  ['POST', '/api/resources/new.txt', 'x'],
  ['POST', '/api/resources/folder/'],
  ['PUT', '/api/resources/a.txt', 'changed'],
  ['PATCH', '/api/resources/a.txt?action=rename&destination=%2Fb.txt'],
  ['DELETE', '/api/resources/a.txt'],
  ['POST', '/api/tus/t.bin'],
  ['PATCH', '/api/tus/t.bin', 'x'],
  ['DELETE', '/api/tus/t.bin'],
  ['POST', '/api/share/a.txt', '{}'],
  ['DELETE', '/api/share/AAAAAAAA'],
  ['PUT', '/api/settings', '{}'],
  ['POST', '/api/users', '{"what":"user","which":[],"data":{"username":"evil","password":"x"}}'],
  ['PUT', '/api/users/1', '{"what":"user","which":["locale"],"data":{"id":1,"locale":"de"}}'],
  ['DELETE', '/api/users/1'],
  ['POST', '/api/renew'],
]

it('lets the cookie read and nothing else', async () => {
  await using app = await openApp({ tree: { 'a.txt': 'a' } })
  const { cookie, token } = await app.as('admin')
  const before = structuredClone(recordsOf(app.store))
  expect((await app.fetch('/api/raw/a.txt', { headers: { Cookie: cookie } })).status).toBe(200)
  for (const [method, path, body] of CHANGES) {
    const init = { method, headers: { Cookie: cookie }, ...(body !== undefined && { body }) }
    expect((await app.fetch(path, init)).status, `${method} ${path}`).toBe(401)
  }
  expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  expect(await readFile(app.tree.at('a.txt'), 'utf8')).toBe('a')
  const after = recordsOf(app.store)
  expect({ ...after, sessions: [] }).toEqual({ ...before, sessions: [] })
  // The same calls are open with the token, so it was the cookie that they were refused for.
  const init = { method: 'DELETE', headers: { 'X-Auth': token } }
  expect((await app.fetch('/api/resources/a.txt', init)).status).toBeLessThan(300)
})
