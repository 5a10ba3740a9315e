// Copying many files at once keeps what copying them one by one promised.
import { chmod, lstat, mkdir, readdir, readlink, stat } from 'node:fs/promises'
import { afterAll, expect, it } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { TEMP_PREFIX } from '../../src/files/volume/temp-name.ts'
import type { Volume } from '../../src/files/volume/volume.ts'
import { toVPath } from '../../src/lib/vpath.ts'
import { reserve } from '../../src/operations/write.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { DISKS, scopeOf, VOLUME } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const vpath = (text: string) => toVPath(text) ?? expect.unreachable(text)

const threads = createThreads()
afterAll(threads.close)

/** Where files of a folder are copied one by one, and where many are by a thread. */
const VOLUMES = [
  ['one by one', VOLUME],
  ['by a thread', createDiskVolume(DISKS, undefined, threads)],
] as const

interface Options {
  deny?: string
  replace?: boolean
  signal?: AbortSignal
  volume?: Volume
}

function copy(tree: Tree, options: Options = {}): Promise<void> {
  const { deny, replace = true, signal = new AbortController().signal, volume = VOLUME } = options
  const scope = scopeOf(tree, { may: (path) => path !== deny, volume })
  return copyTree(scope, vpath('/from'), vpath('/to'), { replace, signal, reserve })
}

/** Names of `count` files below `from`, each with its own name as content. */
function files(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, i) => `f${i}.txt`)
  return Object.fromEntries(names.map((name) => [`from/${name}`, name]))
}

it.each(VOLUMES)(
  'copies every file of a large folder, %s, with its content and mode',
  async (_, volume) => {
    await using tree = await makeTree(files(200))
    await chmod(tree.at('from/f7.txt'), 0o751)
    await copy(tree, { volume })
    const names = await readdir(tree.at('to'))
    expect(names).toHaveLength(200)
    for (const name of names) expect(await tree.read(`to/${name}`)).toBe(name)
    expect((await stat(tree.at('to/f7.txt'))).mode & 0o777).toBe(0o751)
  },
)

it('follows a link that has the name of a file, inside the scope only', async () => {
  await using tree = await makeTree({
    'from/a.txt': 'new',
    'from/b.txt': 'new',
    'to/a.txt': { link: '../kept.txt' },
    'to/b.txt': { link: '../../outside/secret.txt' },
    'kept.txt': 'old',
  })
  await expect(copy(tree)).rejects.toMatchObject({ message: /^1 entries were not copied: \/to\/b/ })
  expect(await readlink(tree.at('to/a.txt'))).toBe('../kept.txt')
  expect(await tree.read('kept.txt')).toBe('new')
  expect(await tree.read('../outside/secret.txt')).not.toBe('new')
})

it.each(
  VOLUMES.flatMap(([how, volume]) =>
    ['/from/f1.txt', '/to/f1.txt'].map((deny) => [how, deny, volume] as const),
  ),
)('copying %s reports %s, which a rule denies', async (_, deny, volume) => {
  await using tree = await makeTree(files(40))
  const copying = copy(tree, { deny, volume })
  await expect(copying).rejects.toThrow(/^1 entries were not copied: \/\w+\/f1.txt/)
  const names = Object.keys(files(40)).map((path) => path.slice('from/'.length))
  expect((await readdir(tree.at('to'))).sort()).toEqual(
    names.filter((name) => name !== 'f1.txt').sort(),
  )
})

it('copies by a thread what is new, and by itself what replaces something', async () => {
  await using tree = await makeTree({ ...files(40), 'to/f7.txt': 'old', 'to/f8.txt/a.txt': 'a' })
  const [, volume] = VOLUMES[1]
  await expect(copy(tree, { volume })).rejects.toThrow(/^1 entries were not copied: a folder/)
  expect(await tree.read('to/f7.txt')).toBe('f7.txt')
  expect(await tree.read('to/f39.txt')).toBe('f39.txt')
})

it('keeps what is there without the right to replace it, and a folder in any case', async () => {
  await using tree = await makeTree({ ...files(3), 'to/f1.txt': 'old' })
  await expect(copy(tree, { replace: false })).rejects.toThrow(/^1 entries/)
  expect(await tree.read('to/f1.txt')).toBe('old')
  await mkdir(tree.at('from/sub'))
  await tree.add({ 'from/g.txt': 'g', 'to/g.txt/inner.txt': 'inner' })
  await expect(copy(tree)).rejects.toThrow(/^1 entries/)
  expect((await lstat(tree.at('to/g.txt'))).isDirectory()).toBe(true)
  expect(await readdir(tree.at('to'))).toEqual(['f0.txt', 'f1.txt', 'f2.txt', 'g.txt', 'sub'])
})

it.each(VOLUMES)('leaves whole files only when it is cancelled, %s', async (_, volume) => {
  await using tree = await makeTree(files(500))
  const controller = new AbortController()
  const copying = copy(tree, { signal: controller.signal, volume })
  while ((await readdir(tree.at('to')).catch(() => [])).length === 0);
  controller.abort(new Error('enough'))
  await expect(copying).rejects.toThrow('enough')
  const names = await readdir(tree.at('to'))
  expect(names.length).toBeLessThan(500)
  expect(names.filter((name) => name.startsWith(TEMP_PREFIX))).toEqual([])
  for (const name of names) expect(await tree.read(`to/${name}`)).toBe(name)
})
