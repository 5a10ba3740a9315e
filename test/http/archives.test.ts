import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { run } from '../support/archives.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'

const MIB = 1024 * 1024

async function open(app: TestApp, path: string): Promise<IncomingMessage> {
  const { token } = await app.as('admin')
  const call = get(`${app.origin}${path}`, { headers: { 'X-Auth': token }, agent: false })
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return response
}

/** Descriptors of this process, which is the server, that lead below a folder. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(folder) ? [target] : []
    } catch {
      // The descriptor of this very look is closed again.
      return []
    }
  })
}

it.each(['zip', 'tar', 'targz'])(
  'breaks the connection when a file shrinks in a %s',
  async (format) => {
    await using app = await startApp({ tree: {} })
    await writeFile(app.tree.at('log'), '')
    await truncate(app.tree.at('log'), 512 * MIB)
    const response = await open(app, `/api/raw/?algo=${format}`)
    expect(response.statusCode).toBe(200)
    await once(response, 'readable')
    // Before the file shrinks: an answer that breaks while nobody listens breaks silently.
    const ended = new Promise((resolve) => {
      response.on('end', () => resolve('complete')).on('error', () => resolve('broken'))
    })
    await truncate(app.tree.at('log'), 10)
    response.resume()
    expect(await withDeadline('the end of the answer', 60_000, ended)).toBe('broken')
    expect(app.errors.join()).toMatch(/an archive broke off.*shorter/)
  },
)

it.each([
  ['reading', true],
  ['waiting', false],
])('lets everything go when a client that is %s leaves', async (_, reads) => {
  await using app = await startApp({ tree: {} })
  for (let i = 0; i < 3; i++) {
    await writeFile(app.tree.at(`large ${i}`), '')
    await truncate(app.tree.at(`large ${i}`), 512 * MIB)
  }
  for (const format of ['zip', 'targz', 'tarbr', 'tarbz2']) {
    const response = await open(app, `/api/raw/?algo=${format}`)
    response.on('error', () => {})
    if (reads) response.resume()
    await once(response, reads ? 'data' : 'readable')
    response.destroy()
  }
  await waitFor('the closing of files', () => openBelow(app.tree.root).length === 0)
  expect(app.errors).toEqual([])
})

it('names archives as their folder, their file or their common folder', async () => {
  await using app = await startApp({
    tree: { "it's ü/a.txt": 'a', "it's ü/b.txt": 'b', 'c,d/e+f.txt': 'x' },
  })
  const admin = await app.as('admin')
  const nameOf = async (path: string) => {
    const response = await admin.fetch(path)
    await response.arrayBuffer()
    return response.headers.get('content-disposition')
  }
  const attachment = (name: string) => `attachment; filename*=utf-8''${name}`
  const folder = encodeURIComponent("it's ü")
  expect(await nameOf(`/api/raw/${folder}/`)).toBe(attachment('it%27s%20%C3%BC.zip'))
  expect(await nameOf(`/api/raw/${folder}/?files=a.txt,b.txt`)).toBe(
    attachment('_it%27s%20%C3%BC.zip'),
  )
  expect(await nameOf(`/api/raw/${folder}/?files=a.txt&algo=tar`)).toBe(attachment('a.txt.tar'))
  expect(await nameOf('/api/raw/')).toBe(attachment('root.zip'))
  const twice = encodeURIComponent(encodeURIComponent('c,d/e+f.txt'))
  expect(await nameOf(`/api/raw/?files=${twice}`)).toBe(attachment('e+f.txt.zip'))
})

it('holds the one file that was selected', async () => {
  await using app = await startApp({ tree: { 'folder/a.txt': 'only me', 'folder/b.txt': 'b' } })
  const admin = await app.as('admin')
  const response = await admin.fetch('/api/raw/folder/?files=a.txt')
  expect(response.headers.get('content-type')).toBe('application/zip')
  const file = join(app.tree.base, 'one.zip')
  await writeFile(file, Buffer.from(await response.arrayBuffer()))
  await run(['unzip', '-qq', file, '-d', app.tree.base])
  expect(readdirSync(app.tree.base)).toContain('a.txt')
})

it.each([
  ['/api/raw/?algo=rar', 400],
  ['/api/raw/?files=%25zz', 400],
  ['/api/raw/?files=%2500', 400],
  ['/api/raw/none/', 404],
])('%s is %i before a byte is sent', async (path, status) => {
  await using app = await startApp({ tree: { 'a.txt': 'a' } })
  const admin = await app.as('admin')
  expect((await admin.fetch(path)).status).toBe(status)
})

it('sends nothing without the right to download', async () => {
  const perm = { admin: false, execute: false, create: true, rename: true, modify: true }
  await using app = await startApp({
    tree: { 'a.txt': 'secret words' },
    users: [{ username: 'eve', perm: { ...perm, delete: true, share: false, download: false } }],
  })
  const eve = await app.as('eve')
  const response = await eve.fetch('/api/raw/?algo=tar')
  expect(response.status).toBe(202)
  expect(await response.text()).not.toContain('secret words')
})

it('sends the same bytes to ten at once', async () => {
  await using app = await startApp({ tree: {} })
  for (let i = 0; i < 40; i++)
    await writeFile(app.tree.at(`f${i}.bin`), crypto.getRandomValues(new Uint8Array(60_000)))
  const admin = await app.as('admin')
  const digests = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const response = await admin.fetch('/api/raw/?algo=tarxz')
      return createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex')
    }),
  )
  expect(new Set(digests).size).toBe(1)
})
