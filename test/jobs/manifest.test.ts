// What a job has made, as it is read back after a crash.
import { appendFile, stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openManifest, readManifest } from '../../src/jobs/manifest.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { makeTree } from '../support/tree.ts'

const entry = (path: string) => ({
  made: { path, ino: '7', sizeBytes: 1, mtimeNs: '5' },
  sourceMtimeNs: '4',
})
const fail = (error: unknown) => {
  throw error
}

it('is read back as it was written, and forgets what an item that is over has made', async () => {
  await using tree = await makeTree({})
  const manifest = openManifest(tree.at('m'), fail)
  manifest.add({ item: 0, target: '/to/a' as VPath })
  manifest.addMade(0, entry('/x'))
  manifest.add({ item: 0, over: true, files: 1, bytes: 1 })
  manifest.add({ item: 1, target: '/to/b' as VPath })
  manifest.addMade(1, entry('/y'))
  await manifest.close()
  const { items } = await readManifest(tree.at('m'))
  expect(items.get(0)).toMatchObject({ isOver: true, files: 1, bytes: 1, made: new Map() })
  expect(items.get(1)).toMatchObject({ target: '/to/b', isOver: false })
  expect([...(items.get(1)?.made ?? [])]).toEqual([['/y', entry('/y')]])
  expect((await stat(tree.at('m'))).mode & 0o777).toBe(0o600)
})

it('goes on behind a line that a crash cut off', async () => {
  await using tree = await makeTree({})
  const first = openManifest(tree.at('m'), fail)
  first.addMade(0, entry('/x'))
  await first.close()
  await appendFile(tree.at('m'), '[0,"4","/cu')
  const second = openManifest(tree.at('m'), fail)
  second.addMade(0, entry('/z'))
  await second.close()
  const made = (await readManifest(tree.at('m'))).items.get(0)?.made
  expect([...(made?.keys() ?? [])]).toEqual(['/x', '/z'])
})

it('knows what the history has still to be told', async () => {
  await using tree = await makeTree({})
  const manifest = openManifest(tree.at('m'), fail)
  manifest.addMade(0, entry('/told'))
  manifest.add({ item: 0, noted: true })
  manifest.addMade(0, entry('/untold'))
  await manifest.close()
  expect((await readManifest(tree.at('m'))).items.get(0)?.unnoted).toEqual(new Set(['/untold']))
})

it('of a job that made nothing is no file', async () => {
  await using tree = await makeTree({})
  await openManifest(tree.at('m'), fail).close()
  expect((await readManifest(tree.at('m'))).items).toEqual(new Map())
  await expect(stat(tree.at('m'))).rejects.toThrow('ENOENT')
})
