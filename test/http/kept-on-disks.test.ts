// Deleting and replacing where a rename or a link may be refused: what was there comes back as it was, or all is in
// its place.
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type OpenedApp, openApp } from '../support/app.ts'
import { FILE_SYSTEMS, type FileSystem, type MadeFileSystem } from '../support/file-systems.ts'
import type { SignedIn } from '../support/login.ts'

const LONG_AGO = new Date('2001-02-03T04:05:06.700Z')
const CONTENT = {
  'file.bin': Buffer.alloc(70_001, 'file'),
  'folder/deep/inner.bin': Buffer.alloc(5_003, 'inner'),
  'folder/empty.txt': Buffer.alloc(0),
}

async function addContent(folder: string): Promise<void> {
  await mkdir(join(folder, 'folder/deep'), { recursive: true })
  for (const [name, bytes] of Object.entries(CONTENT)) {
    await writeFile(join(folder, name), bytes)
    await chmod(join(folder, name), 0o640)
    await utimes(join(folder, name), LONG_AGO, LONG_AGO)
  }
  for (const name of ['folder/deep', 'folder']) await chmod(join(folder, name), 0o750)
  for (const name of ['folder/deep', 'folder']) await utimes(join(folder, name), LONG_AGO, LONG_AGO)
}

/** Names below a folder with type, mode, time and content. */
async function factsOf(folder: string): Promise<Record<string, unknown>> {
  const facts: Record<string, unknown> = {}
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const found = await stat(join(folder, name))
    const content = found.isFile() && sha256(await readFile(join(folder, name)))
    facts[name] = [found.mode, found.mtimeMs, content]
  }
  return facts
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

interface Opened extends AsyncDisposable, Omit<MadeFileSystem, typeof Symbol.asyncDispose> {
  admin: SignedIn
  app: OpenedApp
  /** Of the folder with the content. */
  path: string
}

async function open({ make }: FileSystem): Promise<Opened> {
  await using stack = new AsyncDisposableStack()
  const app = stack.use(await openApp({ tree: { 'disk/': null } }))
  const made = stack.use(await make(app.tree.at('disk'), app.tree.base, addContent))
  const path = relative(app.tree.root, made.folder)
  const admin = await app.as('admin')
  const all = stack.move()
  return { ...made, app, admin, path, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Where the disk is full it may be refused instead. */
async function deleteAndRestore({ admin, folder, path, fill }: Opened, name: string) {
  const { status } = await admin.fetch(`/api/resources/${path}/${name}`, { method: 'DELETE' })
  const { items } = await (await admin.fetch('/api/trash')).json()
  if (fill && status !== 204) return expect(items).toEqual([])
  expect([status, (await readdir(folder)).includes(name)]).toEqual([204, false])
  const [{ id, ...entry }] = items
  expect(entry).toMatchObject({ path: `/${path}/${name}`, isDir: name === 'folder' })
  const body = JSON.stringify({ ids: [id] })
  const answer = await admin.fetch('/api/trash/restore', { method: 'POST', body })
  expect(await answer.json()).toEqual({ restored: [{ id, path: entry.path }], failed: [] })
}

describe.each(FILE_SYSTEMS)('on $name', (system) => {
  test('what is deleted comes back as it was', async ({ skip }) => {
    if (system.why) skip(system.why)
    await using opened = await open(system)
    const before = await factsOf(opened.folder)
    await opened.fill?.()
    for (const name of ['file.bin', 'folder']) {
      await deleteAndRestore(opened, name)
      expect(await factsOf(opened.folder)).toEqual(before)
    }
  })

  test('a replaced file is kept as a version', async ({ skip }) => {
    if (system.why) skip(system.why)
    await using opened = await open(system)
    const { admin, folder, path, fill } = opened
    await fill?.()
    const put = await admin.fetch(`/api/resources/${path}/file.bin`, { method: 'PUT', body: 'new' })
    const file = async () => sha256(await readFile(join(folder, 'file.bin')))
    const old = CONTENT['file.bin']
    if (fill && !put.ok) return expect(await file()).toBe(sha256(old))
    expect([put.status, await file()]).toEqual([200, sha256(Buffer.from('new'))])
    const versions = `/api/versions/${path}/file.bin`
    const { items } = await (await admin.fetch(versions)).json()
    expect(items).toMatchObject([{ size: old.length }])
    const kept = await admin.fetch(`${versions}?id=${items[0].id}`)
    expect(sha256(Buffer.from(await kept.arrayBuffer()))).toBe(sha256(old))
  })
})
