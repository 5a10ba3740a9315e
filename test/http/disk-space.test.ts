// Whether a file fits is asked of the disk that will hold it; one that is full is told as such.
import { readdirSync } from 'node:fs'
import { readdir, statfs, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'

const MIB = 1024 * 1024
const LARGE_BYTES = 8 * MIB
const CHUNK = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }

function begin(user: SignedIn, path: string, lengthBytes = LARGE_BYTES): Promise<Response> {
  const headers = { 'Upload-Length': String(lengthBytes) }
  return user.fetch(`/api/tus${path}`, { method: 'POST', headers })
}

const send = (user: SignedIn, method: string, path: string) =>
  user.fetch(`/api/resources${path}`, { method, body: new Uint8Array(LARGE_BYTES) })

const change = (user: SignedIn, action: string, from: string, to: string) =>
  user.fetch(`/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}`, {
    method: 'PATCH',
  })

function expectFull(response: Response): void {
  expect(response.status).toBe(507)
  expect(response.headers.get('x-error-code')).toBe('no_space')
}

/** A served folder of 1 MiB (`small`), a disk of 64 MiB in it, and one of 1 MiB beside it. */
async function withDisks(work: (app: TestApp, bob: SignedIn) => Promise<void>): Promise<void> {
  await using app = await startApp({
    tree: { small: null, tiny: null, 'source.bin': new Uint8Array(LARGE_BYTES) },
    users: [{ username: 'bob', scope: '/small' }],
  })
  await using _small = await mountDisk(app.tree.at('small'), MIB)
  await using _large = await mountDisk(app.tree.at('small/large'), 64 * MIB)
  await using _tiny = await mountDisk(app.tree.at('tiny'), MIB)
  await work(app, await app.as('bob'))
  expect(app.errors).toEqual([])
}

describe.skipIf(!MAY_MOUNT)('with disks of their own (needs root)', () => {
  it('free space is asked of the folder that takes the file, also of one that is yet to be made', () =>
    withDisks(async (_, bob) => {
      for (const path of ['/large/a.bin', '/large/new/folder/a.bin'])
        expect((await begin(bob, path)).status).toBe(201)
      expect((await send(bob, 'POST', '/large/b.bin')).status).toBe(200)
      expect((await send(bob, 'PUT', '/large/b.bin')).status).toBe(200)
      for (const path of ['/a.bin', '/new/folder/a.bin']) expectFull(await begin(bob, path))
      expectFull(await send(bob, 'POST', '/b.bin'))
      expect((await bob.fetch('/api/resources/c.txt', { method: 'POST', body: 'old' })).ok).toBe(
        true,
      )
      expectFull(await send(bob, 'PUT', '/c.txt'))
      expect(await (await bob.fetch('/api/raw/c.txt')).text()).toBe('old')
    }))

  it('a small disk in a large folder takes no more than it holds, by any way', () =>
    withDisks(async (app) => {
      const admin = await app.as('admin')
      expectFull(await begin(admin, '/tiny/a.bin'))
      expectFull(await send(admin, 'POST', '/tiny/a.bin'))
      expectFull(await change(admin, 'copy', '/source.bin', '/tiny/a.bin'))
      expectFull(await change(admin, 'rename', '/source.bin', '/tiny/a.bin'))
      expect(await readdir(app.tree.at('tiny'))).toEqual([])
      expect(readdirSync(app.tree.root)).toContain('source.bin')
    }))

  it('a disk that becomes full meanwhile is 507 by any way, and nothing half is left', () =>
    withDisks(async (app) => {
      const admin = await app.as('admin')
      expect((await begin(admin, '/tiny/tus.bin', MIB / 2)).status).toBe(201)
      await writeFile(app.tree.at('tiny/filler'), new Uint8Array(MIB - 64 * 1024))
      const chunk = { method: 'PATCH', headers: CHUNK, body: new Uint8Array(MIB / 2) }
      expectFull(await admin.fetch('/api/tus/tiny/tus.bin', chunk))
      // Without a length nothing can be asked before.
      const body = Readable.toWeb(Readable.from([Buffer.alloc(MIB)])) as ReadableStream
      const chunked = { method: 'POST', body, duplex: 'half' } as RequestInit
      expectFull(await admin.fetch('/api/resources/tiny/chunked.bin', chunked))
      await app.tree.add({ 'middle.bin': new Uint8Array(MIB / 2) })
      expectFull(await change(admin, 'copy', '/middle.bin', '/tiny/copied.bin'))
      const names = await readdir(app.tree.at('tiny'))
      expect(names.filter((name) => !name.startsWith('.fb-tmp-up-'))).toEqual(['filler'])
    }))

  it('the storage bar shows what the server goes by', () =>
    withDisks(async (_, bob) => {
      const { total, used } = await (await bob.fetch('/api/usage/large/')).json()
      expectFull(await begin(bob, '/large/a.bin', total - used + 1))
      expect((await begin(bob, '/large/a.bin', total - used)).status).toBe(201)
    }))
})

it('what is kept for root counts as used', async () => {
  await using app = await startApp({ tree: {} })
  const { blocks, bavail, bfree, bsize } = await statfs(app.tree.root)
  const { used } = await (await (await app.as('admin')).fetch('/api/usage/')).json()
  // Others write to this disk meanwhile.
  const tolerance = Math.max(1024 * MIB, ((bfree - bavail) * bsize) / 2)
  expect(Math.abs(used - (blocks - bavail) * bsize)).toBeLessThan(tolerance)
})
