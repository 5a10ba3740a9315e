// Resumable uploads over HTTP (http-api 8).
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'

const CHUNK = { 'Content-Type': 'application/offset+octet-stream' }

function create(user: SignedIn, path: string, lengthBytes: number): Promise<Response> {
  const headers = { 'Upload-Length': String(lengthBytes) }
  return user.fetch(`/api/tus/${path}`, { method: 'POST', headers })
}

function append(user: SignedIn, path: string, offset: number, body: string): Promise<Response> {
  const headers = { ...CHUNK, 'Upload-Offset': String(offset) }
  return user.fetch(`/api/tus/${path}`, { method: 'PATCH', headers, body })
}

describe('an upload that cannot be moved into place', () => {
  it('is an error for the client and keeps its bytes until it can', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'old' } })
    const admin = await app.as('admin')
    const created = await create(admin, 'a.txt?override=true', 5)
    expect(created.status).toBe(201)
    await rm(app.tree.at('a.txt'))
    await mkdir(app.tree.at('a.txt'))

    expect((await append(admin, 'a.txt', 0, 'hello')).status).toBe(500)
    // A full offset would mean success to the client.
    expect((await admin.fetch('/api/tus/a.txt')).status).toBe(500)
    await rmdir(app.tree.at('a.txt'))
    const shown = await admin.fetch('/api/tus/a.txt')
    expect([shown.status, shown.headers.get('upload-offset')]).toEqual([200, '5'])
    expect(await app.tree.read('a.txt')).toBe('hello')
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  })

  it('is an error also where hooks fail', async () => {
    await using app = await startApp({
      tree: {},
      config: { enableExec: true },
      settings: { commands: { before_upload: ['false'] } },
    })
    const admin = await app.as('admin')
    await create(admin, 'a.txt?override=true', 5)
    await mkdir(app.tree.at('a.txt'))
    expect((await append(admin, 'a.txt', 0, 'hello')).status).toBe(500)
    expect(await readdir(app.tree.root)).toHaveLength(2)
  })
})

describe('hooks of an upload', () => {
  const broken = { 'that fail': 'false', 'that do not exist': 'no-such-program-here' }
  for (const [title, line] of Object.entries({ ...broken, 'with an open quote': 'echo "open' }))
    for (const trigger of ['before_upload', 'after_upload'])
      it(`${title} do not harm it (${trigger})`, async () => {
        await using app = await startApp({
          tree: {},
          config: { enableExec: true },
          settings: { commands: { [trigger]: [line] } },
        })
        const admin = await app.as('admin')
        await create(admin, 'a.txt', 5)
        expect((await append(admin, 'a.txt', 0, 'hello')).status).toBe(204)
        expect(await app.tree.read('a.txt')).toBe('hello')
        expect(app.log.some((text) => text.includes('upload hook'))).toBe(true)
        expect((await create(admin, 'empty.txt', 0)).status).toBe(201)
        expect(await app.tree.read('empty.txt')).toBe('')
      })
})
