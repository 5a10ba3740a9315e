// What a request resolved is what it acts on, whatever has the path by then.
import { mkdir, readdir, readlink, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { vpathOf } from '../../src/lib/vpath.ts'
import { listDetailed, scopeOf } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const onLinux = it.runIf(process.platform === 'linux')
const { signal } = new AbortController()

async function swapForLink(tree: Tree): Promise<void> {
  await rename(tree.at('dir'), tree.at('aside'))
  await symlink(tree.outside, tree.at('dir'))
}

onLinux('a place is read where it was resolved, also when a link takes its folder', async () => {
  await using tree = await makeTree({ 'dir/secret.txt': 'mine', 'dir/sub/a.txt': 'a' })
  await mkdir(join(tree.outside, 'sub'))
  await writeFile(join(tree.outside, 'sub/other.txt'), 'other')
  const scope = scopeOf(tree)
  using file = await scope.place(vpathOf('/dir/secret.txt'))
  using folder = await scope.place(vpathOf('/dir/sub'))
  await swapForLink(tree)
  const { handle } = await scope.openRead(file)
  expect((await handle.readFile()).toString()).toBe('mine')
  await handle.close()
  const names = (await listDetailed(scope, folder, signal)).map(({ name }) => name)
  expect(names).toEqual(['a.txt'])
  expect((await scope.stat(file)).sizeBytes).toBe(4)
})

onLinux('nothing is written into a folder that took the place of the one resolved', async () => {
  await using tree = await makeTree({ 'dir/a.txt': 'a' })
  const before = await readdir(tree.outside)
  const scope = scopeOf(tree)
  using place = await scope.place(vpathOf('/dir/new.txt'))
  await swapForLink(tree)
  await expect(scope.openTemp(place, { parents: true })).rejects.toMatchObject({
    code: 'forbidden',
  })
  expect(await readdir(tree.outside)).toEqual(before)
})

it('a place knows what is there, links followed, and where a new file would go', async () => {
  await using tree = await makeTree({
    'a/x.txt': 'one',
    'link.txt': { link: 'a/x.txt' },
    'dangling.txt': { link: 'a/later.txt' },
  })
  const scope = scopeOf(tree)
  const at = async (path: string) => {
    using place = await scope.place(vpathOf(path))
    const { realPath, stats, link } = place
    return [realPath.slice(tree.root.length), stats?.isFile() ?? null, link !== null]
  }
  expect(await at('/a/x.txt')).toEqual(['/a/x.txt', true, false])
  expect(await at('/link.txt')).toEqual(['/a/x.txt', true, true])
  expect(await at('/dangling.txt')).toEqual(['/a/later.txt', null, true])
  expect(await at('/b/c/new.txt')).toEqual(['/b/c/new.txt', null, false])
})

onLinux('a place that is done with keeps nothing open', async () => {
  await using tree = await makeTree({ 'dir/a.txt': 'a', link: { link: 'dir' } })
  const scope = scopeOf(tree)
  const openBelow = async () => {
    const names = await readdir('/proc/self/fd')
    const paths = await Promise.all(
      names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
    )
    return paths.filter((path) => path.startsWith(tree.root))
  }
  for (const path of ['/', '/dir/a.txt', '/link/a.txt', '/link', '/dir/new.txt', '/no/new.txt']) {
    using place = await scope.place(vpathOf(path))
    expect(place.vpath).toBe(path)
  }
  {
    using place = await scope.place(vpathOf('/dir/b.txt'))
    const temp = await scope.openTemp(place)
    await temp.commit({ replace: false })
  }
  await scope.stat(vpathOf('/link/a.txt'))
  await scope.remove(vpathOf('/dir/b.txt'), signal)
  expect(await openBelow()).toEqual([])
})
