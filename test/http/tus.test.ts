// Resumable uploads over HTTP (docs/http-api.md 8).

import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import type { SignedIn } from '../support/login.ts'
import { changeRecords } from '../support/records.ts'

const CHUNK = { 'Content-Type': 'application/offset+octet-stream' }

function create(user: SignedIn, path: string, lengthBytes: number): Promise<Response> {
  const headers = { 'Upload-Length': String(lengthBytes) }
  return user.fetch(`/api/tus/${path}`, { method: 'POST', headers })
}

function append(user: SignedIn, path: string, offset: number, body: string): Promise<Response> {
  const headers = { ...CHUNK, 'Upload-Offset': String(offset) }
  return user.fetch(`/api/tus/${path}`, { method: 'PATCH', headers, body })
}

function ask(user: SignedIn, path: string): Promise<Response> {
  return user.fetch(`/api/tus/${path}`, { method: 'HEAD' })
}

/** Starts an application with one line per hook; `ran.txt` in them is the file `ran`. */
async function withHookLines(lines: Record<string, string>): Promise<OpenedApp & { ran: string }> {
  const app = await openApp({ tree: {}, config: { enableExec: true } })
  const ran = join(app.tree.base, 'ran.txt')
  const commands = Object.fromEntries(
    Object.entries(lines).map(([trigger, line]) => [trigger, [line.replaceAll('ran.txt', ran)]]),
  )
  await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
  return Object.assign(app, { ran })
}

describe('an upload that cannot be moved into place', () => {
  it('is an error for the client and keeps its bytes until it can', async () => {
    await using app = await openApp({ tree: { 'a.txt': 'old' } })
    const admin = await app.as('admin')
    const created = await create(admin, 'a.txt?override=true', 5)
    expect(created.status).toBe(201)
    await rm(app.tree.at('a.txt'))
    await mkdir(app.tree.at('a.txt'))

    expect((await append(admin, 'a.txt', 0, 'hello')).status).toBe(500)
    // A full offset would mean success to the client.
    expect((await ask(admin, 'a.txt')).status).toBe(500)
    await rmdir(app.tree.at('a.txt'))
    const shown = await ask(admin, 'a.txt')
    expect([shown.status, shown.headers.get('upload-offset')]).toEqual([200, '5'])
    expect(await app.tree.read('a.txt')).toBe('hello')
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  })

  it('is not moved by a request that other sites can make a browser send', async () => {
    await using app = await openApp({ tree: {} })
    const admin = await app.as('admin')
    await create(admin, 'a.txt?override=true', 5)
    await mkdir(app.tree.at('a.txt'))
    expect((await append(admin, 'a.txt', 0, 'hello')).status).toBe(500)
    await rmdir(app.tree.at('a.txt'))
    const headers = { cookie: admin.cookie }
    const shown = await app.fetch('/api/tus/a.txt', { headers })
    expect([shown.status, shown.headers.get('upload-offset')]).toEqual([200, '5'])
    await app.fetch('/api/tus/a.txt', { method: 'HEAD', headers })
    expect(await readdir(app.tree.root)).not.toContain('a.txt')
  })

  it('runs its before-hooks once, however often the client asks', async () => {
    await using app = await withHookLines({
      before_upload: 'sh -c "echo before >> ran.txt"',
      after_upload: 'sh -c "echo after >> ran.txt"',
    })
    const admin = await app.as('admin')
    await create(admin, 'a.txt?override=true', 5)
    await mkdir(app.tree.at('a.txt'))
    expect((await append(admin, 'a.txt', 0, 'hello')).status).toBe(500)
    expect((await ask(admin, 'a.txt')).status).toBe(500)
    await rmdir(app.tree.at('a.txt'))
    expect((await ask(admin, 'a.txt')).status).toBe(200)
    expect(await readFile(app.ran, 'utf8')).toBe('before\nafter\n')
  })

  it('is an error also where hooks fail', async () => {
    await using app = await openApp({
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
        await using app = await openApp({
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

describe('a new upload to the same target', () => {
  // Waits until a file beside the tree says go on.
  const held = 'sh -c "echo >> ran.txt; until test -e ran.txt.go; do sleep 0.02; done"'
  const started = (app: { ran: string }) => waitFor('the hook', () => readFile(app.ran, 'utf8'))

  it('cannot empty one whose before-hook still runs', async () => {
    await using app = await withHookLines({ before_upload: held })
    await app.tree.add({ 'a.txt': 'old' })
    const admin = await app.as('admin')
    await create(admin, 'a.txt?override=true', 5)
    const finished = append(admin, 'a.txt', 0, 'hello')
    await started(app)
    // Clients try again after this answer.
    expect((await create(admin, 'a.txt?override=true', 5)).status).toBe(423)
    await writeFile(`${app.ran}.go`, '')
    expect((await finished).status).toBe(204)
    expect(await app.tree.read('a.txt')).toBe('hello')
    expect((await create(admin, 'a.txt?override=true', 5)).status).toBe(201)
  })

  it('replaces one whose after-hook still runs', async () => {
    await using app = await withHookLines({ after_upload: held })
    const admin = await app.as('admin')
    await create(admin, 'a.txt?override=true', 5)
    const finished = append(admin, 'a.txt', 0, 'hello')
    await started(app)
    expect((await create(admin, 'a.txt?override=true', 5)).status).toBe(201)
    const second = append(admin, 'a.txt', 0, 'later')
    await waitFor('the second file', async () => (await app.tree.read('a.txt')) === 'later')
    await writeFile(`${app.ran}.go`, '')
    expect([(await finished).status, (await second).status]).toEqual([204, 204])
  })
})
