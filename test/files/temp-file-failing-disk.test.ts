import { readdir, readFile } from 'node:fs/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openTemp } from '../../src/files/volume/temp-file.ts'
import { openTop } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** A disk that refuses to set times, or to close. */
const disk = vi.hoisted(() => ({ refusal: '', isClosing: true }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    futimesSync: (...args: Parameters<typeof real.futimesSync>) => {
      if (disk.refusal) throw Object.assign(new Error(disk.refusal), { code: disk.refusal })
      real.futimesSync(...args)
    },
    closeSync: (fd: number) => {
      real.closeSync(fd)
      if (!disk.isClosing) {
        disk.isClosing = true
        throw Object.assign(new Error('EIO'), { code: 'EIO' })
      }
    },
  }
})

afterEach(() => {
  disk.refusal = ''
  disk.isClosing = true
})

async function openIn(tree: Tree) {
  const { folder, timesClosed } = await openTop(tree, createLocalDevice())
  const temp = await openTemp(folder, 'a.txt', { fileMode: 0o640 })
  return { temp, isFolderOpen: () => timesClosed() === 0 }
}

it.each(['EPERM', 'EACCES', 'ENOSYS', 'ENOTSUP'])(
  'a file is saved where setting its time is refused (%s)',
  async (code) => {
    await using tree = await makeTree({ 'a.txt': 'old' })
    const { temp, isFolderOpen } = await openIn(tree)
    disk.refusal = code
    await temp.commit({ replace: true, mtimeMs: 1_000 })
    expect(await readFile(tree.at('a.txt'), 'utf8')).toBe('')
    expect(isFolderOpen()).toBe(false)
  },
)

it('a disk that fails while the time is set is told', async () => {
  await using tree = await makeTree({})
  const { temp, isFolderOpen } = await openIn(tree)
  disk.refusal = 'EIO'
  await expect(temp.commit({ replace: true, mtimeMs: 1_000 })).rejects.toThrow('EIO')
  await temp.discard()
  expect(isFolderOpen()).toBe(false)
})

it('the folder is let go also when the file cannot be closed', async () => {
  await using tree = await makeTree({})
  const { temp, isFolderOpen } = await openIn(tree)
  disk.isClosing = false
  await expect(temp.release()).rejects.toThrow('EIO')
  expect(isFolderOpen()).toBe(false)
  expect(await readdir(tree.root)).toHaveLength(1)
})
