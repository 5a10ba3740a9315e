// The sizes of a tree: the same by the event loop and by what waits.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createKernelDevice, type Device } from '../../src/files/disks/device.ts'
import { TEMP_PREFIX, VERSIONS_NAME } from '../../src/files/volume/temp-name.ts'
import type { Volume } from '../../src/files/volume/volume.ts'
import { createCount } from '../../src/quotas/count.ts'
import { VOLUME } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** More than one look at a folder gives, and more folders on the way than stay open. */
const MANY = 5_000
const DEEP = 80

async function awkwardTree(): Promise<Tree> {
  const tree = await makeTree({
    'a/x': '12345',
    'a/empty': null,
    [`${TEMP_PREFIX}00000000-0000-4000-8000-000000000000`]: 'temporary',
    [`${TEMP_PREFIX}mine`]: '1',
    [`a/${VERSIONS_NAME}/x`]: 'old',
    'link.txt': { link: 'a/x' },
  })
  symlinkSync(tree.outside, tree.at('a/out'))
  mkdirSync(tree.at('many'))
  for (let i = 0; i < MANY; i++) writeFileSync(tree.at(`many/${i}`), 'x')
  mkdirSync(tree.at('many/folder'))
  writeFileSync(tree.at('many/folder/y'), '12')
  const deep = tree.at('deep/'.repeat(DEEP))
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'z'), '123')
  writeFileSync(Buffer.from(`${tree.root}/latin-\xe9`, 'latin1'), '1234')
  mkdirSync(Buffer.from(`${tree.root}/folder-\xe9`, 'latin1'))
  writeFileSync(Buffer.from(`${tree.root}/folder-\xe9/in`, 'latin1'), '12345')
  return tree
}

const TOTAL = { bytes: 5 + 1 + MANY + 2 + 3 + 4 + 5, files: 2 + MANY + 4 }

async function countOf(tree: Tree, device?: Device, volume: Volume = VOLUME) {
  const folder = await VOLUME.openFolder(tree.root)
  const count = createCount()
  const top = device ? { ...folder, device } : folder
  await count.run(volume, top, new AbortController().signal).finally(folder.close)
  return { bytes: count.bytes, files: count.files }
}

it('counts what lies deep, among many and has no name of text; no links, versions and temporary files', async () => {
  await using tree = await awkwardTree()
  expect(await countOf(tree)).toEqual(TOTAL)
})

it('counts the same on a disk that is not asked directly', async () => {
  await using tree = await awkwardTree()
  expect(await countOf(tree, createKernelDevice())).toEqual(TOTAL)
})

it('counts the same when a disk turns slow and quick again on the way', async () => {
  await using tree = await awkwardTree()
  let asked = 0
  const device = Object.defineProperty(createKernelDevice(), 'isDirect', {
    get: () => Math.floor(asked++ / 100) % 2 === 0,
  })
  expect(await countOf(tree, device)).toEqual(TOTAL)
})

it('leaves the working folder of the process where it was', async () => {
  await using tree = await awkwardTree()
  const before = process.cwd()
  await countOf(tree)
  expect(process.cwd()).toBe(before)
})
