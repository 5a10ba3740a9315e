// A full disk whose space the trash holds takes what is written.
import { expect, it } from 'vitest'
import { SETTINGS } from '../../src/store/collections.ts'
import { openApp } from '../support/app.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { keepInTrash } from '../support/trash.ts'

const MIB = 1024 * 1024
const KEPT_BYTES = 1_200_000

it.skipIf(!MAY_MOUNT)('the oldest entries make room for an upload (needs root)', async () => {
  await using app = await openApp({ tree: { disk: null } })
  await using _disk = await mountDisk(app.tree.at('disk'), 4 * MIB)
  const admin = await app.as('admin')
  const keep = (id: string, minutes: number) =>
    keepInTrash(app.tree.at('disk'), `${id}.bin`, 'x'.repeat(KEPT_BYTES), {
      id: id.repeat(32),
      deletedAt: Date.now() - minutes * 60_000,
    })
  await keep('a', 5)
  await keep('b', 60)
  await keep('c', 30)
  const ids = async () => {
    const { items } = await (await admin.fetch('/api/trash')).json()
    return items.map(({ id }: { id: string }) => id[0]).sort()
  }
  const upload = (name: string, bytes: number) =>
    admin.fetch(`/api/resources/disk/${name}`, { method: 'POST', body: new Uint8Array(bytes) })

  // A disk is noticed a moment after it has come.
  await expect.poll(ids).toEqual(['a', 'b', 'c'])
  expect((await upload('large.bin', 4 * MIB)).status).toBe(507)
  expect(await ids()).toEqual(['a', 'b', 'c'])
  expect((await upload('one.bin', KEPT_BYTES)).status).toBe(200)
  expect(await ids()).toEqual(['a', 'c'])
  const begin = await admin.fetch('/api/tus/disk/two.bin', {
    method: 'POST',
    headers: { 'Upload-Length': String(KEPT_BYTES) },
  })
  expect(begin.status).toBe(201)
  expect(await ids()).toEqual(['a'])
})

it.skipIf(!MAY_MOUNT)('a folder is brought back to another disk, whole (needs root)', async () => {
  await using app = await openApp({ tree: { 'docs/.a': 'a', 'docs/deep/b.txt': 'bb', disk: null } })
  await using _disk = await mountDisk(app.tree.at('disk'), 4 * MIB)
  const admin = await app.as('admin')
  expect((await admin.fetch('/api/resources/docs', { method: 'DELETE' })).status).toBe(204)
  const [{ id }] = (await (await admin.fetch('/api/trash')).json()).items
  const body = JSON.stringify({ ids: [id], to: '/disk' })
  const answer = await admin.fetch('/api/trash/restore', { method: 'POST', body })
  expect(await answer.json()).toEqual({ restored: [{ id, path: '/disk/docs' }], failed: [] })
  expect(await app.tree.read('disk/docs/.a')).toBe('a')
  expect(await app.tree.read('disk/docs/deep/b.txt')).toBe('bb')
  expect((await (await admin.fetch('/api/trash')).json()).items).toEqual([])
})

it('the settings say how long and how much, unless it is configured', async () => {
  await using app = await openApp({ config: { keepAge: 7 * 86_400_000 } })
  const admin = await app.as('admin')
  const settings = await (await admin.fetch('/api/settings')).json()
  expect(settings).toMatchObject({ keepAge: '7d', keepSize: '10%', keepFixed: ['keepAge'] })
  const put = (body: object) =>
    admin.fetch('/api/settings', { method: 'PUT', body: JSON.stringify(body) })
  expect((await put({ ...settings, keepAge: '90d', keepSize: '50GiB' })).status).toBe(200)
  const { keepAge, keepSize, ...old } = settings
  expect((await put(old)).status).toBe(200)
  expect(app.store.all(SETTINGS)[0]).toMatchObject({ keepAge: '30d', keepSize: '50GiB' })
  for (const wrong of [{ keepSize: 'some' }, { keepSize: '101%' }, { keepAge: '0' }])
    expect((await put({ ...settings, ...wrong })).status).toBe(400)
})
