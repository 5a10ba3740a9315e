// A mount whose file system has died (sshfs, rclone) is marked, and everything beside it goes on.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { MAY_MOUNT, mountDead } from '../support/mounts.ts'

it.runIf(MAY_MOUNT)('a dead mount spoils no listing of the folder around it', async () => {
  await using app = await startApp({
    tree: { 'a.txt': 'a', 'z/b.txt': 'b', 'z/to-dead': { link: '../dead' } },
  })
  await using _ = await mountDead(app.tree.at('dead'))
  const admin = await app.as('admin')
  const namesOf = async (path: string) => {
    const response = await admin.fetch(path)
    expect(response.status, path).toBe(200)
    const { items } = await response.json()
    return items.map(({ name }: { name: string }) => name)
  }
  expect(await namesOf('/api/resources/')).toEqual(['dead', 'z', 'a.txt'])
  expect(await namesOf('/api/resources/z/')).toEqual(['b.txt', 'to-dead'])

  const deep = await (await admin.fetch('/api/resources/recursive/')).json()
  const paths = deep.map(({ path }: { path: string }) => path)
  // Links are reported as themselves, wherever they lead.
  expect(paths).toEqual(['/a.txt', '/dead', '/z', '/z/b.txt', '/z/to-dead'])

  const hits = await (await admin.fetch('/api/search/?query=txt')).text()
  expect(hits.trim().split('\n')).toHaveLength(2)

  // An archive without it would pass for the whole.
  expect((await admin.fetch('/api/raw/?algo=tar')).status).toBe(503)
})

it.runIf(MAY_MOUNT)('a link to a dead mount spoils the archive that would lack it', async () => {
  await using app = await startApp({
    tree: {
      'in/b.txt': 'b',
      'in/link': { link: '../dead/deep' },
      'out/b.txt': 'b',
      'out/link': { link: '../../outside/dead/deep' },
    },
  })
  await using _ = await mountDead(app.tree.at('dead'))
  await using __ = await mountDead(join(app.tree.outside, 'dead'))
  const admin = await app.as('admin')
  for (const [folder, names] of [
    ['in', ['b.txt', 'link']],
    ['out', ['b.txt']],
  ] as const) {
    const { items } = await (await admin.fetch(`/api/resources/${folder}/`)).json()
    expect(items.map(({ name }: { name: string }) => name)).toEqual(names)
  }
  expect((await admin.fetch('/api/raw/in/?algo=tar')).status).toBe(503)
  // Where it leads out, it is left out of any archive.
  expect((await admin.fetch('/api/raw/out/?algo=tar')).status).toBe(200)
})
