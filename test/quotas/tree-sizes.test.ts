// The sizes of a tree: the same by threads, by the event loop and by what waits.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKernelDevice, type Device } from '../../src/files/disks/device.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { TEMP_PREFIX, VERSIONS_NAME } from '../../src/files/volume/temp-name.ts'
import type { Volume } from '../../src/files/volume/volume.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { createCount } from '../../src/quotas/count.ts'
import { DISKS, VOLUME } from '../support/scope.ts'
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

describe('with threads', () => {
  /** More than is read without them before the rest, which lies in the last folder. */
  async function largeTree(): Promise<Tree> {
    const tree = await awkwardTree()
    for (let i = 0; i < 100; i++) {
      mkdirSync(tree.at(`many/folder/${i}/below`), { recursive: true })
      writeFileSync(tree.at(`many/folder/${i}/x`), 'x')
      writeFileSync(tree.at(`many/folder/${i}/below/y`), '12')
    }
    writeFileSync(
      tree.at(`many/folder/7/${TEMP_PREFIX}00000000-0000-4000-8000-000000000000`),
      'gone',
    )
    symlinkSync(tree.outside, tree.at('many/folder/8/out'))
    writeFileSync(Buffer.from(`${tree.root}/many/folder/9/latin-\xe9`, 'latin1'), '1234')
    mkdirSync(tree.at(`many/folder/9/${VERSIONS_NAME}`))
    writeFileSync(tree.at(`many/folder/9/${VERSIONS_NAME}/x`), 'old')
    return tree
  }
  const LARGE = { bytes: TOTAL.bytes + 100 * 3 + 4, files: TOTAL.files + 200 + 1 }

  it('counts the same', async () => {
    await using tree = await largeTree()
    const threads = createThreads()
    const volume = createDiskVolume(DISKS, undefined, threads)
    let files = 0
    const readSizes: Volume['readSizes'] = (...words) => {
      const reading = volume.readSizes(...words)
      return (
        reading?.then((found) => {
          files += found.files
          return found
        }) ?? null
      )
    }
    expect(await countOf(tree, undefined, { ...volume, readSizes })).toEqual(LARGE)
    expect(files).toBeGreaterThan(100)
    expect(await countOf(tree)).toEqual(LARGE)
    await threads.close()
  })

  it('knows what was read and what is to be read while they read', async () => {
    await using tree = await largeTree()
    const threads = createThreads()
    const volume = createDiskVolume(DISKS, undefined, threads)
    const count = createCount()
    // As often as the folder is handed over: what a thread does not reach in time is asked for again.
    const seen = new Set<string>()
    const note = (when: string, path: string) =>
      seen.add(`${when} ${path} is ${count.progressOf(tree.at(path), false)}`)
    const readSizes: Volume['readSizes'] = (folder, names, what) => {
      if (what.areFolders && names.includes('7')) {
        note('before', 'many/new')
        note('before', 'many/folder/7/new')
        queueMicrotask(() => note('meanwhile', 'many/folder/7/new'))
        queueMicrotask(() => note('meanwhile', 'many/folder/7/below/new'))
      }
      return volume.readSizes(folder, names, what)
    }
    const top = await VOLUME.openFolder(tree.root)
    await count.run({ ...volume, readSizes }, top, new AbortController().signal)
    await top.close()
    await threads.close()
    expect([...seen]).toEqual([
      'before many/new is passed',
      'before many/folder/7/new is pending',
      'meanwhile many/folder/7/new is reading',
      'meanwhile many/folder/7/below/new is reading',
    ])
    expect(count.progressOf(tree.at('many/folder/7/new'), true)).toBe('passed')
  })

  it('are not asked where something is mounted below, or the disk is slow', async () => {
    await using tree = await largeTree()
    const threads = createThreads()
    const disks = { ...DISKS, holdsMount: () => true }
    const volume = createDiskVolume(disks, undefined, threads)
    expect(await countOf(tree, undefined, volume)).toEqual(LARGE)
    const quick = createDiskVolume(DISKS, undefined, threads)
    expect(await countOf(tree, createKernelDevice(), quick)).toEqual(LARGE)
    expect(threads.count()).toBe(0)
  })
})
