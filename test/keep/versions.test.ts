// Versions on real trees, without accounts.
import { chmodSync, existsSync } from 'node:fs'
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDisks } from '../../src/files/disks/disks.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import type { Volume } from '../../src/files/volume/volume.ts'
import { createStoreList } from '../../src/keep/store-list.ts'
import { createVersions, type Versions } from '../../src/keep/versions.ts'
import { makeTree, type Tree, type TreeContent } from '../support/tree.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

interface Opened extends AsyncDisposable {
  tree: Tree
  volume: Volume
  versions: Versions
  log: string[]
  /** Keeps what the file has now. */
  keep(name: string, how?: { inPlace: boolean }): ReturnType<Versions['keep']>
  textsOf(name: string): Promise<string[]>
}

async function open(
  content: TreeContent,
  { now, change }: { now?: () => number; change?: (volume: Volume) => Partial<Volume> } = {},
): Promise<Opened> {
  const tree = await makeTree(content)
  const disk = createDiskVolume(createDisks())
  const volume = { ...disk, ...change?.(disk) }
  const log: string[] = []
  const versions = createVersions({
    volume,
    tops: async () => [tree.root],
    stores: createStoreList(join(tree.base, 'versions'), async () => false),
    spare: join(tree.base, 'spare'),
    isOn: () => true,
    log: { warn: (line) => void log.push(line) },
    ...(now && { now }),
  })
  return {
    tree,
    volume,
    versions,
    log,
    keep: async (name, how = { inPlace: false }) => {
      const path = tree.at(name)
      const folder = await volume.openFolder(join(path, '..'))
      const file = { folder, name: path.slice(path.lastIndexOf('/') + 1) }
      return versions.keep(file, 1, how).finally(folder.close)
    },
    textsOf: async (name) => {
      const texts: string[] = []
      for (const { id } of await versions.list(tree.at(name))) {
        const { handle } = await versions.open(tree.at(name), id, '/' as never)
        texts.push((await handle.readFile()).toString())
        await handle.close()
      }
      return texts
    },
    [Symbol.asyncDispose]: async () => {
      await versions.close()
      await tree[Symbol.asyncDispose]()
    },
  }
}

function refusal(code: string): never {
  throw Object.assign(new Error(code), { code })
}

test('a store goes to the next folder down where a link across is refused', async () => {
  const change = (volume: Volume): Partial<Volume> => ({
    // As where /docs is a subvolume of its own.
    link: async (from, to, options) => {
      if (!to.folder.realDir.endsWith('/docs/.fb-versions')) refusal('EXDEV')
      return volume.link(from, to, options)
    },
  })
  await using opened = await open({ 'docs/deep/a.txt': 'old' }, { change })
  await opened.keep('docs/deep/a.txt')
  expect(await opened.textsOf('docs/deep/a.txt')).toEqual(['old'])
  expect(await readdir(opened.tree.root)).toEqual(['docs'])
  expect((await readdir(opened.tree.at('docs'))).sort()).toEqual(['.fb-versions', 'deep'])
})

test.each(['EPERM', 'ENOTSUP', 'EMLINK'])(
  'a file is copied where %s refuses a link',
  async (code) => {
    await using opened = await open(
      { 'a.txt': 'old' },
      { change: () => ({ link: async () => refusal(code) }) },
    )
    chmodSync(opened.tree.at('a.txt'), 0o640)
    await opened.keep('a.txt')
    await writeFile(opened.tree.at('a.txt'), 'written in place')
    expect(await opened.textsOf('a.txt')).toEqual(['old'])
  },
)

test('without room for a copy it is no_space, and nothing is left', async () => {
  const change = () => ({
    link: async () => refusal('EPERM'),
    copyFile: async () => refusal('ENOSPC'),
  })
  await using opened = await open({ 'a.txt': 'old' }, { change })
  await expect(opened.keep('a.txt')).rejects.toMatchObject({ code: 'no_space' })
  expect(await readdir(opened.tree.root)).toEqual(['a.txt'])
})

/** No served folder takes anything new. */
const readOnly = (disk: Volume): Partial<Volume> => ({
  makeFolder: async (dir, ...rest) =>
    dir.includes('/spare') ? disk.makeFolder(dir, ...rest) : refusal('EROFS'),
})

test('where no folder takes it the server keeps it itself, and lets it go like others', async () => {
  await using opened = await open({ 'docs/a.txt': 'old' }, { change: readOnly })
  const { versions, tree } = opened
  const kept = await opened.keep('docs/a.txt')
  await writeFile(tree.at('docs/a.txt'), 'new')
  await opened.keep('docs/a.txt', { inPlace: true })
  await writeFile(tree.at('docs/a.txt'), 'newer')
  expect((await opened.textsOf('docs/a.txt')).sort()).toEqual(['new', 'old'])
  const found: string[] = []
  for await (const { realPath } of versions.all()) found.push(realPath)
  expect(found).toEqual([tree.at('docs/a.txt')])
  expect(await versions.kept()).toHaveLength(2)
  await rename(tree.at('docs'), tree.at('moved'))
  await versions.moved(tree.at('docs'), tree.at('moved'))
  expect((await opened.textsOf('moved/a.txt')).sort()).toEqual(['new', 'old'])
  expect(await opened.textsOf('docs/a.txt')).toEqual([])
  await versions.drop(tree.at('moved/a.txt'), kept.id)
  expect(await opened.textsOf('moved/a.txt')).toEqual(['new'])
})

