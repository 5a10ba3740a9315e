// Copying many files at once keeps what copying them one by one promised.
import { chmod, lstat, mkdir, readdir, readlink, stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { TEMP_PREFIX } from '../../src/files/volume/temp-name.ts'
import { toVPath } from '../../src/lib/vpath.ts'
import { reserve } from '../../src/operations/write.ts'
import { scopeOf } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const vpath = (text: string) => toVPath(text) ?? expect.unreachable(text)

function copy(
  tree: Tree,
  options: { deny?: string; replace?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  const { deny, replace = true, signal = new AbortController().signal } = options
  const scope = scopeOf(tree, { may: (path) => path !== deny })
  return copyTree(scope, vpath('/from'), vpath('/to'), { replace, signal, reserve })
}

/** Names of `count` files below `from`, each with its own name as content. */
function files(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, i) => `f${i}.txt`)
  return Object.fromEntries(names.map((name) => [`from/${name}`, name]))
}

it('copies every file of a large folder with its content and mode', async () => {
  await using tree = await makeTree(files(200))
  await chmod(tree.at('from/f7.txt'), 0o751)
  await copy(tree)
  const names = await readdir(tree.at('to'))
  expect(names).toHaveLength(200)
  for (const name of names) expect(await tree.read(`to/${name}`)).toBe(name)
  expect((await stat(tree.at('to/f7.txt'))).mode & 0o777).toBe(0o751)
})

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

it.each(['/from/f1.txt', '/to/f1.txt'])('reports %s, which a rule denies', async (deny) => {
  await using tree = await makeTree(files(5))
  await expect(copy(tree, { deny })).rejects.toThrow(/^1 entries were not copied: \/\w+\/f1.txt/)
  expect(await readdir(tree.at('to'))).toEqual(['f0.txt', 'f2.txt', 'f3.txt', 'f4.txt'])
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

it('leaves whole files only when it is cancelled', async () => {
  await using tree = await makeTree(files(500))
  const controller = new AbortController()
  const copying = copy(tree, { signal: controller.signal })
  while ((await readdir(tree.at('to')).catch(() => [])).length === 0);
  controller.abort(new Error('enough'))
  await expect(copying).rejects.toThrow('enough')
  const names = await readdir(tree.at('to'))
  expect(names.length).toBeLessThan(500)
  expect(names.filter((name) => name.startsWith(TEMP_PREFIX))).toEqual([])
  for (const name of names) expect(await tree.read(`to/${name}`)).toBe(name)
})
