// The shortest way to a regular file, and all that is left to its place.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/files/place/scope.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { treesInMemory } from '../support/in-memory.ts'
import { scopeOf } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

// From then on it is asked for directly.
async function locate(scope: Scope, path: string): Promise<void> {
  using place = await scope.place(vpathOf(path)).catch(() => null)
  expect(place?.vpath ?? path).toBe(path)
}

async function contentOf(scope: Scope, path: string): Promise<string | null> {
  const file = await scope.openPlain(vpathOf(path))
  if (!file) return null
  try {
    expect(await readlink(`/proc/self/fd/${file.handle.fd}`)).toMatch(new RegExp(`${path}$`))
    return (await file.handle.readFile()).toString()
  } finally {
    await file.handle.close()
  }
}

async function openFiles(root: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const paths = names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''))
  return (await Promise.all(paths)).filter((path) => path.startsWith(root))
}

describe.runIf(process.platform === 'linux')('a file by its path', () => {
  beforeEach(() => treesInMemory())

  it('is opened at once when it was found a moment ago', async () => {
    await using tree = await makeTree({ 'dir/a.txt': 'mine', 'a (deleted)': 'odd' })
    const scope = scopeOf(tree)
    expect(await contentOf(scope, '/dir/a.txt')).toBeNull()
    await locate(scope, '/dir/a.txt')
    expect(await contentOf(scope, '/dir/a.txt')).toBe('mine')
    await locate(scope, '/a (deleted)')
    const odd = await scope.openPlain(vpathOf('/a (deleted)'))
    expect((await odd?.handle.readFile())?.toString()).toBe('odd')
    await odd?.handle.close()
  })

  it('is left to its place where a link is on the path, a folder or a pipe at its end, or nothing', async () => {
    await using tree = await makeTree({
      'dir/a.txt': 'mine',
      'link.txt': { link: 'dir/a.txt' },
      way: { link: 'dir' },
    })
    await writeFile(join(tree.outside, 'a.txt'), 'theirs')
    await symlink(tree.outside, tree.at('out'))
    execFileSync('mkfifo', [tree.at('pipe')])
    const scope = scopeOf(tree)
    for (const path of ['/link.txt', '/way/a.txt', '/out/a.txt', '/dir', '/', '/pipe', '/none']) {
      await locate(scope, path)
      expect(await scope.openPlain(vpathOf(path)), path).toBeNull()
    }
    expect(await openFiles(tree.root)).toEqual([])
    expect(await openFiles(tree.outside)).toEqual([])
  })

  it('is not the file that a link leads to which took the place of its folder', async () => {
    await using tree = await makeTree({ 'dir/a.txt': 'mine' })
    await writeFile(join(tree.outside, 'a.txt'), 'theirs')
    const scope = scopeOf(tree)
    await locate(scope, '/dir/a.txt')
    await rename(tree.at('dir'), tree.at('aside'))
    await symlink(tree.outside, tree.at('dir'))
    expect(await scope.openPlain(vpathOf('/dir/a.txt'))).toBeNull()
  })

  it('is not a pipe or a folder that took its place', async () => {
    await using tree = await makeTree({ 'a.txt': 'mine', 'b.txt': 'mine' })
    const scope = scopeOf(tree)
    for (const name of ['a.txt', 'b.txt']) {
      await locate(scope, `/${name}`)
      await rm(tree.at(name))
    }
    execFileSync('mkfifo', [tree.at('a.txt')])
    await mkdir(tree.at('b.txt'))
    expect(await scope.openPlain(vpathOf('/a.txt'))).toBeNull()
    expect(await scope.openPlain(vpathOf('/b.txt'))).toBeNull()
    expect(await openFiles(tree.root)).toEqual([])
  })

  it('is nothing for who may not download it, or the server’s own', async () => {
    await using tree = await makeTree({ 'dir/a.txt': 'mine', '.fb-trash/b.txt': 'kept' })
    await mkdir(tree.at('other'))
    const scope = scopeOf(tree, { may: (_, verb) => verb !== 'download' })
    await locate(scope, '/dir/a.txt')
    expect(await scope.openPlain(vpathOf('/dir/a.txt'))).toBeNull()
    expect(await scopeOf(tree).openPlain(vpathOf('/.fb-trash/b.txt'))).toBeNull()
    const store = scopeOf(tree, { root: tree.at('.fb-trash') })
    await locate(store, '/b.txt')
    expect(await store.openPlain(vpathOf('/b.txt'))).toBeNull()
  })
})
