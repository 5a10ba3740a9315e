import { closeSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openTemp } from '../../src/files/temp/temp-file.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** A disk that refuses to set times. */
const disk = vi.hoisted(() => ({ refusal: '' }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    futimesSync: (...args: Parameters<typeof real.futimesSync>) => {
      if (disk.refusal) throw Object.assign(new Error(disk.refusal), { code: disk.refusal })
      real.futimesSync(...args)
    },
  }
})

afterEach(() => {
  disk.refusal = ''
})

async function openIn(tree: Tree) {
  let isFolderOpen = true
  const folder = {
    ref: tree.root,
    device: createLocalDevice(),
    close: async () => {
      isFolderOpen = false
    },
  }
  const temp = await openTemp(folder, 'a.txt', { fileMode: 0o640, isDirect: true })
  return { temp, isFolderOpen: () => isFolderOpen }
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
  closeSync(temp.fd)
  await expect(temp.release()).rejects.toThrow('EBADF')
  expect(isFolderOpen()).toBe(false)
  expect(await readdir(tree.root)).toHaveLength(1)
})
