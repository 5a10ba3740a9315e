// What was answered is under its name after a power cut: its folder is synced behind its bytes.
import { existsSync, readlinkSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { scopeOf } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** What was synced, and whether the name that is watched was there by then. */
const disk = vi.hoisted(() => ({ synced: [] as string[], watched: '' }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const fsync = (fd: number, done: (error: Error | null) => void) => {
    const isThere = existsSync(disk.watched)
    disk.synced.push(`${readlinkSync(`/proc/self/fd/${fd}`)}${isThere ? ' with its name' : ''}`)
    real.fsync(fd, done)
  }
  return { ...real, fsync }
})

function watch(tree: Tree, name: string): void {
  disk.synced = []
  disk.watched = tree.at(name)
}

it.runIf(process.platform === 'linux')('an upload, with the folders made for it', async () => {
  await using tree = await makeTree({})
  watch(tree, 'new/folder/a.txt')
  const temp = await scopeOf(tree).openTemp(vpathOf('/new/folder/a.txt'), { parents: true })
  await temp.commit({ replace: false })
  expect(disk.synced).toEqual([
    tree.root,
    tree.at('new'),
    expect.stringContaining(tree.at('new/folder/.fb-tmp-')),
    `${tree.at('new/folder')} with its name`,
  ])
})

it.runIf(process.platform === 'linux')('a save over an old file, and a folder', async () => {
  await using tree = await makeTree({ 'a.txt': 'old' })
  const scope = scopeOf(tree)
  watch(tree, 'a.txt')
  const temp = await scope.openTemp(vpathOf('/a.txt'))
  await temp.commit({ replace: true })
  expect(disk.synced.at(-1)).toBe(`${tree.root} with its name`)
  watch(tree, 'folder')
  await scope.makeFolder(vpathOf('/folder'))
  expect(disk.synced).toEqual([`${tree.root} with its name`])
})

it.runIf(process.platform === 'linux')('a copied tree, each folder of it once', async () => {
  await using tree = await makeTree({ 'from/a.txt': 'a', 'from/b.txt': 'b', 'from/sub/c.txt': 'c' })
  watch(tree, 'to/sub/c.txt')
  const options = { replace: false, signal: new AbortController().signal }
  await copyTree(scopeOf(tree), vpathOf('/from'), vpathOf('/to'), options)
  const folders = disk.synced.filter((path) => !path.includes('.fb-tmp-'))
  expect(folders).toEqual([
    tree.root,
    tree.at('to'),
    tree.at('to'),
    `${tree.at('to/sub')} with its name`,
  ])
})