test('of a file that moves over another those of both stay, also of one millisecond', async () => {
  await using opened = await open({ 'a.txt': 'a', 'b.txt': 'b' }, { now: () => 1_700_000_000_000 })
  const { versions, tree } = opened
  const { id } = await opened.keep('a.txt')
  await versions.mark(tree.at('a.txt'), id, true)
  await opened.keep('a.txt')
  await opened.keep('b.txt')
  await rename(tree.at('a.txt'), tree.at('b.txt'))
  await versions.moved(tree.at('a.txt'), tree.at('b.txt'))
  expect((await opened.textsOf('b.txt')).sort()).toEqual(['a', 'a', 'b'])
  const ids = (await versions.list(tree.at('b.txt'))).map((version) => version.id)
  expect(new Set(ids).size).toBe(3)
  expect(opened.log).toEqual([])
})

test('where nothing at all takes it, it is not replaced, and the log says why', async () => {
  const change = () => ({ makeFolder: async () => refusal('EROFS') })
  await using opened = await open({ 'a.txt': 'old' }, { change })
  await expect(opened.keep('a.txt')).rejects.toMatchObject({ code: 'no_space' })
  expect(opened.log).toEqual([expect.stringContaining('is not replaced')])
})

test('a store that is a link is not used', async () => {
  await using opened = await open({ 'docs/a.txt': 'old' })
  await symlink(opened.tree.outside, opened.tree.at('.fb-versions'))
  await opened.keep('docs/a.txt')
  expect(await readdir(opened.tree.outside)).toEqual(['secret.txt'])
  expect(await opened.textsOf('docs/a.txt')).toEqual(['old'])
})

test('a version that is taken back leaves no empty folder', async () => {
  await using opened = await open({ 'docs/a.txt': 'old' })
  const kept = await opened.keep('docs/a.txt')
  await kept?.drop()
  expect(await readdir(opened.tree.root)).toEqual(['docs'])
})

test('what may leave is all but what is marked; what is too many has gone', async () => {
  let time = Date.now() - 40 * DAY_MS
  await using opened = await open({ 'a.txt': 'old', 'b.txt': 'b' }, { now: () => time })
  for (let n = 0; n < 5; n++, time += 1_000) await opened.keep('a.txt', { inPlace: true })
  const marked = (await opened.keep('b.txt', { inPlace: true }))?.id ?? ''
  await opened.versions.mark(opened.tree.at('b.txt'), marked, true)
  time = Date.now()
  const kept = await opened.versions.kept()
  expect(kept).toMatchObject([{ store: opened.tree.at('.fb-versions'), bytes: 3 }])
  for (const one of kept) await one.erase(new AbortController().signal)
  expect(await opened.versions.list(opened.tree.at('a.txt'))).toEqual([])
  expect(await opened.versions.list(opened.tree.at('b.txt'))).toHaveLength(1)
  expect(existsSync(opened.tree.at('.fb-versions/a.txt'))).toBe(false)
})

test('a file that is replaced again has those removed that are too many, ten minutes after the last time', async () => {
  let time = Date.now() - DAY_MS
  await using opened = await open({ 'a.txt': 'old' }, { now: () => time })
  const count = async () => (await opened.versions.list(opened.tree.at('a.txt'))).length
  for (let n = 0; n < 5; n++, time += 1_000) await opened.keep('a.txt', { inPlace: true })
  time += 9 * MINUTE_MS
  await opened.keep('a.txt', { inPlace: true })
  expect(await count()).toBe(6)
  time += 2 * MINUTE_MS
  await opened.keep('a.txt', { inPlace: true })
  // Of the first minute one.
  await expect.poll(count).toBeLessThanOrEqual(4)
})

test('a version that is the present file, as a crash leaves it, goes', async () => {
  await using opened = await open({ 'a.txt': 'present' })
  const folder = opened.tree.at('.fb-versions/a.txt')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  chmodSync(opened.tree.at('.fb-versions'), 0o700)
  await link(opened.tree.at('a.txt'), join(folder, '20261101T101500000Z-1'))
  expect(await opened.versions.kept()).toEqual([])
  expect(await readdir(opened.tree.root)).toEqual(['a.txt'])
})

test('a version of a file that is about to be replaced stays', async () => {
  await using opened = await open({ 'a.txt': 'present' })
  await opened.keep('a.txt')
  expect(await opened.versions.kept()).toHaveLength(1)
  expect(await opened.versions.list(opened.tree.at('a.txt'))).toHaveLength(1)
})

test('the store may be deleted by hand, also right before the next file is kept', async () => {
  await using opened = await open({ 'a/b/c.txt': 'one' })
  const { tree, keep, textsOf } = opened
  await keep('a/b/c.txt')
  await rm(tree.at('.fb-versions'), { recursive: true })
  await keep('a/b/c.txt')
  expect(await textsOf('a/b/c.txt')).toEqual(['one'])
})

test('a file where a folder of the store should be leaves the file to the next store', async () => {
  await using opened = await open({ 'a/c.txt': 'one', '.fb-versions/a': 'in the way' })
  const { keep, textsOf } = opened
  chmodSync(opened.tree.at('.fb-versions'), 0o700)
  await keep('a/c.txt')
  expect(await textsOf('a/c.txt')).toEqual(['one'])
})

test.skipIf(process.geteuid?.() !== 0)(
  'a store that somebody else has put there takes none, however open it is (needs root)',
  async () => {
    await using opened = await open({ 'docs/a.txt': 'old' })
    const theirs = opened.tree.at('.fb-versions')
    await mkdir(theirs)
    await chmod(theirs, 0o777)
    await chown(theirs, 12_345, 12_345)
    await opened.keep('docs/a.txt')
    expect(await readdir(theirs)).toEqual([])
    expect(existsSync(opened.tree.at('docs/.fb-versions'))).toBe(true)
  },
)
