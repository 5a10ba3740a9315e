// What was answered is under its name after a power cut: its folder is synced behind its bytes.
import { randomUUID } from 'node:crypto'
import { existsSync, readlinkSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, vi } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { reserve } from '../../src/operations/write.ts'
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

/** Nothing is synced on tmpfs. */
const TMPFS = 0x01021994
const onDisk = it.runIf(process.platform === 'linux' && statfsSync(tmpdir()).type !== TMPFS)
const hasMemory = existsSync('/dev/shm') && statfsSync('/dev/shm').type === TMPFS

function watch(tree: Tree, name: string): void {
  disk.synced = []
  disk.watched = tree.at(name)
}

onDisk('an upload, with the folders made for it', async () => {
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

onDisk('a save over an old file, and a folder', async () => {
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

onDisk('a copied tree, each folder of it once', async () => {
  await using tree = await makeTree({ 'from/a.txt': 'a', 'from/b.txt': 'b', 'from/sub/c.txt': 'c' })
  watch(tree, 'to/sub/c.txt')
  const options = { replace: false, signal: new AbortController().signal, reserve }
  await copyTree(scopeOf(tree), vpathOf('/from'), vpathOf('/to'), options)
  const folders = disk.synced.filter((path) => !path.includes('.fb-tmp-'))
  expect(folders).toEqual([
    tree.root,
    tree.at('to'),
    tree.at('to'),
    `${tree.at('to/sub')} with its name`,
  ])
})

it.runIf(hasMemory)('a file system in memory is not waited for', async () => {
  await using tree = await makeTree({}, `/dev/shm/filebrowser-test-${randomUUID()}`)
  watch(tree, 'a.txt')
  const temp = await scopeOf(tree).openTemp(vpathOf('/a.txt'))
  await temp.commit({ replace: false })
  expect([existsSync(tree.at('a.txt')), disk.synced]).toEqual([true, []])
})
